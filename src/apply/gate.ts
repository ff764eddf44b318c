/** What has to be seen shortly before a launch: the campaign alone under its name, and with its leads, in the status for which the launch was planned. */
import type { ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import { Failure } from '../model/failure.js';
import type { CampaignOutcome, StepOutcome } from '../model/outputs.js';
import {
  againstHolders,
  type CampaignContext,
  isSameStatus,
  liveStatus,
  meaningOf,
  type Work,
  wordOf,
} from '../plan/index.js';
import type { Beforehand } from './perform.js';
import { READ_WAITS, readAgain } from './readback.js';
import { type ApplyTools, asFailure, type LookTools, type RecentList, type RunTools } from './tools.js';

/** Milliseconds for which a list may serve further writes; one that took longer to read serves for as long as that took. */
const RECENT = 5_000;

/** Lists that began after that moment, not at it, are shared by the launches, and creations that waited, of the next seconds: each reading its own would double the requests of a run. */
export function shareLists({
  service,
  elapsed,
}: Pick<ApplyTools, 'elapsed'> & { service: Parameters<RecentList>[1] & object }): RecentList {
  interface List {
    began: number;
    until: number;
    rows: Promise<readonly ListedCampaign[]>;
  }
  // What is read in the turn of a write must not wait for what waits for a turn: each reader has its own.
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

const MADE_AT_ONCE = 'Another run may have created it at the same time';

function sharing(name: string, id: number | null, others: readonly ListedCampaign[]): string {
  const ids = others.map((row) => `${row.id}${row.status === null ? '' : ` (${row.status})`}`).join(', ');
  return `the service has ${others.length + 1} campaigns called "${name}": this one (${id}) and ${ids}`;
}

/**
 * What speaks against launching a campaign: others of its name; null if there are none. Every run reads the list after it
 * has made its own campaign: of two runs that make the same one at once, at least one sees both. A pin tells a campaign from others
 * of its name that are `ours`, by the state or a manifest, or gone; not from one that another has made and may launch.
 */
export async function againstOthers(
  { id, spec: { id: pin, name }, environment }: CampaignContext,
  ours: ReadonlySet<number>,
  { list, elapsed, sleep, stopping }: RunTools,
): Promise<string | null> {
  let since = 0;
  for (const wait of READ_WAITS) {
    // What was just made may be missing from the first list.
    if (wait > 0) {
      await sleep(wait);
      since = elapsed();
    }
    const rows = await list(since);
    const called = rows.filter((row) => row.name === name);
    const isGone = (row: ListedCampaign) => meaningOf(row.status, environment.service.statuses) === 'gone';
    const isMeant = (row: ListedCampaign) => pin !== undefined && (ours.has(row.id) || isGone(row));
    const others = called.filter((row) => row.id !== id && !isMeant(row));
    if (others.length > 0) {
      const whose = pin === undefined ? MADE_AT_ONCE : 'Neither the state nor a manifest knows the other';
      return `${sharing(name, id, others)}. ${whose}`;
    }
    if (called.length > 0 || pin !== undefined) return null;
    if (stopping()) break;
  }
  return `the list of campaigns does not show campaign ${id} under the name "${name}"`;
}

/** What speaks against mailing leads that others have: one of those, by its record or its row of a list since then, was launched after the plan. */
export async function againstHolding(
  { resting }: Work,
  { list, service, woken }: LookTools,
  since: number,
): Promise<string | null> {
  const rows = (await list(since, service)).filter((row) => resting.includes(row.id));
  const shown = async (row: ListedCampaign) => {
    const own = wordOf(await service.read('campaign', row.id));
    return { ...row, words: [row.status, own] };
  };
  const now = await Promise.all(rows.map(shown));
  for (const one of now) if (againstHolders([one]) !== null) woken.add(one.id);
  return againstHolders(now);
}

/** What speaks against making a campaign: another has made one of its name, or of a name that reads the same, since the plan. */
export function againstCreation(
  { spec: { name } }: CampaignContext,
  { ids, names }: Beforehand,
  rows: readonly ListedCampaign[],
): string | null {
  const isNew = (row: ListedCampaign) => !ids.has(row.id) && !names.has(row.name);
  const made = rows.find((row) => row.name === name || (isNew(row) && isSameName(row.name, name)));
  if (made === undefined) return null;
  return `campaign ${made.id} is called "${made.name}" now, and was not there when this was planned. ${MADE_AT_ONCE}`;
}

/** What speaks against launching it in the status that it has now. */
export async function againstStatus(
  { plan, context: planned }: Work,
  context: CampaignContext,
  tools: LookTools,
  rows: number | null,
): Promise<string | null> {
  const now = liveStatus(await readAgain(context, ['status'], tools, rows));
  const before = liveStatus(plan.id === null ? context : planned).word;
  // What is never shown cannot have changed for anyone to see.
  if (now.believed) return null;
  const said = now.word === null ? 'the service shows no status now' : `its status is "${now.word}" now`;
  if (before === null) return now.meaning === 'stopped' ? null : said;
  if (now.word !== null && isSameStatus(now.word, before)) return null;
  return `${said} and was "${before}" when ${plan.id === null ? 'it was created' : 'this was planned'}: it was changed outside this run`;
}

/**
 * The outcomes with what one complete list shows after everything was sent: a campaign that this run has made and that shares its name is
 * not done. Of two runs that make the same one at once, at least one sees both. A launch has looked already.
 */
export async function withTwins(
  outcomes: readonly CampaignOutcome[],
  tools: RunTools,
): Promise<CampaignOutcome[]> {
  const isMade = ({ id, result }: StepOutcome) => id === 'create' && result === 'done';
  const isLooked = ({ id, result }: StepOutcome) => id === 'launch' && result !== 'not_run';
  const made = outcomes.filter(({ steps }) => steps.some(isMade) && !steps.some(isLooked));
  if (made.length === 0) return [...outcomes];
  const rows = await listWith(made, tools).catch(asFailure);
  return outcomes.map((outcome) => {
    const { id, name, steps } = outcome;
    if (rows === null || !made.includes(outcome)) return outcome;
    const others = rows instanceof Failure ? [] : rows.filter((row) => row.name === name && row.id !== id);
    if (others.length === 0 && !(rows instanceof Failure)) return outcome;
    const detail =
      rows instanceof Failure
        ? `whether it is alone under its name is not known: ${rows.message}`
        : `${sharing(name, id, others)}. ${MADE_AT_ONCE}`;
    const told = steps.map((step) =>
      step.id === 'read-back'
        ? { ...step, result: 'failed' as const, detail: [step.detail, detail].filter(Boolean).join('; ') }
        : step,
    );
    return { ...outcome, result: 'incomplete', steps: told };
  });
}

/** A list read from now on, again until it shows all of these: what was just made may be missing at first. Null after a request to stop. */
async function listWith(
  made: readonly CampaignOutcome[],
  { list, elapsed, sleep, stopping }: RunTools,
): Promise<readonly ListedCampaign[] | null> {
  let rows: readonly ListedCampaign[] | null = null;
  for (const wait of READ_WAITS) {
    if (wait > 0) await sleep(wait);
    if (stopping()) return rows;
    rows = await list(elapsed());
    const ids = new Set(rows.map(({ id }) => id));
    if (made.every(({ id }) => id === null || ids.has(id))) break;
  }
  return rows;
}
