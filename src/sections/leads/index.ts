import { UNKNOWN_STATE } from '../../model/state-entry.js';
import { defineSection } from '../section.js';
import { diff } from './diff.js';
import { decode, normalize } from './state.js';
import { remember, steps } from './steps.js';
import { toManifest } from './to-manifest.js';

/**
 * What is attached. The service never shows it and cannot detach: only the state knows. Of the campaign's record only
 * the number of leads is used, to tell somebody who has to decide.
 */
export const leads = defineSection({
  name: 'leads',
  reads: ['campaign'],
  defaults: {
    attached: UNKNOWN_STATE.attached,
    doubtful: UNKNOWN_STATE.doubtful,
    certain: true,
    before: null,
    now: null,
  },
  normalize,
  decode,
  diff,
  steps,
  remember,
  toView: { live: ({ attached }) => attached, desired: (desired) => desired },
  toManifest,
});
