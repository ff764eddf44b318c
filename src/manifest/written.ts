import { type Document, isAlias, isMap, isPair, isScalar, isSeq, visit } from 'yaml';
import { isObject, type Json, mapValues, type Path, replaceAt, valueAt } from '../model/json.js';
import type { SourceAt } from './violation.js';

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

/** A number that is written differently from its value, such as 1.000 or 01234, or a value that is not written at all. */
export interface WrittenNumber {
  path: Path;
  source: string;
}

export function findWrittenNumbers(document: Document, text: string): WrittenNumber[] {
  const found: WrittenNumber[] = [];
  if (!MAY_DIFFER.test(text) && !MAY_LACK_VALUE.test(text)) return found;
  visit(document, {
    Scalar(key, scalar, ancestors) {
      const { value, source } = scalar;
      const isOther = typeof value === 'number' ? source !== String(value) : value === null && source === '';
      if (key === 'key' || source === undefined || !isOther) return;
      found.push({ path: pathOf(ancestors, scalar), source });
    },
  });
  return found;
}

/** `null` if everything is written as its value. */
export function sourcesOf(numbers: readonly WrittenNumber[]): SourceAt | null {
  if (numbers.length === 0) return null;
  const sources = new Map(numbers.map(({ path, source }) => [JSON.stringify(path), source]));
  return (path) => sources.get(JSON.stringify(path));
}

/** A decimal point, an exponent, another base, a leading zero or a plus sign in a number without quotes, not in a time. */
const MAY_DIFFER = /(?:[\s[,{]|["']:)(?:[-+]?(?:\d*\.\d|\d+\.|\d+e[-+]?\d|0[xo]?\d|0x[\da-f])|\+\d)/i;

/** A key without a value on its line, followed by no line that is indented further, or in `{ … }`. */
const MAY_LACK_VALUE = /:[ \t]*(?:[,}]|(?:#.*)?(?:\r?\n|$))/;

function follow(node: unknown, document: Document): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

/** The path of a scalar that `visit` found. */
export function pathOf(ancestors: readonly unknown[], scalar: unknown): Path {
  return ancestors.flatMap((node, index): Path => {
    const child = ancestors[index + 1] ?? scalar;
    if (isSeq(node)) return [node.items.indexOf(child)];
    return isMap(node) && isPair(child) && isScalar(child.key) ? [String(child.key.value)] : [];
  });
}
