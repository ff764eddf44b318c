import { matchesName } from './glob.js';
import { shellQuoted } from './shell.js';

/** Launches to leave out: all, or those of campaigns with this name or pattern. @pattern ^launch(=[\s\S]+)?$ */
export type Hold = 'launch' | `launch=${string}`;

export function isHold(text: unknown): text is Hold {
  return text === 'launch' || (typeof text === 'string' && /^launch=./s.test(text));
}

/** The name or pattern; `null` for all campaigns. */
export function heldName(hold: Hold): string | null {
  return hold === 'launch' ? null : hold.slice('launch='.length);
}

/** The first of `holds` that leaves out the campaign's launch; `null` if none does. */
export function findHold(holds: readonly Hold[], campaign: string): Hold | null {
  return holds.find((hold) => matchesName(heldName(hold), campaign)) ?? null;
}

/** `--hold launch="Fair *"`, quoted for a shell. */
export function holdFlag(hold: Hold): string {
  const name = heldName(hold);
  if (name === null) return '--hold launch';
  return `--hold launch=${shellQuoted(name)}`;
}
