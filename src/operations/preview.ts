import type { CsvTable } from '../email/csv.js';
import type { LocatedFinding } from '../model/outputs.js';
import { type LiveSource, type PreviewedCampaign, previewedCampaign } from '../model/preview.js';
import { loadCampaigns, selectCampaigns } from '../project/campaigns.js';
import { type OpenManifests, openManifests } from '../project/open-manifests.js';
import { type Project, readProject } from '../project/project.js';
import { knownVariables } from '../rules/variables.js';
import { type MatchedLeads, matchLeads, readLeads } from './lead-file.js';
import { openPlace, type PlaceFlags } from './place.js';
import type { World } from './world.js';

/** `files`: manifests or folders; empty for all. `leads`: a CSV file; `null` for sample leads. */
export interface PreviewRequest extends PlaceFlags {
  files: readonly string[];
  leads: string | null;
}

/** `problems`: findings of the files that a manifest was made from, by its file. `findings`: all findings. */
export interface Preview {
  environment: string;
  campaigns: PreviewedCampaign[];
  findings: readonly LocatedFinding[];
  project: Pick<Project, 'file'>;
  problems: ReadonlyMap<string, readonly LocatedFinding[]>;
  leads: MatchedLeads | null;
  /** `null` if the emails are from manifests. */
  live: LiveSource | null;
}

/** Reads only files, and writes nothing. */
export async function previewManifests(request: PreviewRequest, world: World): Promise<Preview> {
  const manifests = openManifests(await readProject({ ...request, cwd: world.cwd, env: world.env }));
  const { leads: file } = request;
  const table = file === null ? null : readLeads(file, world.cwd);
  return previewOpened({ ...request, manifests }, table, world);
}

export async function previewOpened(
  request: PreviewRequest & { manifests: OpenManifests },
  table: CsvTable | null,
  world: World,
): Promise<Preview> {
  const { files, leads: file } = request;
  const { manifests, environment } = await openPlace(request, world);
  const { cwd, env } = world;
  const options = { environments: [environment], files, cwd, env };
  const loaded = selectCampaigns(await loadCampaigns(manifests, options));
  const { name } = environment;
  const { findings } = loaded;
  const problems = findingsByManifest(loaded);
  const isSecret = (manifest: string) =>
    problems.get(manifest)?.some(({ code }) => code === 'secret-in-file');
  const variables = knownVariables(environment);
  const campaigns = (loaded.campaigns[name] ?? [])
    .filter((campaign) => !isSecret(campaign.file))
    .map((campaign) => ({ ...previewedCampaign(campaign), variables }));
  const leads = table === null ? null : matchLeads(table, campaigns, { environment: name, file: file ?? '' });
  return { environment: name, campaigns, findings, project: manifests.project, problems, leads, live: null };
}

/** A finding in a file that several manifests use belongs to each of them. */
function findingsByManifest({
  findings,
  uses,
}: Pick<Awaited<ReturnType<typeof loadCampaigns>>, 'findings' | 'uses'>): Map<string, LocatedFinding[]> {
  const all = [...uses].map(
    ([manifest, files]) => [manifest, findings.filter(({ file }) => files.has(file))] as const,
  );
  return new Map(all.flatMap(([manifest, of]) => (of.length === 0 ? [] : [[manifest, [...of]]])));
}
