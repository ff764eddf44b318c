import { defineAspect } from '../aspect.js';
import { diff } from './diff.js';
import { express } from './express.js';
import { decode, normalize, portrayLive } from './state.js';
import { remember, steps } from './steps.js';

/** The emails. A sequence is made once; posting it again may mail every lead twice, so that needs the user's word. */
export const sequence = defineAspect({
  name: 'sequence',
  reads: ['sequence'],
  fresh: { title: null, steps: [] },
  normalize,
  decode,
  diff,
  steps,
  remember,
  portray: { live: portrayLive, desired: (desired) => desired },
  express,
});
