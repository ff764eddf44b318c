import type { Problem, Step } from '../model/outputs.js';
import { desiredSequence } from '../model/spec.js';
import type { CampaignContext } from '../sections/index.js';
import { liveSequence } from '../sections/sequence.js';
import { copyKey } from '../sections/sequence-diff.js';
import { problem } from './messages.js';

/** Emails switched off in a replaced campaign that its successor would mail. */
export function revivedEmails(
  old: CampaignContext,
  { sequence }: CampaignContext['spec'],
  asked: readonly Step[],
): Problem[] {
  const isMailed = asked.some(({ id, section }) => section === 'sequence' || id === 'launch');
  if (sequence === undefined || !isMailed) return [];
  const emails = liveSequence(old).steps.flatMap((step) => [step, ...step.variants]);
  const active = new Set(emails.filter((email) => email.active !== false).map(copyKey));
  const inactive = new Set(emails.map(copyKey).filter((key) => !active.has(key)));
  const revived = desiredSequence(sequence)
    .steps.flatMap((step) => [step, ...step.variants])
    .filter((email) => inactive.has(copyKey(email)));
  if (revived.length === 0) return [];
  const subjects = [...new Set(revived.map(({ email_subject }) => email_subject))];
  const predecessor = `campaign ${old.id} "${old.listed?.name ?? old.spec.name}"`;
  return [problem('revives-inactive-step', { predecessor, subjects })];
}
