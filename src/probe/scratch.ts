/** Scratch campaigns: each write is journalled, guarded and sent once. */
import type { AnswerName, ListedCampaign } from '../model/answer.js';
import { isSameName, nameIn } from '../model/characters.js';
import type { Environment } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import { isObject, leadsIn } from '../model/json.js';
import type { Step } from '../model/outputs.js';
import { PROBE, type ProbeResult } from '../model/probe.js';
import { UNKNOWN_STATE } from '../model/state.js';
import { type CampaignContext, liveStatus, maySend } from '../plan/index.js';
import {
  createdCampaign,
  type Reader,
  readCampaign,
  type Sent,
  type WriteGuard,
  type Writer,
} from '../service/index.js';
import type { Journal, Store } from '../state/index.js';
import { create } from './requests.js';

export interface ProbeTools {
  service: Reader & Writer;
  store: Store;
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** Receives one line for each action. */
  tell(line: string): void;
  /** After an abort, the request in flight is finished and nothing more is sent. */
  stop: AbortSignal;
}

export interface ProbeRun {
  environment: Environment;
  /** Campaigns that existed before the probe. */
  before: readonly ListedCampaign[];
  journal: Journal;
  /** Filled in as the probe proceeds, so that a stopped probe reports what it has. */
  sheet: Pick<ProbeResult, 'campaigns' | 'findings' | 'requests'>;
  tools: ProbeTools;
}

export interface Scratch {
  name: string;
  id: number;
  /** The outcome of its creation. */
  created: Sent;
}

/** Waits before each reading, in milliseconds: services may show a write a moment later. */
const WAITS = [0, 500, 2000, 5000];
/** The same after an answer that a proxy lost. */
const LATE_WAITS = [...WAITS, 7500, 15_000];
/** Waits from this length on are announced. */
const SLOW = 2000;

export function stoppedBy(message: string): Failure {
  const hint = "Delete what it made in the service's web app. Nothing more is sent to it.";
  return new Failure({ code: 'probe-stopped', message, hint });
}

export function answerOf(sent: Sent): string {
  if (sent.kind === 'accepted') return `HTTP ${sent.status} ${JSON.stringify(sent.body)}`;
  return sent.kind === 'refused' ? `HTTP ${sent.status}, refused: ${sent.message}` : sent.message;
}

/** Creates a scratch campaign. It exists once the answer or the list shows its id. */
export async function createScratch(name: string, run: ProbeRun): Promise<Scratch> {
  const { sheet, tools } = run;
  const requestsBefore = sheet.requests;
  const entry: ProbeResult['campaigns'][number] = { id: null, name, made: 'perhaps' };
  sheet.campaigns.push(entry);
  const sent = await send(create(name), { id: null, name }, run).catch((error: unknown) => {
    if (sheet.requests === requestsBefore) sheet.campaigns.pop();
    throw error;
  });
  if (sent.kind === 'refused') {
    sheet.campaigns.pop();
    throw stoppedBy(`The service refused to create a scratch campaign: ${answerOf(sent)}.`);
  }
  const idInAnswer = sent.kind === 'accepted' ? createdId(sent, run) : null;
  entry.id = idInAnswer;
  const named = async () => (await tools.service.campaigns()).filter((campaign) => campaign.name === name);
  const rows = await readUntil(named, ({ length }) => length > 0, sent, run);
  const ids = rows.length === 0 && idInAnswer !== null ? [idInAnswer] : rows.map(({ id }) => id);
  const [id] = ids;
  if (id === undefined)
    throw stoppedBy(
      `It is not known whether "${name}" was made: ${answerOf(sent)}, and the list does not show it. It was not sent again.`,
    );
  sheet.campaigns.pop();
  sheet.campaigns.push(...ids.map((made) => ({ id: made, name, made: 'yes' as const })));
  return { name, id, created: sent };
}

/** The id in the answer to a creation; `null` if it is that of an older campaign. */
function createdId({ body }: Extract<Sent, { kind: 'accepted' }>, { before }: ProbeRun): number | null {
  const id = createdCampaign(body)?.id ?? null;
  return before.some((campaign) => campaign.id === id) ? null : id;
}

/** Journals a request, sends it once, journals the outcome. Throws if it was not sent. */
export async function send(
  step: Step,
  { id, name }: { id: number | null; name: string },
  run: ProbeRun,
): Promise<Sent> {
  const { journal, sheet, tools } = run;
  if (tools.stop.aborted)
    throw new Failure({
      code: 'interrupted',
      message: 'The probe was interrupted.',
      hint: 'Nothing more was sent.',
    });
  const campaign = { manifest: PROBE, name, id };
  const bound = { ...step, path: pathOf(step, id) };
  tools.tell(bound.title);
  await journal.intend({ ...campaign, step: bound, total_leads: null });
  const { method, path, body } = bound;
  const guarded = id === null ? {} : { guard: guardOf({ id, name }, run) };
  const sent = await tools.service.send({ method, path, body }, { stop: tools.stop, ...guarded });
  if (sent.kind !== 'unsent') sheet.requests += 1;
  const results = { accepted: 'done', refused: 'failed', unsent: 'not_run', in_doubt: 'in_doubt' } as const;
  await journal.conclude({
    ...campaign,
    id: sent.kind === 'accepted' && id === null ? createdId(sent, run) : id,
    step: step.id,
    result: results[sent.kind],
    detail: sent.kind === 'accepted' ? null : answerOf(sent),
    visible_in: null,
  });
  if (sent.kind === 'unsent') throw stoppedBy(`The probe stopped: ${sent.message}.`);
  return sent;
}

/** Refuses a write if the campaign was renamed, has leads or may send. */
function guardOf({ id, name }: { id: number; name: string }, { environment }: ProbeRun): WriteGuard {
  return async (reader) => {
    const { campaign } = await readCampaign(reader, id, ['campaign']);
    const body = campaign?.body ?? null;
    const shownName = nameIn(body);
    const isListed = async () =>
      (await reader.campaigns()).some((row) => row.id === id && isSameName(row.name, name));
    const isOurs = shownName === null ? await isListed() : isSameName(shownName, name);
    if (campaign?.none !== false || !isOurs)
      return `campaign ${id} is not the scratch campaign "${name}" any more`;
    if (isObject(body) && (leadsIn(body) ?? 0) > 0) return `campaign ${id} has leads now`;
    const answers = { campaign, schedule: null, sequence: null };
    const status = liveStatus(contextOf({ id, name }, environment, answers));
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

export async function readScratch(
  scratch: Scratch,
  names: readonly AnswerName[],
  { environment, tools }: ProbeRun,
): Promise<CampaignContext> {
  return contextOf(scratch, environment, await readCampaign(tools.service, scratch.id, names));
}

/** Reads until `isEnough`, or until the waits are over. Returns the last reading. */
export async function readUntil<T>(
  read: () => Promise<T>,
  isEnough: (reading: T) => boolean,
  sent: Sent,
  { tools }: ProbeRun,
): Promise<T> {
  let reading = await read();
  const waits = sent.kind === 'in_doubt' ? LATE_WAITS : WAITS;
  for (const wait of waits.slice(1)) {
    if (isEnough(reading) || tools.stop.aborted) break;
    if (wait >= SLOW) tools.tell(`  it does not show yet: reading again in ${wait / 1000} seconds`);
    await tools.sleep(wait);
    reading = await read();
  }
  return reading;
}

export function pathOf({ path }: Step, id: number | null): string {
  return path.replace('{campaign_id}', String(id));
}
