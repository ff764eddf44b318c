import { isObject, type Json } from '../model/json.js';
import type { Path } from '../model/problem.js';
import { type BrokenExpression, hasExpressions, namesIn, substitute, type Values } from './expressions.js';

/** A broken expression, and the path of the text that it stands in; `whole` is all of that text. */
export interface BrokenText extends BrokenExpression {
  path: Path;
  whole: string;
}

/**
 * A value with all expressions in its texts replaced, keys left alone; a text with a broken one stays as it is. What has none is
 * the same value, not a copy. `excess`: it came to more than `room` characters, and not all of it was replaced.
 */
export interface Expanded {
  value: Json;
  broken: BrokenText[];
  excess: boolean;
}

/** Replaces the expressions of a value by what they stand for. */
export function expand(root: Json, values: Values, room: number): Expanded {
  const broken: BrokenText[] = [];
  if (!holdsExpressions(root)) return { value: root, broken, excess: false };
  let left = room;

  const inText = (text: string, path: Path): Json => {
    if (!hasExpressions(text) || left < 0) return text;
    const result = substitute(text, values);
    if ('broken' in result) {
      broken.push(...result.broken.map((problem) => ({ ...problem, path, whole: text })));
      return text;
    }
    if (typeof result.value === 'string') left -= result.value.length;
    return result.value;
  };

  const within = (value: Json, path: Path): Json => {
    if (typeof value === 'string') return inText(value, path);
    if (Array.isArray(value)) {
      const items = value.map((item, index) => within(item, [...path, index]));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([key, item]): [string, Json] => [
      key,
      within(item, [...path, key]),
    ]);
    return entries.some(([key, item]) => item !== value[key]) ? Object.fromEntries(entries) : value;
  };

  const value = within(root, []);
  return { value, broken, excess: left < 0 };
}

/** Most documents have none: this look is several times quicker than replacing nothing. */
function holdsExpressions(value: Json): boolean {
  if (typeof value === 'string') return hasExpressions(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsExpressions);
  for (const key of Object.keys(value)) if (holdsExpressions(value[key] ?? null)) return true;
  return false;
}

/** The names of the values that the texts of a document use. */
export function namesUsed(value: Json): Set<string> {
  if (typeof value === 'string') return new Set(hasExpressions(value) ? namesIn(value) : []);
  const inner = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return new Set(inner.flatMap((part) => [...namesUsed(part)]));
}

/**
 * Where a value of an expanded document is written: a list that came from one expression is written where the expression
 * is. Takes the document as it was before.
 */
export function writtenPath(document: Json, path: Path): Path {
  let value: Json | undefined = document;
  for (const [index, key] of path.entries()) {
    if (typeof value === 'string') return path.slice(0, index);
    value = child(value, key);
  }
  return path;
}

/** The value at a path; undefined where there is none. */
export function valueAt(document: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>(child, document);
}

function child(value: Json | undefined, key: Path[number]): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)];
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
