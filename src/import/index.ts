/**
 * Live campaigns → manifests that a person might have written, and the way back into manifests that are there. It promises that
 * what it writes reads back as the very campaign, text for text, and plans empty: each text is parsed and planned before it is
 * handed on. What cannot be said is left out with a comment that tells why; in a manifest that is there, only the bytes of values
 * that differ change. It must not touch the disk or the service: texts come in and go out.
 */

export { applyEdit } from './apply-edits.js';
export {
  chooseBasenames,
  findCampaign,
  goneReason,
  type ImportedManifest,
  type ImportInput,
  importCampaign,
  type LiveCampaign,
  nameCampaigns,
  replacedBy,
  selectLive,
  slugOf,
} from './import-campaign.js';
export { countBodies, type Texts } from './reading.js';
export { type UpdatedCampaign, type UpdateInput, updateCampaign } from './update.js';
