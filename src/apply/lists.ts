/** The complete list of campaigns during an apply: shared by writes of the same seconds, and read once more at the end. */
import type { ListedCampaign } from '../model/answer.js';
import { Failure } from '../model/failure.js';
import type { CampaignOutcome, StepOutcome } from '../model/outputs.js';
import { refusal } from './messages.js';
import { readings } from './readback.js';
import { type ApplyTools, asFailure, type RecentList, type RunTools } from './tools.js';

/** Milliseconds for which a list serves further writes; one that took longer to read serves for as long as that took. */
const RECENT = 5_000;

/** Shares lists that began after a given moment: reading one for each write would double the requests of a run. */
export function shareLists({
  service,
  elapsed,
}: Pick<ApplyTools, 'elapsed'> & { service: Parameters<RecentList>[1] & object }): RecentList {
  interface List {
    began: number;
    until: number;
    rows: Promise<readonly ListedCampaign[]>;
  }
  // A list read in the turn of a write must not wait for requests that wait for a turn: each reader has its own.
  const lasts = new Map<Parameters<RecentList>[1], List>();
  return (since, reader = service) => {
    const began = elapsed();
    const last = lasts.get(reader);
    if (last !== undefined && last.began > since && began < last.until) return last.rows;
    const list: List = { began, until: Number.POSITIVE_INFINITY, rows: reader.campaigns() };
    const serves = (least: number) => () => {
      list.until = elapsed() + Math.max(least, elapsed() - began);
    };
    list.rows.then(serves(RECENT), serves(0));
    lasts.set(reader, list);
    return list.rows;
  };
}

/**
 * Reads the list after everything was sent: a new campaign whose name another one has is not done. Two runs that create the same
 * campaign at once see each other here. Launches have checked it already.
 */
export async function withDuplicates(
  outcomes: readonly CampaignOutcome[],
  tools: RunTools,
): Promise<CampaignOutcome[]> {
  const isCreated = ({ id, result }: StepOutcome) => id === 'create' && result === 'done';
  const isChecked = ({ id, result }: StepOutcome) => id === 'launch' && result !== 'not_run';
  const created = outcomes.filter(({ steps }) => steps.some(isCreated) && !steps.some(isChecked));
  if (created.length === 0) return [...outcomes];
  const rows = await listWith(created, tools).catch(asFailure);
  return outcomes.map((outcome) => {
    const { id, name, steps } = outcome;
    if (rows === null || !created.includes(outcome)) return outcome;
    const others = rows instanceof Failure ? [] : rows.filter((row) => row.name === name && row.id !== id);
    if (others.length === 0 && !(rows instanceof Failure)) return outcome;
    const detail =
      rows instanceof Failure
        ? `it is unknown whether another campaign has its name: ${rows.message}`
        : refusal('created-twice', { id, name, others });
    const noted = steps.map((step) =>
      step.id === 'read-back'
        ? { ...step, result: 'failed' as const, detail: [step.detail, detail].filter(Boolean).join('; ') }
        : step,
    );
    return { ...outcome, result: 'incomplete', steps: noted };
  });
}

/** Reads the list until it shows all of these campaigns. Returns null if the run was stopped. */
async function listWith(
  created: readonly CampaignOutcome[],
  tools: RunTools,
): Promise<readonly ListedCampaign[] | null> {
  let rows: readonly ListedCampaign[] | null = null;
  for await (const _ of readings(tools.elapsed(), tools)) {
    if (tools.stopping()) break;
    rows = await tools.list(tools.elapsed());
    const ids = new Set(rows.map(({ id }) => id));
    if (created.every(({ id }) => id === null || ids.has(id))) break;
  }
  return rows;
}
