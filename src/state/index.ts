/**
 * What campaignctl has to remember between runs because the service does not show it: one small file for each campaign,
 * written atomically, and one journal for each run, which notes every write before it is sent. Losing them never makes
 * anything twice; what is attached is then unknown. A file that cannot be read is an error, never a fresh start.
 */

export { type Backend, folderBackend, type Lease, type Moved, type StateKind } from './backend.js';
export { branchBackend } from './branch.js';
export type { LockHolder } from './files.generated.js';
export { openBranch } from './git.js';
export { type Journal, moment } from './journal.js';
export type { Held } from './lock.js';
export type { Store } from './store.js';
