import { defineAspect } from '../aspect.js';
import { diff } from './diff.js';
import { decode, normalize } from './state.js';
import { remember, steps } from './steps.js';

/** The campaign itself: it exists under its name, or is made. It is never renamed and never deleted. */
export const campaign = defineAspect({
  name: 'campaign',
  reads: [],
  fresh: null,
  normalize,
  decode,
  diff,
  steps,
  remember,
  portray: { live: () => null, desired: () => null },
});
