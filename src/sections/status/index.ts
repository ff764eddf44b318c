import { defineSection } from '../section.js';
import { diff } from './diff.js';
import { decode, normalize } from './state.js';
import { remember, steps } from './steps.js';
import { toManifest } from './to-manifest.js';

/** Whether the campaign sends. Launching is the one thing that must never happen unasked. */
export const status = defineSection({
  name: 'status',
  reads: ['campaign'],
  defaults: { word: null, meaning: 'stopped' },
  normalize,
  decode,
  diff,
  steps,
  remember,
  toView: { live: ({ word }) => word, desired: (desired) => desired },
  toManifest,
});
