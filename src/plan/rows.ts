/**
 * Selects the campaigns whose list row stands for the record: it shows all that the manifest manages and the guards use, and its status is
 * the one that the state last knew. When in doubt, campaignctl reads the record.
 */
import type { Environment } from '../model/environment.js';
import { isEmpty } from '../model/leads.js';
import type { LiveParts } from '../model/live.js';
import { SETTING_NAMES } from '../model/sections.js';
import type { CampaignSpec } from '../model/spec.js';
import type { PendingOperations, RecordedState } from '../model/state.js';
import type { Target } from '../model/target.js';
import { isKnownStatus } from '../sections/sending.js';
import { decodeRow } from '../service/index.js';
import type { Matched } from './match.js';
import { isDeclared, type Planned } from './planned.js';

export function isFromRow({ live }: Target): boolean {
  return live?.record.is === 'shown' && live.record.value.isRow;
}

/** True if the plan neither changes the campaign nor reports anything that its files alone do not explain. */
export function isUnremarkable({ plan, target: { campaign }, byHand }: Planned): boolean {
  return (
    plan.action === 'none' &&
    plan.steps.length === 0 &&
    byHand.length === 0 &&
    plan.problems.every((problem) => campaign.remarks.includes(problem))
  );
}

interface RowsContext {
  environment: Environment;
  pending: readonly PendingOperations[];
  /** Ids of campaigns whose records are read. */
  doubted: ReadonlySet<number>;
}

/** By id, the decoded rows of these campaigns. */
export function standingRows(
  { targets, manifests }: Matched,
  { environment, pending, doubted }: RowsContext,
): Map<number, LiveParts['campaign']> {
  const inSuccession = new Set([...targets, ...manifests].map(({ predecessor }) => predecessor?.id));
  const candidates = new Set(manifests.flatMap((target) => target.candidates.map(({ id }) => id)));
  const isPending = ({ id, campaign: { manifest, spec } }: Target) =>
    pending.some(
      (operations) =>
        operations.id === id || operations.name === spec.name || operations.manifest === manifest,
    );
  const standing = targets.flatMap((target): [number, LiveParts['campaign']][] => {
    const { id, campaign, row, entry, reads, problems, predecessor } = target;
    const isRead = isDeclared(target) && reads?.includes('campaign') === true;
    if (!isRead || id === null || row === null || entry === null) return [];
    const isClear = problems.length === 0 && target.candidates.length === 0 && !candidates.has(id);
    const isAlone = predecessor === null && !inSuccession.has(id);
    if (!isClear || !isAlone || doubted.has(id) || isPending(target)) return [];
    const { recorded } = entry;
    const isUsual = row.status !== null && isKnownStatus(row.status, recorded, environment);
    if (!isUsual || !isSettled(recorded) || row.record === undefined || row.type !== undefined) return [];
    const record = decodeRow(row);
    return showsManaged(record, campaign.spec) ? [[id, record]] : [];
  });
  return new Map(standing);
}

/** True if nothing is in doubt, held, or too recent to be shown. */
function isSettled(recorded: RecordedState): boolean {
  const { doubtful, attached_at, at_defaults, not_kept, launch_held, paused, superseded_by } = recorded;
  const open = [attached_at ?? undefined, not_kept, launch_held, paused, superseded_by];
  return isEmpty(doubtful) && !at_defaults && open.every((fact) => fact === undefined);
}

/** False also if the row cannot be read, which is no error as long as the record can be. */
function showsManaged(record: LiveParts['campaign'], { settings = {} }: CampaignSpec): boolean {
  const shown = record.is === 'shown' ? record.value.settings : record;
  if (shown.is !== 'shown') return false;
  return SETTING_NAMES.every((name) => settings[name] === undefined || shown.value[name] !== undefined);
}
