import { matchesName } from './glob.js';
import { shellQuoted } from './shell.js';

/** Launches to leave out: all, or those of campaigns with this name or pattern. @pattern ^launch(=[\s\S]+)?$ */
export type Hold = 'launch' | `launch=${string}`;

export function isHold(text: unknown): text is Hold {
  return text === 'launch' || launchPattern(text) !== null;
}

/** The name or pattern in `launch=NAME`; `null` for anything else. */
export function launchPattern(text: unknown): string | null {
  const [, pattern = null] = (typeof text === 'string' && /^launch=(.+)/s.exec(text)) || [];
  return pattern;
}

/** `launch="Fair *"`, quoted for a shell. */
export function launchArgument(pattern: string): string {
  return `launch=${shellQuoted(pattern)}`;
}

/** The first of `holds` that leaves out the campaign's launch; `null` if none does. */
export function findHold(holds: readonly Hold[], campaign: string): Hold | null {
  return holds.find((hold) => matchesName(launchPattern(hold), campaign)) ?? null;
}

/** `--hold launch="Fair *"`, quoted for a shell. */
export function holdFlag(hold: Hold): string {
  const pattern = launchPattern(hold);
  return `--hold ${pattern === null ? hold : launchArgument(pattern)}`;
}
