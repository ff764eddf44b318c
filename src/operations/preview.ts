import type { LocatedFinding } from '../model/outputs.js';
import { type PreviewedCampaign, previewedCampaign } from '../model/preview.js';
import { loadCampaigns, selectCampaigns } from '../project/campaigns.js';
import type { Project } from '../project/project.js';
import { type MatchedLeads, matchLeads, readLeads } from './leads.js';
import { openPlace, type PlaceFlags } from './place.js';
import type { World } from './world.js';

/** `leads`: a CSV file; `null` for sample leads. */
export interface PreviewRequest extends PlaceFlags {
  files: readonly string[];
  leads: string | null;
}

export interface Preview {
  environment: string;
  campaigns: PreviewedCampaign[];
  findings: LocatedFinding[];
  project: Pick<Project, 'file'>;
  leads: MatchedLeads | null;
}

/** Reads only files, and writes nothing. */
export async function previewManifests(request: PreviewRequest, world: World): Promise<Preview> {
  const { manifests, environment } = await openPlace(request, world);
  const { cwd, env } = world;
  const options = { environments: [environment], files: request.files, cwd, env };
  const { campaigns, findings } = selectCampaigns(await loadCampaigns(manifests, options));
  const { name } = environment;
  const previewed = (campaigns[name] ?? []).map(previewedCampaign);
  return {
    environment: name,
    campaigns: previewed,
    findings,
    project: manifests.project,
    leads: withLeads(request, previewed, name, cwd),
  };
}

function withLeads(
  { leads: file }: PreviewRequest,
  campaigns: readonly PreviewedCampaign[],
  environment: string,
  cwd: string,
): MatchedLeads | null {
  return file === null ? null : matchLeads(readLeads(file, cwd), campaigns, { environment, file });
}
