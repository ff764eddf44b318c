import { usage } from '../model/failure.js';
import type { Comparison } from '../model/outputs.js';
import type { Campaign } from '../model/spec.js';
import { compareEnvironments } from '../plan/index.js';
import { loadCampaigns, type Project, selectEnvironment } from '../project/index.js';
import { checkTargets, stopOnErrors } from './session.js';
import type { World } from './world.js';

/** How manifests differ between two environments. `target`: names of campaigns; empty: all. */
export async function compareProject(
  project: Project,
  asked: { from: string; to: string; files: readonly string[]; target: readonly string[] },
  { cwd }: World,
): Promise<Comparison> {
  const { files, target } = asked;
  if (asked.from === asked.to)
    throw usage(
      `compare takes two environments, not ${asked.from} twice.`,
      'For example: campaignctl compare staging production.',
    );
  const [from, to] = [selectEnvironment(project, asked.from), selectEnvironment(project, asked.to)];
  const loaded = await loadCampaigns(project, { environments: [from, to], files, cwd });
  stopOnErrors(loaded.findings, 'Correct them first.');
  const [left, right] = [loaded.campaigns[from.name] ?? [], loaded.campaigns[to.name] ?? []];
  checkTargets([...left, ...right], target);
  const named = [...left, ...right].filter(({ spec }) => target.includes(spec.name));
  const manifests = new Set(named.map(({ manifest }) => manifest));
  const isMeant = ({ manifest }: Campaign) => target.length === 0 || manifests.has(manifest);
  return compareEnvironments(
    { environment: from, campaigns: left.filter(isMeant) },
    { environment: to, campaigns: right.filter(isMeant) },
  );
}
