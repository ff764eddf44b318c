import { defineSection } from '../section.js';
import { diff } from './diff.js';
import { decode, normalize } from './state.js';
import { remember, steps } from './steps.js';
import { toManifest } from './to-manifest.js';

/** When emails may go out: own fields, or a template of the workspace, whose content is what counts. */
export const schedule = defineSection({
  name: 'schedule',
  reads: ['schedule'],
  defaults: null,
  normalize,
  decode,
  diff,
  steps,
  remember,
  toView: {
    live: (window) => window && { window, template: null, save_as_template: false },
    desired: (desired) => desired,
  },
  toManifest,
});
