import type { AnswerName, ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import { Failure } from '../model/failure.js';
import { isNone, nameIn } from '../model/live.js';
import type { SectionName } from '../model/outputs.js';
import type { CampaignOutcome, StepOutcome } from '../model/reports.js';
import { CREATED_STATE } from '../model/state.js';
import { describeSending } from '../plan/messages.js';
import { hasSequence } from '../plan/reconcile.js';
import { answersFor, readableSections, replan } from '../sections/all.js';
import { totalLeads } from '../sections/leads.js';
import { mailingStatus } from '../sections/sending.js';
import { withFacts } from '../sections/target.js';
import { createdCampaign } from '../service/decode.js';
import { type Reader, readCampaign, type Sent } from '../service/index.js';
import { refusal } from './messages.js';
import { READ_BACK, whileAwaited, withListed } from './readback.js';
import { type ApplyRun, asFailure, type Write, type WriteResult, withOutcome } from './run.js';

export function judgeCreation(
  { body }: Extract<Sent, { kind: 'accepted' }>,
  { progress: { now }, run }: Write,
): WriteResult {
  const sentAt = run.elapsed();
  const answer = createdCampaign(body);
  const doubtful = (detail: string, id: number | null): WriteResult => ({
    result: 'in_doubt',
    detail,
    id,
    sentAt,
  });
  if (answer === null) return doubtful('the response contains no campaign id', null);
  const { id, name } = answer;
  if (run.ids.has(id))
    return doubtful(`the response contains the id of campaign ${id}, which already existed`, null);
  if (name !== now.spec.name) return doubtful('the response does not identify the new campaign', id);
  return { result: 'done', detail: null, id, sentAt };
}

/** Finds the campaign by the id in the response or, if the response has none, by name. */
export async function findCreated(sent: WriteResult, write: Write): Promise<WriteResult> {
  const { progress, run } = write;
  const { name } = progress.now.spec;
  const { service } = run;
  let rows: readonly ListedCampaign[] = [];
  for await (const _ of whileAwaited(sent.sentAt, run, { campaign: name, what: 'the new campaign' })) {
    const shown = sent.id === null ? undefined : await readName(sent.id, service);
    if (shown === null || shown === name) return withOutcome(sent, 'done');
    if (shown !== undefined) return renamed(sent, sent.id, shown);
    rows = await service.campaigns();
    const matches = rows.filter((row) => row.name === name && (sent.id === null || row.id === sent.id));
    const [only, ...others] = matches;
    if (only === undefined) continue;
    if (sent.id !== null) return withOutcome(sent, 'done');
    if (others.length === 0) return takeOver(sent, only, write);
    const ids = matches.map(({ id }) => id).join(', ');
    const several = `the list shows ${matches.length} campaigns with that name (${ids})`;
    return { ...withOutcome(sent, 'in_doubt', sent.detail, several), id: null };
  }
  const { ids, names } = run;
  const newcomer = rows.find((row) => !ids.has(row.id) && !names.has(row.name) && isSameName(row.name, name));
  if (newcomer !== undefined) return renamed(sent, newcomer.id, newcomer.name);
  const missing =
    sent.id === null
      ? 'the list shows no campaign with that name'
      : `the service does not show campaign ${sent.id}`;
  return withOutcome(sent, 'in_doubt', sent.detail, missing);
}

/** Returns `null` if the name is not shown, and `undefined` if the campaign does not exist. */
async function readName(id: number, service: Reader): Promise<string | null | undefined> {
  const record = await service.read('campaign', id);
  return isNone(record) ? undefined : nameIn(record);
}

function renamed(sent: WriteResult, id: number | null, name: string): WriteResult {
  const detail = `the service created campaign ${id} under the name "${name}" instead of the name in the manifest; nothing more was sent to the campaign`;
  return { ...withOutcome(sent, 'failed', sent.detail, detail), id };
}

async function takeOver(sent: WriteResult, row: ListedCampaign, write: Write): Promise<WriteResult> {
  const evidence = await evidenceAgainst(row, write);
  if (evidence === null)
    return {
      ...withOutcome(sent, 'done', sent.detail, `the list shows it as campaign ${row.id}`),
      id: row.id,
    };
  const detail = `campaign ${row.id} is called "${row.name}" ${evidence}: it may be someone else's`;
  return { ...withOutcome(sent, 'in_doubt', sent.detail, detail), id: null };
}

/** Milliseconds within which another run would continue with a campaign that it has created. */
const SECOND_LOOK_AFTER = 2_000;

/** A campaign created by this run is new, idle and empty in two readings. Returns evidence to the contrary, or `null`. */
async function evidenceAgainst(row: ListedCampaign, { progress, run }: Write): Promise<string | null> {
  const { planned } = progress;
  if (run.ids.has(row.id)) return 'but had a different name when this was planned';
  const now = withFacts(progress.now, { id: row.id, recorded: CREATED_STATE });
  const managed = readableSections(now);
  const names = new Set<AnswerName>(['campaign', 'sequence', ...answersFor(now, managed)]);
  const isSent = (name: SectionName) =>
    planned.plan.changes.some(
      ({ section, kind }) => section === name && (name !== 'settings' || kind === 'update'),
    );
  for (const wait of [0, SECOND_LOOK_AFTER]) {
    if (wait > 0) await run.sleep(wait);
    const since = run.elapsed();
    const parts = await readCampaign(run.service, row.id, [...names]);
    const reading = { parts, known: { row, othersShowStatus: run.othersShowStatus }, since };
    const seen = await withListed(now, reading, ['leads'], run);
    if (seen.live !== null && isNone(seen.live.record)) return 'and the service does not show its record';
    const status = mailingStatus(seen);
    if (status !== null && status.word !== null) return `and ${describeSending(status)}`;
    if ((totalLeads(seen) ?? 0) > 0) return 'and already has leads';
    if (hasSequence(seen)) return 'and already has a sequence';
    const done = managed.find((name) => isSent(name) && replan(seen, [name]).changes.length === 0);
    if (done !== undefined) return `and already shows the ${done} of the manifest`;
    if (run.stopping()) break;
  }
  return null;
}

export async function withDuplicates(
  outcomes: readonly CampaignOutcome[],
  { service, stopping }: ApplyRun,
): Promise<CampaignOutcome[]> {
  const isCreated = ({ id, result }: StepOutcome) => id === 'create' && result === 'done';
  const isChecked = ({ id, result }: StepOutcome) => id === 'launch' && result !== 'not_run';
  const created = outcomes.filter(({ steps }) => steps.some(isCreated) && !steps.some(isChecked));
  if (created.length === 0 || stopping()) return [...outcomes];
  const rows = await service.campaigns().catch(asFailure);
  const doubt = ({ id, name }: CampaignOutcome) => {
    if (rows instanceof Failure)
      return `campaignctl cannot tell whether another campaign has its name: ${rows.message}`;
    const others = rows.filter((row) => row.name === name && row.id !== id);
    return others.length === 0 ? null : refusal('created-twice', { id, name, others });
  };
  return outcomes.map((outcome) => {
    const detail = created.includes(outcome) ? doubt(outcome) : null;
    if (detail === null) return outcome;
    const steps = outcome.steps.map((step) =>
      step.id === READ_BACK.id
        ? { ...step, result: 'failed' as const, detail: [step.detail, detail].filter(Boolean).join('; ') }
        : step,
    );
    return { ...outcome, result: 'incomplete', steps };
  });
}
