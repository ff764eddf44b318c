import type { CsvTable } from '../email/csv.js';
import type { Environment } from '../model/environment.js';
import { groupBy } from '../model/json.js';
import type { LocatedFinding } from '../model/outputs.js';
import { type LiveSource, type PreviewedCampaign, previewedCampaign } from '../model/preview.js';
import type { Campaign } from '../model/spec.js';
import { listed } from '../model/words.js';
import { loadCampaigns, selectCampaigns } from '../project/campaigns.js';
import { type OpenManifests, openManifests } from '../project/open-manifests.js';
import { type Project, readProject, selectEnvironment } from '../project/project.js';
import { knownVariables } from '../rules/variables.js';
import { type MatchedLeads, matchLeads, readLeads } from './lead-file.js';
import type { PlaceFlags } from './place.js';
import { askedEnvironment, type World } from './world.js';

/** `files`: manifests or folders; empty for all. `leads`: a CSV file; `null` for sample leads. */
export interface PreviewRequest extends PlaceFlags {
  files: readonly string[];
  leads: string | null;
}

/**
 * `environment`: `null` for several. `problems`: findings of the files that a manifest was made from, by its file. `findings`:
 * all findings, and `scopes`, the campaign that each is about.
 */
export interface Preview {
  environment: string | null;
  campaigns: PreviewedCampaign[];
  findings: readonly LocatedFinding[];
  project: Pick<Project, 'file'>;
  problems: ReadonlyMap<string, readonly LocatedFinding[]>;
  scopes: ReadonlyMap<LocatedFinding, string>;
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
  const { files, leads: file, manifests } = request;
  const { cwd, env } = world;
  const environments = previewedEnvironments(manifests.project, request, world);
  const options = { environments, files, cwd, env };
  const loaded = selectCampaigns(await loadCampaigns(manifests, options));
  const name = environments.length === 1 ? (environments[0]?.name ?? null) : null;
  const { findings, scopes } = loaded;
  const problems = findingsByManifest(loaded);
  const isSecret = (manifest: string) =>
    problems.get(manifest)?.some(({ code }) => code === 'secret-in-file');
  const campaigns = previewedIn(environments, loaded.campaigns).filter(
    ({ source }) => !isSecret(source?.file ?? ''),
  );
  const leads = table === null ? null : matchLeads(table, campaigns, { environment: name, file: file ?? '' });
  const { project } = manifests;
  return { environment: name, campaigns, findings, scopes, project, problems, leads, live: null };
}

/** All environments if none is chosen, because the emails are usually the same in each. */
export function previewedEnvironments(
  project: Project,
  request: Pick<PreviewRequest, 'env'>,
  world: World,
): Environment[] {
  const name = askedEnvironment(request, world) ?? project.default_environment;
  return name === null ? Object.values(project.environments) : [selectEnvironment(project, name)];
}

/** A campaign appears once if it looks the same in all its environments. Otherwise, each `place` names the environments. */
function previewedIn(
  environments: readonly Environment[],
  campaigns: Readonly<Record<string, readonly Campaign[]>>,
): PreviewedCampaign[] {
  const variables = [...new Set(environments.flatMap(knownVariables))];
  const all = environments.flatMap((environment) =>
    (campaigns[environment.name] ?? []).map((campaign) => {
      return { environment: environment.name, campaign: { ...previewedCampaign(campaign), variables } };
    }),
  );
  return [...groupBy(all, ({ campaign }) => campaign.place).values()].flatMap((same) => {
    const versions = [...groupBy(same, ({ campaign }) => shownParts(campaign)).values()];
    return versions.map((version) => {
      const [{ campaign }] = version;
      const names = listed(version.map(({ environment }) => environment));
      return versions.length === 1 ? campaign : { ...campaign, place: `${campaign.place} (${names})` };
    });
  });
}

/** What a preview shows of a campaign. */
function shownParts({ name, settings = {}, schedule, sequence }: PreviewedCampaign): string {
  const { plain_text, can_unsubscribe, unsubscribe_text } = settings;
  return JSON.stringify([name, plain_text, can_unsubscribe, unsubscribe_text, schedule, sequence]);
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
