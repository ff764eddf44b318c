/** Finds the values of `service:` that the API leaves open. A conclusion needs proof: what may show up later stays unknown. */
import type { Answer } from '../model/answer.js';
import { addressOf, type Environment } from '../model/environment.js';
import { Failure, problemOf, UnreadableAnswer } from '../model/failure.js';
import { isObject } from '../model/json.js';
import type { Plan, Problem, Step } from '../model/outputs.js';
import {
  isScratch,
  PROBE,
  PROBE_KEYS,
  type ProbeExchange,
  type ProbeFinding,
  type ProbeResult,
} from '../model/probe.js';
import type { RunHead } from '../model/run.js';
import { fingerprint, liveStatus } from '../plan/index.js';
import { SECTIONS } from '../sections/index.js';
import { liveSequence } from '../sections/sequence.js';
import type { LiveSequence } from '../sections/sequence-diff.js';
import { readCampaign, type Sent } from '../service/index.js';
import {
  create,
  EMAILS,
  firstEmails,
  laterEmail,
  MOST_REQUESTS,
  STARTS,
  schedule,
  variantById,
  variantByOrder,
} from './requests.js';
import {
  answerOf,
  createScratch,
  type ProbeRun,
  type ProbeTools,
  pathOf,
  readScratch,
  readUntil,
  type Scratch,
  send,
  stoppedBy,
} from './scratch.js';

/**
 * Runs a probe on one scratch campaign, or two. A Failure that stops it becomes a problem of the result; it is thrown only if the
 * journal could not be opened, when nothing was sent.
 */
export async function probeService(
  environment: Environment,
  names: readonly [string, string],
  head: Omit<RunHead, 'environment'>,
  tools: ProbeTools,
): Promise<Omit<ProbeResult, 'environment' | 'base_url' | 'written'>> {
  const { service, store, now, stop } = tools;
  const before = await service.campaigns();
  const plan = planOf(environment, names);
  const journal = await store.begin({ ...head, environment: environment.name, plan, specs: {} }, () =>
    new Date(now()).toISOString(),
  );
  const run: ProbeRun = {
    ...{ environment, before, journal, tools },
    sheet: { campaigns: [], findings: [], requests: 0 },
  };
  const stopped = await tryAll(names, run).then(() => null, asProblem);
  const { campaigns, findings, requests } = run.sheet;
  // A campaign that may exist stays open: the next run looks for it.
  const isOpen = (name: string) => campaigns.some((one) => one.name === name && one.made === 'perhaps');
  for (const name of names) if (!isOpen(name)) journal.reconciled({ manifest: PROBE, name });
  const end = stop.aborted ? 'interrupted' : stopped === null ? 'done' : 'incomplete';
  const unkept = await journal.end(end).then(() => null, asProblem);
  const problems = [stopped, unkept].filter((problem) => problem !== null);
  const reason = stopped === null ? 'The answers do not tell.' : 'The probe stopped before it could tell.';
  const all = PROBE_KEYS.map(
    (key): ProbeFinding =>
      findings.find((finding) => finding.key === key) ?? {
        ...{ key, value: null, conclusion: reason, evidence: [] },
      },
  );
  const complete = problems.length === 0;
  return { run: head.run, complete, requests, campaigns, findings: all, problems };
}

/** The plan that the journal keeps. With the creations, a later run recognises the campaigns of a crashed probe. */
function planOf(environment: Environment, names: readonly [string, string]): Plan {
  const campaigns = names.map((name) => ({
    ...{ manifest: PROBE, name, id: null, action: 'create' as const, steps: [create(name)] },
    ...{ changes: [], problems: [], content: null, impact: null, last: null },
  }));
  const counts = { change: 0, unchanged: 0, not_read: 0, blocked: 0, launch: 0, pause: 0, removed: 0 };
  return {
    ...{ version: 1, environment: environment.name, base_url: addressOf(environment), mode: 'all' },
    ...{ fingerprint: fingerprint(names), campaigns, problems: [], removed: [], by_hand: [] },
    summary: { ...counts, create: names.length, requests: MOST_REQUESTS },
  };
}

function asProblem(error: unknown): Problem {
  if (!(error instanceof Failure)) throw error;
  return problemOf(error);
}

async function tryAll([first, second]: readonly [string, string], run: ProbeRun): Promise<void> {
  const { findings } = run.sheet;
  const conclude = (key: ProbeFinding['key'], [value, conclusion]: Conclusion, evidence: ProbeExchange[]) =>
    findings.push({ key, value, conclusion, evidence });
  const scratch = await createScratch(first, run);
  await tryStatus(scratch, run).then((found) => conclude('status', ...found));
  await readable(async () => conclude('schedule_repost', ...(await trySchedule(scratch, run))));
  const sequence = await readable(() => trySequence(scratch, run));
  if (sequence === null) return;
  conclude('sequence_repost', ...sequence.found);
  // Without knowing the sequence, nothing more is sent to it.
  if (sequence.found[0][0] === null) return;
  const [byId, evidence] = (await readable(() => tryVariantById(scratch, sequence.live, run))) ?? [null, []];
  if (byId !== null) {
    conclude('variant_reference', byId, evidence);
    return;
  }
  const other = await createScratch(second, run);
  await readable(async () => {
    const [byOrder, more] = await tryVariantByOrder(other, run);
    conclude('variant_reference', byOrder, [...evidence, ...more]);
  });
}

type Conclusion = readonly [value: string | null, words: string];
type Tried = readonly [Conclusion, ProbeExchange[]];

/** An unreadable answer leaves one value open and does not stop the probe. */
async function readable<T>(part: () => Promise<T>): Promise<T | null> {
  return part().catch((error: unknown) => {
    if (error instanceof UnreadableAnswer) return null;
    throw error;
  });
}

/** Services may show a status only once a campaign was launched, so records of other campaigns are read as well. */
async function tryStatus(scratch: Scratch, run: ProbeRun): Promise<Tried> {
  const { tools } = run;
  const read = () => readScratch(scratch, ['campaign'], run);
  const context = await readUntil(
    read,
    ({ answers }) => answers?.campaign?.none === false,
    scratch.created,
    run,
  );
  const record = context.answers?.campaign;
  if (!record || record.none)
    throw stoppedBy(
      `The service does not show the record of campaign ${scratch.id}, which it has just made.`,
    );
  const rows = await tools.service.campaigns();
  const records = [record, ...(await readOthers(rows, run))];
  const { service } = context.environment;
  const environment = { ...context.environment, service: { ...service, status: 'shown' as const } };
  const wordIn = (campaign: Answer) =>
    liveStatus({ ...context, environment, answers: { campaign, schedule: null, sequence: null } }).word;
  const inRecord = records.map(wordIn).find((word) => word !== null) ?? null;
  const row = rows.find(({ id }) => id === scratch.id)?.status;
  const inList = row ?? rows.find(({ status }) => status !== null)?.status ?? null;
  const shown = (word: string | null) => (word === null ? 'no status' : `status ${JSON.stringify(word)}`);
  const evidence = [
    ...records.map((answer) => ({ request: answer.endpoint, answer: shown(wordIn(answer)) })),
    { request: 'GET /api/campaigns', answer: shown(inList) },
  ];
  if (inRecord !== null || inList !== null) {
    const where = inRecord === null ? 'the list' : inList === null ? 'the record' : 'record and list';
    return [['shown', `The status of campaigns is in ${where}.`], evidence];
  }
  const isKeyShown = records.some(({ body }) => isObject(body) && Object.hasOwn(body, 'status'));
  if (records.length > 1 && !isKeyShown)
    return [['hidden', 'Neither record nor list shows a status, of this or any other campaign.'], evidence];
  const why = isKeyShown
    ? 'The status in the record is empty'
    : 'A new campaign shows no status, and there is no other one to look at';
  const words = `${why}: a service may show one only of campaigns that were launched. If it shows none of campaigns that send either, write status: hidden under service.`;
  return [[null, words], evidence];
}

/** At most so many other campaigns are read: the oldest have most likely been launched. */
const MOST_OTHERS = 3;

async function readOthers(
  rows: readonly { id: number; name: string | null }[],
  { tools }: ProbeRun,
): Promise<Answer[]> {
  const others = rows.filter(({ name }) => !isScratch(name ?? '')).sort((a, b) => a.id - b.id);
  const read = others
    .slice(0, MOST_OTHERS)
    .map(({ id }) => readable(() => readCampaign(tools.service, id, ['campaign'])));
  return (await Promise.all(read)).flatMap((answers) => {
    const campaign = answers?.campaign ?? null;
    return campaign === null || campaign.none ? [] : [campaign];
  });
}

async function trySchedule(scratch: Scratch, run: ProbeRun): Promise<Tried> {
  const section = SECTIONS.find(({ name }) => name === 'schedule');
  const read = async () => {
    const live = section?.toManifest(await readScratch(scratch, ['schedule'], run)).section ?? null;
    return isObject(live) && typeof live.start_time === 'string' ? live.start_time : null;
  };
  const evidence: ProbeExchange[] = [];
  const post = async (which: keyof typeof STARTS) => {
    const step = schedule(which);
    const sent = await send(step, scratch, run);
    const isEnough = (start: string | null) => start === STARTS[which] || sent.kind === 'refused';
    const start = await readUntil(read, isEnough, sent, run);
    const path = pathOf(step, scratch.id);
    evidence.push(
      { request: `POST ${path}, start_time ${STARTS[which]}`, answer: answerOf(sent) },
      { request: `GET ${path}`, answer: start === null ? 'no schedule' : `start_time ${start}` },
    );
    return { sent, start };
  };
  if ((await post('first')).start !== STARTS.first)
    return [[null, 'The first schedule was not taken, or is not shown.'], evidence];
  const { sent, start } = await post('second');
  if (start === STARTS.second)
    return [['replace', 'A second schedule takes the place of the first.'], evidence];
  if (start !== STARTS.first) return [[null, 'The schedule is not shown any more.'], evidence];
  if (isRefusal(sent)) return [['refuse', 'A second schedule is refused.'], evidence];
  return [[null, 'The second schedule was not refused, and shows no effect yet.'], evidence];
}

/** Statuses with which services refuse what conflicts with existing content; others refuse the sender or the pace. */
const REFUSALS = [200, 201, 400, 409, 422];

function isRefusal(sent: Sent): boolean {
  return sent.kind === 'refused' && REFUSALS.includes(sent.status);
}

/** The emails of a sequence, in order, by their names in `EMAILS`. */
function emailsOf({ steps }: LiveSequence): string[] {
  return steps.map(({ email_subject }) => {
    const subject = email_subject.trim().replace(/^re: /i, '');
    return Object.entries(EMAILS).find(([, email]) => email.email_subject === subject)?.[0] ?? 'other';
  });
}

async function postEmails(
  step: Step,
  summary: string,
  scratch: Scratch,
  isEnough: (live: LiveSequence) => boolean,
  run: ProbeRun,
): Promise<{ sent: Sent; live: LiveSequence; evidence: ProbeExchange[] }> {
  const sent = await send(step, scratch, run);
  const read = async () => liveSequence(await readScratch(scratch, ['sequence'], run));
  const live = await readUntil(read, (now) => isEnough(now) || sent.kind === 'refused', sent, run);
  const path = pathOf(step, scratch.id);
  const names = emailsOf(live);
  const emails = live.steps.map(
    ({ id, variants }, index) =>
      `${names[index]} (id ${id})${variants.length === 0 ? '' : ` with variants: ${variants.length}`}`,
  );
  const evidence = [
    { request: `POST ${path}, ${summary}`, answer: answerOf(sent) },
    { request: `GET ${path}`, answer: emails.join(', ') || 'no emails' },
  ];
  return { sent, live, evidence };
}

async function trySequence(scratch: Scratch, run: ProbeRun): Promise<{ found: Tried; live: LiveSequence }> {
  const isBase = (live: LiveSequence) => emailsOf(live).join() === 'first,reply';
  const base = await postEmails(firstEmails(), '2 emails', scratch, isBase, run);
  if (!isBase(base.live)) {
    const words = 'The service did not take the first emails, or does not show them as they were sent.';
    return { found: [[null, words], base.evidence], live: base.live };
  }
  const again = await postEmails(laterEmail(), '1 more email', scratch, (live) => !isBase(live), run);
  // While a sequence grows, one reading may look like another outcome: two must agree.
  await run.tools.sleep(500);
  const live = liveSequence(await readScratch(scratch, ['sequence'], run));
  const emails = emailsOf(live).join();
  const isStable = emails === emailsOf(again.live).join();
  const conclusion = ofEmails(isStable ? emails : '', again.sent);
  return { found: [conclusion, [...base.evidence, ...again.evidence]], live };
}

function ofEmails(emails: string, sent: Sent): Conclusion {
  if (emails === 'first,reply,later')
    return ['append', 'Emails that are posted to a sequence are added at its end.'];
  if (emails === 'later') return ['replace', 'Emails that are posted to a sequence take its place.'];
  if (emails === 'first,reply')
    return isRefusal(sent)
      ? ['refuse', 'Emails that are posted to a sequence are refused.']
      : [null, 'Emails that are posted to a sequence show no effect.'];
  return [null, 'After another email was posted, the sequence is neither longer by it nor replaced.'];
}

/** `isTaken`: the email has the variant, and nothing else was added. `emails`: the number of emails without it. */
async function tryVariant(
  step: Step,
  { summary, parent, emails }: { summary: string; parent: number | null; emails: number },
  scratch: Scratch,
  run: ProbeRun,
) {
  const isTaken = ({ steps }: LiveSequence) =>
    steps.length === emails &&
    steps.every(({ id, variants }, index) => {
      const isParent = parent === null ? index === 0 : id === parent;
      const subjects = variants.map(({ email_subject }) => email_subject.trim());
      return subjects.join('\n') === (isParent ? EMAILS.variant.email_subject : '');
    });
  const { sent, live, evidence } = await postEmails(step, summary, scratch, isTaken, run);
  return { isTaken: isTaken(live), sent, evidence };
}

/** The conclusion is `null` if the service did not take the variant: another campaign has to tell. */
async function tryVariantById(
  scratch: Scratch,
  { steps }: LiveSequence,
  run: ProbeRun,
): Promise<readonly [Conclusion | null, ProbeExchange[]]> {
  // A small id could also be taken for a position.
  const parent = steps.find(({ id }) => id > steps.length + 1)?.id;
  if (parent === undefined)
    return [[null, 'The ids of the emails could be positions as well: probe again to get others.'], []];
  const about = { summary: `a variant of id ${parent}`, parent, emails: steps.length };
  const { isTaken, sent, evidence } = await tryVariant(variantById(parent), about, scratch, run);
  if (isTaken) return [['step_id', 'A variant names its email by its id.'], evidence];
  const isUnanswered = sent.kind === 'in_doubt';
  return [isUnanswered ? [null, 'The variant was not answered, and is not shown.'] : null, evidence];
}

async function tryVariantByOrder(scratch: Scratch, run: ProbeRun): Promise<Tried> {
  const about = { summary: '1 email and a variant of position 1', parent: null, emails: 1 };
  const { isTaken, evidence } = await tryVariant(variantByOrder(), about, scratch, run);
  const conclusion: Conclusion = isTaken
    ? ['order', 'A variant names its email by its position in the same request.']
    : [null, 'A variant was taken neither by the id nor by the position of its email.'];
  return [conclusion, evidence];
}
