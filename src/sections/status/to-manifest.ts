import type { ManifestSection } from '../section.js';
import type { Live } from './state.js';

/** Only what a manifest can ask for: a campaign on its way, or with nothing left to send, is left as it is. */
export function toManifest({ word, meaning }: Live): ManifestSection {
  if (meaning === 'running') return { section: 'running', remarks: [] };
  if (meaning === 'stopped') return { section: 'paused', remarks: [] };
  const seen = word === null ? 'not shown by the service' : `${JSON.stringify(word)} in the service`;
  return { section: null, remarks: [`${seen}; running or paused, once you want to manage it`] };
}
