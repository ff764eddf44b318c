import type { Change } from '../model/change.js';
import type { CampaignContext } from '../plan/index.js';
import type { Journal } from '../state/index.js';

/** What the whole run knew before it sent anything: every campaign that was listed, and every name of a manifest. */
export interface Beforehand {
  ids: ReadonlySet<number>;
  names: ReadonlySet<string>;
}

/**
 * A campaign in the middle of its steps: what is known of it now, and what was `planned` to change. `leads`: how many it
 * showed before anything was attached; null where that is not known.
 */
export interface Underway {
  manifest: string;
  context: CampaignContext;
  planned: readonly Change[];
  journal: Journal;
  beforehand: Beforehand;
  leads: number | null;
}
