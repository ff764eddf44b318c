/**
 * Live campaigns → manifests that a person might have written: the way back. It promises that what it gives reads back as
 * the very campaign, text for text, and plans empty: each manifest is parsed and planned before it is handed on, and what
 * cannot be said is left out with a comment that tells why. It must not touch the disk or the service.
 */
export { type Adopted, type AdoptInput, adopt } from './adopt.js';
export { nameCampaigns } from './name.js';
export type { Live, Named } from './part.js';
export { chooseStems, slugOf } from './stem.js';
