import equal from 'fast-deep-equal';
import type { Problem, Step } from '../model/outputs.js';
import type { CampaignContext } from '../sections/index.js';
import { without } from '../sections/leads.js';
import { classifyStatus } from '../sections/sending.js';
import type { EntryLeads } from './holders.js';
import { attachedBy } from './leads.js';
import { problem } from './messages.js';

/** Warns that a new campaign may be an existing one whose manifest was moved and renamed: it has its emails or leads. */
export function perhapsMoved(
  { id, spec, environment }: CampaignContext,
  steps: readonly Step[],
  { entries, replaced }: { entries: readonly EntryLeads[]; replaced: number | null },
): Problem[] {
  if (id !== null || steps.length === 0) return [];
  const sent = attachedBy(steps);
  const isAlike = ({ entry: { recorded }, leads }: EntryLeads) => {
    const emails = recorded.last?.spec.sequence?.steps;
    return (
      (emails !== undefined && equal(emails, spec.sequence?.steps)) || !equal(without(sent, leads), sent)
    );
  };
  const left = entries.filter(
    (one) =>
      one.spec === null &&
      one.entry.id !== replaced &&
      one.entry.recorded.superseded_by === undefined &&
      !one.isOutside &&
      one.listed !== null &&
      classifyStatus(one.listed.status, environment.service.statuses) !== 'gone' &&
      isAlike(one),
  );
  return left.length === 0 ? [] : [problem('perhaps-moved', { left: left.map(({ entry }) => entry) })];
}
