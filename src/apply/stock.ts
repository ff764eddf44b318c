import type { Inventory } from '../model/inventory.js';
import { matchCampaigns, takeInventory } from '../plan/index.js';
import { checkWorkspace, madeBy, type SurveyInput } from './survey.js';

/**
 * Reads the list of campaigns, and nothing of a single one but the campaign that pins the workspace, and lays the manifests
 * beside it. Who is who is found as planning finds it.
 */
export async function takeStock({
  environment,
  campaigns,
  records,
  trails,
  reader,
}: Pick<SurveyInput, 'environment' | 'campaigns' | 'records' | 'trails' | 'reader'>): Promise<Inventory> {
  await checkWorkspace(environment, reader);
  const listed = await reader.campaigns();
  const names = new Set(campaigns.map(({ spec }) => spec.name));
  const known = [...madeBy(trails, records, { listed, names }), ...records];
  const matches = matchCampaigns(campaigns, listed, known);
  return takeInventory({ environment, listed, matches, records: known });
}
