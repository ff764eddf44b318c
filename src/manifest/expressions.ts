import { isObject, type Json, mapValues, ownValue, valueAt } from '../model/json.js';
import type { Path } from '../model/outputs.js';
import { listed } from '../model/words.js';
import { didYouMean, quoted, valueWords, type Wording } from './errors.js';
import { nearest } from './nearest.js';

/** Values by name, as in `${{ name }}`: those of an entry of `for_each`, and of `with`. `null` if the document has neither. */
export type InsertedValues = Readonly<Record<string, Json>> | null;

export type ValuesAt = (path: Path) => InsertedValues;

/** An expression that has no value. `start` is in UTF-16 units. */
interface BrokenExpression {
  start: number;
  text: string;
  wording: Wording;
}

/** Matches an escaped, a complete or an unclosed expression, starting at its first dollar sign. */
const PART = /(?<!\$)(?:\$(\$+\{\{)|\$\{\{(?:([^{}]*)\}\})?)/g;
export const VALUE_NAME = '[A-Za-z_][A-Za-z0-9_]*';
const NAME = new RegExp(`^\\s*(${VALUE_NAME})\\s*$`);
const WHOLE = new RegExp(`^\\$\\{\\{\\s*(${VALUE_NAME})\\s*\\}\\}$`);

export function isValueName(name: string): boolean {
  return NAME.test(name) && name === name.trim();
}

export function hasExpressions(text: string): boolean {
  return text.includes('${{');
}

/** True if the whole text is one expression, whose value may be of any type. */
export function isExpression(text: string): boolean {
  return WHOLE.test(text);
}

/** The names in the expressions of a text. */
export function namesInserted(text: string): string[] {
  return Array.from(text.matchAll(PART)).flatMap(([, , inner = '']) => NAME.exec(inner)?.[1] ?? []);
}

export function escapeExpressions(text: string): string {
  return text.replaceAll('${{', '$$${{');
}

/** If the whole string is one expression, returns that expression's value. */
export function substitute(
  text: string,
  values: InsertedValues,
): { value: Json } | { broken: BrokenExpression[] } {
  const [, name = ''] = WHOLE.exec(text) ?? [];
  const value = ownValue(values ?? {}, name);
  if (value !== undefined) return { value };
  const result = substituteIn(text, values);
  return 'text' in result ? { value: result.text } : result;
}

/** Like `substitute`, but always returns a string. */
export function substituteIn(
  text: string,
  values: InsertedValues,
): { text: string } | { broken: BrokenExpression[] } {
  const broken: BrokenExpression[] = [];
  const replaced = text.replace(PART, (match, escaped?: string, inner?: string, start = 0) => {
    if (escaped !== undefined) return escaped;
    const name = NAME.exec(inner ?? '')?.[1] ?? null;
    const wording = checkExpression(match, { name, isClosed: inner !== undefined }, values);
    if (wording === null) return String(values?.[name ?? '']);
    if (!broken.some((other) => other.text === match)) broken.push({ start, text: match, wording });
    return match;
  });
  return broken.length > 0 ? { broken } : { text: replaced };
}

/** `{{ offer }}`, `${offer}`, `%offer%` and the like, for a value named offer: the name; `null` if there is no such value. */
export function valueMeantBy(text: string, values: InsertedValues): string | null {
  const [, written = ''] =
    /^(?:&lt;|[{$%#*|[<~_«\s])+([A-Za-z_]\w*?)(?:&gt;|[}$%#*|\]>~_»\s])*$/.exec(text) ?? [];
  const names = Object.keys(values ?? {});
  const same = names.find((name) => name.toLowerCase() === written.toLowerCase());
  return names.find((name) => name === written) ?? same ?? null;
}

export function insertingHint(name: string): string {
  return `Write \${{ ${name} }}, which inserts the value.`;
}

const LISTS = ['leads', 'lists'];

const FOREIGN = /(?<![$\w{])(?:\$\{|\{\$|\{\{?|%)\s*([A-Za-z_]\w*)\s*(?:\}\}?|%)/g;

/** Names, titles and lists, which contain no variables of leads, with a value in the syntax of another tool. */
export function foreignExpressions(root: Json, valuesAt: ValuesAt): BrokenText[] {
  const lists = valueAt(root, LISTS);
  const entries = (Array.isArray(lists) ? lists : []).map((entry, index) => [
    ...LISTS,
    index,
    ...(isObject(entry) ? ['list'] : []),
  ]);
  const texts = [['name'], ['replaces'], ['sequence', 'title'], ['schedule', 'template']];
  return [...texts, LISTS, ...entries].flatMap((path) => {
    const whole = valueAt(root, path);
    if (typeof whole !== 'string') return [];
    return Array.from(whole.matchAll(FOREIGN)).flatMap(({ 0: text, index: start }): BrokenText[] => {
      const name = valueMeantBy(text, valuesAt(path));
      if (name === null) return [];
      const message = `${quoted(text)} does not insert the value of ${name}.`;
      const inserted = `"\${{ ${name} }}"`;
      const lists = Array.isArray(valuesAt(path)?.[name]) ? inserted : `[${inserted}]`;
      const hint = path === LISTS ? `Write lists: ${lists}.` : insertingHint(name);
      const wording: Wording = { code: 'broken-expression', message, hint };
      return [{ start, text, path, whole, wording }];
    });
  });
}

const AS_TEXT = `For a literal \${{, write $\${{.`;

function checkExpression(
  text: string,
  { name, isClosed }: { name: string | null; isClosed: boolean },
  values: InsertedValues,
): Wording | null {
  if (name === null)
    return {
      code: 'broken-expression',
      message: isClosed ? `${quoted(text)} does not name exactly one value.` : `"\${{" has no closing "}}".`,
      hint: `Write one name in an expression: \${{ segment }}. ${AS_TEXT}`,
    };
  const names = Object.keys(values ?? {});
  if (values === null || !names.includes(name)) {
    const meant = didYouMean(nearest(name, names));
    const hint =
      values === null
        ? `Add it to for_each: [{ ${name}: … }], or, for a shared piece, to use: { file: …, with: { ${name}: … } }. ${AS_TEXT}`
        : `${meant === null ? '' : `${meant} `}Available values: ${listed(names)}.`;
    return { code: 'unknown-value', message: `There is no value named ${quoted(name)}.`, hint };
  }
  const { [name]: value = null } = values;
  if (typeof value !== 'object') return null;
  return {
    code: 'wrong-type',
    message: `${quoted(text)} cannot be part of a string: its value is ${valueWords(value)}.`,
    hint: 'Use a value that is a string, a number, true or false.',
  };
}

interface BrokenText extends BrokenExpression {
  path: Path;
  whole: string;
}

export function expand(root: Json, valuesAt: ValuesAt): { value: Json; broken: BrokenText[] } {
  const broken: BrokenText[] = [];
  const within = (value: Json, path: Path): Json => {
    if (Array.isArray(value)) return value.map((item, index) => within(item, [...path, index]));
    if (isObject(value)) return mapValues(value, (item, key) => within(item, [...path, key]));
    if (typeof value !== 'string' || !hasExpressions(value)) return value;
    const result = substitute(value, valuesAt(path));
    if ('value' in result) return result.value;
    broken.push(...result.broken.map((expression) => ({ ...expression, path, whole: value })));
    return value;
  };
  return { value: within(root, []), broken };
}

/** The path at which a value is written. Items of a list from an expression have the expression's path. */
export function writtenPath(document: Json, path: Path): Path {
  const length = path.findIndex((_, index) => typeof valueAt(document, path.slice(0, index)) === 'string');
  return length < 0 ? path : path.slice(0, length);
}
