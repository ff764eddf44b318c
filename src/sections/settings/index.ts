import { defineAspect } from '../aspect.js';
import { diff } from './diff.js';
import { express } from './express.js';
import { DEFAULTS, decode, normalize } from './state.js';
import { remember, steps } from './steps.js';

/** The seven settings. Only what is written is managed, yet an update always carries the whole set. */
export const settings = defineAspect({
  name: 'settings',
  reads: ['campaign'],
  fresh: DEFAULTS,
  normalize,
  decode,
  diff,
  steps,
  remember,
  portray: { live: (live) => live, desired: (desired) => desired },
  express,
});
