import { isObject, type Json, type JsonObject, replaceAt, valueAt } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import { scheduleSchema } from '../sections/schedule.js';
import { sequenceSchema } from '../sections/sequence.js';
import {
  errorAt,
  pathText,
  placeOf,
  quoted,
  type SourceFinding,
  valueWords,
  type Wording,
} from './errors.js';
import { type FileText, LIMITS, type ReadFile, readNamed } from './files.js';
import { type ForEachValues, substituteIn } from './for-each.js';
import { anchored } from './locate.js';
import { type ParsedFile, parseYaml } from './parse.js';
import { manifestSchema } from './schema.js';

/** Sections that can be kept in a file of their own, with their keys. */
const SECTIONS = { sequence: keysOf(sequenceSchema), schedule: keysOf(scheduleSchema) };

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

type FileSection = { value: JsonObject; root: Place } | { findings: SourceFinding[] };

/** Reads a shared piece: the name of its file as it is written at a place. */
export type ReadPiece = (name: string, place: Place) => FileSection;

interface PieceContext {
  values: ForEachValues;
  readPiece: ReadPiece;
}

/** A reader of pieces that reads and parses each file once. `files` gathers those that were taken for YAML. */
export function pieceReader(readFile: ReadFile, files: Set<string>): ReadPiece {
  const texts = new Map<string, FileText>();
  const sections = new Map<string, FileSection>();
  const file = (name: string, limit: number) => {
    const text = texts.get(name) ?? readFile(name, limit);
    texts.set(name, text);
    return text;
  };
  return (name, place) => {
    const named = readNamed(name, place, { file, limit: LIMITS.manifest });
    if ('finding' in named) return { findings: [named.finding] };
    files.add(named.file);
    const section = sections.get(named.file) ?? sectionIn(named.file, parseYaml(named.file, named.text));
    sections.set(named.file, section);
    return section;
  };
}

function wrong(place: Place, wording: Wording) {
  return { findings: [errorAt(place, wording)] };
}

function sectionIn(file: string, { documents, findings }: ParsedFile): FileSection {
  const [first, second] = documents;
  if (findings.length > 0 || first === undefined) return { findings };
  const root = placeOf(file, first.document, []);
  if (second !== undefined)
    return wrong(placeOf(file, second.document, []), {
      code: 'wrong-value',
      message: 'A shared piece has one document; this is a second one.',
      hint: 'Move what follows the line "---" to a file of its own.',
    });
  if (!isObject(first.value))
    return wrong(root, {
      code: 'wrong-type',
      message: `A shared piece is a section of keys; this is ${valueWords(first.value)}.`,
      hint: 'Write what belongs below sequence or schedule, without that key.',
    });
  if (!Object.hasOwn(first.value, 'use')) return { value: first.value, root };
  return wrong(
    { ...root, path: ['use'], target: 'key' },
    {
      code: 'conflicting-keys',
      message: 'A shared piece cannot use another one.',
      hint: 'Write the section out here, or name the other file in the manifest.',
    },
  );
}

/** Puts the pieces in that the sections of a document, and of its overlays, name with `use`. */
export function assemble(root: Place, document: Json, context: PieceContext): Assembled {
  const assembled: Assembled = { value: document, pieces: [], broken: [], findings: [] };
  const overlays = valueAt(document, ['environments']) ?? null;
  const names = isObject(overlays) ? Object.keys(overlays) : [];
  for (const holder of [[], ...names.map((name) => ['environments', name])])
    for (const key of Object.keys(SECTIONS)) {
      const path = [...holder, key];
      const section = valueAt(document, path);
      if (!isObject(section) || !Object.hasOwn(section, 'use')) continue;
      const read = pieceOf(section, { ...root, path }, context);
      if ('findings' in read) {
        assembled.findings.push(...read.findings);
        assembled.broken.push(key);
      } else assembled.pieces.push({ path, root: read.root });
      assembled.value = replaceAt(assembled.value, path, 'value' in read ? read.value : undefined);
    }
  return assembled;
}

function pieceOf(section: JsonObject, place: Place, { values, readPiece }: PieceContext): FileSection {
  const { use = null, ...others } = section;
  const at: Place = { ...place, path: [...place.path, 'use'] };
  const [other] = Object.keys(others);
  if (other !== undefined)
    return wrong(
      { ...place, path: [...place.path, other], target: 'key' },
      {
        code: 'conflicting-keys',
        message: `${pathText(place.path)} has use together with ${quoted(other)}.`,
        hint: 'Write either use or the section itself: the file holds the whole section.',
      },
    );
  if (typeof use !== 'string' || use.trim() === '')
    return wrong(at, {
      code: 'wrong-type',
      message: `use: expected the name of a file, found ${valueWords(use)}.`,
      hint: 'Write the path of a file, relative to this one: use: ../sequences/installers.yaml.',
    });
  const name = substituteIn(use, values);
  return 'text' in name
    ? readPiece(name.text, at)
    : { findings: name.broken.map((broken) => errorAt(anchored(at, use, broken), broken.wording)) };
}

const MANIFEST = keysOf(manifestSchema);

/** The error of a document that is a section, not a manifest: a pattern of the project matches too much. */
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
