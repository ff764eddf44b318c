import type { Change } from '../model/change.js';
import type { Subject } from '../plan/index.js';
import type { Journal } from '../state/index.js';

/** A campaign in the middle of its steps: what is known of it now, and what was `planned` to change. */
export interface Underway {
  manifest: string;
  subject: Subject;
  planned: readonly Change[];
  journal: Journal;
}
