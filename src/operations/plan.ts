import { resolve } from 'node:path';
import { hasCode, writeAtomic } from '../files/atomic.js';
import { readRegularFile } from '../files/read.js';
import { type Allowed, parseApproval } from '../model/approvals.js';
import { errorMessage, Failure } from '../model/failure.js';
import {
  differs,
  type LocatedFinding,
  type OtherCampaign,
  otherCampaigns,
  type Plan,
  type PlanProblem,
} from '../model/outputs.js';
import { awaiting, type Wait } from '../model/waits.js';
import type { OutstandingRequest } from '../plan/outstanding.js';
import { type Refresh, refresh } from '../plan/refresh.js';
import { openPlan, type SavedPlan, savePlan } from '../plan/saved-plan.js';
import type { Reader } from '../service/index.js';
import { askHistory, readCheckout } from './checkout.js';
import { withReader } from './connect.js';
import { applyAtWork, describeRun } from './lock.js';
import { placeOfFile } from './place.js';
import { checkPromotion, readState, refuseNoManifests, type Session } from './session.js';
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
  const sources = {
    reader,
    askHistory: (commits: ReadonlySet<string>) => askHistory(place, commits),
    report: world.report,
    async wait(outstanding: readonly OutstandingRequest[]) {
      const milliseconds = Math.max(...outstanding.map(({ wait }) => wait));
      const work = world.clock.sleep(milliseconds, signal);
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
