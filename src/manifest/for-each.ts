import { isObject, type Json, type JsonObject, mapValues, ownValue, valueAt } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import { listed } from '../model/words.js';
import {
  didYouMean,
  errorAt,
  nearest,
  quoted,
  type SourceFinding,
  valueWords,
  type Wording,
} from './errors.js';
import { validateManifest } from './validate.js';
import { toFinding } from './wording.js';

/** Values by name, as in `${{ name }}`; `null` in a document without `for_each`. */
export type ForEachValues = Readonly<Record<string, Json>> | null;

export type ValuesAt = (path: Path) => ForEachValues;

/** An expression that has no value. `start` is in UTF-16 units. */
interface BrokenExpression {
  start: number;
  text: string;
  wording: Wording;
}

/** Matches an escaped, a complete or an unclosed expression, starting at its first dollar sign. */
const PART = /(?<!\$)(?:\$(\$+\{\{)|\$\{\{(?:([^{}]*)\}\})?)/g;
const NAME = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*$/;
const WHOLE = /^\$\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}$/;

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

export function escapeExpressions(text: string): string {
  return text.replaceAll('${{', '$$${{');
}

/** If the whole string is one expression, returns that expression's value. */
export function substitute(
  text: string,
  values: ForEachValues,
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
  values: ForEachValues,
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
export function valueMeantBy(text: string, values: ForEachValues): string | null {
  const [, written = ''] =
    /^(?:&lt;|[{$%#*|[<~_«\s])+([A-Za-z_]\w*?)(?:&gt;|[}$%#*|\]>~_»\s])*$/.exec(text) ?? [];
  const names = Object.keys(values ?? {});
  const same = names.find((name) => name.toLowerCase() === written.toLowerCase());
  return names.find((name) => name === written) ?? same ?? null;
}

export function insertingHint(name: string): string {
  return `Write \${{ ${name} }}, which inserts the value.`;
}

const FOREIGN = /(?<![$\w{])(?:\$\{|\{\{?|%)\s*([A-Za-z_]\w*)\s*(?:\}\}?|%)/g;

/** Names and titles, which contain no variables of leads, with a value in the syntax of another tool. */
export function foreignExpressions(root: Json, valuesAt: ValuesAt): BrokenText[] {
  return [['name'], ['replaces'], ['sequence', 'title']].flatMap((path) => {
    const whole = valueAt(root, path);
    if (typeof whole !== 'string') return [];
    return Array.from(whole.matchAll(FOREIGN)).flatMap(({ 0: text, index: start }): BrokenText[] => {
      const name = valueMeantBy(text, valuesAt(path));
      if (name === null) return [];
      const message = `${quoted(text)} does not insert the value of ${name}.`;
      const wording: Wording = { code: 'broken-expression', message, hint: insertingHint(name) };
      return [{ start, text, path, whole, wording }];
    });
  });
}

const AS_TEXT = `For a literal \${{, write $\${{.`;

function checkExpression(
  text: string,
  { name, isClosed }: { name: string | null; isClosed: boolean },
  values: ForEachValues,
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

interface ForEachEntry {
  label: string;
  values: JsonObject;
}

/** `instances`: `null` if there is no `for_each`; empty if it is invalid. */
interface ForEachEntries {
  instances: ForEachEntry[] | null;
  findings: SourceFinding[];
}

const isLabel = (text: string) => /^[\p{L}\p{N}\p{P}\p{S}][\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(text);
const MAX_LABEL = 60;

export function expandForEach(root: Place, document: Json): ForEachEntries {
  const forEach = valueAt(document, ['for_each']);
  if (forEach === undefined) return { instances: null, findings: [] };
  const at = (path: Path): Place => ({ ...root, path });
  const violations = validateManifest({ name: '-', for_each: forEach });
  if (violations.length > 0 || !Array.isArray(forEach))
    return {
      instances: [],
      findings: violations.map((violation) => toFinding(at(violation.path), violation)),
    };
  const { value, broken } = expand(forEach, () => ({}));
  if (broken.length > 0) {
    const findings = broken.map(({ path, text }) =>
      errorAt(
        { ...at(['for_each', ...path]), text },
        {
          code: 'broken-expression',
          message: `${quoted(text)} is an expression, but values in for_each are used literally.`,
          hint: `Write the text without an expression. For a literal \${{, write $\${{.`,
        },
      ),
    );
    return { instances: [], findings };
  }
  return labelled(Array.isArray(value) ? value : [], at);
}

function labelled(items: readonly Json[], at: (path: Path) => Place): ForEachEntries {
  const firstIndexes = new Map<string, number>();
  const findings: SourceFinding[] = [];
  const instances = items.map((item, index): ForEachEntry => {
    const values = isObject(item) ? item : { value: item };
    const [key = '', value = null] = Object.entries(values)[0] ?? [];
    const label = String(value).normalize('NFC');
    const problem = checkLabel(value, label, firstIndexes.get(label));
    if (problem !== null)
      findings.push(errorAt(at(['for_each', index, ...(isObject(item) ? [key] : [])]), problem));
    if (!firstIndexes.has(label)) firstIndexes.set(label, index);
    return { label, values };
  });
  return { instances: findings.length > 0 ? [] : instances, findings };
}

function checkLabel(value: Json, label: string, duplicate: number | undefined): Wording | null {
  const isText = isLabel(label) && !/[[\]]| $/.test(label) && label.length <= MAX_LABEL;
  if (value === null || typeof value === 'object' || !isText)
    return {
      code: 'wrong-value',
      message: `The first value of a for_each entry names its campaign, but ${valueWords(value)} cannot be a name.`,
      hint: `Put a short string or a number first: one line of at most ${MAX_LABEL} visible characters, without brackets.`,
    };
  if (duplicate === undefined) return null;
  return {
    code: 'wrong-value',
    message: `${quoted(label)} already names the campaign of entry ${duplicate + 1} of for_each.`,
    hint: 'The first value of an entry names its campaign, so each entry needs a different one.',
  };
}
