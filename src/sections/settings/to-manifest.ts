import { SETTING_NAMES } from '../../model/settings.js';
import type { ManifestSection } from '../section.js';
import type { SomeSettings } from './state.js';

/** All that is shown, the documented defaults too: a setting that is left out is not managed. */
export function toManifest(live: SomeSettings): ManifestSection {
  const hidden = SETTING_NAMES.filter((name) => live[name] === undefined);
  const shown = SETTING_NAMES.filter((name) => live[name] !== undefined);
  return {
    section: shown.length === 0 ? null : Object.fromEntries(shown.map((name) => [name, live[name] ?? null])),
    remarks: hidden.map(
      (name) => `${name}: not shown by the service; write it before you change another setting`,
    ),
  };
}
