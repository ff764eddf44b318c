import equal from 'fast-deep-equal';
import { composeYaml, parseYaml } from '../../manifest/index.js';
import { isObject, type Json } from '../../model/json.js';
import type { Path } from '../../model/problem.js';
import { insertions, removals } from './items.js';
import { settings } from './set.js';

/**
 * One edit of one document. `set`: the value at the path, which is made where it is missing; `insert`: a new item of a
 * list, before the index that ends the path; `remove`: the item or key that ends the path.
 */
export interface Edit {
  kind: 'set' | 'insert' | 'remove';
  document: number;
  path: Path;
  value: Json;
}

/**
 * The text with the edit made and every other byte as it was; null where that is not possible. What was written is read
 * again: it has to be the value that was meant, and nothing else may have changed, through an alias for instance.
 */
export function editText(text: string, edit: Edit): string | null {
  const before = valuesOf(text);
  const composed = composeYaml(text);
  const document = 'documents' in composed ? composed.documents[edit.document] : undefined;
  if (before === null || document === undefined) return null;
  const wanted = before.map((one) =>
    one.document === edit.document ? { ...one, value: editValue(one.value, edit.path, edit) } : one,
  );
  const ways = { set: settings, insert: insertions, remove: removals };
  for (const candidate of ways[edit.kind]({ text, document }, edit.path, edit.value)) {
    if (candidate !== null && equal(valuesOf(candidate), wanted)) return candidate;
  }
  return null;
}

function valuesOf(text: string) {
  const { documents, findings } = parseYaml('', text);
  return findings.length > 0 ? null : documents;
}

/** The same edit of the plain value. */
export function editValue(value: Json, path: Path, edit: Pick<Edit, 'kind' | 'value'>): Json {
  const [part, ...rest] = path;
  if (part === undefined) return edit.value;
  const isEnd = rest.length === 0 && edit.kind !== 'set';
  if (typeof part === 'number') {
    const list = Array.isArray(value) ? [...value] : [];
    if (!isEnd) list[part] = editValue(list[part] ?? null, rest, edit);
    else if (edit.kind === 'insert') list.splice(part, 0, edit.value);
    else list.splice(part, 1);
    return list;
  }
  const section = isObject(value) ? value : {};
  if (!isEnd) return { ...section, [part]: editValue(section[part] ?? {}, rest, edit) };
  return Object.fromEntries(Object.entries(section).filter(([key]) => key !== part));
}
