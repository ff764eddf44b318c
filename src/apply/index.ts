/** Sends a plan's steps, each once, and proves the result by reading back. */
export { applyPlan } from './apply.js';
export type { ApplyTools } from './tools.js';
