import { UNKNOWN } from '../../model/memory.js';
import { defineAspect } from '../aspect.js';
import { diff } from './diff.js';
import { express } from './express.js';
import { decode, normalize } from './state.js';
import { remember, steps } from './steps.js';

/**
 * What is attached. The service never shows it and cannot detach: only the state knows. Of the campaign's record only
 * the number of leads is used, to tell somebody who has to decide.
 */
export const leads = defineAspect({
  name: 'leads',
  reads: ['campaign'],
  fresh: { attached: UNKNOWN.attached, doubtful: UNKNOWN.doubtful, certain: true, before: null, now: null },
  normalize,
  decode,
  diff,
  steps,
  remember,
  portray: { live: ({ attached }) => attached, desired: (desired) => desired },
  express,
});
