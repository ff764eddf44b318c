import { defineAspect } from '../aspect.js';
import { diff } from './diff.js';
import { express } from './express.js';
import { decode, normalize } from './state.js';
import { remember, steps } from './steps.js';

/** When emails may go out: own fields, or a template of the workspace, whose content is what counts. */
export const schedule = defineAspect({
  name: 'schedule',
  reads: ['schedule'],
  fresh: null,
  normalize,
  decode,
  diff,
  steps,
  remember,
  portray: {
    live: (window) => window && { window, template: null, save_as_template: false },
    desired: (desired) => desired,
  },
  express,
});
