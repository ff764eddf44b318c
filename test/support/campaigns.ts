import type { ListedCampaign } from '../../src/model/answer.js';
import type { Campaign, CampaignSpec } from '../../src/model/spec.js';
import { type StateEntry, UNKNOWN_STATE } from '../../src/model/state.js';

/** `campaign('spring.yaml', { name: 'Spring installers' })` */
export function campaign(manifest: string, spec: Partial<CampaignSpec> = {}): Campaign {
  const file = manifest.replace(/#\d+$/, '');
  return { manifest, file, document: 0, spec: { name: 'Spring installers', ...spec }, remarks: [] };
}

export function listedCampaign(
  id: number,
  name = 'Spring installers',
  status: string | null = 'draft',
): ListedCampaign {
  return { id, name, status, total_leads: null, updated_at: null };
}

export function entryOf(id: number, manifest: string, name = 'Spring installers'): StateEntry {
  return { id, manifest, name, recorded: UNKNOWN_STATE };
}
