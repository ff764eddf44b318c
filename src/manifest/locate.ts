import type { Document } from 'yaml';
import type { LocatedFinding, Path, Place } from '../model/problem.js';
import { fewOfAKind } from './few.js';
import type { SourceFinding } from './finding.js';
import { composeYaml } from './parse.js';
import { perInstance } from './per-instance.js';
import { type Range, rangeOf } from './range.js';

/**
 * A source file as it is when positions are looked up. In a plain file (bodies, ids) the path of a place holds the
 * index of a line, or nothing; in YAML, keys and list indexes.
 */
export interface Source {
  text: string;
  kind: 'yaml' | 'plain';
}

/** Characters of a source line that are shown: with hundreds of findings in one line of a megabyte, no more would do. */
const MOST_EXCERPT = 20_000;

/** `cut`: the column from which a line must not be shown; null where it may. */
interface Spotted extends LocatedFinding {
  cut: number | null;
}

/**
 * Looks up lines and columns: the only step that parses a file a second time, and only a file with findings.
 * Sorted by file, line, column; what several environments say of one spot is said once.
 */
export function locate(
  findings: readonly SourceFinding[],
  read: (file: string) => Source | null,
): LocatedFinding[] {
  const byFile = new Map<string, SourceFinding[]>();
  for (const finding of fewOfAKind(perInstance(findings))) {
    const own = byFile.get(finding.place.file);
    if (own === undefined) byFile.set(finding.place.file, [finding]);
    else own.push(finding);
  }
  const located = [...byFile].flatMap(([file, own]) =>
    locateIn(own, read(file) ?? { text: '', kind: 'plain' }),
  );
  return hideSecrets(once(located.sort(inOrder)));
}

/** Tells the line, from 1, of a key in one document of a YAML text; of a key that is not there, that of its section. */
export function lineFinder(text: string, document: number): (path: Path) => number {
  const composed = composeYaml(text);
  const found = 'documents' in composed ? composed.documents[document] : undefined;
  const starts = lineStarts(text);
  return (path) => {
    const { start } = rangeOf(found, { file: '', document, path, target: 'key', text: null });
    return lineAt(starts, start) + 1;
  };
}

function locateIn(findings: readonly SourceFinding[], source: Source): Spotted[] {
  const starts = lineStarts(source.text);
  const needsYaml = findings.some(({ place }) => !('offset' in place));
  const composed = source.kind === 'yaml' && needsYaml ? composeYaml(source.text) : null;
  const documents = composed !== null && 'documents' in composed ? composed.documents : [];
  return findings.map((finding) => {
    const { place, secret = false, ...problem } = finding;
    const range =
      'offset' in place
        ? { start: place.offset, end: place.offset + place.length }
        : narrowed(source.text, place, wholeRange(source, place, { documents, starts }));
    const spot = position(source.text, range, starts);
    const isKey = 'target' in place && place.target === 'key';
    const cut = secret ? spot.column + (isKey ? spot.length : 0) : null;
    return { ...problem, file: place.file, ...spot, cut };
  });
}

function wholeRange(
  { text, kind }: Source,
  place: Place,
  { documents, starts }: { documents: readonly Document[]; starts: readonly number[] },
): Range {
  if (kind === 'yaml') return rangeOf(documents[place.document], place);
  const [line] = place.path;
  if (typeof line !== 'number') return { start: 0, end: text.length };
  return { start: starts[line] ?? 0, end: starts[line + 1] ?? text.length };
}

/** The first occurrence of the place's text in the range; the whole range where it is not written like that. */
function narrowed(text: string, place: Place, range: Range): Range {
  if (place.text === null || place.text === '') return range;
  const start = text.slice(range.start, range.end).indexOf(place.text);
  return start < 0 ? range : { start: range.start + start, end: range.start + start + place.text.length };
}

function position(text: string, range: Range, starts: readonly number[]) {
  const start = Math.min(range.start, text.length);
  const line = lineAt(starts, start);
  const begin = starts[line] ?? 0;
  const excerpt = text.slice(begin, starts[line + 1] ?? text.length).replace(/\r?\n$/, '');
  const column = Math.min(start - begin, excerpt.length);
  const end = Math.min(range.end - begin, excerpt.trimEnd().length);
  return {
    line: line + 1,
    column: column + 1,
    length: Math.max(1, end - column),
    excerpt: excerpt.slice(0, MOST_EXCERPT),
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Index of the line that holds the offset. */
function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function inOrder(left: LocatedFinding, right: LocatedFinding): number {
  if (left.file !== right.file) return left.file < right.file ? -1 : 1;
  return left.line - right.line || left.column - right.column;
}

function once(findings: readonly Spotted[]): Spotted[] {
  const seen = new Set<string>();
  return findings.filter(({ file, line, column, code, message }) => {
    const key = JSON.stringify([file, line, column, code, message]);
    return !seen.has(key) && seen.add(key);
  });
}

/** A line with a token on it is cut before it, for every finding of that line: reports end up in public logs. */
function hideSecrets(findings: readonly Spotted[]): LocatedFinding[] {
  const cuts = new Map<string, number>();
  for (const { cut, file, line } of findings) {
    const key = `${file}:${line}`;
    if (cut !== null) cuts.set(key, Math.min(cut, cuts.get(key) ?? cut));
  }
  return findings.map(({ cut: _, ...finding }) => {
    const cut = cuts.get(`${finding.file}:${finding.line}`);
    if (cut === undefined) return finding;
    const excerpt = `${finding.excerpt.slice(0, cut - 1)}…`;
    const length = Math.max(1, Math.min(finding.length, excerpt.length - finding.column));
    return { ...finding, excerpt, length };
  });
}
