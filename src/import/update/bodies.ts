import { posix } from 'node:path';
import type { ManifestDocument } from '../../manifest/index.js';
import { isObject, type Json } from '../../model/json.js';

/** How often each file is named as the body of an email, in the base or an overlay of any of these documents. */
export function countBodies(documents: readonly ManifestDocument[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { file, value } of documents) {
    for (const name of bodiesIn(value)) {
      const path = posix.join(posix.dirname(file), name);
      counts.set(path, (counts.get(path) ?? 0) + 1);
    }
  }
  return counts;
}

function bodiesIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(bodiesIn);
  if (!isObject(value)) return [];
  const { email_body_file: own, ...rest } = value;
  return [...(typeof own === 'string' ? [own] : []), ...Object.values(rest).flatMap(bodiesIn)];
}
