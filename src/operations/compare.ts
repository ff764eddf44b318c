import { usage } from '../model/failure.js';
import type { Comparison } from '../model/reports.js';
import type { Campaign } from '../model/spec.js';
import { compareEnvironments } from '../plan/compare.js';
import { loadCampaigns, selectCampaigns } from '../project/campaigns.js';
import type { OpenManifests } from '../project/open-manifests.js';
import { selectEnvironment } from '../project/project.js';
import { stopOnErrors, targetsOf } from './validate.js';
import type { World } from './world.js';

export async function compareProject(
  manifests: OpenManifests,
  asked: { from: string; to: string; files: readonly string[]; target: readonly string[] },
  { cwd, env }: World,
): Promise<Comparison> {
  const { files } = asked;
  const { project } = manifests;
  if (asked.from === asked.to)
    throw usage(
      `compare takes two different environments, not ${asked.from} twice.`,
      'For example: campaignctl compare staging production.',
    );
  const [from, to] = [selectEnvironment(project, asked.from), selectEnvironment(project, asked.to)];
  const options = { environments: [from, to], files, cwd, env };
  const loaded = selectCampaigns(await loadCampaigns(manifests, options));
  stopOnErrors(loaded.findings, 'Correct the manifests first.');
  const [before, after] = [loaded.campaigns[from.name] ?? [], loaded.campaigns[to.name] ?? []];
  const target = targetsOf([...before, ...after], asked.target);
  const named = [...before, ...after].filter(({ spec }) => target.includes(spec.name));
  const selected = new Set(named.map(({ manifest }) => manifest));
  const isSelected = ({ manifest }: Campaign) => target.length === 0 || selected.has(manifest);
  return compareEnvironments(
    { environment: from, campaigns: before.filter(isSelected) },
    { environment: to, campaigns: after.filter(isSelected) },
  );
}
