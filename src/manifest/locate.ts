import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node } from 'yaml';
import type { Instance, LocatedFinding, Path, Place } from '../model/problem.js';
import type { SourceFinding } from './errors.js';
import { composeYaml } from './parse.js';
import { listed } from './words.js';

/**
 * A source file as it is when positions are looked up. In a plain file (bodies, ids) the path of a place holds the
 * index of a line, or nothing; in YAML, keys and list indexes.
 */
export interface SourceFile {
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
  read: (file: string) => SourceFile | null,
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

function locateIn(findings: readonly SourceFinding[], source: SourceFile): Spotted[] {
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
  { text, kind }: SourceFile,
  place: Place,
  { documents, starts }: { documents: readonly Document[]; starts: readonly number[] },
): TextRange {
  if (kind === 'yaml') return rangeOf(documents[place.document], place);
  const [line] = place.path;
  if (typeof line !== 'number') return { start: 0, end: text.length };
  return { start: starts[line] ?? 0, end: starts[line + 1] ?? text.length };
}

/** The first occurrence of the place's text in the range; the whole range where it is not written like that. */
function narrowed(text: string, place: Place, range: TextRange): TextRange {
  if (place.text === null || place.text === '') return range;
  const start = text.slice(range.start, range.end).indexOf(place.text);
  return start < 0 ? range : { start: range.start + start, end: range.start + start + place.text.length };
}

function position(text: string, range: TextRange, starts: readonly number[]) {
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

/** Part of a text, by offsets in UTF-16 units; `end` is behind the last one. */
export interface TextRange {
  start: number;
  end: number;
}

interface Spot {
  key: Node | null;
  value: Node | null;
}

/**
 * Where a place of a YAML document is. A path that leads nowhere (the key is missing) gives the key of the nearest
 * section there is; the root gives the first line with something on it.
 */
export function rangeOf(document: Document | undefined, place: Place): TextRange {
  if (document === undefined) return { start: 0, end: 0 };
  const root: Spot = { key: null, value: nodeOf(document.contents, document) };
  let spot = root;
  let target = place.target;
  for (const part of place.path) {
    const next = step(spot.value, part, document);
    if (next === null) {
      target = 'key';
      break;
    }
    spot = next;
  }
  const node = target === 'key' ? (spot.key ?? spot.value) : (spot.value ?? spot.key);
  const [start, end] = node?.range ?? [0, 0];
  return { start, end };
}

function step(parent: Node | null, part: Path[number], document: Document): Spot | null {
  if (isSeq(parent) && typeof part === 'number') {
    const item = parent.items[part];
    return item === undefined ? null : { key: null, value: nodeOf(item, document) };
  }
  if (!isMap(parent)) return null;
  const pair = parent.items.find(
    ({ key }) => (isScalar(key) ? String(key.value) : String(key)) === String(part),
  );
  if (pair === undefined) return null;
  return { key: isNode(pair.key) ? pair.key : null, value: nodeOf(pair.value, document) };
}

/** The node itself, or what an alias stands for: that is where the text is written. */
function nodeOf(value: unknown, document: Document): Node | null {
  if (!isNode(value)) return null;
  return isAlias(value) ? (value.resolve(document) ?? value) : value;
}

/** How many characters a place may take from beside what it means, to be told from what looks the same. */
const REACH = 40;

/** The place of one piece of the text that stands at a place. */
export function anchored(place: Place, text: string, piece: { start: number; text: string }): Place {
  return { ...place, text: anchor(text, piece.start, piece.text) };
}

/**
 * What to look for in order to find the piece at `start`: its first line, and as much of what stands behind it, else
 * before it, on that line as it takes to be the first of its kind, since places are found by their first occurrence.
 */
export function anchor(value: string, start: number, meant: string): string {
  // A line end may itself be what is meant, where it is one that nobody sees.
  const end = start + (firstLine(meant).length || meant.length);
  const room = Math.min(REACH, firstLine(value.slice(end)).length);
  const before = Math.min(REACH, start - value.lastIndexOf('\n', start - 1) - 1);
  for (let reach = 0; reach <= room; reach += 1) {
    const candidate = value.slice(start, end + reach);
    if (value.indexOf(candidate) === start) return candidate;
  }
  for (let reach = 1; reach <= before; reach += 1) {
    const candidate = value.slice(start - reach, end);
    if (value.indexOf(candidate) === start - reach) return candidate;
  }
  return value.slice(start, end);
}

function firstLine(text: string): string {
  return /^[^\r\n]*/.exec(text)?.[0] ?? '';
}

/** Labels that a message names. */
const MOST_LABELS = 3;

/**
 * Findings without their instances: what is wrong in all campaigns of a document, or without regard to one, is said once as it is;
 * what is wrong in some only names them: `… (for France, Spain).`.
 */
export function perInstance(findings: readonly SourceFinding[]): SourceFinding[] {
  const groups = new Map<string, { finding: SourceFinding; instances: Instance[]; isPlain: boolean }>();
  for (const finding of findings) {
    const { plain, instance } = taken(finding);
    const key = JSON.stringify([plain.place, plain.code, plain.message]);
    const group = groups.get(key) ?? { finding: plain, instances: [], isPlain: false };
    if (instance === undefined) group.isPlain = true;
    else group.instances.push(instance);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ finding, instances, isPlain }) => {
    const labels = [...new Set(instances.map(({ label }) => label))];
    return isPlain || isEvery(instances) ? finding : { ...finding, message: named(finding.message, labels) };
  });
}

/** Whether all campaigns of one of the documents are among these. */
function isEvery(instances: readonly Instance[]): boolean {
  const found = new Map<string, Set<string>>();
  return instances.some(({ manifest, label, of }) => {
    const labels = found.get(manifest) ?? new Set<string>();
    found.set(manifest, labels.add(label));
    return labels.size === of;
  });
}

function named(message: string, labels: readonly string[]): string {
  return `${message.replace(/\.$/, '')} (for ${listed(labels, MOST_LABELS)}).`;
}

function taken(finding: SourceFinding): { plain: SourceFinding; instance: Instance | undefined } {
  if (!('path' in finding.place)) return { plain: finding, instance: undefined };
  const { instance, ...place } = finding.place;
  return { plain: { ...finding, place }, instance };
}

/** Findings of one code that are told of a file. */
const MOST_OF_A_KIND = 50;

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
  const last = kind[MOST_OF_A_KIND - 1];
  const rest = kind.slice(MOST_OF_A_KIND);
  if (last === undefined || rest.length === 0) return kind;
  const message = `${last.message} The file has ${rest.length} more problems of this kind.`;
  return [...kind.slice(0, MOST_OF_A_KIND - 1), { ...last, message }, ...rest.filter(({ secret }) => secret)];
}
