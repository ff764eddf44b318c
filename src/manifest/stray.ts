import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Place } from '../model/problem.js';
import { scheduleSchema } from '../sections/schedule/schema.js';
import { sequenceSchema } from '../sections/sequence/schema.js';
import { errorAt, type SourceFinding } from './finding.js';
import { manifestSchema } from './schema.js';

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
    message: `This is a ${section} by itself, and no manifest.`,
    hint: `A manifest takes it with ${section}: { use: … }. Keep it out of the manifests with "!${root.file}" under manifests in the project file, or move it to another folder.`,
  });
}

function keysOf(schema: JsonObject): string[] {
  const forms = Array.isArray(schema.oneOf) ? schema.oneOf : [];
  return [schema, ...forms].flatMap((form) =>
    isObject(form) && isObject(form.properties) ? Object.keys(form.properties) : [],
  );
}
