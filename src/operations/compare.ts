import { usage } from '../model/failure.js';
import type { Comparison } from '../model/reports.js';
import type { Campaign } from '../model/spec.js';
import { compareEnvironments } from '../plan/compare.js';
import { loadCampaigns, selectCampaigns } from '../project/campaigns.js';
import { type Project, selectEnvironment } from '../project/project.js';
import { targetsOf } from './targets.js';
import { stopOnErrors } from './validate.js';
import type { World } from './world.js';

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
  const loaded = selectCampaigns(await loadCampaigns(project, { environments: [from, to], files, cwd }));
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
