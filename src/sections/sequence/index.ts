import { defineSection } from '../section.js';
import { diff } from './diff.js';
import { decode, liveView, normalize } from './state.js';
import { remember, steps } from './steps.js';
import { toManifest } from './to-manifest.js';

/** The emails. A sequence is made once; posting it again may mail every lead twice, so that needs the user's word. */
export const sequence = defineSection({
  name: 'sequence',
  reads: ['sequence'],
  defaults: { title: null, steps: [] },
  normalize,
  decode,
  diff,
  steps,
  remember,
  toView: { live: liveView, desired: (desired) => desired },
  toManifest,
});
