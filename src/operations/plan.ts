import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { hasCode, writeAtomic } from '../files/atomic.js';
import type { Comparison } from '../model/compare.js';
import { errorMessage, Failure, usage } from '../model/failure.js';
import type { Inventory } from '../model/outputs.js';
import type { Campaign } from '../model/spec.js';
import { compareEnvironments } from '../plan/compare.js';
import { isSending } from '../plan/inventory.js';
import { listInventory, type Refresh } from '../plan/refresh.js';
import type { SavedPlan } from '../plan/saved-plan.js';
import { openPlan, savePlan } from '../plan/saved-plan.js';
import { loadCampaigns, selectedOf } from '../project/campaigns.js';
import { type Project, selectEnvironment } from '../project/project.js';
import { checkResults } from '../rules/results.js';
import { withReader } from './connect.js';
import { describeRun } from './lock.js';
import type { PlaceFlags } from './place.js';
import { refreshProject } from './run.js';
import { openSession, readState, type Session, stopOnErrors, targetsOf } from './session.js';
import type { Interrupt, World } from './world.js';

/** Reads and plans without a writer. `out`: file for the plan. */
export async function planProject(
  session: Session,
  out: string | null,
  { guard, signal }: Interrupt,
): Promise<Refresh> {
  return withReader(session, async (reader) => {
    const refresh = await guard(refreshProject(session, reader, signal));
    if (out !== null) await savePlanAs(out, refresh, session);
    return refresh;
  });
}

/** Readable for its owner only: it holds emails. `file` is relative to the working directory. */
async function savePlanAs(file: string, refresh: Refresh, session: Session): Promise<void> {
  const { selection, sources, world } = session;
  const { who, commit, tool } = describeRun(world);
  const saved = savePlan(refresh, { selection, sources }, { who, commit, tool });
  const text = `${JSON.stringify(saved)}\n`;
  await writeAtomic(resolve(world.cwd, file), text, { mode: 0o600 }).catch(refusePlanFile('written', file));
}

/** Failure if unreadable or altered. */
export async function readPlanFile(file: string, { cwd }: Pick<World, 'cwd'>): Promise<SavedPlan> {
  const text = await readFile(resolve(cwd, file), 'utf8').catch(refusePlanFile('read', file));
  return openPlan(file, text);
}

export function refusePlanFile(what: 'read' | 'written', file: string): (error: unknown) => never {
  return (error) => {
    const isMissing = what === 'read' && hasCode(error, 'ENOENT');
    const problem = {
      code: 'plan-file-unusable',
      message: isMissing
        ? `There is no plan file ${file}.`
        : `The plan file ${file} cannot be ${what}: ${errorMessage(error)}.`,
      hint: 'Check the path. A plan file is what campaignctl plan --out writes.',
    };
    throw new Failure(problem, { cause: error });
  };
}

/** Works without manifests. */
export async function listProject(flags: PlaceFlags, world: World, { guard }: Interrupt): Promise<Inventory> {
  const session = await guard(openSession({ ...flags, mayBeEmpty: 'warn' }, world));
  const { environment, campaigns, project } = session;
  return withReader(session, async (reader) => {
    const { entries, pending, outside } = await readState(session);
    const inventory = await guard(
      listInventory({ environment, campaigns, entries, pending, outside, reader }),
    );
    return {
      ...inventory,
      campaigns: inventory.campaigns.map((entry) => {
        const broken = isSending(entry, environment)
          ? checkResults(project.policies, environment, entry)
          : [];
        return { ...entry, problems: [...entry.problems, ...broken] };
      }),
    };
  });
}

/** `target`: names or patterns; empty for all. */
export async function compareProject(
  project: Project,
  asked: { from: string; to: string; files: readonly string[]; target: readonly string[] },
  { cwd }: World,
): Promise<Comparison> {
  const { files } = asked;
  if (asked.from === asked.to)
    throw usage(
      `compare takes two environments, not ${asked.from} twice.`,
      'For example: campaignctl compare staging production.',
    );
  const [from, to] = [selectEnvironment(project, asked.from), selectEnvironment(project, asked.to)];
  const loaded = selectedOf(await loadCampaigns(project, { environments: [from, to], files, cwd }));
  stopOnErrors(loaded.findings, 'Correct them first.');
  const [before, after] = [loaded.campaigns[from.name] ?? [], loaded.campaigns[to.name] ?? []];
  const target = targetsOf([...before, ...after], asked.target);
  const named = [...before, ...after].filter(({ spec }) => target.includes(spec.name));
  const manifests = new Set(named.map(({ manifest }) => manifest));
  const isMeant = ({ manifest }: Campaign) => target.length === 0 || manifests.has(manifest);
  return compareEnvironments(
    { environment: from, campaigns: before.filter(isMeant) },
    { environment: to, campaigns: after.filter(isMeant) },
  );
}
