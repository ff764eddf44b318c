import { isObject, type Json, type JsonObject, valueAt } from '../model/json.js';
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
  if (value === null || typeof value === 'object' || typeof value === 'boolean' || !isText)
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
