import { isObject, type Json, valueAt } from '../model/json.js';
import type { Path } from '../model/problem.js';
import { listed } from '../model/words.js';
import type { Wording } from './errors.js';
import { didYouMean, nearest, quoted, valueWords } from './words.js';

/** What `${{ name }}` stands for, by name; null in a document without `for_each`. */
export type ForEachValues = Readonly<Record<string, Json>> | null;

/** An expression without a value: where in the text, `start` in UTF-16 units, and what is wrong. */
export interface BrokenExpression {
  start: number;
  text: string;
  wording: Wording;
}

/** Characters that a text may come to. */
const MOST_TEXT = 1024 * 1024;

/** What is written so as not to be an expression, an expression, or one that is not closed; each begins with the first of its dollars. */
const PART = /(?<!\$)(?:\$(\$+\{\{)|\$\{\{(?:([^{}]*)\}\})?)/g;
const NAME = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*$/;

/** Whether a text holds anything but itself: expressions, or what is written so as not to be one. */
export function hasExpressions(text: string): boolean {
  return text.includes('${{');
}

/** The text as it has to be written to be read as it is: `$${{` for `${{`. */
export function escapeExpressions(text: string): string {
  return text.replaceAll('${{', '$$${{');
}

/** A text with its expressions replaced. One that is nothing but an expression becomes the value itself, a number or list too. */
export function substitute(
  text: string,
  values: ForEachValues,
): { value: Json } | { broken: BrokenExpression[] } {
  const [only, ...others] = partsOf(text);
  const value = typeof only === 'object' && others.length === 0 ? lookUp(only, values) : undefined;
  if (value !== undefined) return { value };
  const result = substituteIn(text, values);
  return 'text' in result ? { value: result.text } : result;
}

/** The same of what stays a text whatever is in it: numbers, true and false are written as in JSON. */
export function substituteIn(
  text: string,
  values: ForEachValues,
): { text: string } | { broken: BrokenExpression[] } {
  const parts = partsOf(text);
  const seen = new Set<string>();
  const broken = parts.flatMap((part) => {
    if (typeof part === 'string' || seen.has(part.text)) return [];
    seen.add(part.text);
    const wording = problemOf(part, values);
    return wording === null ? [] : [{ start: part.start, text: part.text, wording }];
  });
  if (broken.length > 0) return { broken };
  const texts = parts.map((part) => (typeof part === 'string' ? part : String(lookUp(part, values))));
  if (texts.reduce((sum, one) => sum + one.length, 0) <= MOST_TEXT) return { text: texts.join('') };
  const wording: Wording = {
    code: 'wrong-value',
    message: `${quoted(text)} expands to more than ${MOST_TEXT} characters.`,
    hint: 'Give shorter values in for_each.',
  };
  return { broken: [{ start: 0, text: '', wording }] };
}

/** `name` is null where there is none. */
interface Expression {
  start: number;
  text: string;
  name: string | null;
  isClosed: boolean;
}

/** Plain texts, unescaped and not empty, and expressions, in order. An empty text is one plain part. */
function partsOf(text: string): (string | Expression)[] {
  const parts: (string | Expression)[] = [];
  let plain = '';
  let from = 0;
  for (const { index: start, 0: found, 1: escaped, 2: inner } of text.matchAll(PART)) {
    plain += text.slice(from, start) + (escaped ?? '');
    from = start + found.length;
    if (escaped !== undefined) continue;
    if (plain !== '') parts.push(plain);
    plain = '';
    const name = NAME.exec(inner ?? '')?.[1] ?? null;
    parts.push({ start, text: found, name, isClosed: inner !== undefined });
  }
  plain += text.slice(from);
  if (plain !== '' || parts.length === 0) parts.push(plain);
  return parts;
}

function lookUp({ name }: Expression, values: ForEachValues): Json | undefined {
  return name !== null && values !== null && Object.hasOwn(values, name) ? values[name] : undefined;
}

const AS_TEXT = `Write $\${{ where the characters themselves are meant.`;

function problemOf({ text, name, isClosed }: Expression, values: ForEachValues): Wording | null {
  if (name === null)
    return {
      code: 'broken-expression',
      message: isClosed ? `${quoted(text)} does not name one value.` : `"\${{" is not closed by "}}".`,
      hint: `An expression is one name: \${{ segment }}. ${AS_TEXT}`,
    };
  const names = Object.keys(values ?? {});
  if (values === null || !names.includes(name)) {
    const near = didYouMean(nearest(name, names));
    const given = `${near === null ? '' : `${near} `}for_each gives: ${listed(names)}.`;
    return {
      code: 'unknown-value',
      message: `There is no value named ${quoted(name)}.`,
      hint: values === null ? `Give it with for_each: [{ ${name}: … }]. ${AS_TEXT}` : given,
    };
  }
  const { [name]: value = null } = values;
  if (typeof value !== 'object') return null;
  return {
    code: 'wrong-type',
    message: `${quoted(text)} cannot be part of a text: it is ${valueWords(value)}.`,
    hint: 'A text can include texts, numbers, true and false.',
  };
}

/** A broken expression, and the path of its text; `whole` is all of that text. */
interface BrokenText extends BrokenExpression {
  path: Path;
  whole: string;
}

/**
 * A value with all expressions in its texts replaced, keys left alone; a text with a broken one stays as it is. What has none is
 * the same value, not a copy. `excess`: it came to more than `room` characters, and not all of it was replaced.
 */
export function expand(root: Json, values: ForEachValues, room: number) {
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

/** The names of the values that the texts of a value use; broken expressions have none. */
export function namesUsed(value: Json): Set<string> {
  if (typeof value === 'string') {
    const parts = hasExpressions(value) ? partsOf(value) : [];
    return new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : (part.name ?? []))));
  }
  const inner = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return new Set(inner.flatMap((part) => [...namesUsed(part)]));
}

/**
 * Where a value of an expanded document is written: a list that came from one expression is written where the expression
 * is. Takes the document as it was before.
 */
export function writtenPath(document: Json, path: Path): Path {
  const length = path.findIndex((_, index) => typeof valueAt(document, path.slice(0, index)) === 'string');
  return length < 0 ? path : path.slice(0, length);
}
