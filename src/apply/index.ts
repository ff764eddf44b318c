/**
 * Looking at the service, sending a plan's steps and proving the result. Every request is sent once; what its answer
 * leaves open is reconciled by reading, and nothing is called done that was not read back. What the service cannot show
 * (attached leads) is remembered in the state.
 */
export { applyPlan } from './apply.js';
export { checkWorkspace, listInventory, type Refresh, refresh } from './refresh.js';
export type { ApplyTools } from './tools.js';
