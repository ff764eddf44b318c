import type { Answer, ListedCampaign } from '../model/answer.js';
import { BEHAVIOURS, type StatusWords } from '../model/environment.js';
import { isObject, type Json } from '../model/json.js';
import type { ProbeFinding, ProbeSeen } from '../model/outputs.js';
import { PROBE_TOPICS } from '../model/outputs.js';
import { SETTINGS } from '../model/sections.js';
import { count } from '../model/words.js';
import { type CampaignContext, liveStatus, meaningOf } from '../plan/index.js';
import { SECTIONS } from '../sections/index.js';
import type { LiveSequence } from '../sections/sequence-diff.js';
import type { FirstPage, Sent } from '../service/index.js';
import { FIRST, LATER, REPLY, STARTS, TITLE, VARIANT, WAITS } from './requests.js';

/** What was seen → what it says of the service. Whatever the answers leave open is unknown: nothing here guesses. */

type Topic = ProbeFinding['topic'];

export function finding(
  topic: Topic,
  value: string | null,
  conclusion: string,
  seen: readonly ProbeSeen[],
): ProbeFinding {
  return { topic, key: topic in BEHAVIOURS ? topic : null, value, conclusion, seen: [...seen] };
}

/** All topics in their order; `why` those that were not come to are unknown. */
export function wholeOf(found: readonly ProbeFinding[], why: string): ProbeFinding[] {
  return PROBE_TOPICS.map((topic) => {
    const own = found.find((one) => one.topic === topic);
    const reason = topic === 'attach_repeat' ? 'Not tried: a probe attaches no leads.' : why;
    return own ?? finding(topic, null, reason, []);
  });
}

function seconds(waits: readonly number[]): number {
  return Math.floor(waits.reduce((sum, wait) => sum + wait, 0) / 1000);
}

/** The keys of `service:` that were found. */
export function keysOf(findings: readonly ProbeFinding[]): Record<string, string> {
  return Object.fromEntries(
    findings.flatMap(({ key, value }) => (key === null || value === null ? [] : [[key, value]])),
  );
}

/** What came of a write, in short. */
export function answerOf(sent: Sent): string {
  if (sent.kind === 'accepted') return `HTTP ${sent.status} ${short(sent.body)}`;
  return sent.kind === 'refused' ? `HTTP ${sent.status}, refused: ${sent.message}` : sent.message;
}

const LONGEST = 160;

export function short(body: Json): string {
  const text = JSON.stringify(body);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

/** Statuses with which services refuse a request for what is there already, not for who sends it or how often. */
const REFUSALS = [200, 201, 400, 409, 422];

function isRefusal(sent: Sent): boolean {
  return sent.kind === 'refused' && REFUSALS.includes(sent.status);
}

export function ofCreation(sent: Sent, id: number, seen: readonly ProbeSeen[]): ProbeFinding {
  const place = sent.kind === 'accepted' ? placeOf(sent.body, id) : null;
  if (place === null) {
    const said = `The answer did not tell the id: the list shows the new campaign as ${id}.`;
    return finding('creation', null, said, seen);
  }
  const where = place === '' ? 'and nothing else' : `as ${place}`;
  const said = `The answer tells the id of the new campaign, ${where}.`;
  return finding('creation', place === '' ? 'body' : place, said, seen);
}

/** Where in an answer an id is: `data.id`; empty where it is all of it, null where it is not there. */
function placeOf(body: Json, id: number): string | null {
  if (Number(body) === id && (typeof body === 'number' || typeof body === 'string')) return '';
  if (!isObject(body)) return null;
  for (const [key, value] of Object.entries(body)) {
    const place = placeOf(value, id);
    if (place !== null) return place === '' ? key : `${key}.${place}`;
  }
  return null;
}

const WAYS: Record<FirstPage['way'], string> = {
  link: 'The list comes in pages that link to the next one',
  cursor: 'The list comes in pages that give a cursor to the next one',
  number: 'The list comes in numbered pages',
  end: 'The list comes on one page, which says so',
  unsaid:
    'The list does not say whether there are more pages, so that campaignctl always asks for the next one',
};

/** `isListed`: whether the list shows the new campaign. */
export function ofList({ endpoint, rows, total, lastPage, way }: FirstPage, isListed: boolean): ProbeFinding {
  const value = lastPage === null ? way : 'number';
  const shown = isListed
    ? 'It shows the new campaign.'
    : `It did not show the new campaign within ${seconds(WAITS)} seconds: campaignctl goes by the list, and could make campaigns twice here.`;
  const said = `${WAYS[value]}, ${total === null ? 'without a total' : 'with the total'}. ${shown}`;
  const last = lastPage === null ? [] : [`last page ${lastPage}`];
  const answer = [count(rows, 'campaign'), ...last, total === null ? 'no total' : `total ${total}`];
  return finding('list', value, said, [{ request: endpoint, answer: answer.join(', ') }]);
}

/** Which settings the record shows, and which of them a new campaign has otherwise than the API documents. */
export function ofSettings(context: CampaignContext, answer: Answer): ProbeFinding {
  const written = SECTIONS.find(({ name }) => name === 'settings')?.toManifest(context).section ?? null;
  const shown = isObject(written) ? written : {};
  const hidden = SETTINGS.map(({ name }) => name).filter((name) => !Object.hasOwn(shown, name));
  const others = SETTINGS.filter(
    ({ name, default: own }) => Object.hasOwn(shown, name) && shown[name] !== own,
  );
  const told = others.map(
    ({ name, default: own }) => `${name} is ${short(shown[name] ?? null)}, not ${short(own)}`,
  );
  const said = [
    hidden.length === 0
      ? 'The record shows every setting.'
      : `The record does not show ${hidden.join(', ')}.`,
    told.length === 0 ? 'Those it shows are as documented.' : `Not as documented: ${told.join('; ')}.`,
  ];
  const value = hidden.length === 0 ? 'all' : hidden.length === SETTINGS.length ? 'none' : 'some';
  return finding('settings', value, said.join(' '), [{ request: answer.endpoint, answer: short(shown) }]);
}

/**
 * The word of the record and that of the list, and whether the service shows one of any campaign. `others`: the records of campaigns that
 * no probe made. A service may fill in the status only once a campaign was launched: what a draft alone shows does not prove that none is shown.
 */
export function ofStatus(
  context: CampaignContext,
  answer: Answer,
  { rows, others }: { rows: readonly ListedCampaign[]; others: readonly Answer[] },
): ProbeFinding[] {
  const { service } = context.environment;
  const asShown = {
    ...context,
    environment: { ...context.environment, service: { ...service, status: 'shown' as const } },
    listed: null,
  };
  const wordIn = (campaign: Answer) =>
    liveStatus({ ...asShown, answers: { campaign, schedule: null, sequence: null } }).word;
  const own = wordIn(answer);
  const row = rows.find(({ id }) => id === context.id)?.status ?? null;
  const inRecord = own ?? others.map(wordIn).find((word) => word !== null) ?? null;
  const inList = row ?? rows.find(({ status }) => status !== null)?.status ?? null;
  const seen = [
    { request: answer.endpoint, answer: wordSeen(own) },
    ...others.map((other) => ({ request: other.endpoint, answer: wordSeen(wordIn(other)) })),
    { request: 'GET /api/campaigns', answer: wordSeen(inList) },
  ];
  const of = own === null && row === null ? 'other campaigns' : 'campaigns';
  const where = inRecord === null ? 'the list' : inList === null ? 'the record' : 'record and list';
  const isThere = [answer, ...others].some(({ body }) => isObject(body) && Object.hasOwn(body, 'status'));
  const status =
    inRecord !== null || inList !== null
      ? finding('status', 'shown', `The status of ${of} is in ${where}.`, seen)
      : others.length > 0 && !isThere
        ? finding(
            'status',
            'hidden',
            `Neither record nor list shows a status, of ${count(others.length, 'other campaign')} as of this one.`,
            seen,
          )
        : finding(
            'status',
            null,
            `${isThere ? 'The record has a status that says nothing' : 'A new campaign shows no status, and there is no other one to look at'}: a service may show one only of campaigns that were launched. ${IF_NEVER}`,
            seen,
          );
  const ofOwn = [
    { request: answer.endpoint, answer: wordSeen(own) },
    { request: 'GET /api/campaigns', answer: wordSeen(row) },
  ];
  return [status, ofDraft(own ?? row, service.statuses, ofOwn)];
}

const IF_NEVER =
  'If the service shows none of campaigns that send either, write status: hidden under service.';

function wordSeen(word: string | null): string {
  return word === null ? 'no status' : `status ${short(word)}`;
}

/**
 * A word that is not known is not declared by itself: a service may show it of campaigns that send as well, and then these would
 * count as resting.
 */
function ofDraft(word: string | null, statuses: StatusWords, seen: readonly ProbeSeen[]): ProbeFinding {
  if (word === null) return finding('draft_status', null, 'A new campaign shows no status.', seen);
  const meaning = meaningOf(word, statuses);
  const said =
    meaning === 'stopped'
      ? `A new campaign is "${word}", which means that it rests.`
      : meaning === 'unknown'
        ? `A new campaign is "${word}", which is not a known status. If the web app shows it of no campaign that sends, write it under statuses: stopped.`
        : `A new campaign is "${word}", which means that it may send: apply stops there.`;
  return finding('draft_status', word, said, seen);
}

/** `start`: when the schedule starts that is shown after a second one was posted; null: none is shown. */
export function ofSchedule(sent: Sent, start: string | null, seen: readonly ProbeSeen[]): ProbeFinding {
  const found = (value: string | null, said: string) => finding('schedule_repost', value, said, seen);
  if (start === STARTS.second) return found('replace', 'A second schedule takes the place of the first.');
  if (start !== STARTS.first) return found(null, 'What became of the schedule is not shown.');
  if (isRefusal(sent)) return found('refuse', 'A second schedule is refused.');
  // It may show later than a probe waits.
  if (sent.kind === 'accepted')
    return found(
      null,
      'A second schedule is accepted, and had not taken the place of the first when this was read.',
    );
  return found(null, 'The second schedule was not answered, and shows no effect.');
}

/** How the texts of a first sequence come back. */
export function ofTexts({ title, steps: [first, reply] }: LiveSequence): ProbeFinding[] {
  if (first === undefined || reply === undefined) return [];
  const told = (
    topic: Topic,
    text: readonly [field: string, sent: string, back: string | null],
    all: Ways,
  ) => {
    const [field, sent, back] = text;
    const [value, said] =
      all.find(([, , is]) => is(back ?? '')) ??
      (['other', `${field} comes back otherwise than sent.`] as const);
    const seen = { request: `${field} ${short(sent)}`, answer: back === null ? 'not shown' : short(back) };
    return finding(topic, value, said, [seen]);
  };
  const [subject, body] = [REPLY.email_subject, FIRST.email_body];
  return [
    told(
      'sequence_title',
      ['title', TITLE, title],
      [
        ['hidden', 'The title of a sequence is not shown.', () => title === null],
        ['as_sent', 'The title of a sequence comes back as sent.', (back) => back === TITLE],
      ],
    ),
    told(
      'reply_subject',
      ['email_subject', subject, reply.email_subject],
      [
        ['as_sent', 'The subject of a reply comes back as sent.', (back) => back === subject],
        ['prefixed', 'The service puts "Re: " in front of a reply.', (back) => back === `Re: ${subject}`],
      ],
    ),
    told(
      'white_space',
      ['email_body', body, first.email_body],
      [
        ['as_sent', 'White space in bodies comes back as sent.', (back) => back === body],
        ['trimmed', 'White space around a body is cut off.', (back) => back === body.trim()],
        ['line_ends', 'Line ends come back as others.', (back) => back.replace(/\r\n?/g, '\n') === body],
      ],
    ),
  ];
}

/** What may come back of a text: value, conclusion, and whether it is this. */
type Ways = readonly (readonly [value: string, said: string, is: (back: string) => boolean])[];

/** The emails that a sequence has, as this probe knows them, in order; a subject that it does not know as `other`. */
export function emailsOf({ steps }: LiveSequence): string[] {
  const known = { first: FIRST, reply: REPLY, later: LATER, variant: VARIANT };
  return steps.map(({ email_subject }) => {
    const bare = email_subject.trim().replace(/^re: /i, '');
    return Object.entries(known).find(([, one]) => one.email_subject === bare)?.[0] ?? 'other';
  });
}

/** `emails`: those of the sequence after one more was posted to `first, reply`. */
export function ofSequence(sent: Sent, emails: readonly string[], seen: readonly ProbeSeen[]): ProbeFinding {
  const found = (value: string | null, said: string) => finding('sequence_repost', value, said, seen);
  switch (emails.join()) {
    case 'first,reply,later':
      return found('append', 'Emails that are posted to a sequence are added at its end.');
    case 'later':
      return found('replace', 'Emails that are posted to a sequence take its place.');
    case 'first,reply':
      return isRefusal(sent)
        ? found('refuse', 'Emails that are posted to a sequence are refused.')
        : found(null, 'Emails that are posted to a sequence show no effect.');
    default:
      return found(
        null,
        `After another email was posted, the sequence is neither longer by it nor replaced.`,
      );
  }
}

/** Whether the variant hangs on this email, and nothing else is in the sequence that was not there before. */
export function hasVariant({ steps }: LiveSequence, parent: number | null, emails: number): boolean {
  const isOurs = ({ email_subject }: { email_subject: string }) =>
    email_subject.trim() === VARIANT.email_subject;
  const at = parent === null ? 0 : steps.findIndex(({ id }) => id === parent);
  return (
    steps.length === emails &&
    steps.every(({ variants }, place) => (place === at ? variants.length === 1 : variants.length === 0)) &&
    steps[at]?.variants.every(isOurs) === true
  );
}
