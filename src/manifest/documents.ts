import { isObject, type Json } from '../model/json.js';
import type { Place } from '../model/problem.js';
import { anchored } from './anchor.js';
import { unfoldedSize } from './bounds.js';
import { type BrokenText, expand, namesUsed } from './expand.js';
import type { Values } from './expressions.js';
import type { ReadFile } from './file-text.js';
import { errorAt, placeOf, type SourceFinding } from './finding.js';
import { type GivenValue, givenValues, type Instance, instancesOf } from './instances.js';
import { originOf } from './origin.js';
import { without } from './overlay.js';
import { type ParsedDocument, parseYaml } from './parse.js';
import { assemble, pieceReader, type ReadPiece } from './pieces.js';
import { checkDocument, type ManifestDocument, sectionOf } from './resolve.js';
import { strayPiece } from './stray.js';

/** Values and characters that the campaigns of a file may come to once pieces and values are put in. */
const MOST_ASSEMBLED = 32 * 1024 * 1024;

/** The campaigns of a manifest, and what is wrong; `count`: how many documents it has. */
export interface ParsedManifest {
  documents: ManifestDocument[];
  count: number;
  findings: SourceFinding[];
}

/** Takes manifests apart. `pieces`: the shared pieces that were read so far, which are YAML too. */
export interface ManifestParser {
  parse(file: string, text: string): ParsedManifest;
  pieces: ReadonlySet<string>;
}

/** A parser of manifests that reads each shared piece once. `environments`: names of the project's. */
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
        const given = campaignsOf(file, document, { name, environments, readPiece, room });
        documents.push(...given.documents);
        findings.push(...given.findings);
        room = given.room;
      });
      return { documents, count: parsed.documents.length, findings };
    },
  };
}

interface Context {
  /** How the document is named in plans. */
  name: string;
  environments: readonly string[];
  readPiece: ReadPiece;
  room: number;
}

/** One document → one campaign, or one for each instance. */
function campaignsOf(file: string, { document, value }: ParsedDocument, context: Context) {
  const root = placeOf(file, document, []);
  const stray = strayPiece(root, value);
  if (stray !== null) return { documents: [], findings: [stray], room: context.room };
  const { instances, findings } = instancesOf(root, value);
  const documents: ManifestDocument[] = [];
  const text = instances === null || !isObject(value) ? value : without(value, 'for_each');
  const given = givenValues(value);
  let { room } = context;
  for (const instance of instances ?? [null]) {
    const made = make(root, text, { ...context, room, given, instance, of: instances?.length ?? 1 });
    if (made === null) {
      findings.push(tooMuch({ ...root, path: instance === null ? [] : ['for_each'] }));
      break;
    }
    documents.push(made.document);
    findings.push(...made.findings);
    room -= made.size;
  }
  return { documents, findings, room };
}

interface Making extends Context {
  given: readonly GivenValue[];
  instance: Instance | null;
  of: number;
}

/** A document with pieces and values put in, and checked; null where it comes to more than there is room for. */
function make(
  root: Place,
  text: Json,
  { name, environments, readPiece, room, given, instance, of }: Making,
): { document: ManifestDocument; findings: SourceFinding[]; size: number } | null {
  const values: Values = instance?.values ?? null;
  const assembled = assemble(root, text, { values, readPiece });
  const { value, broken, excess } = expand(assembled.value, values, room);
  const size = value === text && instance === null ? 0 : unfoldedSize(value, room);
  if (size === null || excess) return null;
  const origin = originOf(
    root,
    { ...assembled, broken: broken.map(({ path }) => path) },
    instance === null ? null : { manifest: name, label: instance.label, of },
  );
  const { pieces } = assembled;
  const checked = checkDocument({ value, pieces, origin }, environments);
  const document: ManifestDocument = {
    manifest: instance === null ? name : `${name}[${instance.label}]`,
    file: root.file,
    document: root.document,
    value,
    pieces,
    values,
    origin,
    unused: unusedOf(given, [text, assembled.value]),
    broken: sections(
      checked.broken,
      assembled.broken,
      broken.map(({ path }) => sectionOf(path)),
    ),
  };
  const findings = [
    ...origin.settle([...assembled.findings, ...checked.findings]),
    ...broken.map((one) => brokenAt(origin.at(one.path), one)),
  ];
  return { document, size, findings };
}

function sections(...names: (readonly string[])[]): string[] {
  return [...new Set(names.flat())];
}

function unusedOf(given: readonly GivenValue[], texts: Json): GivenValue[] {
  if (given.length === 0) return [];
  const used = namesUsed(texts);
  return given.filter(({ name }) => !used.has(name));
}

function brokenAt(place: Place, broken: BrokenText): SourceFinding {
  return errorAt(anchored(place, broken.whole, broken), broken.wording);
}

function tooMuch(place: Place): SourceFinding {
  return errorAt(place, {
    code: 'wrong-value',
    message: `The campaigns of this file come to more than ${MOST_ASSEMBLED} characters.`,
    hint: 'Give fewer or shorter values, or put the campaigns into several files.',
  });
}
