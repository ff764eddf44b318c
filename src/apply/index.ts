/**
 * Sends a plan's steps and proves the result. Every request is sent once; what its answer leaves open is
 * reconciled by reading, and nothing is called done that was not read back. The state remembers what the service cannot show
 * (attached leads).
 */
export { applyPlan } from './apply.js';
export type { ApplyTools } from './tools.js';
