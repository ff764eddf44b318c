import { isObject, type Json, type JsonObject, replaceAt, valueAt } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import { scheduleSchema } from '../sections/schedule.js';
import { sequenceSchema } from '../sections/sequence.js';
import { anchored } from './anchor.js';
import type { Cut, CutText } from './cut-texts.js';
import {
  didYouMean,
  errorAt,
  pathText,
  quoted,
  type SourceFinding,
  toPlace,
  valueWords,
  type Wording,
} from './errors.js';
import { expand, type InsertedValues, isValueName, substituteIn } from './expressions.js';
import { LIMITS, type ReadFile, readNamed } from './files.js';
import { propertyNames } from './json-schema.js';
import { nearest } from './nearest.js';
import { type ParsedFile, parseYaml } from './parse.js';
import { keyMeant } from './spellings.js';
import { MERGE, mergeKey } from './unknown-keys.js';
import type { WrittenNumber } from './written.js';

/** The sections that a shared piece can contain, with their keys. */
export const PIECE_KEYS = {
  sequence: propertyNames(sequenceSchema),
  schedule: propertyNames(scheduleSchema),
};

/** A shared piece that a manifest uses. `path`: its section. `root`: its own document. `parameters`: names under `with`. */
export interface SharedPiece {
  path: Path;
  root: Place;
  values: InsertedValues;
  parameters: readonly string[];
  numbers: readonly WrittenNumber[];
}

export function pieceAt(pieces: readonly SharedPiece[], path: Path): SharedPiece | undefined {
  return pieces.find((piece) => piece.path.every((key, index) => path[index] === key));
}

export function valuesAt(
  { pieces, values }: { pieces: readonly SharedPiece[]; values: InsertedValues },
  path: Path,
): InsertedValues {
  const piece = pieceAt(pieces, path);
  return piece === undefined ? values : piece.values;
}

/** A cut text at its place, which may be in a shared piece. */
export interface PlacedCut {
  cut: Cut;
  place: Place;
  /** Name of the overlay that contains it; `null` if it applies everywhere. */
  environment: string | null;
}

export function placedCuts(cuts: readonly CutText[], root: Place, holder: Path = []): PlacedCut[] {
  return cuts.map(({ path, cut }) => {
    const [section, name] = holder.length > 0 ? holder : path;
    const environment = section === 'environments' && name !== undefined ? String(name) : null;
    return { cut, place: { ...root, path }, environment };
  });
}

/** `invalid`: names of sections whose shared piece is missing or invalid. */
interface Assembled {
  value: Json;
  cuts: PlacedCut[];
  pieces: SharedPiece[];
  invalid: string[];
  findings: SourceFinding[];
}

type PieceFile =
  | { value: JsonObject; root: Place; cuts: readonly CutText[]; numbers: readonly WrittenNumber[] }
  | { findings: SourceFinding[] };

export type ReadPiece = (name: string, place: Place) => PieceFile;

interface PieceContext {
  values: InsertedValues;
  readPiece: ReadPiece;
}

/** Parses each file once, whatever reads it. */
export function pieceReader(): (readFile: ReadFile) => ReadPiece {
  const pieces = new Map<string, PieceFile>();
  return (readFile) => (name, place) => {
    const named = readNamed(name, place, { readFile, limit: LIMITS.manifest });
    if ('finding' in named) return { findings: [named.finding] };
    const piece = pieces.get(named.file) ?? pieceIn(named.file, parseYaml(named.file, named.text));
    pieces.set(named.file, piece);
    return piece;
  };
}

function wrong(place: Place, wording: Wording) {
  return { findings: [errorAt(place, wording)] };
}

function pieceIn(file: string, { documents, findings }: ParsedFile): PieceFile {
  const [first, second] = documents;
  if (findings.length > 0 || first === undefined) return { findings };
  const root = toPlace(file, first.document, []);
  if (second !== undefined)
    return wrong(toPlace(file, second.document, []), {
      code: 'wrong-value',
      message: 'A shared piece must contain only one document; this is the second.',
      hint: 'Move everything below the line "---" to a separate file.',
    });
  if (!isObject(first.value))
    return wrong(root, {
      code: 'wrong-type',
      message: `A shared piece must be a section, but this is ${valueWords(first.value)}.`,
      hint: 'Write the contents of sequence or schedule, without the key itself.',
    });
  const [key = '', ...others] = Object.keys(first.value);
  if (others.length === 0 && Object.hasOwn(PIECE_KEYS, key))
    return wrong(
      { ...root, path: [key], target: 'key' },
      {
        code: 'unknown-key',
        message: `A shared piece holds the contents of ${key}, without the key itself.`,
        hint: `Remove the line \`${key}:\`, and indent the lines below it two spaces less.`,
      },
    );
  if (!Object.hasOwn(first.value, 'use')) {
    const { value, cuts, numbers } = first;
    return { value, root, cuts, numbers };
  }
  return wrong(
    { ...root, path: ['use'], target: 'key' },
    {
      code: 'conflicting-keys',
      message: 'A shared piece cannot use another shared piece.',
      hint: 'Write out the section here, or use the other file in the manifest.',
    },
  );
}

export function assemble(root: Place, document: Json, context: PieceContext): Assembled {
  const assembled: Assembled = { value: document, cuts: [], pieces: [], invalid: [], findings: [] };
  const overlays = valueAt(document, ['environments']) ?? null;
  const names = isObject(overlays) ? Object.keys(overlays) : [];
  for (const holder of [[], ...names.map((name) => ['environments', name])])
    for (const key of Object.keys(PIECE_KEYS)) {
      const path = [...holder, key];
      const section = valueAt(document, path);
      if (!isObject(section) || !Object.hasOwn(section, 'use')) continue;
      const read = usePiece(section, { ...root, path }, context);
      if ('findings' in read) {
        assembled.findings.push(...read.findings);
        assembled.invalid.push(key);
      } else {
        const { root, values, parameters, numbers } = read;
        assembled.pieces.push({ path, root, values, parameters, numbers });
        assembled.cuts.push(...placedCuts(read.cuts, read.root, path));
      }
      assembled.value = replaceAt(assembled.value, path, 'value' in read ? read.value : undefined);
    }
  return assembled;
}

function usePiece(
  section: JsonObject,
  place: Place,
  { values, readPiece }: PieceContext,
): (PieceFile & Pick<SharedPiece, 'values' | 'parameters'>) | { findings: SourceFinding[] } {
  const { use = null, ...others } = section;
  const at: Place = { ...place, path: [...place.path, 'use'] };
  const [other] = Object.keys(others);
  if (other !== undefined)
    return wrong(
      { ...place, path: [...place.path, other], target: 'key' },
      {
        code: 'conflicting-keys',
        message: `${pathText(place.path)} has both use and ${quoted(other)}.`,
        hint: 'Write either use or the section itself: the file contains the whole section.',
      },
    );
  const { file, with: parameters = {}, ...unknown } = isObject(use) ? use : { file: use };
  const [odd] = Object.keys(unknown);
  const [badName] = isObject(parameters) ? Object.keys(parameters).filter((key) => !isValueName(key)) : [];
  if (odd !== undefined)
    return wrong({ ...at, path: [...at.path, odd], target: 'key' }, unknownKeyOfUse(odd));
  if (badName !== undefined)
    return wrong({ ...at, path: [...at.path, 'with', badName], target: 'key' }, notAName(badName));
  if (typeof file !== 'string' || file.trim() === '' || !isObject(parameters))
    return wrong(at, {
      code: 'wrong-value',
      message: 'use takes a file name, or a section with the keys file and with (values by name).',
      hint: 'For example: use: ../sequences/installers.yaml, or use: { file: ../sequences/installers.yaml, with: { offer: a sample kit } }. Names consist of letters, digits and _.',
    });
  const atFile: Place = isObject(use) ? { ...at, path: [...at.path, 'file'] } : at;
  const name = substituteIn(file, values);
  if ('broken' in name)
    return { findings: name.broken.map((broken) => errorAt(anchored(atFile, file, broken), broken.wording)) };
  const { value, broken } = expand(parameters, () => values);
  if (broken.length > 0) {
    const findings = broken.map(({ path, whole, wording, ...piece }) =>
      errorAt(anchored({ ...at, path: [...at.path, 'with', ...path] }, whole, piece), wording),
    );
    return { findings };
  }
  const piece = readPiece(name.text, atFile);
  if ('findings' in piece) return piece;
  const names = Object.keys(parameters);
  return {
    ...piece,
    values: names.length === 0 ? values : { ...values, ...Object(value) },
    parameters: names,
  };
}

function unknownKeyOfUse(key: string): Wording {
  const meant = keyMeant(key, USE) ?? nearest(key, USE);
  return {
    code: 'unknown-key',
    message: `Unknown key ${quoted(key)} in use.`,
    hint: didYouMean(meant) ?? 'Allowed here: file, with. Values of the piece belong under with.',
  };
}

function notAName(key: string): Wording {
  if (key === MERGE) return mergeKey(' in use.with');
  const [, glued] = /^(\w+):\S/.exec(key) ?? [];
  return {
    code: 'wrong-value',
    message: `${quoted(key)} is not a name for a value.`,
    hint:
      glued === undefined
        ? 'Names consist of letters, digits and _, and do not begin with a digit.'
        : `Write a space after the colon: \`${glued}: …\`.`,
  };
}

const USE = ['file', 'with'];
