/** Requests of earlier runs that the service can show and does not show yet. */
import equal from 'fast-deep-equal';
import type { ListedCampaign } from '../model/answer.js';
import { isObject } from '../model/json.js';
import { NOT_READ, type Shown } from '../model/live.js';
import type { Step } from '../model/outputs.js';
import { type PendingOperations, type SentStep, SHOWN_WITHIN } from '../model/state.js';
import type { Target } from '../model/target.js';
import { liveSchedule, sentSchedule } from '../sections/schedule.js';
import { provesStatus } from '../sections/sending.js';
import { countEmails, liveSequence, sentEmails } from '../sections/sequence.js';
import { copyKey } from '../sections/sequence-diff.js';
import { overwrittenSettings } from '../sections/settings.js';
import type { Planned } from './planned.js';

/** `wait`: milliseconds after which the service should show the effect. */
export interface OutstandingRequest {
  title: string;
  campaign: string;
  run: { who: string; at: string };
  wait: number;
}

/** In milliseconds; longer than any request can take. */
const ENDED_AFTER = 10 * 60_000;

/** Ignores campaigns that are not planned. `listed`: the complete list. */
export function outstandingRequests(
  pending: readonly PendingOperations[],
  works: readonly Planned[],
  listed: readonly ListedCampaign[],
): OutstandingRequest[] {
  return pending.flatMap((operations) => {
    const { manifest, name, who, at } = operations;
    const work =
      works.find(({ target }) => target.pending.includes(operations)) ??
      works.find(({ target: { campaign } }) => campaign.manifest === manifest || campaign.spec.name === name);
    if (work === undefined) return [];
    return operations.sent.flatMap((sent) => {
      const wait = timeLeft(sent);
      if (wait <= 0 || isVisible(sent.step, operations, { work, listed })) return [];
      return [{ title: sent.step.title, campaign: name, run: { who, at }, wait }];
    });
  });
}

/** If the outcome was not recorded, the minute begins now. */
function timeLeft({ result, age, visible_in }: SentStep): number {
  if (result === 'failed') return 0;
  if (result === 'unknown') return age < ENDED_AFTER ? SHOWN_WITHIN : 0;
  return (visible_in ?? 0) - age;
}

/** Also true if the service cannot show the effect, or if the campaign was not read. */
function isVisible(
  step: Step,
  { id, name, listed_ids = [] }: PendingOperations,
  { work: { target }, listed }: { work: Planned; listed: readonly ListedCampaign[] },
): boolean {
  const { live } = target;
  switch (step.section) {
    case 'campaign':
      return listed.some((row) =>
        id === null ? row.name === name && !listed_ids.includes(row.id) : row.id === id,
      );
    case 'settings':
      return live?.record.is !== 'shown' || overwrittenSettings(step, target).length === 0;
    case 'schedule':
      return !wasRead(live?.schedule) || isScheduleVisible(step, target);
    case 'sequence':
      return !wasRead(live?.sequence) || areEmailsVisible(step, target);
    case 'status':
      return target.id === null || isStatusVisible(step, target);
    default:
      return true;
  }
}

function wasRead(part: Shown<unknown> = NOT_READ): boolean {
  return part.is !== 'not-read';
}

function isScheduleVisible(step: Step, target: Target): boolean {
  const [live, sent] = [liveSchedule(target), sentSchedule(step)];
  return live !== null && (sent === null || equal(live, sent));
}

function areEmailsVisible(step: Step, target: Target): boolean {
  const live = liveSequence(target);
  const shown = countEmails(live);
  const sent = sentEmails(step);
  if (shown.steps < sent.steps || shown.variants < sent.variants) return false;
  const copies = new Set(live.steps.flatMap((email) => [email, ...email.variants]).map(copyKey));
  const rows = Array.isArray(step.body?.sequence_steps) ? step.body.sequence_steps.filter(isObject) : [];
  return rows.every(({ email_subject, email_body, thread_reply }) =>
    copies.has(
      copyKey({
        email_subject: String(email_subject),
        email_body: String(email_body),
        thread_reply: thread_reply === true,
        wait_in_days: 0,
      }),
    ),
  );
}

function isStatusVisible(step: Step, { status }: Target): boolean {
  const isNeverShown = status.doubt === 'not_set' || status.doubt === 'in_doubt';
  if (status.basis === 'set' || isNeverShown) return true;
  return provesStatus(step, status);
}
