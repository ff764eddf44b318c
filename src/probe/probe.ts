/**
 * Uses scratch campaigns to determine values of `service:` that the API does not specify. Each write is journalled, guarded
 * and sent once. Draws conclusions only from proof: if an effect may still become visible, the value remains unknown.
 */
import { readings } from '../apply/readback.js';
import type { Answer, AnswerName } from '../model/answer.js';
import { isSameName, nameIn } from '../model/characters.js';
import { type Environment, PROBE_KEYS, serviceAddress } from '../model/environment.js';
import { Failure, toProblem, UnreadableAnswer } from '../model/failure.js';
import { isObject, leadsIn } from '../model/json.js';
import { EMPTY_SUMMARY, emptyPlan, type Plan, type Problem, type Step } from '../model/outputs.js';
import type { ProbeFinding, ProbeResult } from '../model/reports.js';
import { isScratch, PROBE } from '../model/scratch.js';
import { type RunHead, UNKNOWN_STATE } from '../model/state.js';
import { fingerprint } from '../plan/fingerprint.js';
import { decodeFields, shownText } from '../sections/decode.js';
import { type CampaignContext, SECTIONS } from '../sections/index.js';
import { sendingBy } from '../sections/sending.js';
import { liveSequence } from '../sections/sequence.js';
import type { LiveStep } from '../sections/sequence-diff.js';
import { type Clock, type Reader, readCampaign, type Sent, type Writer } from '../service/index.js';
import type { WriteGuard } from '../service/writer.js';
import type { Journal } from '../state/journal.js';
import type { Store } from '../state/store.js';
import { buildVariant, create, email, MAX_REQUESTS, SUBJECT, schedule, sequence } from './requests.js';

interface ProbeTools {
  service: Reader & Writer;
  store: Store;
  clock: Pick<Clock, 'now' | 'elapsed' | 'sleep'>;
  tell(line: string): void;
  /** After an abort, the request in flight is completed, and nothing more is sent. */
  stop: AbortSignal;
}

interface ProbeRun {
  environment: Environment;
  journal: Journal;
  tools: ProbeTools;
  requests: number;
  campaigns: ProbeResult['campaigns'];
  findings: Map<string, ProbeFinding>;
}

interface Scratch {
  name: string;
  id: number;
}

/** `shown`: the schedule or sequence on one line, or why it is unreadable. */
interface Observation {
  sent: Sent;
  shown: string;
  steps: LiveStep[];
  evidence: string[];
}

/** Failures become problems in the result, unless the journal cannot be opened. */
export async function probeService(
  environment: Environment,
  names: readonly [string, string],
  head: Omit<RunHead, 'environment'>,
  tools: ProbeTools,
): Promise<Omit<ProbeResult, 'environment' | 'base_url' | 'written'>> {
  const start = { ...head, environment: environment.name, plan: journalPlan(environment, names), specs: {} };
  const journal = await tools.store.begin(start, () => new Date(tools.clock.now()).toISOString());
  const run: ProbeRun = { environment, journal, tools, requests: 0, campaigns: [], findings: new Map() };
  const problems: Problem[] = [];
  const keepProblem = (error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    problems.push(toProblem(error));
  };
  await findAll(names, run).catch(keepProblem);
  const { requests, campaigns, findings } = run;
  // The journal entry of a campaign that may exist stays open, so that the next run looks for it.
  for (const name of names)
    if (campaigns.every((campaign) => campaign.name !== name || campaign.id !== null))
      journal.reconciled({ manifest: PROBE, name });
  const result = tools.stop.aborted ? 'interrupted' : problems.length === 0 ? 'done' : 'incomplete';
  await journal.end(result).catch(keepProblem);
  const complete = problems.length === 0;
  return { run: head.run, complete, requests, campaigns, findings: [...findings.values()], problems };
}

/** A later run uses these creation steps to identify the campaigns of a crashed probe. */
function journalPlan(environment: Environment, names: readonly [string, string]): Plan {
  const campaigns = names.map((name) => ({
    manifest: PROBE,
    name,
    id: null,
    action: 'create' as const,
    steps: [create(name)],
    changes: [],
    problems: [],
    content: null,
    impact: null,
    last: null,
  }));
  return {
    ...emptyPlan(environment.name, serviceAddress(environment)),
    fingerprint: fingerprint(names),
    campaigns,
    summary: { ...EMPTY_SUMMARY, create: names.length, requests: MAX_REQUESTS },
  };
}

async function findAll([first, second]: readonly [string, string], run: ProbeRun): Promise<void> {
  for (const key of PROBE_KEYS) conclude(key, null, [], run);
  const scratch = await createScratch(first, run);
  await findStatus(scratch, run);
  await findRepost(SCHEDULES, scratch, run);
  const steps = await findRepost(SEQUENCES, scratch, run);
  if (steps === null) return;
  const evidence = await findVariantById(scratch, steps, run);
  if (evidence === null) return;
  const title = 'create a sequence of 1 email with a variant of position 1';
  const step = sequence('sequence', title, [email('first', 1), buildVariant(1)]);
  const byOrder = await observe(step, '', await createScratch(second, run), run);
  const value = byOrder.shown === 'first + variant' ? 'order' : null;
  conclude('variant_reference', value, [...evidence, ...byOrder.evidence], run);
}

function conclude(
  key: ProbeFinding['key'],
  value: string | null,
  evidence: string[],
  { findings }: ProbeRun,
): void {
  findings.set(key, { key, value, evidence });
}

/**
 * A service may show a status only for campaigns that have been launched. The oldest campaigns are the most likely to have
 * been launched.
 */
async function findStatus({ id }: Scratch, run: ProbeRun): Promise<void> {
  const { service } = run.tools;
  const rows = await service.campaigns();
  const others = rows.filter(({ name }) => !isScratch(name)).sort((a, b) => a.id - b.id);
  const ids = [id, ...others.slice(0, 3).map((row) => row.id)];
  const answers = await Promise.all(ids.map((each) => readCampaign(service, each, ['campaign'])));
  const records = answers.flatMap(({ campaign }) => (campaign?.none === false ? [campaign] : []));
  const listed = rows.find((row) => row.id === id)?.status ?? rows.find((row) => row.status)?.status ?? null;
  const isShown = listed !== null || records.some((record) => statusIn(record) !== null);
  const hasField = records.some(({ body }) => isObject(body) && Object.hasOwn(body, 'status'));
  const shown = (word: string | null) => (word === null ? 'no status' : `status ${JSON.stringify(word)}`);
  const evidence = records.map((record) => `${record.endpoint} → ${shown(statusIn(record))}`);
  const value = isShown ? 'shown' : records.length > 1 && !hasField ? 'hidden' : null;
  conclude('status', value, [...evidence, `GET /api/campaigns → ${shown(listed)}`], run);
}

function statusIn(campaign: Answer): string | null {
  return shownText(decodeFields(campaign), 'status');
}

/** `base`: content shown after the first post. `values`: conclusions, by the content shown after the second post. */
interface Repost {
  key: ProbeFinding['key'];
  steps: readonly [Step, Step];
  base: string;
  values: Readonly<Record<string, string>>;
}

const SCHEDULES: Repost = {
  key: 'schedule_repost',
  steps: [schedule('schedule', '09:00'), schedule('schedule-again', '10:00')],
  base: 'start_time 09:00',
  values: { 'start_time 10:00': 'replace' },
};

const SEQUENCES: Repost = {
  key: 'sequence_repost',
  steps: [
    sequence('sequence', 'create a sequence of 2 emails', [email('first', 1), email('second', 2)]),
    sequence('sequence-again', 'post another email', [email('third', 3)]),
  ],
  base: 'first, second',
  values: { 'first, second, third': 'append', third: 'replace' },
};

/** HTTP statuses with which services reject conflicting content. Other statuses concern access or the rate of requests. */
const REFUSALS = [200, 201, 400, 409, 422];

/** Returns `null` if the steps are unknown, in which case nothing more may be sent. */
async function findRepost(
  { key, steps: [first, second], base, values }: Repost,
  scratch: Scratch,
  run: ProbeRun,
): Promise<LiveStep[] | null> {
  const before = await observe(first, '', scratch, run);
  if (before.shown !== base) {
    conclude(key, null, before.evidence, run);
    return null;
  }
  const { shown, sent, steps, evidence } = await observe(second, base, scratch, run);
  const isRefused = shown === base && sent.kind === 'refused' && REFUSALS.includes(sent.status);
  const value = values[shown] ?? (isRefused ? 'refuse' : null);
  conclude(key, value, [...before.evidence, ...evidence], run);
  return value === null ? null : steps;
}

/**
 * Returns evidence if the variant was refused, so that a second campaign must decide. Returns `null` if decided or
 * undecidable.
 */
async function findVariantById(
  scratch: Scratch,
  steps: readonly LiveStep[],
  run: ProbeRun,
): Promise<string[] | null> {
  // A small id could be mistaken for a step's position.
  const parent = steps.find(({ id }) => id > steps.length + 1);
  if (parent === undefined) return [];
  const wanted = steps.map((step) =>
    step === parent ? `${stripMarker(step)} + variant` : stripMarker(step),
  );
  const step = sequence('variant', `add a variant to the email of id ${parent.id}`, [
    buildVariant(parent.id),
  ]);
  const { sent, shown, evidence } = await observe(step, steps.map(stripMarker).join(', '), scratch, run);
  const isAdded = shown === wanted.join(', ');
  if (!isAdded && sent.kind !== 'in_doubt') return evidence;
  conclude('variant_reference', isAdded ? 'step_id' : null, evidence, run);
  return null;
}

function stripMarker({ email_subject }: { email_subject: string }): string {
  return email_subject.trim().replace(SUBJECT, '');
}

/**
 * Posts once, then reads until two readings agree on a change, the post turns out to be refused, or a minute has passed.
 */
async function observe(step: Step, before: string, scratch: Scratch, run: ProbeRun): Promise<Observation> {
  const { clock, stop } = run.tools;
  const section = step.section === 'schedule' ? 'schedule' : 'sequence';
  const sent = await send(step, scratch, run);
  let reading: Pick<Observation, 'shown' | 'steps'> = { shown: before, steps: [] };
  for await (const _ of readings(clock.elapsed(), { ...clock, stopping: () => stop.aborted })) {
    const last = reading.shown;
    reading = await read(section, scratch, run).catch((error: unknown) => {
      if (error instanceof UnreadableAnswer) return { shown: error.message, steps: [] };
      throw error;
    });
    if (sent.kind === 'refused' || (reading.shown === last && last !== before)) break;
  }
  const path = fillPath(step, scratch.id);
  const evidence = [
    `POST ${path}, ${step.title} → ${describeAnswer(sent)}`,
    `GET ${path} → ${reading.shown || 'nothing'}`,
  ];
  return { sent, ...reading, evidence };
}

async function read(
  section: Exclude<AnswerName, 'campaign'>,
  { id, name }: Scratch,
  { environment, tools }: ProbeRun,
): Promise<Pick<Observation, 'shown' | 'steps'>> {
  const answers = await readCampaign(tools.service, id, [section]);
  const context: CampaignContext = {
    environment,
    recorded: UNKNOWN_STATE,
    templates: null,
    spec: { name, id },
    id,
    listed: null,
    answers,
  };
  if (section === 'sequence') {
    const { steps } = liveSequence(context);
    return {
      steps,
      shown: steps.map((step) => [step, ...step.variants].map(stripMarker).join(' + ')).join(', '),
    };
  }
  const shown = SECTIONS.find((each) => each.name === section)?.toManifest(context).section;
  return { steps: [], shown: isObject(shown) ? `start_time ${shown.start_time}` : '' };
}

async function createScratch(name: string, run: ProbeRun): Promise<Scratch> {
  const { service, clock, stop } = run.tools;
  const sent = await send(create(name), { id: null, name }, run);
  if (sent.kind === 'refused')
    throw stoppedBy(`The service refused to create a scratch campaign: ${describeAnswer(sent)}.`);
  for await (const _ of readings(clock.elapsed(), { ...clock, stopping: () => stop.aborted })) {
    const row = (await service.campaigns()).find((campaign) => campaign.name === name);
    if (row === undefined) continue;
    run.campaigns = run.campaigns.map((campaign) =>
      campaign.name === name ? { id: row.id, name } : campaign,
    );
    if ((await readCampaign(service, row.id, ['campaign'])).campaign?.none === false)
      return { id: row.id, name };
  }
  throw stoppedBy(
    `The service does not show "${name}" (${describeAnswer(sent)}). The request was not repeated.`,
  );
}

/** Throws if the request was not sent. */
async function send(
  step: Step,
  { id, name }: { id: number | null; name: string },
  run: ProbeRun,
): Promise<Sent> {
  const { journal, tools } = run;
  const hint = 'Nothing more was sent.';
  if (tools.stop.aborted)
    throw new Failure({ code: 'interrupted', message: 'The probe was interrupted.', hint });
  const campaign = { manifest: PROBE, name, id };
  const path = fillPath(step, id);
  tools.tell(step.title);
  await journal.intend({ ...campaign, step: { ...step, path }, total_leads: null });
  const guard = id === null ? {} : { guard: scratchGuard({ id, name }, run) };
  const sent = await tools.service.send(
    { method: 'POST', path, body: step.body },
    { stop: tools.stop, ...guard },
  );
  if (sent.kind !== 'unsent') run.requests += 1;
  if (id === null && (sent.kind === 'accepted' || sent.kind === 'in_doubt')) run.campaigns.push({ id, name });
  const results = { accepted: 'done', refused: 'failed', unsent: 'not_run', in_doubt: 'in_doubt' } as const;
  const detail = sent.kind === 'accepted' ? null : describeAnswer(sent);
  await journal.conclude({
    ...campaign,
    step: step.id,
    result: results[sent.kind],
    detail,
    visible_in: null,
  });
  if (sent.kind === 'unsent') throw stoppedBy(`The probe stopped: ${sent.message}.`);
  return sent;
}

/** Prevents a write if the campaign was renamed, has leads, or may be sending. */
function scratchGuard({ id, name }: Scratch, { environment }: ProbeRun): WriteGuard {
  return async (reader) => {
    const { campaign } = await readCampaign(reader, id, ['campaign']);
    const body = campaign?.body ?? null;
    const shownName = nameIn(body);
    const isSame =
      shownName === null
        ? (await reader.campaigns()).some((row) => row.id === id && isSameName(row.name, name))
        : isSameName(shownName, name);
    if (campaign?.none !== false || !isSame)
      return `campaign ${id} is no longer the scratch campaign "${name}"`;
    if (isObject(body) && (leadsIn(body) ?? 0) > 0) return `campaign ${id} now has leads`;
    const word = statusIn(campaign);
    const { state, mails } = sendingBy(word, environment);
    return mails && state !== 'unknown' ? `campaign ${id} is "${word}" and may send` : null;
  };
}

function stoppedBy(message: string): Failure {
  const hint =
    "The probe sends nothing more. In the service's web app, delete any campaigns that it created.";
  return new Failure({ code: 'probe-stopped', message, hint });
}

function describeAnswer(sent: Sent): string {
  if (sent.kind === 'accepted') return `HTTP ${sent.status} ${JSON.stringify(sent.body)}`;
  return sent.kind === 'refused' ? `HTTP ${sent.status}, refused: ${sent.message}` : sent.message;
}

function fillPath({ path }: Step, id: number | null): string {
  return path.replace('{campaign_id}', String(id));
}
