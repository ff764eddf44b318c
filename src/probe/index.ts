/**
 * What this service does where the API is silent, found out by doing, on scratch campaigns. Promises that no lead is attached and
 * nothing launched, that at most two campaigns are made, that each write is noted before it leaves and sent once, and that a
 * conclusion stands beside what was seen. Must not know manifests: it belongs to no project but for the state that it notes in.
 */
export { MOST_REQUESTS } from './requests.js';
export { probeService } from './run.js';
