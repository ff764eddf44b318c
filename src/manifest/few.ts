import type { SourceFinding } from './finding.js';

/** Findings of one code that are told of a file. */
const MOST = 50;

/**
 * Each finding once, and of a file that is wrong in every line the first ones of each kind, the last of which says how many
 * more there are. What holds a secret is always kept, since its line has to be cut.
 */
export function fewOfAKind(findings: readonly SourceFinding[]): SourceFinding[] {
  const seen = new Set<string>();
  const kinds = new Map<string, SourceFinding[]>();
  for (const finding of findings) {
    const { place, code, severity, message } = finding;
    const text = JSON.stringify([place, code, message]);
    if (seen.has(text)) continue;
    seen.add(text);
    const kind = JSON.stringify([place.file, code, severity]);
    const own = kinds.get(kind);
    if (own === undefined) kinds.set(kind, [finding]);
    else own.push(finding);
  }
  return [...kinds.values()].flatMap(shortened);
}

function shortened(kind: readonly SourceFinding[]): readonly SourceFinding[] {
  const last = kind[MOST - 1];
  const rest = kind.slice(MOST);
  if (last === undefined || rest.length === 0) return kind;
  const message = `${last.message} The file has ${rest.length} more problems of this kind.`;
  return [...kind.slice(0, MOST - 1), { ...last, message }, ...rest.filter(({ secret }) => secret)];
}
