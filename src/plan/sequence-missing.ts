/** Contradictions between known and shown emails or schedules: more likely an error than a fact. */
import type { Answer } from '../model/answer.js';
import { isObject, wholeNumber } from '../model/json.js';
import type { Change, Problem, SectionName } from '../model/outputs.js';
import type { EmailCount } from '../model/state.js';
import { count } from '../model/words.js';
import type { CampaignContext } from '../sections/index.js';
import { hasRun, mayBePaused, provesRun, sending } from '../sections/sending.js';
import { countEmails, liveSequence } from '../sections/sequence.js';
import { problem } from './messages.js';

/** Complete "has …" and "shows …". */
interface Contradiction {
  section: 'sequence' | 'schedule';
  known: string;
  answer: Answer;
  shown: string;
}

/**
 * A known sequence or schedule that is missing, in whole or part, and has `changes`. A hazard if apply would post it, else a
 * warning.
 */
export function sequenceMissing(
  context: CampaignContext,
  changes: readonly Change[],
  isSent: (section: SectionName) => boolean,
): Problem[] {
  const isChanged = (section: SectionName) => changes.some((change) => change.section === section);
  const contradictions = [
    isChanged('sequence') ? missingEmails(context) : null,
    isChanged('schedule') ? missingSchedule(context) : null,
  ];
  return contradictions.flatMap((contradiction) => {
    if (contradiction === null) return [];
    const { section, known, answer, shown } = contradiction;
    const facts = { section, known, endpoint: answer.endpoint, shown, isSent: isSent(section) };
    return [problem('sequence-missing', facts)];
  });
}

function missingEmails(context: CampaignContext): Contradiction | null {
  const answer = context.answers?.sequence ?? null;
  if (answer === null) return null;
  const { sequence: known } = context.recorded;
  const shown = countEmails(liveSequence(context));
  const is = { section: 'sequence', answer } as const;
  if (known !== null && (shown.steps < known.steps || shown.variants < known.variants))
    return {
      ...is,
      known: `The state knows that this campaign has ${emails(known)}${since(context)}`,
      shown: shown.steps === 0 ? none('emails', answer) : emails(shown),
    };
  if (shown.steps > 0 || !mayHaveRun(context)) return null;
  return { ...is, known: `${ran(context)}, so it should have emails`, shown: none('emails', answer) };
}

function missingSchedule(context: CampaignContext): Contradiction | null {
  const answer = context.answers?.schedule ?? null;
  if (answer?.none !== true) return null;
  const is = { section: 'schedule', answer, shown: none('schedule', answer) } as const;
  if (context.recorded.schedule_seen)
    return { ...is, known: `The state knows that this campaign has a schedule${since(context)}` };
  return mayHaveRun(context) ? { ...is, known: `${ran(context)}, so it should have a schedule` } : null;
}

/** False if the campaign is shown as a draft, or the state knows that it never ran. */
function mayHaveRun(context: CampaignContext): boolean {
  return hasSent(context) || (hasRun(context) !== false && mayBePaused(sending(context)));
}

function hasSent({ answers }: CampaignContext): boolean {
  const body = answers?.campaign?.body;
  const numbers = isObject(body) ? [body.emails_sent, body.total_leads_contacted] : [];
  return numbers.some((value) => value !== undefined && (wholeNumber(value) ?? 0) > 0);
}

function ran(context: CampaignContext): string {
  const status = sending(context);
  const verb = hasSent(context) || (provesRun(status) && !status.believed) ? 'has run' : 'may have run';
  return `This campaign ${verb}${status.word === null ? '' : ` (its status is "${status.word}")`}`;
}

function since({ recorded: { last } }: CampaignContext): string {
  return last === null ? '' : ` (last in sync ${last.at})`;
}

function emails({ steps, variants }: EmailCount): string {
  return variants === 0
    ? count(steps, 'email')
    : `${count(steps, 'email')} and ${count(variants, 'variant')}`;
}

function none(noun: string, { empty }: Answer): string {
  return `no ${noun}${empty === undefined ? '' : ` (${empty})`}`;
}
