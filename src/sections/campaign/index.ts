import { defineSection } from '../section.js';
import { diff } from './diff.js';
import { decode, normalize } from './state.js';
import { remember, steps } from './steps.js';

/** The campaign itself: it exists under its name, or is made. It is never renamed and never deleted. */
export const campaign = defineSection({
  name: 'campaign',
  reads: [],
  defaults: null,
  normalize,
  decode,
  diff,
  steps,
  remember,
  toView: { live: () => null, desired: () => null },
});
