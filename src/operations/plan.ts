import { resolve } from 'node:path';
import { hasCode, writeAtomic } from '../files/atomic.js';
import { readRegularFile } from '../files/read.js';
import { type Allowed, parseApproval } from '../model/approvals.js';
import type { Environment } from '../model/environment.js';
import { errorMessage, Failure } from '../model/failure.js';
import {
  differs,
  type LocatedFinding,
  type OtherCampaign,
  otherCampaigns,
  type Plan,
  type PlanProblem,
} from '../model/outputs.js';
import type { Inventory, InventoryEntry } from '../model/reports.js';
import type { Campaign } from '../model/spec.js';
import { type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import { awaiting, type Wait } from '../model/waits.js';
import { dayOf } from '../model/words.js';
import { isFinished, isSending } from '../plan/inventory.js';
import type { OutstandingRequest } from '../plan/outstanding.js';
import { listInventory, type Refresh, refresh } from '../plan/refresh.js';
import { openPlan, type SavedPlan, savePlan } from '../plan/saved-plan.js';
import { adviseRefill } from '../rules/refill.js';
import { checkResults } from '../rules/results.js';
import { type Reader, systemClock } from '../service/index.js';
import { askHistory, readCheckout } from './checkout.js';
import { withReader } from './connect.js';
import { applyAtWork, describeRun } from './lock.js';
import { type PlaceFlags, placeOfFile } from './place.js';
import { checkPromotion, openSession, readState, refuseNoManifests, type Session } from './session.js';
import { findUnkeptState } from './unkept-state.js';
import { type Interrupt, version, type World } from './world.js';

export async function refreshProject(
  session: Session,
  reader: Reader,
  signal: AbortSignal,
  { allow = [] }: { allow?: readonly Allowed[] } = {},
): Promise<Refresh> {
  const { place, campaigns, selected, selection, again, drift } = session;
  const { environment, backend, world, waits } = place;
  const state = await readState(session);
  refuseNoManifests(session, state);
  const { entries, pending, outside } = state;
  const other = await applyAtWork(backend, world);
  const { clock = systemClock } = world;
  const sources = {
    reader,
    askHistory: (commits: ReadonlySet<string>) => askHistory(place, commits),
    report: world.report,
    async wait(outstanding: readonly OutstandingRequest[]) {
      const milliseconds = Math.max(...outstanding.map(({ wait }) => wait));
      const work = clock.sleep(milliseconds, signal);
      await awaiting(waits, toWait(outstanding), { work, most: milliseconds, isCertain: true });
    },
  };
  const warnings = session.unmatchedPatterns.map(toWarning);
  const workspace = { environment, campaigns, selected, outside, warnings };
  // An apply in progress will reconcile its own requests.
  const open = other?.certain === true ? [] : pending;
  const known = { entries, pending: open, other, unkept: await findUnkeptState(place) };
  const approvals = allow.map(parseApproval);
  const asked = { selection, again, drift, approvals, tool: version, now: world.now() };
  const planned = await refresh(sources, workspace, known, { ...asked, mode: session.refresh });
  return checkPromotion(planned, session);
}

function toWarning({ code, severity, message, hint, file, line }: LocatedFinding): PlanProblem {
  return { code: code === 'no-match' ? code : 'near-match', severity, message, hint, at: `${file}:${line}` };
}

function toWait(outstanding: readonly OutstandingRequest[]): Wait {
  const requests = outstanding.map(({ title, campaign }) => `"${title}" for ${campaign}`);
  const { who, at } = outstanding[0]?.run ?? { who: '', at: '' };
  return { kind: 'earlier-run', who, at, requests };
}

/** True if anything differs from the manifests, even if apply cannot change it. */
export function hasDifferences(plan: Plan): boolean {
  const isDue = ({ running, step }: OtherCampaign) => (plan.mode === 'drift' ? running : step !== null);
  return plan.campaigns.some(differs) || otherCampaigns(plan).some(isDue);
}

/** `out`: the file for the plan, relative to the working directory. */
export async function planProject(
  session: Session,
  out: string | null,
  { guard, signal }: Interrupt,
): Promise<Refresh> {
  const { place, selection, sources, files } = session;
  return withReader(place, async (reader) => {
    const refresh = await guard(refreshProject(session, reader, signal));
    if (out === null) return refresh;
    const { world } = place;
    const { file: project } = placeOfFile(place.project);
    const { who, commit, tool } = describeRun(world, {
      command: 'plan',
      checkout: await guard(readCheckout(place, files)),
    });
    const saved = savePlan(refresh, { selection, sources }, { who, project, commit, tool });
    // Only the owner can read the file, because it contains emails.
    const writing = writeAtomic(resolve(world.cwd, out), `${JSON.stringify(saved)}\n`, { mode: 0o600 });
    await writing.catch(refusePlanFile('written', out));
    return refresh;
  });
}

export async function readPlanFile(file: string, { cwd }: Pick<World, 'cwd'>): Promise<SavedPlan> {
  return openPlan(file, readText(resolve(cwd, file), file));
}

function readText(path: string, file: string): string {
  try {
    return readRegularFile(path).toString('utf8');
  } catch (error) {
    return refusePlanFile('read', file)(error);
  }
}

export function refusePlanFile(what: 'read' | 'written', file: string): (error: unknown) => never {
  return (error) => {
    const isMissing = what === 'read' && hasCode(error, 'ENOENT');
    const problem = {
      code: 'plan-file-unusable',
      message: isMissing
        ? `There is no plan file ${file}.`
        : `The plan file ${file} cannot be ${what}: ${errorMessage(error)}.`,
      hint: 'Check the path. campaignctl plan --out writes plan files.',
    };
    throw new Failure(problem);
  };
}

export async function listProject(flags: PlaceFlags, world: World, { guard }: Interrupt): Promise<Inventory> {
  const session = await guard(openSession(flags, world));
  const { place, campaigns: all } = session;
  const { environment, project } = place;
  return withReader(place, async (reader) => {
    const state = await readState(session);
    const today = dayOf(new Date(place.world.now()).toISOString());
    const known = { ...state, environment, campaigns: all, listed: [] };
    const inventory = await guard(listInventory(reader, known, world.report));
    const campaigns = inventory.campaigns.map((entry) => {
      const runs = isSending(entry, environment);
      if (!runs && !isFinished(entry, environment)) return entry;
      const refill = refillAdvice(entry, { campaigns: all, entries: state.entries, environment, today });
      const broken = checkResults(runs ? project.policies : [], environment, entry, refill);
      return { ...entry, problems: [...entry.problems, ...broken] };
    });
    return { ...inventory, campaigns };
  });
}

/** What to write if the leads of a listed campaign run out; `null` if no manifest attaches lists to it. */
function refillAdvice(
  { id, manifest }: InventoryEntry,
  {
    campaigns,
    entries,
    environment: { lead_lists },
    today,
  }: {
    campaigns: readonly Campaign[];
    entries: readonly StateEntry[];
    environment: Environment;
    today: string;
  },
) {
  const spec = campaigns.find((campaign) => campaign.manifest === manifest)?.spec;
  if (spec?.leads === undefined || manifest === null) return null;
  const { attached } = entries.find((entry) => entry.id === id)?.recorded ?? UNKNOWN_STATE;
  const { refills = [] } = attached;
  return adviseRefill({ manifest, leads: spec.leads, lead_lists, refills, today });
}
