import { defineAspect } from '../aspect.js';
import { diff } from './diff.js';
import { express } from './express.js';
import { decode, normalize } from './state.js';
import { remember, steps } from './steps.js';

/** Whether the campaign sends. Launching is the one thing that must never happen unasked. */
export const status = defineAspect({
  name: 'status',
  reads: ['campaign'],
  fresh: { word: null, meaning: 'stopped' },
  normalize,
  decode,
  diff,
  steps,
  remember,
  portray: { live: ({ word }) => word, desired: (desired) => desired },
  express,
});
