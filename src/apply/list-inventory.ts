import type { Inventory } from '../model/inventory.js';
import { matchCampaigns, takeInventory } from '../plan/index.js';
import { checkWorkspace, madeBy, type RefreshInput } from './refresh.js';

/**
 * Reads the list of campaigns, and nothing of a single one but the campaign that pins the workspace, and lays the manifests
 * beside it. Who is who is found as planning finds it.
 */
export async function listInventory({
  environment,
  campaigns,
  entries,
  pending,
  reader,
}: Pick<RefreshInput, 'environment' | 'campaigns' | 'entries' | 'pending' | 'reader'>): Promise<Inventory> {
  await checkWorkspace(environment, reader);
  const listed = await reader.campaigns();
  const names = new Set(campaigns.map(({ spec }) => spec.name));
  const known = [...madeBy(pending, entries, { listed, names }), ...entries];
  const matches = matchCampaigns(campaigns, listed, known);
  return takeInventory({ environment, listed, matches, entries: known });
}
