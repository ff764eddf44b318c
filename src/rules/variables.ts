import { nearest } from '../manifest/errors.js';
import { withoutHidden } from '../model/characters.js';
import { BUILT_IN_VARIABLES, type Environment } from '../model/environment.js';

type Names = Pick<Environment, 'name' | 'custom_variables' | 'service'>;

/** The custom and built-in variables of the environment, in upper case. */
export function knownVariables({ custom_variables, service }: Names): string[] {
  return [...new Set([...(custom_variables ?? []), ...service.built_in_variables].map(toName))];
}

/** A name that the environment has is a variable, whatever its characters, if it is written in upper case. */
export function isKnownVariable(name: string, environment: Names): boolean {
  const text = name.normalize('NFC');
  return text === toName(text) && knownVariables(environment).includes(text);
}

/** The known variable that a misspelt one stands for; `null` if the name is closer to one that the environment lacks. */
export function meantVariable(name: string, environment: Names): string | null {
  const known = knownVariables(environment);
  const isSender = aboutSender(name);
  const candidates = [...known, ...BUILT_IN_VARIABLES].filter((other) => aboutSender(other) === isSender);
  const meant = nearest(name, candidates);
  return meant !== null && meant !== name && known.includes(meant) ? meant : null;
}

function aboutSender(name: string): boolean {
  return name.startsWith('SENDER');
}

/** `First Name` and `firstName` can be names; `Hi there, you` cannot. */
export function isNameLike(text: string): boolean {
  return /^\s*[\p{L}\p{N}_]+(?:[\s.-]+[\p{L}\p{N}_]+){0,3}\s*$/u.test(withoutHidden(text));
}

/**
 * Converts `first_name`, `First Name` or `firstName` to the variable with the same letters or, if there is none, to upper
 * case.
 */
export function variableName(text: string, environment: Names): string {
  const name = withoutHidden(text.normalize('NFKC'));
  const candidates = [...knownVariables(environment), ...BUILT_IN_VARIABLES];
  const same = candidates.find((known) => letters(known) === letters(name));
  if (same !== undefined) return same;
  const parted = name.trim().replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2');
  return toName(parted.replace(/\s+/g, ' ').replace(/[.-]+/g, '_'));
}

function letters(text: string): string {
  return toName(text.replace(/[^\p{L}\p{M}\p{N}]/gu, ''));
}

function toName(text: string): string {
  return text.normalize('NFC').toUpperCase();
}
