import { urlMeant } from '../model/address.js';
import { lookAlikes } from '../model/characters.js';
import { isObject, type Json, type JsonObject, objectAt, valueAt } from '../model/json.js';
import { listed } from '../model/words.js';
import { asYaml } from './as-yaml.js';
import { type Case, inside, type Violation, type ViolationGroup } from './case.js';
import { didYouMean, nearest, pathText, quoted, type Wording } from './errors.js';
import { exampleOf, lineMeant } from './fixes.js';
import { definition, examplesOf, fits, formsOf, requiredKeys, types } from './json-schema.js';
import {
  environmentVariableIn,
  hoursMeant,
  keyMeant,
  keysMeant,
  numberMeant,
  switchMeant,
  valueMeant,
} from './spellings.js';

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

/** Keys of other tools for what the API does not set. */
const OTHER_TOOLS: readonly [keys: RegExp, hint: string][] = [
  [
    /^(?:from|sender|reply_?to)(?:_?(?:name|e?mail|address|account)s?)?$|^senders$|^(?:e?mail_?|sending_?)?(?:accounts?|mailbox(?:es)?)$/i,
    'Remove it: the API does not set the sender. Attach sender accounts to the campaign in the web app.',
  ],
  [
    /^(?:tags?|labels?|(?:link|click)_?tracking|track_?(?:link|click)s?|(?:stop|pause|end)_?on_?(?:auto_?)?(?:reply|replies|response)|attachments?|b?cc|signatures?|pre_?header|preview_?text|priority)$/i,
    'Remove it: the API does not set it. If the service has it, set it in the web app.',
  ],
  [
    /^(?:approvers?|approved_?by|approvals?|reviewers?)$/i,
    'Remove it: hazards of a plan are approved with --allow, or under allow in the project file.',
  ],
  // In a project file: in manifests, it is a key of a section.
  [/^(?:timezone|time_zone|tz)$/i, 'Remove it, and write it in each manifest, below schedule.'],
];

const INCLUDES = /^(?:\$?ref|includes?|extends?|imports?|file|path|source|uses|from_?file|template_?file)$/i;

/** A shared sequence or schedule, which is included in another way in other tools. */
function includeHint({ path, value }: Case, key: string): string | null {
  const file = isObject(value) ? value[key] : null;
  if (!INCLUDES.test(key) || typeof file !== 'string' || !/\.ya?ml$/i.test(file)) return null;
  const section = path.at(-1);
  if (section === 'sequence' || section === 'schedule')
    return `Write \`${section}: ${asYaml({ use: file })}\`.`;
  return path.length > 0
    ? null
    : `Write it in the section that the file contains: \`sequence: ${asYaml({ use: file })}\`.`;
}

/** A day counted from the start of the sequence, whose number is not that of the wait. */
const DAY_OF_EMAIL = /^(?:(?:send_|on_)?day)$/i;

export const MERGE = '<<';

/** `place`: the words for the section, perhaps none. */
export function mergeKey(place: string): Wording {
  return {
    code: 'unknown-key',
    message: `"<<"${place} is a merge key, which YAML 1.2 does not have.`,
    hint: 'Write out the keys, or share them in another way: manifests have `use` and `for_each`, the project file has `defaults`.',
  };
}

export function unknownKey(failed: Case, key: string): Violation {
  const place = { path: [...failed.path, key], target: 'key' } as const;
  if (key === MERGE) return { ...mergeKey(inside(failed)), ...place, keys: [MERGE] };
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
  const include = includeHint(failed, key);
  if (include !== null) return { ...unknown(failed, key, include), ...place, keys: requiredIn(failed) };
  const isSecret = SECRET.test(key) && !isVariable(failed, key);
  const meant = keyMeant(key, known);
  if (isSecret && (meant !== null || nearest(key, known) === null))
    return { ...secretKey(key), ...place, secret: true, keys: meant === null ? [] : [meant] };
  const wrapped = wrapper(failed, key, known);
  if (wrapped !== null) return { ...unknown(failed, key, wrapped.hint), ...place, keys: wrapped.keys };
  if (meant !== null) return { ...unknown(failed, key, ''), ...otherWord(failed, key, meant), ...place };
  const home = findHome(key, failed);
  const near = nearest(key, known);
  if (near !== null && home === null)
    return {
      ...unknown(failed, key, didYouMean(near) ?? ''),
      ...place,
      keys: [near],
      ...(isSecret && { secret: true }),
    };
  if (home !== null) return { ...unknown(failed, key, ''), ...misplaced(failed, key, home), ...place };
  const [, other] = OTHER_TOOLS.find(([keys]) => keys.test(key)) ?? [];
  if (other !== undefined) return { ...unknown(failed, key, other), ...place };
  return { ...unknown(failed, key, `Allowed here: ${listed(known)}.`), ...place };
}

function requiredIn({ path, schema, section }: Case): string[] {
  if (path.length === 0) return [];
  return [schema, section, ...formsOf(section)].flatMap(requiredKeys);
}

/** A section around keys that are known here. */
function wrapper({ value, schema, root }: Case, key: string, known: readonly string[]) {
  const inner = isObject(value) ? value[key] : undefined;
  if (!isObject(inner)) return null;
  const keys = Object.keys(inner);
  const meant = keyMeant(key, known);
  const property = meant === null ? false : (objectAt(schema, 'properties')[meant] ?? false);
  if (keys.length === 0 || !keys.every((name) => known.includes(name)) || fits(inner, property, root))
    return null;
  return { hint: `Remove the key, and indent ${listed(keys)} less.`, keys };
}

/** True if the value can only be the name of an environment variable. */
function isVariable({ value }: Case, key: string): boolean {
  if (!isObject(value)) return false;
  const text = String(value[key]);
  return environmentVariableIn(text) !== null || /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_TOKEN$/.test(text);
}

function unknown(failed: Case, key: string, hint: string): Wording {
  return {
    code: 'unknown-key',
    message: `Unknown key ${quoted(key)}${lookAlikes(key)}${inside(failed)}.`,
    hint,
  };
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
    return {
      keys,
      hint: isObject(section[key])
        ? `Move what is below it to ${meant}, which is there as well.`
        : `Remove it: ${meant} is there as well.`,
    };
  if (meant === 'wait_in_days' && DAY_OF_EMAIL.test(key))
    return {
      keys,
      hint: `${didYouMean(meant)} It is the wait after this email, until the next one: 3 from day 0 to day 3.`,
    };
  if (meant === 'days' && typeof section[key] === 'boolean') {
    const days = Object.entries(section).filter(
      ([name, item]) => typeof item === 'boolean' && valueMeant(meant, name) !== undefined,
    );
    const hint = `Write days: ${asYaml(valueMeant(meant, Object.fromEntries(days)) ?? null)}.`;
    return { keys, hint, group: groupOf(failed, { id: 'days', key, hint }) };
  }
  const property = definition(objectAt(objectAt(schema, 'properties'), meant), failed.root);
  const written = section[key] ?? null;
  const line = lineMeant({
    path: [...path, meant],
    value: written,
    parent: value,
    source: null,
    schema: property,
  });
  const fitted = fitting(meant, written, property);
  const isAllowed = written === null || line !== null || fits(fitted, property, failed.root);
  // An example might say the opposite of a switch.
  const example = types(property.type).includes('boolean')
    ? `, as ${meant}: true or ${meant}: false`
    : exampleOf(meant, property);
  const hint =
    isAllowed || example === '' ? `Write \`${line ?? lineFor(meant, fitted)}\`.` : `Write it${example}.`;
  // Other tools wait before an email.
  const note = meant === 'wait_in_days' ? ' It is the wait after this email, until the next one.' : '';
  return { keys, hint: `${didYouMean(meant)} ${hint}${note}` };
}

/** The value as the key needs it: a number without its unit, a list of one. */
function fitting(key: string, value: Json, { type }: JsonObject): Json {
  const expected = types(type);
  if (key === 'token_env') return environmentVariableIn(String(value)) ?? value;
  if (key === 'base_url') return urlMeant(String(value)) ?? value;
  if (key === 'wait_in_days' && value === 0) return 1;
  if (expected.includes('boolean') && typeof value === 'string') return switchMeant(value) ?? value;
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
function misplaced(
  failed: Case,
  key: string,
  home: KeyHome,
): Pick<Violation, 'hint' | 'keys' | 'group' | 'home'> {
  const below = home.path.slice(failed.path.length);
  const isBelow = pathText(home.path.slice(0, failed.path.length)) === pathText(failed.path);
  const isEntry = home.path.at(-1) === ENTRY;
  const place = isEntry
    ? `in an entry of ${homeText(home.path.slice(0, -1))}`
    : home.path.length === 0
      ? 'at the top level of the file'
      : `under ${homeText(home.path)}`;
  const line = isBelow && below.length > 0 && !below.includes(ENTRY) ? lineBelow(failed, key, home) : null;
  const group = {
    ...groupOf(failed, { id: place, key, hint: `They belong ${place}.` }),
    meant: home.key,
  };
  const written = isObject(failed.value) ? (failed.value[key] ?? null) : null;
  const own = `\`${lineFor(home.key, valueMeant(home.key, written) ?? fitting(home.key, written, home.property))}\``;
  const isSame = home.key === key && [undefined, written].includes(valueMeant(home.key, written));
  const there = isBelow && below.length > 0 ? valueAt(failed.value, below) : undefined;
  const hint =
    isObject(there) && Object.hasOwn(there, home.key)
      ? `Remove it: ${[...below, home.key].join('.')} is there as well.`
      : isObject(failed.value) && line !== null && Object.hasOwn(failed.value, below[0] ?? '')
        ? `Move it below ${homeText(home.path)}: ${own}.`
        : `It belongs ${place}${line !== null ? `: \`${line}\`` : isSame ? '' : `, as ${own}`}.`;
  return {
    hint,
    group,
    home: [...home.path, home.key],
    ...(isBelow && below[0] !== undefined && { keys: [below[0]] }),
  };
}

/** With the keys that have to be there as well; `null` if the value is not allowed there. */
function lineBelow({ value, path, root }: Case, key: string, home: KeyHome): string | null {
  const { [key]: written = null, ...others } = isObject(value) ? value : {};
  const fitted = valueMeant(home.key, written) ?? fitting(home.key, written, home.property);
  if (written !== null && !fits(fitted, home.property, root)) return null;
  const required = [home.section, ...formsOf(home.section)]
    .map(requiredKeys)
    .filter((names) => names.includes(home.key))
    .flat()
    .filter((name) => name !== home.key);
  const rest = required.map((name) => {
    const [example = null] = examplesOf(objectAt(objectAt(home.section, 'properties'), name));
    return lineFor(name, others[name] ?? example);
  });
  return home.path
    .slice(path.length)
    .reduceRight(
      (inner, part) => `${part === ANY_NAME ? 'production' : part}: { ${inner} }`,
      [lineFor(home.key, fitted), ...rest].join(', '),
    );
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

/**
 * `path`: the names down to the section that accepts `key`, with `ENTRY` for an entry of a list. `property`: the schema of
 * the key there.
 */
interface KeyHome {
  path: readonly string[];
  key: string;
  section: JsonObject;
  property: JsonObject;
}

export const ENTRY = '*';
const ANY_NAME = '<name>';

/** Keys that mean something else in each section. */
const IN_EACH_SECTION = new Set(['name', 'id', 'file', 'path', 'with']);

/**
 * Sections below the one with the key come first, and the nearest of them, because other environments have the same sections. Other
 * words count only there, and only with a value that is allowed.
 */
function findHome(key: string, { path, value, schema, root }: Case): KeyHome | null {
  const here = path.map((part) => (typeof part === 'number' ? ENTRY : part));
  const written = isObject(value) ? (value[key] ?? null) : null;
  const [own = key, ...others] = keysMeant(key);
  const below = sectionsIn(schema, here, root).slice(1);
  const isVague = IN_EACH_SECTION.has(own);
  const homes = [
    isVague ? null : homeIn(own, below, root),
    ...others
      .map((word) => homeIn(word, below, root))
      .filter((home) => home !== null && isPossible(home, written, root)),
  ].flatMap((home) => home ?? []);
  const [home] = homes.toSorted((a, b) => a.path.length - b.path.length);
  if (home !== undefined || isVague || path.length === 0) return home ?? null;
  const inWhole = sectionsIn(root, [], root);
  const around = inWhole
    .filter((section) => isAround(section.path, here))
    .map((section) => ({ ...section, path: here.slice(0, section.path.length) }));
  const all = [...around.reverse(), ...inWhole];
  const other = others
    .filter((word) => !IN_EACH_SECTION.has(word))
    .map((word) => homeIn(word, all, root))
    .find((found) => found !== null && written !== null && isPossible(found, written, root));
  return homeIn(own, all, root) ?? other ?? null;
}

function isAround(section: readonly string[], path: readonly string[]): boolean {
  return section.length < path.length && section.every((part, at) => part === ANY_NAME || part === path[at]);
}

function isPossible({ key, property }: KeyHome, written: Json, root: JsonObject): boolean {
  const meant = valueMeant(key, written) ?? fitting(key, written, property);
  return written === null || fits(meant, property, root);
}

function homeIn(key: string, sections: readonly SchemaSection[], root: JsonObject): KeyHome | null {
  for (const { path, schema } of sections) {
    const property = objectAt(schema, 'properties')[key];
    if (isObject(property)) return { path, key, section: schema, property: definition(property, root) };
  }
  return null;
}

interface SchemaSection {
  path: readonly string[];
  schema: JsonObject;
}

/** All sections of a schema, the outer ones first. */
function sectionsIn(part: Json, path: readonly string[], root: JsonObject): SchemaSection[] {
  const found: SchemaSection[] = [];
  let level: [Json, readonly string[]][] = [[part, path]];
  while (level.length > 0) {
    const sections = level.flatMap(([schema, at]): SchemaSection[] =>
      isObject(schema) ? [{ schema: definition(schema, root), path: at }] : [],
    );
    found.push(...sections);
    level = sections.flatMap(({ schema, path: at }) => [
      ...Object.entries(objectAt(schema, 'properties')).map(([name, inner]): [Json, string[]] => [
        inner,
        [...at, name],
      ]),
      ...formsOf(schema).map((form): [Json, readonly string[]] => [form, at]),
      [schema.items ?? null, [...at, ENTRY]],
      [schema.additionalProperties ?? null, [...at, ANY_NAME]],
    ]);
  }
  return found;
}
