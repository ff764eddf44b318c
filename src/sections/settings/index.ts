import { DEFAULT_SETTINGS } from '../../model/settings.js';
import { defineSection } from '../section.js';
import { diff } from './diff.js';
import { decode, normalize } from './state.js';
import { remember, steps } from './steps.js';
import { toManifest } from './to-manifest.js';

/** The settings. Only what is written is managed, yet an update always carries the whole set. */
export const settings = defineSection({
  name: 'settings',
  reads: ['campaign'],
  defaults: DEFAULT_SETTINGS,
  normalize,
  decode,
  diff,
  steps,
  remember,
  toView: { live: (live) => live, desired: (desired) => desired },
  toManifest,
});
