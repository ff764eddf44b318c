import { isObject, type Json, type JsonObject, mapValues, valueAt, without } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import { errorAt, quoted, type SourceFinding, valueWords, type Wording } from './errors.js';
import { expand } from './expressions.js';
import { validateManifest } from './validate.js';
import { toFinding } from './wording.js';

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
  const { instances, findings: wrong } = labelled(Array.isArray(value) ? value : [], at);
  const entries = (instances ?? []).map(({ values }) => values);
  const lack = findLack(
    entries,
    JSON.stringify(isObject(document) ? without(document, 'for_each') : document),
  );
  if (instances === null || lack === null) return { instances, findings: wrong };
  const all: JsonObject = Object.assign({}, ...entries.toReversed());
  return {
    // With a value for each name, so that a missing one is reported only once.
    instances: instances.map(({ label, values }) => {
      const others = mapValues(all, (other) => (typeof other === 'string' ? label : other));
      return { label, values: { ...values, ...others, ...values } };
    }),
    findings: [...wrong, errorAt(at(['for_each', lack.entry]), lackWording(entries, lack))],
  };
}

interface Lack {
  name: string;
  entry: number;
}

/** The first value that an entry lacks, although another entry has it and `text` inserts it. */
function findLack(entries: readonly JsonObject[], text: string): Lack | null {
  const names = [...new Set(entries.flatMap((values) => Object.keys(values)))];
  for (const name of names) {
    const entry = entries.findIndex((values) => !Object.hasOwn(values, name));
    if (entry >= 0 && isInserted(name, text)) return { name, entry };
  }
  return null;
}

/** Also in the syntax of another tool, unless it is that of a variable of leads. */
function isInserted(name: string, text: string): boolean {
  const open = name === name.toUpperCase() ? '\\$\\{\\{' : '\\{\\{?';
  return new RegExp(`${open}\\s*\\$?${name}\\s*\\}`).test(text);
}

function lackWording(entries: readonly JsonObject[], { name, entry }: Lack): Wording {
  const other = entries.findIndex((values) => Object.hasOwn(values, name));
  const [odd] = Object.keys(entries[entry] ?? {}).filter((key) => !Object.hasOwn(entries[other] ?? {}, key));
  const instead = odd === undefined ? '' : `, perhaps instead of ${odd}`;
  return {
    code: 'wrong-value',
    message: `The entries of for_each have different keys: entry ${entry + 1} has no ${name}, but entry ${other + 1} has.`,
    hint: `Write the same keys in every entry. Add ${name} to entry ${entry + 1}${instead}.`,
  };
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
