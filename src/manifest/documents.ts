import { groupBy, isObject, type Json, mapValues, valueAt, without } from '../model/json.js';
import type { Instance, Path, Place } from '../model/outputs.js';
import { listed } from '../model/words.js';
import { anchored } from './anchor.js';
import { lineFor } from './as-yaml.js';
import { commentWording } from './cut-texts.js';
import { errorAt, type SourceFinding, toPlace, unknownEnvironment } from './errors.js';
import {
  expand,
  foreignExpressions,
  type InsertedValues,
  isExpression,
  namesInserted,
  writtenPath,
} from './expressions.js';
import { nameFrom, type ReadFile, recordReads } from './files.js';
import { keyOf } from './fixes.js';
import { expandForEach } from './for-each.js';
import type { Flawed } from './legible.js';
import { isBelow, type MovedPart, unmovedPath, withMeantSteps } from './meant-steps.js';
import { type ParsedDocument, parseYaml } from './parse.js';
import {
  assemble,
  type PlacedCut,
  pieceAt,
  pieceReader,
  placedCuts,
  type ReadPiece,
  type SharedPiece,
  valuesAt,
} from './pieces.js';
import { strayFile, strayPiece } from './stray.js';
import { validateManifest } from './validate.js';
import type { SourceAt, Violation } from './violation.js';
import { toFinding } from './wording.js';
import { sourcesOf, type WrittenNumber } from './written.js';

/** A manifest of one campaign, for all environments. `flaws`: its keys and values with errors. */
export interface ManifestDocument {
  manifest: string;
  file: string;
  document: number;
  instance: Instance | null;
  /** The document with shared pieces inserted and expressions as written. */
  written: Json;
  /** With all sections and steps where they belong. */
  value: Json;
  moved: readonly MovedPart[];
  pieces: readonly SharedPiece[];
  cuts: readonly PlacedCut[];
  values: InsertedValues;
  /** Paths of texts with an expression that has no value. */
  unresolved: readonly Path[];
  /** Names of invalid sections; '' for the whole document. */
  invalid: readonly string[];
  flaws: readonly Flawed[];
}

/** `count`: documents in the file, also broken ones. `files`: the manifest and the shared pieces that it uses. */
export interface ParsedManifest {
  documents: ManifestDocument[];
  count: number;
  findings: SourceFinding[];
  files: ReadonlySet<string>;
}

export interface ManifestParser {
  parse(file: string, text: string): ParsedManifest;
}

/** Parses each shared piece once. */
export function manifestParser(environments: readonly string[], readFile: ReadFile): ManifestParser {
  const readerOf = pieceReader();
  return {
    parse(file, text) {
      const recorded = recordReads(readFile);
      const context = { environments, readFile, readPiece: readerOf(recorded.readFile) };
      const parsed = parseYaml(file, text);
      const campaigns = parsed.documents.map((document, index) =>
        parseDocument(document, { file, name: index === 0 ? file : `${file}#${index + 1}` }, context),
      );
      return {
        documents: campaigns.flatMap(({ documents }) => documents),
        count: parsed.documents.length + parsed.broken,
        findings: [...parsed.findings, ...campaigns.flatMap(({ findings }) => findings)],
        files: new Set([file, ...recorded.read]),
      };
    },
  };
}

interface ParseContext {
  environments: readonly string[];
  readFile: ReadFile;
  readPiece: ReadPiece;
}

function parseDocument(
  { document, value, cuts, numbers }: ParsedDocument,
  { file, name }: { file: string; name: string },
  context: ParseContext,
): Pick<ParsedManifest, 'documents' | 'findings'> {
  const root = toPlace(file, document, []);
  const stray = strayPiece(root, value) ?? strayFile(root, value, context.environments);
  if (stray !== null) return { documents: [], findings: [stray] };
  const { instances, findings } = expandForEach(root, value);
  const template = isObject(value) ? without(value, 'for_each') : value;
  const placed = placedCuts(cuts, root);
  const isOfEntry = ({ place: { path } }: PlacedCut, index: number) =>
    path[0] !== 'for_each' || path[1] === index;
  const sources: DocumentSource[] =
    instances === null
      ? [{ root, template, numbers, manifest: name, instance: null, values: null, cuts: placed }]
      : instances.map(({ label, values }, index) => ({
          root,
          template,
          numbers,
          manifest: `${name}[${label}]`,
          instance: { manifest: name, label, of: instances.length },
          values,
          cuts: placed.filter((cut) => isOfEntry(cut, index)),
        }));
  const campaigns = sources.map((source) => parseCampaign(source, context));
  return {
    documents: campaigns.map((campaign) => campaign.document),
    findings: [...findings, ...campaigns.flatMap((campaign) => campaign.findings)],
  };
}

/** `template`: the document as it is written, without `for_each`. `cuts`: those in it and in the entry of `for_each`. */
interface DocumentSource {
  root: Place;
  template: Json;
  manifest: string;
  instance: Instance | null;
  values: InsertedValues;
  cuts: readonly PlacedCut[];
  numbers: readonly WrittenNumber[];
}

function parseCampaign(
  source: DocumentSource,
  { environments, readFile, readPiece }: ParseContext,
): { document: ManifestDocument; findings: SourceFinding[] } {
  const { root, manifest, instance, values } = source;
  const assembled = assemble(root, source.template, { values, readPiece });
  const { pieces } = assembled;
  const valuesOf = (path: Path) => valuesAt({ pieces, values }, path);
  const expanded = expand(assembled.value, valuesOf);
  const original = canonicalTexts(expanded.value);
  const { value, moved } = withMeantSteps(original);
  const unfilled = [...expanded.broken, ...foreignExpressions(assembled.value, valuesOf)];
  const sourceAt = sourceFinder(assembled.value, { pieces, moved }, source.numbers);
  const template = canonicalTexts(assembled.value);
  const ofValues = violationsOf(original, sourceAt);
  const hasValues = values !== null || pieces.some((piece) => piece.values !== null);
  const violations = (
    hasValues && ofValues.length > 0
      ? asWritten(ofValues, template, violationsOf(template, sourceAt))
      : ofValues
  ).map((violation) => withOverlay(violation, template, environments));
  const unknown = unknownEnvironments(value, environments);
  const lacksValues = violations.some(({ provides }) => provides?.includes('for_each'));
  const broken = lacksValues ? [] : unfilled;
  const cuts = [...source.cuts, ...assembled.cuts].map((cut) =>
    instance === null ? cut : { ...cut, place: { ...cut.place, instance } },
  );
  const document: ManifestDocument = {
    manifest,
    file: root.file,
    document: root.document,
    instance,
    written: assembled.value,
    value,
    moved,
    pieces,
    cuts,
    values,
    unresolved: unfilled.map(({ path }) => path),
    invalid: [
      ...assembled.invalid,
      ...[...violations, ...unfilled].map(({ path }) => findSection(path)),
      ...violations.flatMap(({ home }) => (home === undefined ? [] : [findSection(home)])),
    ],
    flaws: [...violations, ...unknown, ...unfilled.map(({ path, wording: { code } }) => ({ code, path }))],
  };
  const reported = [
    ...violations.map((violation) => withRelativePath(withCut(violation, document), document, readFile)),
    ...unknown,
  ].map((violation) => report(document, violation));
  // If the base and an overlay use the same piece, its findings differ only in the paths in their messages.
  const groups = groupBy(reported, ({ place, code, hint }) => JSON.stringify([place, code, hint]));
  const explained = violations.flatMap(({ code, path }) =>
    code === 'wrong-type' ? (emptyTextAt(document, path) ?? []) : [],
  );
  const findings = [
    ...attribute(document, [...assembled.findings, ...[...groups.values()].map(([first]) => first)]),
    ...broken.map(({ path, whole, wording, ...piece }) =>
      errorAt(anchored(placeIn(document, path), whole, piece), wording),
    ),
  ];
  return { document: { ...document, cuts: cuts.filter((cut) => !explained.includes(cut)) }, findings };
}

/** With the mistakes in sections and steps that are not where they belong. */
function violationsOf(document: Json, sourceAt: SourceAt | null): Violation[] {
  const { value, moved } = withMeantSteps(document);
  const inMoved = moved.length === 0 ? [] : validateManifest(value, sourceAt);
  return [
    ...validateManifest(document, sourceAt),
    ...inMoved.filter(({ path }) => moved.some(({ part }) => isBelow(path, part))),
  ];
}

/**
 * In the words of the template's violations, so that a line to write has its expressions, not the values of one entry. A value
 * that an expression inserts has its own words, unless a section or a list is needed: no text fits there.
 */
function asWritten(
  violations: readonly Violation[],
  template: Json,
  ofTemplate: readonly Violation[],
): Violation[] {
  const keyOf = ({ code, path, missing = [] }: Violation) => JSON.stringify([code, path, missing]);
  const written = new Map(ofTemplate.map((violation) => [keyOf(violation), violation]));
  return violations.map((violation) => {
    const text = violation.target === 'value' ? valueAt(template, violation.path) : null;
    const isInserted = typeof text === 'string' && namesInserted(text).length > 0;
    return (isInserted && !violation.isBlock ? null : written.get(keyOf(violation))) ?? violation;
  });
}

/** A text that is missing because all of it is a comment. */
function withCut(violation: Violation, document: ManifestDocument): Violation {
  if (violation.code !== 'wrong-type' || valueAt(document.value, violation.path) !== null) return violation;
  const text = emptyTextAt(document, violation.path);
  if (text?.cut.kind !== 'comment') return violation;
  return { ...violation, ...commentWording(text.place.path, text.cut) };
}

/** A path from the project's folder under another key: the line to write has the one from the manifest's folder. */
function withRelativePath(violation: Violation, document: ManifestDocument, readFile: ReadFile): Violation {
  const name = valueAt(document.value, violation.path);
  if (violation.target !== 'key' && violation.code !== 'wrong-type') return violation;
  if (typeof name !== 'string' || !/^[\w./ -]{1,200}\.\w+$/.test(name)) return violation;
  const meant = nameFrom(placeIn(document, violation.path).file, name, readFile);
  return meant === null ? violation : { ...violation, hint: violation.hint.replace(name, () => meant) };
}

/** A text of which nothing is left. */
function emptyTextAt(document: ManifestDocument, path: Path): PlacedCut | undefined {
  const key = placeKey(placeIn(document, path));
  const isEmpty = ({ cut }: PlacedCut) => cut.kind === 'comment' && cut.written === '';
  return document.cuts.find((text) => isEmpty(text) && placeKey(text.place) === key);
}

/** An overlay that stands outside `environments`. */
function withOverlay(violation: Violation, value: Json, environments: readonly string[]): Violation {
  const [name, ...rest] = violation.path.map(String);
  const isOverlay =
    violation.code === 'unknown-key' &&
    name !== undefined &&
    rest.length === 0 &&
    environments.includes(name);
  if (!isOverlay) return violation;
  const line = lineFor(name, valueAt(value, [name]) ?? null);
  return {
    ...violation,
    hint: `${name} is an environment. Write it under environments: \`environments: { ${line} }\`.`,
  };
}

/** How a number is written, if that differs from its value: in the manifest or in a shared piece. */
function sourceFinder(
  written: Json,
  { pieces, moved }: Pick<ManifestDocument, 'pieces' | 'moved'>,
  numbers: readonly WrittenNumber[],
): SourceAt | null {
  const all = [
    ...numbers.filter(({ path }) => pieceAt(pieces, path) === undefined),
    ...pieces.flatMap((piece) =>
      piece.numbers.map(({ path, source }) => ({ path: [...piece.path, ...path], source })),
    ),
  ];
  const sourceAt = sourcesOf(all);
  return sourceAt && ((path) => sourceAt(writtenPath(written, unmovedPath(path, moved))));
}

/** Keys that hold names of campaigns, lead lists and schedule templates. */
const NAMES = new Set(['name', 'replaces', 'lists', 'list', 'template']);

/** Bodies as they are; other texts without the line break that ends a block scalar, and names in Unicode form NFC. */
export function canonicalTexts(value: Json, key = ''): Json {
  if (typeof value === 'string' && key === 'email_body') return value;
  if (typeof value === 'string') {
    const text = value.replace(/[\r\n]+$/, '');
    return NAMES.has(key) ? text.normalize('NFC') : text;
  }
  if (Array.isArray(value)) return value.map((item) => canonicalTexts(item, key));
  return isObject(value) ? mapValues(value, (item, name) => canonicalTexts(item, name)) : value;
}

function unknownEnvironments(document: Json, known: readonly string[]): Violation[] {
  const overlays = valueAt(document, ['environments']);
  return Object.keys(isObject(overlays) ? overlays : {})
    .filter((name) => !known.includes(name))
    .map((name) => ({
      ...unknownEnvironment(name, known),
      path: ['environments', name],
      target: 'key',
    }));
}

/** The section that contains the path; '' for the whole document. */
export function findSection(path: Path): string {
  return String((path[0] === 'environments' ? path[2] : path[0]) ?? '');
}

export function placeIn(manifest: ManifestDocument, path: Path): Place {
  const { file, document, pieces, instance } = manifest;
  const source = sourcePath(manifest, path);
  const piece = pieceAt(pieces, source);
  const place =
    piece === undefined
      ? toPlace(file, document, source)
      : { ...piece.root, path: source.slice(piece.path.length) };
  return instance === null ? place : { ...place, instance };
}

function sourcePath({ written, moved }: ManifestDocument, path: Path): Path {
  return writtenPath(written, unmovedPath(path, moved));
}

export function report(document: ManifestDocument, violation: Violation): SourceFinding {
  const { written } = document;
  const origins = originsOf(document, violation.path);
  const place = placeIn(document, violation.path);
  if (origins.length === 0 || violation.target === 'key') return toFinding(place, violation);
  const text = String(valueAt(written, sourcePath(document, violation.path)));
  // No text fits, so the mistake is the same for every entry.
  if (violation.isBlock && typeof valueAt(document.value, violation.path) === 'string')
    return toFinding(place, violation);
  const hint = `${hintForValue(violation, text)} The value comes from ${origins.join(' and ')}.`;
  return toFinding(place, { ...violation, hint });
}

/** A line for the key would replace the expression: the line to write is that of the inserted value. */
function hintForValue({ hint, path }: Violation, text: string): string {
  const names = [...new Set(namesInserted(text))];
  const line = `${keyOf(path)}: `;
  if (!hint.includes(line)) return hint;
  const isWhole = isExpression(text) && typeof path.at(-1) === 'string';
  return isWhole ? hint.replaceAll(line, () => `${names[0]}: `) : `Correct the value of ${listed(names)}.`;
}

/** The text of a value as it is written, with its expressions; `null` if it has none. */
export function templateAt(document: ManifestDocument, path: Path): string | null {
  const text = valueAt(document.written, sourcePath(document, path));
  return typeof text === 'string' && namesInserted(text).length > 0 ? text : null;
}

/** The keys whose values are inserted at a path. */
function originsOf(document: ManifestDocument, path: Path): ('with' | 'for_each')[] {
  const { instance, written, pieces } = document;
  const source = sourcePath(document, path);
  const text = valueAt(written, source);
  const names = typeof text === 'string' ? namesInserted(text) : [];
  const { parameters = [] } = pieceAt(pieces, source) ?? {};
  const isFromEntry = instance !== null && names.some((name) => !parameters.includes(name));
  return [
    ...(names.some((name) => parameters.includes(name)) ? (['with'] as const) : []),
    ...(isFromEntry ? (['for_each'] as const) : []),
  ];
}

/** Adds the instance to findings and drops those caused by an unresolved expression. */
export function attribute(document: ManifestDocument, findings: readonly SourceFinding[]): SourceFinding[] {
  const { instance, unresolved } = document;
  const echoes = new Set(unresolved.map((path) => placeKey(placeIn(document, path))));
  return findings.flatMap((finding): SourceFinding[] => {
    const { place } = finding;
    if ('offset' in place) return [finding];
    if (echoes.has(placeKey(place))) return [];
    return [instance === null ? finding : { ...finding, place: { ...place, instance } }];
  });
}

function placeKey({ file, document, path }: Place): string {
  return JSON.stringify([file, document, path]);
}
