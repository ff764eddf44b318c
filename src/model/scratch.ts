import type { PendingOperations } from './state.js';

/** Used as the manifest's name in a probe's journal. */
export const PROBE = 'campaignctl probe';

const NAME = /^campaignctl probe \d{4}-\d\d-\d\d [0-9a-f]{8}$/;

/** `random`: eight hexadecimal digits. */
export function scratchName(now: number, random: string): string {
  return `${PROBE} ${new Date(now).toISOString().slice(0, 10)} ${random}`;
}

export function isScratch(name: string): boolean {
  return NAME.test(name);
}

/** True for requests that a probe left open. No apply continues them. */
export function isOfProbe({ manifest, name }: Pick<PendingOperations, 'manifest' | 'name'>): boolean {
  return manifest === PROBE && isScratch(name);
}
