import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Path, Place } from '../model/problem.js';
import { errorAt, type SourceFinding, type Wording } from './errors.js';
import { expand } from './expressions.js';
import { validateManifest } from './validate.js';
import { findingOf } from './wording.js';
import { quoted, valueWords } from './words.js';

/** One campaign of a `for_each` document: its name in the document and its values. */
export interface ForEachEntry {
  label: string;
  values: JsonObject;
}

/** A value of `for_each`: its name, and its path in the document. */
export interface GivenValue {
  name: string;
  path: Path;
}

/** The names of values that do more than name a campaign, each with its first path. */
export function givenValues(document: Json): GivenValue[] {
  const items = isObject(document) && Array.isArray(document.for_each) ? document.for_each : [];
  const names = items.map((item) => (isObject(item) ? Object.keys(item) : []));
  const labels = new Set(names.map(([first]) => first));
  const given = new Map<string, Path>();
  for (const [index, own] of names.entries()) {
    for (const name of own) if (!given.has(name)) given.set(name, ['for_each', index, name]);
  }
  return [...given].flatMap(([name, path]) => (labels.has(name) ? [] : [{ name, path }]));
}

/** The instances of a document: null where it has no `for_each`, none where that is wrong. */
export interface ForEachEntries {
  instances: ForEachEntry[] | null;
  findings: SourceFinding[];
}

/** Visible characters and single blanks, on one line; brackets stand around a label. */
const isLabel = (text: string) => /^[\p{L}\p{N}\p{P}\p{S}][\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(text);
const MOST_LABEL = 60;
const MOST_VALUES = 4 * 1024 * 1024;

/** The instances that `for_each` of a document gives. */
export function instancesOf(root: Place, document: Json): ForEachEntries {
  const forEach = isObject(document) && Object.hasOwn(document, 'for_each') ? document.for_each : undefined;
  if (forEach === undefined) return { instances: null, findings: [] };
  const at = (path: Path): Place => ({ ...root, path });
  const violations = validateManifest({ name: '-', for_each: forEach });
  if (violations.length > 0 || !Array.isArray(forEach)) {
    return { instances: [], findings: violations.map((one) => findingOf(at(one.path), one)) };
  }
  const { value, broken } = expand(forEach, {}, MOST_VALUES);
  if (broken.length > 0) {
    const findings = broken.map(({ path, text }) =>
      errorAt(
        { ...at(['for_each', ...path]), text },
        {
          code: 'broken-expression',
          message: `${quoted(text)} is an expression, and for_each takes its values literally.`,
          hint: `Write the text out; $\${{ stands for the characters themselves.`,
        },
      ),
    );
    return { instances: [], findings };
  }
  return labelled(Array.isArray(value) ? value : [], at);
}

function labelled(items: readonly Json[], at: (path: Path) => Place): ForEachEntries {
  const first = new Map<string, number>();
  const findings: SourceFinding[] = [];
  const instances = items.map((item, index): ForEachEntry => {
    const values = isObject(item) ? item : { value: item };
    const [key = '', value = null] = Object.entries(values)[0] ?? [];
    const label = String(value).normalize('NFC');
    const problem = problemOfLabel(value, label, first.get(label));
    if (problem !== null)
      findings.push(errorAt(at(['for_each', index, ...(isObject(item) ? [key] : [])]), problem));
    if (!first.has(label)) first.set(label, index);
    return { label, values };
  });
  return { instances: findings.length > 0 ? [] : instances, findings };
}

/** `twin`: the entry that has the label already. */
function problemOfLabel(value: Json, label: string, twin: number | undefined): Wording | null {
  const isText = isLabel(label) && !/[[\]]| $/.test(label) && label.length <= MOST_LABEL;
  if (value === null || typeof value === 'object' || !isText)
    return {
      code: 'wrong-value',
      message: `The first value of an entry names its campaign, and ${valueWords(value)} cannot.`,
      hint: `Put a short text or a number first: one line of at most ${MOST_LABEL} visible characters, without brackets.`,
    };
  if (twin === undefined) return null;
  return {
    code: 'wrong-value',
    message: `${quoted(label)} already names the campaign of for_each[${twin}].`,
    hint: 'The first value of an entry names its campaign: it has to be unique.',
  };
}
