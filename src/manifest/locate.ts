import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node } from 'yaml';
import { groupBy } from '../model/json.js';
import { hideTokens, type KnownToken } from '../model/mask.js';
import type { FindingPlace, Instance, LocatedFinding, Path, Place } from '../model/outputs.js';
import { listed } from '../model/words.js';
import type { Offset, SourceFinding } from './errors.js';
import { composeYaml } from './parse.js';
import { mergeSameCause } from './same-cause.js';

/** A source file in which positions are looked up. In a plain file, a path is a line index or empty. */
export interface SourceFile {
  text: string;
  kind: 'yaml' | 'plain';
}

const MAX_EXCERPT = 20_000;

/** `cut`: the column at which hidden text begins; `null` if the whole line is shown. */
interface Spotted extends LocatedFinding {
  cut: number | null;
  scope: string;
}

/** Sorts findings and hides `tokens`. A finding that several environments share is listed only once. */
export function locate(
  findings: readonly SourceFinding[],
  read: (file: string) => SourceFile | null,
  tokens: readonly KnownToken[] = [],
): LocatedFinding[] {
  return [...locateInScopes(findings, read, tokens).keys()];
}

/** With the campaign that each finding is about, as `scopeOf` writes it. */
export function locateInScopes(
  findings: readonly SourceFinding[],
  read: (file: string) => SourceFile | null,
  tokens: readonly KnownToken[] = [],
): Map<LocatedFinding, string> {
  const byFile = groupBy(perInstance(findings), ({ place }) => place.file);
  const located = [...byFile]
    .flatMap(([file, group]) => locateIn(fewOfAKind(group), readSource(file, read)))
    .map((finding) => withoutTokens(finding, tokens));
  return hideSecrets(mergeSameCause(located.sort(inOrder)));
}

export function inOrder(a: FindingPlace, b: FindingPlace): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** The position of each finding. */
export function positionsOf<Finding extends SourceFinding>(
  findings: readonly Finding[],
  read: (file: string) => SourceFile | null,
): ReadonlyMap<Finding, FindingPlace & Pick<Spotted, 'scope'>> {
  const positions = new Map<Finding, Spotted>();
  for (const [file, group] of groupBy(findings, ({ place }) => place.file))
    for (const [at, spotted] of locateIn(group, readSource(file, read)).entries())
      if (group[at] !== undefined) positions.set(group[at], spotted);
  return positions;
}

function readSource(file: string, read: (file: string) => SourceFile | null): SourceFile {
  return read(file) ?? { text: '', kind: 'plain' };
}

/** Finds the line (counted from 1) of a key or, if the key is missing, of its section. */
export function lineFinder(text: string, document: number): (path: Path) => number {
  const composed = composeYaml(text);
  const contents = 'documents' in composed ? composed.documents[document] : undefined;
  const lines = countLines(text);
  return (path) => lines.linePos(rangeAt(contents, { path, target: 'key' })[0]).line;
}

/** `file#2`: the third document; `file#2[label]`: an entry of its `for_each`; `file#`: not known. */
function scopeOf({ scope, place }: SourceFinding): string {
  return scope ?? `${place.file}#${'offset' in place ? '' : place.document}`;
}

function locateIn(findings: readonly SourceFinding[], source: SourceFile): Spotted[] {
  const lines = countLines(source.text);
  const needsYaml = findings.some(({ place }) => !('offset' in place));
  const composed = source.kind === 'yaml' && needsYaml ? composeYaml(source.text) : null;
  const documents = composed !== null && 'documents' in composed ? composed.documents : [];
  return findings.map((finding) => {
    const { place, earlier, secret = false, ...problem } = finding;
    const scope = scopeOf(finding);
    const rangeOf = (some: Place) => narrowed(source, some, { documents, lines });
    const spot = position(source.text, 'offset' in place ? place : rangeOf(place), lines);
    if (earlier !== undefined) {
      const { line } = position(source.text, rangeOf(earlier), lines);
      problem.message = problem.message.replace(
        '{lines}',
        line === spot.line ? '' : `, in lines ${line} and ${spot.line}`,
      );
    }
    const isKey = 'target' in place && place.target === 'key';
    const cut = secret ? spot.column + (isKey ? spot.length : 0) : null;
    return { ...problem, file: place.file, ...spot, cut, scope };
  });
}

type TextRange = Pick<Offset, 'offset' | 'length'>;

/** The range of `place.text` within the value, or of the whole value if the source does not contain the text. */
function narrowed(
  { text, kind }: SourceFile,
  place: Place,
  { documents, lines }: { documents: readonly Document[]; lines: LineCounter },
): TextRange {
  const [line] = place.path;
  const [start, end] =
    kind === 'yaml'
      ? rangeAt(documents[place.document], place)
      : typeof line === 'number'
        ? [lines.lineStarts[line] ?? 0, lines.lineStarts[line + 1] ?? text.length]
        : [0, text.length];
  const index = place.text ? text.slice(start, end).indexOf(place.text) : -1;
  return index < 0
    ? { offset: start, length: end - start }
    : { offset: start + index, length: place.text?.length ?? 0 };
}

function position(text: string, { offset, length }: TextRange, lines: LineCounter) {
  const start = Math.min(offset, text.length);
  const { line, col } = lines.linePos(start);
  const begin = lines.lineStarts[line - 1] ?? 0;
  const excerpt = text.slice(begin, lines.lineStarts[line] ?? text.length).replace(/\r?\n$/, '');
  const column = Math.min(col - 1, excerpt.length);
  const end = Math.min(offset + length - begin, excerpt.trimEnd().length);
  return {
    line,
    column: column + 1,
    length: Math.max(1, end - column),
    excerpt: excerpt.slice(0, MAX_EXCERPT),
  };
}

function countLines(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
  return lines;
}

function withoutTokens(finding: Spotted, tokens: readonly KnownToken[]): Spotted {
  const hide = (text: string) => hideTokens(text, tokens);
  const { message, hint, excerpt, cut } = finding;
  const shown = hide(excerpt);
  let start = 0;
  while (start < excerpt.length && excerpt[start] === shown[start]) start += 1;
  const column = shown === excerpt ? cut : Math.min(cut ?? start + 1, start + 1);
  return { ...finding, message: hide(message), hint: hide(hint), cut: column };
}

/** Hides a line from its first secret on, because reports may end up in public logs. */
function hideSecrets(findings: readonly Spotted[]): Map<LocatedFinding, string> {
  const cuts = new Map<string, number>();
  for (const { cut, file, line } of findings) {
    const key = `${file}:${line}`;
    if (cut !== null) cuts.set(key, Math.min(cut, cuts.get(key) ?? cut));
  }
  const shown = findings.map(({ cut: _, scope, ...finding }) => {
    const cut = cuts.get(`${finding.file}:${finding.line}`);
    if (cut === undefined) return [finding, scope] as const;
    const excerpt = `${finding.excerpt.slice(0, cut - 1)}…`;
    const length = Math.max(1, Math.min(finding.length, excerpt.length - finding.column));
    return [{ ...finding, excerpt, length }, scope] as const;
  });
  return new Map(shown);
}

interface Spot {
  key: Node | null;
  value: Node | null;
}

/** For a missing key, the range of the nearest existing section. */
function rangeAt(
  document: Document | undefined,
  place: Pick<Place, 'path' | 'target'>,
): [start: number, end: number] {
  if (document === undefined) return [0, 0];
  let spot: Spot = { key: null, value: followAlias(document.contents, document) };
  let { target } = place;
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
  return [start, end];
}

function step(parent: Node | null, part: Path[number], document: Document): Spot | null {
  if (isSeq(parent) && typeof part === 'number') {
    const item = parent.items[part];
    return item === undefined ? null : { key: null, value: followAlias(item, document) };
  }
  if (!isMap(parent)) return null;
  const pair = parent.items.find(
    ({ key }) => (isScalar(key) ? String(key.value) : String(key)) === String(part),
  );
  if (pair === undefined) return null;
  return { key: isNode(pair.key) ? pair.key : null, value: followAlias(pair.value, document) };
}

function followAlias(value: unknown, document: Document): Node | null {
  if (!isNode(value)) return null;
  return isAlias(value) ? (value.resolve(document) ?? value) : value;
}

const MAX_LABELS = 3;

/** Merges equal findings for several instances, and names the instances unless all are affected. */
function perInstance(findings: readonly SourceFinding[]): SourceFinding[] {
  const plain = findings.map((finding) => {
    if ('offset' in finding.place) return { finding, instance: undefined };
    const { instance, ...place } = finding.place;
    return { finding: { ...finding, place }, instance };
  });
  const groups = groupBy(plain, ({ finding: { place, code, message } }) =>
    JSON.stringify([place, code, message]),
  );
  return [...groups.values()].map((group) => {
    const [first] = group;
    const instances = group.flatMap(({ instance }) => instance ?? []);
    if (instances.length < group.length || isEvery(instances)) return first.finding;
    const labels = [...new Set(instances.map(({ label }) => label))];
    const message = `${first.finding.message.replace(/\.$/, '')} (for ${listed(labels, MAX_LABELS)}).`;
    return { ...first.finding, message, scope: `${scopeOf(first.finding)}[${labels[0]}]` };
  });
}

function isEvery(instances: readonly Instance[]): boolean {
  const byManifest = groupBy(instances, ({ manifest }) => manifest);
  return [...byManifest.values()].some(
    (group) => new Set(group.map(({ label }) => label)).size === group[0].of,
  );
}

const MAX_OF_A_KIND = 50;

function fewOfAKind(findings: readonly SourceFinding[]): SourceFinding[] {
  const kinds = groupBy(findings, ({ code, severity }) => `${code} ${severity}`);
  return [...kinds.values()].flatMap((kind) =>
    kind.flatMap((finding, at) => {
      if (at >= MAX_OF_A_KIND) return finding.secret ? finding : [];
      const isLast = at === MAX_OF_A_KIND - 1 && kind.length > MAX_OF_A_KIND;
      const message = `${finding.message} The file has more problems of this kind.`;
      return isLast ? { ...finding, message } : finding;
    }),
  );
}
