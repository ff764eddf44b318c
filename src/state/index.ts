/**
 * What has to be remembered between runs because the service does not show it: one small file per campaign, written
 * atomically, and one journal per run, in which every write is noted before it is sent. Losing them never makes anything
 * twice; it only makes unknown what was attached. A file that cannot be read is an error, never a fresh start.
 */
export type { LockHolder } from './files.generated.js';
export type { Journal } from './journal.js';
export { acquireLock, type Held, type Lock, readLock, removeLock } from './lock.js';
export { openStore, type Store } from './store.js';
