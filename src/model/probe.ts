import type { PendingOperations } from './state.js';

/** What the journal of a probe holds in the place of a manifest. */
export const PROBE = 'campaignctl probe';

const NAME = /^campaignctl probe \d{4}-\d\d-\d\d [0-9a-f]{8}$/;

/** The name of a scratch campaign. `random`: eight hexadecimal digits, since names are all that tells one from another. */
export function scratchName(now: number, random: string): string {
  return `${PROBE} ${new Date(now).toISOString().slice(0, 10)} ${random}`;
}

/** Whether a campaign was made by a probe, whichever checkout it ran in: it belongs to no project. */
export function isScratch(name: string): boolean {
  return NAME.test(name);
}

/** Whether a probe left these: no manifest has them, and no apply goes on with them. */
export function isOfProbe({ manifest, name }: Pick<PendingOperations, 'manifest' | 'name'>): boolean {
  return manifest === PROBE && isScratch(name);
}
