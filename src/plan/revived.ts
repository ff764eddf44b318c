import type { Problem, Step } from '../model/outputs.js';
import { desiredSequence } from '../model/spec.js';
import { listed } from '../model/words.js';
import type { CampaignContext } from '../sections/index.js';
import { liveSequence } from '../sections/sequence.js';
import { copyKey } from '../sections/sequence-diff.js';

/** Emails that were switched off in a replaced campaign and that its successor would mail again. `which` names the old campaign. */
export function revivedEmails(
  old: CampaignContext,
  { sequence }: CampaignContext['spec'],
  { asked, which }: { asked: readonly Step[]; which: string },
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
  const subjects = [...new Set(revived.map(({ email_subject }) => JSON.stringify(email_subject)))];
  return [
    {
      code: 'revives-inactive-step',
      severity: 'hazard',
      message: `In ${which}, which this one replaces, these emails are switched off, and this one would mail them: ${listed(subjects)}.`,
      hint: 'Remove them from the manifest if they are not to be sent. If they are, accept with --allow revives-inactive-step.',
    },
  ];
}
