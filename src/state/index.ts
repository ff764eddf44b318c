/**
 * What has to be remembered between runs because the service does not show it: one small file per campaign, written
 * atomically. Losing it never makes anything twice; it only makes unknown what was attached. A file that cannot be
 * read is an error, never a fresh start.
 */
export { openStore, type Store } from './store.js';
