import { isObject, type Json, type JsonObject, objectAt } from '../model/json.js';
import { listed } from '../model/words.js';
import { type Case, definition, inside, type Violation, type ViolationGroup } from './case.js';
import { didYouMean, nearest, pathText, quoted, types, type Wording } from './errors.js';
import { lineMeant } from './fixes.js';
import { asYaml, hoursMeant, keyMeant, keysMeant, numberMeant, valueMeant, variableIn } from './spellings.js';

const SECRET = /token|secret|password|passwd|api_?key|authori[sz]ation|bearer/i;

/** Keys for both times of a schedule at once. */
const HOURS = /^(?:(?:sending|working|business|office|send)[_ -]?)?(?:times?|hours?|window)$/i;

/** Hints for keys that no longer exist, by section and key. */
const REMOVED_KEYS: ReadonlyMap<string, string> = new Map([
  [
    'service.status',
    'Remove the key: if the service shows no status, campaignctl decides it from what it did itself.',
  ],
]);

export const MERGE = '<<';

function mergeKey(failed: Case): Wording {
  return {
    code: 'unknown-key',
    message: `"<<"${inside(failed)} is a merge key, which YAML 1.2 does not have.`,
    hint: 'Write out the keys, or share them in another way: manifests have `use` and `for_each`, the project file has `defaults`.',
  };
}

export function unknownKey(failed: Case, key: string): Violation {
  const place = { path: [...failed.path, key], target: 'key' } as const;
  if (key === MERGE) return { ...mergeKey(failed), ...place, keys: [MERGE] };
  const known = Object.keys(objectAt(failed.schema, 'properties'));
  const glued = gluedKey(key, known);
  if (glued !== null) return { ...glued, ...place };
  if (/^\d{3}$/.test(key))
    return {
      ...unknown(failed, key, 'Write numbers without commas: in { … }, a comma ends the value.'),
      ...place,
    };
  const removed = REMOVED_KEYS.get(`${failed.path.at(-1)}.${key}`);
  if (removed !== undefined) return { ...unknown(failed, key, removed), ...place };
  if (HOURS.test(key) && known.includes('start_time')) {
    const hours = hoursMeant(isObject(failed.value) ? (failed.value[key] ?? null) : null);
    const lines = hours ?? 'both times: `start_time: "09:00"` and `end_time: "17:00"`';
    return { ...unknown(failed, key, `Write ${lines}.`), ...place, keys: ['start_time', 'end_time'] };
  }
  const isSecret = SECRET.test(key) && !isVariable(failed, key);
  const meant = keyMeant(key, known);
  if (isSecret && (meant !== null || nearest(key, known) === null))
    return { ...secretKey(key), ...place, secret: true, keys: meant === null ? [] : [meant] };
  if (meant !== null) return { ...unknown(failed, key, ''), ...otherWord(failed, key, meant), ...place };
  const near = nearest(key, known);
  if (near !== null)
    return {
      ...unknown(failed, key, didYouMean(near) ?? ''),
      ...place,
      keys: [near],
      ...(isSecret && { secret: true }),
    };
  const home = findHome(key, failed);
  if (home !== null) return { ...unknown(failed, key, ''), ...misplaced(failed, key, home), ...place };
  return { ...unknown(failed, key, `Allowed here: ${listed(known)}.`), ...place };
}

/** True if the value can only be the name of an environment variable. */
function isVariable({ value }: Case, key: string): boolean {
  if (!isObject(value)) return false;
  const text = String(value[key]);
  return variableIn(text) !== null || /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_TOKEN$/.test(text);
}

function unknown(failed: Case, key: string, hint: string): Wording {
  return { code: 'unknown-key', message: `Unknown key ${quoted(key)}${inside(failed)}.`, hint };
}

function secretKey(key: string): Wording {
  return {
    code: 'secret-in-file',
    message: `${key} is not a known key, and its value may be a secret.`,
    hint: "Put the token in an environment variable, and write the variable's name under token_env. Revoke the token and create a new one, because it was stored in a file.",
  };
}

/** A known key in another spelling or with another word, and the line to write. */
function otherWord(failed: Case, key: string, meant: string): Pick<Violation, 'hint' | 'keys' | 'group'> {
  const { value, path, schema } = failed;
  const section = isObject(value) ? value : {};
  const keys = [meant];
  if (meant !== key && Object.hasOwn(section, meant))
    return { keys, hint: `Remove it: ${meant} is there as well.` };
  if (meant === 'days' && typeof section[key] === 'boolean') {
    const days = Object.entries(section).filter(
      ([name, item]) => typeof item === 'boolean' && valueMeant(meant, name) !== undefined,
    );
    const hint = `Write days: ${asYaml(valueMeant(meant, Object.fromEntries(days)) ?? null)}.`;
    return { keys, hint, group: groupOf(failed, { id: 'days', key, hint }) };
  }
  const property = objectAt(objectAt(schema, 'properties'), meant);
  const written = section[key] ?? null;
  const line = lineMeant({
    path: [...path, meant],
    value: written,
    parent: value,
    source: null,
    schema: property,
  });
  return {
    keys,
    hint: `${didYouMean(meant)} Write \`${line ?? lineFor(meant, fitting(meant, written, property))}\`.`,
  };
}

/** The value as the key needs it: a number without its unit, a list of one. */
function fitting(key: string, value: Json, { type }: JsonObject): Json {
  const expected = types(type);
  if (key === 'token_env') return variableIn(String(value)) ?? value;
  if (expected.includes('integer') && typeof value === 'string') return numberMeant(key, value) ?? value;
  return expected.includes('array') && value !== null && typeof value !== 'object' ? [value] : value;
}

/** Long values are left out. */
export function lineFor(key: string, value: Json): string {
  const line = asYaml(value);
  return value === null || line.length > 50 || line.includes('\\n') ? `${key}: …` : `${key}: ${line}`;
}

function groupOf(failed: Case, { id, key, hint }: { id: string; key: string; hint: string }): ViolationGroup {
  const place = `${pathText(failed.path)}: ${id}`;
  return { id: place, word: quoted(key), before: 'Unknown keys ', after: `${inside(failed)}.`, hint };
}

/** A key of another section. All keys of the section that belong to the same one are reported once. */
function misplaced(failed: Case, key: string, home: KeyHome): Pick<Violation, 'hint' | 'keys' | 'group'> {
  const below = home.path.slice(failed.path.length);
  const isBelow = pathText(home.path.slice(0, failed.path.length)) === pathText(failed.path);
  const place =
    home.path.at(-1) === ENTRY ? `an entry of ${homeText(home.path.slice(0, -1))}` : homeText(home.path);
  const value = isObject(failed.value) ? (failed.value[key] ?? null) : null;
  const line = below.reduceRight(
    (inner, part) =>
      part === ENTRY ? `[${inner}]` : `${part}: ${inner.startsWith('[') ? inner : `{ ${inner} }`}`,
    lineFor(home.key, value),
  );
  const isShort = isBelow && below.length > 0 && !below.includes(ENTRY) && !below.includes(ANY_NAME);
  const preposition = home.path.at(-1) === ENTRY ? 'in' : 'under';
  const hint = `It belongs ${preposition} ${place}${isShort ? `: \`${line}\`` : ''}.`;
  const group = groupOf(failed, { id: place, key, hint: `They belong ${preposition} ${place}.` });
  return { hint, group, ...(isBelow && below[0] !== undefined && { keys: [below[0]] }) };
}

const homeText = (path: readonly string[]) => path.join('.').replaceAll(`.${ENTRY}`, '[]');

/** `max_emails_per_day:200`, `sandbox { profile: …` and `-lists`, which YAML takes for keys. */
function gluedKey(key: string, known: readonly string[]): (Wording & { keys: string[] }) | null {
  const [, dash, word = '', sign] = /^(-)?([\w-]+?)(:|\s)?(?=$|[^\w-]|(?<=:))/.exec(key) ?? [];
  if (!known.includes(word) || word === key) return null;
  const missing =
    dash !== undefined
      ? 'space is missing after the dash'
      : sign === ':'
        ? 'space is missing after the colon'
        : 'colon is missing';
  return {
    code: 'unknown-key',
    message: `A ${missing} of ${word}.`,
    hint: `Write \`${dash === undefined ? '' : '- '}${word}: …\`.`,
    keys: [word],
  };
}

/** `path`: the names down to the section that accepts `key`, with `ENTRY` for an entry of a list. */
interface KeyHome {
  path: readonly string[];
  key: string;
}

const ENTRY = '*';
const ANY_NAME = '<name>';

/** Sections below the one with the key come first, because other environments have the same sections. */
function findHome(key: string, { path, schema, root }: Case): KeyHome | null {
  const here = path.map((part) => (typeof part === 'number' ? ENTRY : part));
  for (const [part, names] of [
    [schema, here],
    [root, []],
  ] as const)
    for (const word of keysMeant(key)) {
      const home = homeBelow(word, part, { root, path: names, isTop: true });
      if (home !== null) return { path: home, key: word };
    }
  return null;
}

function homeBelow(
  key: string,
  part: Json,
  { root, path, isTop }: { root: JsonObject; path: readonly string[]; isTop: boolean },
): readonly string[] | null {
  if (!isObject(part)) return null;
  const schema = definition(part, root);
  const properties = objectAt(schema, 'properties');
  if (!isTop && Object.hasOwn(properties, key)) return path;
  const forms = Array.isArray(schema.oneOf) ? schema.oneOf : [];
  const inner: [Json, readonly string[]][] = [
    ...Object.entries(properties).map(([name, property]): [Json, string[]] => [property, [...path, name]]),
    ...forms.map((form): [Json, readonly string[]] => [form, path]),
    [schema.items ?? null, [...path, ENTRY]],
    [schema.additionalProperties ?? null, [...path, ANY_NAME]],
  ];
  for (const [field, names] of inner) {
    const home = homeBelow(key, field, { root, path: names, isTop: false });
    if (home !== null) return home;
  }
  return null;
}
