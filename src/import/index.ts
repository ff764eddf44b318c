/**
 * Live campaigns → manifests, and live values → manifests that exist. Each text is parsed and planned again before it is returned; only
 * the bytes of scalars that differ change. No disk and no service: texts go in, texts come out.
 */

export {
  goneReason,
  type ImportedManifest,
  importCampaign,
  type LiveCampaign,
  replacedBy,
} from './import-campaign.js';
export { chooseBasenames, nameCampaigns, slugOf } from './names.js';
export type { Texts } from './reading.js';
export { findCampaign, selectLive } from './select.js';
export { setValue } from './set-value.js';
export { type UpdatedCampaign, type UpdateInput, updateCampaign } from './update.js';
