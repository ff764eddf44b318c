/**
 * Live campaigns → manifests that a person might have written: the way back. It promises that what it gives reads back as
 * the very campaign, text for text, and plans empty: each manifest is parsed and planned before it is handed on, and what
 * cannot be said is left out with a comment that tells why. It must not touch the disk or the service.
 */

export { chooseBasenames, slugOf } from './basename.js';
export { type ImportedManifest, type ImportInput, importCampaign } from './import-campaign.js';
export { nameCampaigns } from './name.js';
export type { Live, Named } from './part.js';
