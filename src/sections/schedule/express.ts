import type { Expressed } from '../aspect.js';
import type { Live } from './state.js';

/** Its own fields: which template a schedule was made from is not shown. */
export function express(live: Live): Expressed {
  return { section: live === null ? null : { ...live }, remarks: [] };
}
