import { nearest } from '../manifest/errors.js';
import { Failure, usage } from '../model/failure.js';
import type { Campaign } from '../model/spec.js';
import { listed, parseGlob } from '../model/words.js';

/** Names or patterns, separated by commas; `!` excludes. Exclusions alone select all others. Fails if nothing is selected. */
export function targetsOf(campaigns: readonly Campaign[], targets: readonly string[]): string[] {
  const names = campaigns.map(({ spec }) => spec.name);
  // Names may contain these characters.
  const isName = (target: string) => names.includes(target.replace(/^!/, '')) || names.includes(target);
  const parts = targets.flatMap((target) => (isName(target) ? [target] : partsOf(target)));
  const isExclusion = (part: string) => part.startsWith('!') && !names.includes(part);
  const namesOf = (part: string) => (names.includes(part) ? [part] : matching(part, names));
  const included = parts.filter((part) => !isExclusion(part));
  const excluded = new Set(parts.filter(isExclusion).flatMap((part) => namesOf(part.slice(1))));
  const meant = targets.length > 0 && included.length === 0 ? names : included.flatMap(namesOf);
  const selected = [...new Set(meant)].filter((name) => !excluded.has(name));
  if (targets.length === 0 || selected.length > 0) return selected;
  throw new Failure({
    code: 'unknown-target',
    message: `--target ${listed(targets)} excludes every campaign.`,
    hint: 'Exclude fewer campaigns.',
  });
}

function partsOf(target: string): string[] {
  const parts = target.split(',').map((part) => part.trim());
  if (!parts.includes('')) return parts;
  throw usage(
    `A part of --target "${target}" is empty.`,
    'Most likely, a variable is not set. Add a value, or remove the option.',
  );
}

function matching(part: string, names: readonly string[]): string[] {
  const pattern = parseGlob(part);
  const isPattern = pattern !== null;
  const matches = isPattern ? names.filter((name) => pattern.test(name)) : [];
  if (matches.length > 0) return matches;
  const near = isPattern ? null : nearest(part, names);
  const exact = `Write the name exactly as in the manifest${isPattern ? '; * matches any text, ? one character' : ''}.`;
  throw new Failure({
    code: 'unknown-target',
    message: `No manifest has ${isPattern ? 'a name like' : 'the name'} "${part}" (--target).`,
    hint: near === null ? exact : `Did you mean "${near}"?`,
  });
}
