import type { AnswerName, ListedCampaign } from '../model/answer.js';
import { isSameName, nameIn } from '../model/characters.js';
import { addressOf, type Environment } from '../model/environment.js';
import { Failure, UnreadableAnswer } from '../model/failure.js';
import { isObject, leadsIn } from '../model/json.js';
import type { ProbeFinding, ProbeResult, ProbeSeen, Problem, RunHead, Step } from '../model/outputs.js';
import { PROBE } from '../model/probe.js';
import { UNKNOWN_STATE } from '../model/state.js';
import { type CampaignContext, fingerprint, liveStatus, maySend } from '../plan/index.js';
import { SECTIONS } from '../sections/index.js';
import { liveSequence } from '../sections/sequence.js';
import type { LiveSequence } from '../sections/sequence-diff.js';
import {
  createdCampaign,
  type Reader,
  readCampaign,
  type Sent,
  type WriteGuard,
  type Writer,
} from '../service/index.js';
import type { Journal, Store } from '../state/index.js';
import {
  answerOf,
  emailsOf,
  finding,
  hasVariant,
  keysOf,
  ofCreation,
  ofList,
  ofSchedule,
  ofSequence,
  ofSettings,
  ofStatus,
  ofTexts,
  short,
  wholeOf,
} from './findings.js';
import {
  create,
  emails,
  FIRST,
  LATER,
  probePlan,
  REPLY,
  STARTS,
  schedule,
  variantById,
  variantByOrder,
} from './requests.js';

/** What a probe needs of the world. */
export interface ProbeTools {
  service: Reader & Writer;
  store: Store;
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** Aborted once the user asked to stop: the request in flight is finished, and nothing more is sent. */
  stop: AbortSignal;
}

/** Waits before each reading, in milliseconds: what was written may show a moment later; and after an answer that a proxy lost. */
const WAITS = [0, 500, 2000, 5000];
const LATE_WAITS = [...WAITS, 7500, 15_000];

/** A scratch campaign that is there, and every request to it so far. */
interface Scratch {
  name: string;
  id: number;
  steps: LiveSequence | null;
}

/** What a probe came to so far. */
interface ProbeSheet {
  found: ProbeFinding[];
  campaigns: ProbeResult['campaigns'];
  requests: number;
  /** What was seen of a variant that was not taken by id. */
  byId: ProbeSeen[];
}

type Probed = Pick<
  ProbeResult,
  'run' | 'complete' | 'requests' | 'campaigns' | 'findings' | 'service' | 'problems'
>;

/**
 * Makes a scratch campaign, a second one where the first does not tell all, and finds out by doing. Each write is noted before it leaves
 * and sent once; none is repeated. What stops it on its way is a problem of the result, beside all that is known by then. Failure only
 * where nothing could be noted, and so nothing was sent.
 */
export async function probeService(
  environment: Environment,
  names: readonly [string, string],
  head: Omit<RunHead, 'environment'>,
  tools: ProbeTools,
): Promise<Probed> {
  const { service, store, now, stop } = tools;
  const before = await service.campaigns();
  const about = { environment: environment.name, base_url: addressOf(environment) };
  const plan = probePlan({ ...about, fingerprint: fingerprint(names) }, names);
  const journal = await store.begin({ ...head, environment: environment.name, plan, specs: {} }, () =>
    new Date(now()).toISOString(),
  );
  const sheet: ProbeSheet = { found: [], campaigns: [], requests: 0, byId: [] };
  const run = { environment, before, journal, sheet, tools };
  const stopped = await work(names, run).then(() => null, asProblem);
  // Of one that is only perhaps there the next run has to look.
  const isOpen = (name: string) => sheet.campaigns.some((one) => one.name === name && one.made === 'perhaps');
  for (const name of names) if (!isOpen(name)) journal.reconciled({ manifest: PROBE, name });
  const end = stop.aborted ? 'interrupted' : stopped === null ? 'done' : 'incomplete';
  const unkept = await journal.end(end).then(() => null, asProblem);
  const problems = [stopped, unkept].filter((problem) => problem !== null);
  const why =
    stopped === null ? 'The answers do not tell.' : 'Not known: the probe stopped before it could tell.';
  const findings = wholeOf(sheet.found, why);
  const { campaigns, requests } = sheet;
  const complete = problems.length === 0;
  return { run: head.run, complete, requests, campaigns, findings, service: keysOf(findings), problems };
}

/** For `catch`: what stopped a probe; an error that is no Failure is a mistake in the program and goes on. */
function asProblem(error: unknown): Problem {
  if (!(error instanceof Failure)) throw error;
  const { code, message, hint } = error;
  return { code, severity: 'error', message, hint };
}

interface ProbeRun {
  environment: Environment;
  /** The campaigns that were there before. */
  before: readonly ListedCampaign[];
  journal: Journal;
  sheet: ProbeSheet;
  tools: ProbeTools;
}

async function work([one, other]: readonly [string, string], run: ProbeRun): Promise<void> {
  const { sheet } = run;
  const first = await make(one, run, true);
  await readable(() => trySchedule(first, run));
  const isKnown = await readable(() => trySequence(first, run));
  if (isKnown !== true) return;
  await readable(() => tryVariantById(first, run));
  if (sheet.found.some(({ topic }) => topic === 'variant_reference')) return;
  const second = await make(other, run, false);
  await readable(() => tryVariantByOrder(second, run));
}

/** What the service answers in a form that cannot be read tells nothing of this, and does not stop the rest. */
async function readable<T>(part: () => Promise<T>): Promise<T | null> {
  return part().catch((error: unknown) => {
    if (error instanceof UnreadableAnswer) return null;
    throw error;
  });
}

function stoppedBy(message: string): Failure {
  const hint = "Delete what it made in the service's web app. Nothing more is sent to it.";
  return new Failure({ code: 'probe-stopped', message, hint });
}

/** Notes a request, sends it, notes what came of it. */
async function send(step: Step, scratch: { id: number | null; name: string }, run: ProbeRun): Promise<Sent> {
  const { journal, sheet, tools } = run;
  const { id, name } = scratch;
  const { stop, service } = tools;
  if (stop.aborted)
    throw new Failure({
      code: 'interrupted',
      message: 'The probe was interrupted.',
      hint: 'Nothing more was sent.',
    });
  const own = { manifest: PROBE, name, id };
  const bound = { ...step, path: step.path.replace('{campaign_id}', String(id)) };
  await journal.intend({ ...own, step: bound, total_leads: null });
  const guard = id === null ? undefined : guardOf({ id, name }, run);
  const { method, path, body } = bound;
  const sent = await service.send({ method, path, body }, guard === undefined ? { stop } : { stop, guard });
  const isSent = sent.kind !== 'unsent';
  if (isSent) sheet.requests += 1;
  const result = ({ accepted: 'done', refused: 'failed', unsent: 'not_run', in_doubt: 'in_doubt' } as const)[
    sent.kind
  ];
  const made = sent.kind === 'accepted' && id === null ? idIn(sent, run) : id;
  const detail = sent.kind === 'accepted' ? null : answerOf(sent);
  await journal.conclude({ ...own, id: made, step: step.id, result, detail, visible_in: null });
  if (!isSent) throw stoppedBy(`The probe stopped: ${sent.message}.`);
  return sent;
}

/** The id in the answer to a creation; not that of a campaign that was there before. */
function idIn({ body }: Extract<Sent, { kind: 'accepted' }>, { before }: ProbeRun): number | null {
  const id = createdCampaign(body)?.id ?? null;
  return before.some((one) => one.id === id) ? null : id;
}

/** Nothing is sent to a campaign that is not the scratch campaign any more, or that is put to use. */
function guardOf({ id, name }: { id: number; name: string }, { environment }: ProbeRun): WriteGuard {
  return async (reader) => {
    const { campaign } = await readCampaign(reader, id, ['campaign']);
    const body = campaign?.body ?? null;
    const shown = nameIn(body);
    const isListed = async () =>
      (await reader.campaigns()).some((one) => one.id === id && isSameName(one.name, name));
    const isOurs = shown === null ? await isListed() : isSameName(shown, name);
    if (campaign?.none !== false || !isOurs)
      return `campaign ${id} is not the scratch campaign "${name}" any more`;
    if (isObject(body) && (leadsIn(body) ?? 0) > 0) return `campaign ${id} has leads now`;
    const status = liveStatus(
      contextOf({ id, name }, environment, { campaign, schedule: null, sequence: null }),
    );
    const isSending = status.word !== null && status.meaning !== 'unknown' && maySend(status);
    return isSending ? `campaign ${id} is "${status.word}", and may send` : null;
  };
}

function contextOf(
  { id, name }: { id: number; name: string },
  environment: Environment,
  answers: CampaignContext['answers'],
): CampaignContext {
  const spec = { name, id };
  return { environment, recorded: UNKNOWN_STATE, templates: null, spec, id, listed: null, answers };
}

async function look(
  scratch: Scratch,
  names: readonly AnswerName[],
  { environment, tools }: ProbeRun,
): Promise<CampaignContext> {
  return contextOf(scratch, environment, await readCampaign(tools.service, scratch.id, names));
}

/** Reads until it is `enough`; what was seen last. */
async function readUntil<T>(
  read: () => Promise<T>,
  enough: (seen: T) => boolean,
  sent: Sent,
  { tools }: ProbeRun,
): Promise<T> {
  let seen = await read();
  const waits = sent.kind === 'in_doubt' && sent.repeat === 'late' ? LATE_WAITS : WAITS;
  for (const wait of waits.slice(1)) {
    if (enough(seen) || tools.stop.aborted) break;
    await tools.sleep(wait);
    seen = await read();
  }
  return seen;
}

/** Makes a scratch campaign. It counts as there once the list has it, or its record, under its name. */
async function make(name: string, run: ProbeRun, isFirst: boolean): Promise<Scratch> {
  const { sheet, tools } = run;
  const { service } = tools;
  const step = create(name);
  const entry: ProbeResult['campaigns'][number] = { id: null, name, made: 'perhaps' };
  sheet.campaigns.push(entry);
  const sent = await send(step, { id: null, name }, run).catch((error: unknown) => {
    sheet.campaigns.splice(sheet.campaigns.indexOf(entry), 1);
    throw error;
  });
  const seen = [{ request: `POST ${step.path} ${short(step.body)}`, answer: answerOf(sent) }];
  if (sent.kind === 'refused') {
    sheet.campaigns.splice(sheet.campaigns.indexOf(entry), 1);
    throw stoppedBy(
      `The service refused to create a scratch campaign (HTTP ${sent.status}): ${sent.message}.`,
    );
  }
  const told = sent.kind === 'accepted' ? idIn(sent, run) : null;
  entry.id = told;
  const named = async () => (await service.campaigns()).filter((one) => one.name === name);
  const rows = await readUntil(named, (some) => some.length > 0, sent, run);
  const [row, ...twins] = rows;
  if (twins.length > 0) {
    sheet.campaigns.splice(
      sheet.campaigns.indexOf(entry),
      1,
      ...rows.map(({ id }) => ({ id, name, made: 'yes' as const })),
    );
    throw stoppedBy(`One request made ${rows.length} campaigns: ${rows.map(({ id }) => id).join(', ')}.`);
  }
  const id = row?.id ?? told;
  if (id === null)
    throw stoppedBy(
      `Whether "${name}" was made is not known: ${answerOf(sent)}, and the list does not show it. It was not sent again.`,
    );
  if (told !== null && told !== id)
    throw stoppedBy(`The answer calls the new campaign ${told}, and the list calls it ${id}.`);
  Object.assign(entry, { id, made: 'yes' });
  const scratch: Scratch = { name, id, steps: null };
  if (!isFirst) return scratch;
  sheet.found.push(ofCreation(sent, id, seen), ofList(await service.firstPage(), row !== undefined));
  const context = await readUntil(
    () => look(scratch, ['campaign'], run),
    (now) => now.answers?.campaign?.none === false,
    sent,
    run,
  );
  const answer = context.answers?.campaign;
  if (!answer || answer.none)
    throw stoppedBy(`The service does not show the record of campaign ${id}, which it has just made.`);
  const listed = await service.campaigns();
  sheet.found.push(ofSettings(context, answer), ...ofStatus(context, answer, listed));
  return scratch;
}

/** A request and its answer in short. */
function seenOf(step: Step, { id }: Scratch, what: string, answer: string): ProbeSeen {
  return {
    request: `${step.method} ${step.path.replace('{campaign_id}', String(id))}${what && `, ${what}`}`,
    answer,
  };
}

async function trySchedule(scratch: Scratch, run: ProbeRun): Promise<void> {
  const hours = SECTIONS.find(({ name }) => name === 'schedule');
  const read = async () => {
    const context = await look(scratch, ['schedule'], run);
    const section = hours?.toManifest(context).section ?? null;
    return isObject(section) && typeof section.start_time === 'string' ? section.start_time : null;
  };
  const seen: ProbeSeen[] = [];
  const post = async (which: keyof typeof STARTS) => {
    const step = schedule(which);
    const sent = await send(step, scratch, run);
    const start = await readUntil(read, (now) => now === STARTS[which] || sent.kind === 'refused', sent, run);
    seen.push(seenOf(step, scratch, `start_time ${STARTS[which]}`, answerOf(sent)));
    seen.push({
      request: `GET ${seenOf(step, scratch, '', '').request.slice('POST '.length)}`,
      answer: start === null ? 'no schedule' : `start_time ${start}`,
    });
    return { sent, start };
  };
  if ((await post('first')).start !== STARTS.first) {
    const said = 'The first schedule was not taken, or is not shown.';
    run.sheet.found.push(finding('schedule_repost', null, said, seen));
    return;
  }
  const { sent, start } = await post('second');
  run.sheet.found.push(ofSchedule(sent, start, seen));
}

/** Posts emails, and reads until the sequence is as they should make it. Gives what was seen as well. */
async function post(
  step: Step,
  what: string,
  scratch: Scratch,
  enough: (live: LiveSequence) => boolean,
  run: ProbeRun,
): Promise<{ sent: Sent; live: LiveSequence; seen: ProbeSeen[] }> {
  const sent = await send(step, scratch, run);
  const read = async () => liveSequence(await look(scratch, ['sequence'], run));
  const live = await readUntil(read, (now) => enough(now) || sent.kind === 'refused', sent, run);
  const { request } = seenOf(step, scratch, '', '');
  const shown = live.steps.map(({ id, variants }, at) => {
    const others =
      variants.length === 0
        ? ''
        : ` with ${variants.length === 1 ? 'a variant' : `${variants.length} variants`}`;
    return `${emailsOf(live)[at]} (id ${id})${others}`;
  });
  const seen = [
    { request: `${request}, ${what}`, answer: answerOf(sent) },
    { request: `GET ${request.slice('POST '.length)}`, answer: shown.join(', ') || 'no emails' },
  ];
  return { sent, live, seen };
}

/** Whether what the sequence holds is known by now: without that, nothing more is sent to it. */
async function trySequence(scratch: Scratch, run: ProbeRun): Promise<boolean> {
  const { found } = run.sheet;
  const is = (live: LiveSequence, wanted: string) => emailsOf(live).join() === wanted;
  const base = emails('sequence', 'create a sequence of 2 emails', [FIRST, REPLY], 1);
  const made = await post(base, '2 emails', scratch, (live) => is(live, 'first,reply'), run);
  if (!is(made.live, 'first,reply')) {
    found.push(
      finding(
        'sequence_repost',
        null,
        'The service did not take the first emails, or does not show them as they were sent.',
        made.seen,
      ),
    );
    return false;
  }
  found.push(...ofTexts(made.live));
  const later = emails('sequence-again', 'post another email', [LATER], 3);
  const again = await post(later, '1 more email', scratch, (live) => !is(live, 'first,reply'), run);
  // What is on its way to a longer sequence may look like another one for a moment.
  await run.tools.sleep(500);
  const live = liveSequence(await look(scratch, ['sequence'], run));
  const told = is(live, emailsOf(again.live).join()) ? emailsOf(live) : [];
  const repost = ofSequence(again.sent, told, [...made.seen, ...again.seen]);
  found.push(repost);
  scratch.steps = live;
  return repost.value !== null;
}

/** Tries a variant by the id of its email. Without a finding, it was not taken so. */
async function tryVariantById(scratch: Scratch, run: ProbeRun): Promise<void> {
  const { found } = run.sheet;
  const steps = scratch.steps?.steps ?? [];
  // Of a small id it could not be told whether it was taken for a position.
  const parent = steps.find(({ id }) => id > steps.length + 1);
  if (parent === undefined) {
    const said = 'The ids of the emails could be positions as well. Another probe makes others.';
    found.push(finding('variant_reference', null, said, []));
    return;
  }
  const isTaken = (live: LiveSequence) => hasVariant(live, parent.id, steps.length);
  const what = `a variant of id ${parent.id}`;
  const { sent, live, seen } = await post(variantById(parent.id), what, scratch, isTaken, run);
  if (isTaken(live))
    found.push(finding('variant_reference', 'step_id', 'A variant names its email by its id.', seen));
  else if (sent.kind === 'in_doubt')
    found.push(finding('variant_reference', null, 'The variant was not answered, and is not shown.', seen));
  else run.sheet.byId.push(...seen);
}

async function tryVariantByOrder(scratch: Scratch, run: ProbeRun): Promise<void> {
  const isTaken = (live: LiveSequence) => hasVariant(live, null, 1);
  const what = '1 email and a variant of position 1';
  const { live, seen } = await post(variantByOrder(), what, scratch, isTaken, run);
  const [value, said] = isTaken(live)
    ? ['order', 'A variant names its email by its position in the same request.']
    : [null, 'A variant was taken neither by the id nor by the position of its email.'];
  run.sheet.found.push(finding('variant_reference', value, said, [...run.sheet.byId, ...seen]));
}
