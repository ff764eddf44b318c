/** Shares complete lists between writes of the same seconds. */
import type { ListedCampaign } from '../model/answer.js';
import { Failure } from '../model/failure.js';
import type { CampaignOutcome, StepOutcome } from '../model/outputs.js';
import { refusal } from './messages.js';
import { readings } from './readback.js';
import { type ApplyTools, asFailure, type RecentList, type RunTools } from './tools.js';

/** Milliseconds; a slow list serves as long as it took. */
const RECENT = 5_000;

/** A list for each write would double the requests. */
export function shareLists({
  service,
  elapsed,
}: Pick<ApplyTools, 'elapsed'> & { service: Parameters<RecentList>[1] & object }): RecentList {
  interface List {
    began: number;
    until: number;
    rows: Promise<readonly ListedCampaign[]>;
  }
  // A list within a write's turn must not wait for other turns: one for each reader.
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

/** After everything was sent, finds campaigns that another run created with the same names. */
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

/** Reads until all of these campaigns are listed; `null` if stopped. */
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
