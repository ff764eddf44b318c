/**
 * What campaignctl remembers because the service does not show it: a file a campaign and a journal a run. A lost state makes
 * attachments unknown, never repeated. An unreadable file is an error.
 */

export { type Backend, folderBackend, type Lease, type Moved, type StateKind } from './backend.js';
export { branchBackend } from './branch.js';
export type { LockHolder } from './files.generated.js';
export { openBranch } from './git.js';
export { type Journal, moment } from './journal.js';
export type { Held } from './lock.js';
export type { Store } from './store.js';
