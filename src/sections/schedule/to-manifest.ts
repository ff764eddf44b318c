import type { ManifestSection } from '../section.js';
import type { Live } from './state.js';

/** Its own fields: which template a schedule was made from is not shown. */
export function toManifest(live: Live): ManifestSection {
  return { section: live === null ? null : { ...live }, remarks: [] };
}
