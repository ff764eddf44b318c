import type { AnswerName, ListedCampaign } from '../model/answer.js';
import { isSameName, nameIn } from '../model/characters.js';
import type { Environment } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import { isObject, leadsIn } from '../model/json.js';
import type { ProbeFinding, ProbeResult, ProbeSeen, Step } from '../model/outputs.js';
import { PROBE } from '../model/probe.js';
import { UNKNOWN_STATE } from '../model/state.js';
import { type CampaignContext, liveStatus, maySend } from '../plan/index.js';
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
import { answerOf } from './findings.js';
import { WAITS } from './requests.js';

/** A scratch campaign: how a probe writes to it, once and guarded, and reads it. */

/** What a probe needs of the world. */
export interface ProbeTools {
  service: Reader & Writer;
  store: Store;
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** Told what is done, a line for each step. */
  tell(line: string): void;
  /** Aborted once the user asked to stop: the request in flight is finished, and nothing more is sent. */
  stop: AbortSignal;
}

/** Milliseconds from which on a wait is told. */
const SLOW = 2000;
/** Waits before each reading after an answer that a proxy lost, in milliseconds. */
const LATE_WAITS = [...WAITS, 7500, 15_000];

/** A scratch campaign that is there, and every request to it so far. */
export interface Scratch {
  name: string;
  id: number;
  steps: LiveSequence | null;
}

/** What a probe came to so far. */
export interface ProbeSheet {
  found: ProbeFinding[];
  campaigns: ProbeResult['campaigns'];
  requests: number;
  /** What was seen of a variant that was not taken by id. */
  byId: ProbeSeen[];
}

export interface ProbeRun {
  environment: Environment;
  /** The campaigns that were there before. */
  before: readonly ListedCampaign[];
  journal: Journal;
  sheet: ProbeSheet;
  tools: ProbeTools;
}

export function stoppedBy(message: string): Failure {
  const hint = "Delete what it made in the service's web app. Nothing more is sent to it.";
  return new Failure({ code: 'probe-stopped', message, hint });
}

/** Notes a request, sends it, notes what came of it. */
export async function send(
  step: Step,
  scratch: { id: number | null; name: string },
  run: ProbeRun,
): Promise<Sent> {
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
  const bound = { ...step, path: pathOf(step, scratch) };
  tools.tell(bound.title);
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
export function idIn({ body }: Extract<Sent, { kind: 'accepted' }>, { before }: ProbeRun): number | null {
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

export async function look(
  scratch: Scratch,
  names: readonly AnswerName[],
  { environment, tools }: ProbeRun,
): Promise<CampaignContext> {
  return contextOf(scratch, environment, await readCampaign(tools.service, scratch.id, names));
}

/** Reads until it is `enough`; what was seen last. */
export async function readUntil<T>(
  read: () => Promise<T>,
  enough: (seen: T) => boolean,
  sent: Sent,
  { tools }: ProbeRun,
): Promise<T> {
  let seen = await read();
  const waits = sent.kind === 'in_doubt' && sent.repeat === 'late' ? LATE_WAITS : WAITS;
  for (const wait of waits.slice(1)) {
    if (enough(seen) || tools.stop.aborted) break;
    if (wait >= SLOW) tools.tell(`  it does not show yet: reading again in ${wait / 1000} seconds`);
    await tools.sleep(wait);
    seen = await read();
  }
  return seen;
}

export function pathOf({ path }: Step, { id }: { id: number | null }): string {
  return path.replace('{campaign_id}', String(id));
}
