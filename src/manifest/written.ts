import { type Document, isAlias, isMap, isScalar, isSeq } from 'yaml';
import { isObject, type Json, mapValues, type Path, replaceAt, valueAt } from '../model/json.js';

/**
 * Values are inserted in texts as they are written: a number under `for_each` or `with` that is written differently from its
 * value, such as 1.10 or 01234, becomes a string.
 */
export function withWrittenNumbers(value: Json, document: Document): Json {
  return insertedValues(value).reduce((root, path) => {
    const values = valueAt(root, path) ?? null;
    const node = follow(document.getIn(path, true), document);
    const written = Array.isArray(values)
      ? values.map((item, index) => asWritten(item, isSeq(node) ? node.get(index, true) : null, document))
      : asWritten(values, node, document);
    return replaceAt(root, path, written);
  }, value);
}

function insertedValues(value: Json): Path[] {
  const overlays = valueAt(value, ['environments']);
  const names = isObject(overlays) ? Object.keys(overlays) : [];
  const paths = [[], ...names.map((name) => ['environments', name])].flatMap((holder) => [
    [...holder, 'sequence', 'use', 'with'],
    [...holder, 'schedule', 'use', 'with'],
  ]);
  return [['for_each'], ...paths].filter((path) => typeof valueAt(value, path) === 'object');
}

/** Lists stay as they are, because they cannot be part of a text. */
function asWritten(value: Json, written: unknown, document: Document): Json {
  const node = follow(written, document);
  if (isObject(value))
    return mapValues(value, (item, key) =>
      asWritten(item, isMap(node) ? node.get(key, true) : null, document),
    );
  if (typeof value !== 'number' || !isScalar(node) || node.source === undefined) return value;
  return node.source === String(value) ? value : node.source;
}

function follow(node: unknown, document: Document): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}
