import { UNKNOWN } from '../../model/memory.js';
import { defineAspect } from '../aspect.js';
import { diff } from './diff.js';
import { decode, normalize } from './state.js';
import { remember, steps } from './steps.js';

/** What is attached. The service never shows it and cannot detach: only the state knows. */
export const leads = defineAspect({
  name: 'leads',
  reads: [],
  fresh: { attached: UNKNOWN.attached, doubtful: UNKNOWN.doubtful, certain: true },
  normalize,
  decode,
  diff,
  steps,
  remember,
});
