import { isObject, type Json, replaceAt, valueAt, without } from '../model/json.js';
import type { Instance, Path, Place } from '../model/outputs.js';
import { errorAt, placeOf, type SourceFinding, unknownEnvironment } from './errors.js';
import type { ReadFile } from './files.js';
import {
  expand,
  type ForEachValues,
  hasExpressions,
  instancesOf,
  type ValuesAt,
  writtenPath,
} from './for-each.js';
import { anchored } from './locate.js';
import { type ParsedDocument, parseYaml, unfoldedSize } from './parse.js';
import {
  type Assembled,
  assemble,
  pieceAt,
  pieceReader,
  type ReadPiece,
  type SharedPiece,
  strayPiece,
  valuesWith,
} from './pieces.js';
import { validateManifest } from './validate.js';
import { findingOf, type Violation } from './wording.js';

/** Values and characters of all campaigns of a file together. */
const MOST_ASSEMBLED = 32 * 1024 * 1024;

/** `broken`: invalid sections, '' for the whole document. */
export interface ManifestDocument {
  manifest: string;
  file: string;
  document: number;
  value: Json;
  written: Json;
  pieces: readonly SharedPiece[];
  values: ForEachValues;
  valuesAt: ValuesAt;
  provenance: Provenance;
  broken: string[];
}

export interface ParsedManifest {
  documents: ManifestDocument[];
  count: number;
  findings: SourceFinding[];
}

export interface ManifestParser {
  parse(file: string, text: string): ParsedManifest;
  pieces: ReadonlySet<string>;
}

export function manifestParser(environments: readonly string[], readFile: ReadFile): ManifestParser {
  const pieces = new Set<string>();
  const readPiece = pieceReader(readFile, pieces);
  return {
    pieces,
    parse(file, text) {
      const parsed = parseYaml(file, text);
      const documents: ManifestDocument[] = [];
      const findings = [...parsed.findings];
      let room = MOST_ASSEMBLED;
      parsed.documents.forEach((document, index) => {
        const name = index === 0 ? file : `${file}#${index + 1}`;
        const campaigns = campaignsOf(file, document, { name, environments, readPiece, room });
        documents.push(...campaigns.documents);
        findings.push(...campaigns.findings);
        room = campaigns.room;
      });
      return { documents, count: parsed.documents.length, findings };
    },
  };
}

interface ParseContext {
  name: string;
  environments: readonly string[];
  readPiece: ReadPiece;
  room: number;
}

function campaignsOf(file: string, { document, value }: ParsedDocument, context: ParseContext) {
  const root = placeOf(file, document, []);
  const stray = strayPiece(root, value);
  if (stray !== null) return { documents: [], findings: [stray], room: context.room };
  const { instances, findings } = instancesOf(root, value);
  const documents: ManifestDocument[] = [];
  const text = instances === null || !isObject(value) ? value : without(value, 'for_each');
  let { room } = context;
  for (const entry of instances ?? [null]) {
    const instance =
      entry === null ? null : { manifest: context.name, label: entry.label, of: instances?.length ?? 1 };
    const campaign = campaignOf(root, text, { instance, values: entry?.values ?? null, ...context, room });
    if (campaign === null) {
      findings.push(tooMuch({ ...root, path: instance === null ? [] : ['for_each'] }));
      break;
    }
    documents.push(campaign.document);
    findings.push(...campaign.findings);
    room -= campaign.size;
  }
  return { documents, findings, room };
}

interface InstanceContext extends ParseContext {
  instance: Instance | null;
  values: ForEachValues;
}

/** Puts pieces and values in, and validates. `null` if the result exceeds the limits. */
function campaignOf(
  root: Place,
  text: Json,
  { name, environments, readPiece, room, instance, values }: InstanceContext,
): { document: ManifestDocument; findings: SourceFinding[]; size: number } | null {
  const assembled = assemble(root, text, { values, readPiece });
  const valuesAt = valuesWith(assembled.pieces, values);
  const { value, broken, excess } = expand(assembled.value, valuesAt, room);
  const size = value === text && instance === null ? 0 : unfoldedSize(value, room);
  if (size === null || excess) return null;
  const { pieces } = assembled;
  const provenance = provenanceOf(root, assembled, { broken: broken.map(({ path }) => path), instance });
  const violations = violationsOf(value, pieces);
  const wrong = [...violations, ...broken].map(({ path }) => sectionOf(path));
  const document: ManifestDocument = {
    manifest: instance === null ? name : `${name}[${instance.label}]`,
    file: root.file,
    document: root.document,
    value,
    written: text,
    pieces,
    values,
    valuesAt,
    provenance,
    broken: [...new Set([...wrong, ...assembled.broken])],
  };
  const findings = [
    ...provenance.attribute([
      ...assembled.findings,
      ...[...violations, ...unknownEnvironments(value, environments)].map(provenance.report),
    ]),
    ...broken.map(({ path, whole, wording, ...piece }) =>
      errorAt(anchored(provenance.at(path), whole, piece), wording),
    ),
  ];
  return { document, size, findings };
}

function tooMuch(place: Place): SourceFinding {
  return errorAt(place, {
    code: 'wrong-value',
    message: `The campaigns of this file expand to more than ${MOST_ASSEMBLED} characters.`,
    hint: 'Give fewer or shorter values, or put the campaigns into several files.',
  });
}

/** Checks the document without its overlays. A piece in an overlay is checked as a whole section. */
function violationsOf(value: Json, pieces: readonly SharedPiece[]): Violation[] {
  const overlaid = pieces.filter(({ path }) => path.length > 1).map(({ path }) => path);
  const inPieces = overlaid.flatMap((path) => {
    const document = { name: '-', [String(path.at(-1))]: valueAt(value, path) ?? null };
    return validateManifest(document).map((violation) => ({
      ...violation,
      path: [...path, ...violation.path.slice(1)],
    }));
  });
  return [
    ...validateManifest(overlaid.reduce((rest, path) => replaceAt(rest, path, undefined), value)),
    ...inPieces,
  ];
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

/** The section that a path leads into, also within an overlay; '' for the whole document. */
export function sectionOf(path: Path): string {
  return String((path[0] === 'environments' ? path[2] : path[0]) ?? '');
}

/** The places of a document's values, in the manifest or in a shared piece. */
export interface Provenance {
  at(path: Path): Place;
  /** A violation as a finding. The hint names `for_each` if the value comes from it. */
  report(violation: Violation): SourceFinding;
  /** Adds the instance to findings, and drops those that only follow from a broken expression. */
  attribute(findings: readonly SourceFinding[]): SourceFinding[];
}

function provenanceOf(
  root: Place,
  { value, pieces }: Assembled,
  { broken, instance }: { broken: readonly Path[]; instance: Instance | null },
): Provenance {
  const at = placesIn(root, value, { pieces, instance });
  const echoes = new Set(broken.map((path) => keyOf(at(path))));
  return {
    at,
    report(violation) {
      const text = valueAt(value, writtenPath(value, violation.path));
      const isGiven = instance !== null && typeof text === 'string' && hasExpressions(text);
      const hint = isGiven ? `${violation.hint} The value comes from for_each.` : violation.hint;
      return findingOf(at(violation.path), { ...violation, hint });
    },
    attribute: (findings) =>
      findings.flatMap((finding): SourceFinding[] => {
        const { place } = finding;
        if ('offset' in place) return [finding];
        if (echoes.has(keyOf(place))) return [];
        return [instance === null ? finding : { ...finding, place: { ...place, instance } }];
      }),
  };
}

/** Separate, so that the closure retains only these values. */
function placesIn(
  { file, document }: Place,
  value: Json,
  { pieces, instance }: { pieces: readonly SharedPiece[]; instance: Instance | null },
): Provenance['at'] {
  return (path) => {
    const written = writtenPath(value, path);
    const piece = pieceAt(pieces, written);
    const place =
      piece === undefined
        ? placeOf(file, document, written)
        : { ...piece.root, path: written.slice(piece.path.length) };
    return instance === null ? place : { ...place, instance };
  };
}

function keyOf({ file, document, path }: Place): string {
  return JSON.stringify([file, document, path]);
}
