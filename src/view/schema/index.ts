/** The forms of everything that is printed for machines: what `schemas/` holds is written from here. */
export { applySchema } from './apply.js';
export { compareSchema } from './compare.js';
export { configSchema } from './config.js';
export { eventSchema } from './event.js';
export { findingsSchema } from './findings.js';
export { runSchema, runsSchema } from './history.js';
export { importSchema } from './import.js';
export { listSchema } from './list.js';
export { planSchema } from './plan.js';
export { requestsSchema } from './requests.js';
export { updateSchema } from './update.js';
