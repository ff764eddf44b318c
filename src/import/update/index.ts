/**
 * A manifest that is there → the same text, saying what the service shows. It promises to change the bytes of the values
 * that differ and no other. It must not read, write or know where files lie: texts come in and go out.
 */
export { countBodies } from './bodies.js';
export type { Texts } from './files.js';
export type { UpdateInput } from './refresh.js';
export { type Updated, updateCampaign } from './update.js';
