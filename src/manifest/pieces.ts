import { isObject, type Json, type JsonObject, without } from '../model/json.js';
import type { Path, Place } from '../model/problem.js';
import { scheduleSchema } from '../sections/schedule.js';
import { sequenceSchema } from '../sections/sequence.js';
import { errorAt, pathText, placeOf, type SourceFinding, type Wording } from './errors.js';
import { type ForEachValues, substituteIn } from './expressions.js';
import { type FileText, LIMITS, type ReadFile, readNamed } from './files.js';
import { anchored } from './locate.js';
import { type ParsedFile, parseYaml } from './parse.js';
import { manifestSchema } from './schema.js';
import { quoted, valueWords } from './words.js';

/** Sections that can be kept in a file of their own. */
const SHARED = ['sequence', 'schedule'];

/** A section that was read from a file: where it stands in the document, and the root of what was read. */
export interface SharedPiece {
  path: Path;
  root: Place;
}

/** A document with its shared pieces put in; `broken` names the sections whose piece is missing or wrong. */
export interface Assembled {
  value: Json;
  pieces: SharedPiece[];
  broken: string[];
  findings: SourceFinding[];
}

type ReadSection = { value: JsonObject; root: Place } | { findings: SourceFinding[] };

/** Reads a shared piece: the name of its file as it is written at a place. */
export type ReadPiece = (name: string, place: Place) => ReadSection;

/** A reader of pieces that reads and parses each file once. `files` gathers those that were taken for YAML. */
export function pieceReader(readFile: ReadFile, files: Set<string>): ReadPiece {
  const texts = new Map<string, FileText>();
  const parsed = new Map<string, ParsedFile>();
  const readOnce = (file: string, limit: number) => once(texts, file, () => readFile(file, limit));
  return (name, place) => {
    const named = readNamed(name, place, { file: readOnce, limit: LIMITS.manifest });
    if ('finding' in named) return { findings: [named.finding] };
    files.add(named.file);
    return sectionIn(
      named.file,
      once(parsed, named.file, () => parseYaml(named.file, named.text)),
    );
  };
}

function once<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

function sectionIn(file: string, { documents, findings }: ParsedFile): ReadSection {
  const [first, second] = documents;
  if (findings.length > 0 || first === undefined) return { findings };
  const root = placeOf(file, first.document, []);
  if (second !== undefined) return { findings: [errorAt(placeOf(file, second.document, []), SECOND)] };
  if (!isObject(first.value)) return { findings: [errorAt(root, noSection(first.value))] };
  if (!Object.hasOwn(first.value, 'use')) return { value: first.value, root };
  return { findings: [errorAt({ ...root, path: ['use'], target: 'key' }, FURTHER)] };
}

/** Puts the pieces in that the sections of a document, and of its overlays, name with `use`. */
export function assemble(
  root: Place,
  document: Json,
  { values, readPiece }: { values: ForEachValues; readPiece: ReadPiece },
): Assembled {
  const assembled: Assembled = { value: document, pieces: [], broken: [], findings: [] };

  const sections = (holder: JsonObject, path: Path): JsonObject => {
    let filled = holder;
    for (const key of SHARED) {
      const section = Object.hasOwn(holder, key) ? holder[key] : undefined;
      if (!isObject(section) || !Object.hasOwn(section, 'use')) continue;
      const read = pieceOf(section, { ...root, path: [...path, key] }, { values, readPiece });
      if ('findings' in read) {
        assembled.findings.push(...read.findings);
        assembled.broken.push(key);
        filled = without(filled, key);
      } else {
        assembled.pieces.push({ path: [...path, key], root: read.root });
        filled = { ...filled, [key]: read.value };
      }
    }
    return filled;
  };

  if (!isObject(document)) return assembled;
  const filled = sections(document, []);
  const overlays = Object.entries(isObject(filled.environments) ? filled.environments : {});
  const environments = overlays.map(([name, overlay]): [string, Json] => [
    name,
    isObject(overlay) ? sections(overlay, ['environments', name]) : overlay,
  ]);
  const isSame = environments.every(([, overlay], index) => overlay === overlays[index]?.[1]);
  assembled.value = isSame ? filled : { ...filled, environments: Object.fromEntries(environments) };
  return assembled;
}

function pieceOf(
  section: JsonObject,
  place: Place,
  { values, readPiece }: { values: ForEachValues; readPiece: ReadPiece },
): ReadSection {
  const at: Place = { ...place, path: [...place.path, 'use'] };
  const other = Object.keys(section).find((key) => key !== 'use');
  if (other !== undefined) {
    const beside: Place = { ...place, path: [...place.path, other], target: 'key' };
    return { findings: [errorAt(beside, conflict(place.path, other))] };
  }
  const { use = null } = section;
  if (typeof use !== 'string' || use.trim() === '') return { findings: [errorAt(at, noName(use))] };
  const name = substituteIn(use, values);
  return 'text' in name
    ? readPiece(name.text, at)
    : { findings: name.broken.map((broken) => errorAt(anchored(at, use, broken), broken.wording)) };
}

function conflict(path: Path, other: string): Wording {
  return {
    code: 'conflicting-keys',
    message: `${pathText(path)} has use together with ${quoted(other)}.`,
    hint: 'Write either use or the section itself: the file holds the whole section.',
  };
}

function noName(value: Json): Wording {
  return {
    code: 'wrong-type',
    message: `use: expected the name of a file, found ${valueWords(value)}.`,
    hint: 'Write the path of a file, relative to this one: use: ../sequences/installers.yaml.',
  };
}

function noSection(value: Json): Wording {
  return {
    code: 'wrong-type',
    message: `A shared piece is a section of keys; this is ${valueWords(value)}.`,
    hint: 'Write what belongs below sequence or schedule, without that key.',
  };
}

const SECOND: Wording = {
  code: 'wrong-value',
  message: 'A shared piece has one document; this is a second one.',
  hint: 'Move what follows the line "---" to a file of its own.',
};

const FURTHER: Wording = {
  code: 'conflicting-keys',
  message: 'A shared piece cannot use another one.',
  hint: 'Write the section out here, or name the other file in the manifest.',
};

const SECTIONS = { sequence: keysOf(sequenceSchema), schedule: keysOf(scheduleSchema) };
const MANIFEST = keysOf(manifestSchema);

/** What is said of a document that is a section and no manifest: it was found by a pattern that takes too much. */
export function strayPiece(root: Place, document: Json): SourceFinding | null {
  const keys = isObject(document) ? Object.keys(document) : [];
  if (keys.some((key) => MANIFEST.includes(key))) return null;
  const found = Object.entries(SECTIONS).find(([, known]) => keys.some((key) => known.includes(key)));
  if (found === undefined) return null;
  const [section] = found;
  return errorAt(root, {
    code: 'shared-piece',
    message: `This is a ${section}, not a manifest.`,
    hint: `A manifest includes it with ${section}: { use: … }. Exclude it with "!${root.file}" under manifests in the project file, or move it to another folder.`,
  });
}

function keysOf(schema: JsonObject): string[] {
  const forms = Array.isArray(schema.oneOf) ? schema.oneOf : [];
  return [schema, ...forms].flatMap((form) =>
    isObject(form) && isObject(form.properties) ? Object.keys(form.properties) : [],
  );
}
