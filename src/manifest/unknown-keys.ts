import { codePoint, lookAlikes } from '../model/characters.js';
import { isObject, type Json, type JsonObject, objectAt, valueAt } from '../model/json.js';
import { listed } from '../model/words.js';

import { asYaml, lineFor } from './as-yaml.js';
import { didYouMean, pathText, quoted, type Wording } from './errors.js';
import { isExpression } from './expressions.js';
import { exampleOf, fitting, lineMeant, titleIn, typeHint } from './fixes.js';
import { definition, examplesOf, fits, formsOf, propertyNames, requiredKeys, types } from './json-schema.js';
import { ANY_NAME, ENTRY, findHome, type KeyHome, valueAtHome } from './key-home.js';
import { nearest } from './nearest.js';
import { mayBeSecret } from './secrets.js';
import { hoursMeant, keyMeant, switchMeant, valueMeant } from './spellings.js';
import { type FailedCheck, inside, type Violation, type ViolationGroup } from './violation.js';

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
    /^(?:tags?|labels?|(?:link|click)_?tracking|track_?(?:link|click)s?|(?:stop|pause|end)_?on_?(?:auto_?)?(?:reply|replies|response)|start|starts?_?(?:at|on)|(?:start|end|launch|send)_?date|campaign_?type|attachments?|b?cc|signatures?|pre_?header|preview_?text|priority)$/i,
    'Remove it: the API does not set it. If the service has it, set it in the web app.',
  ],
  [
    /^(?:approvers?|approved_?by|approvals?|reviewers?)$/i,
    'Remove it: hazards of a plan are approved with --allow, or under allow in the project file.',
  ],
  // In a project file: in manifests, it is a key of a section.
  [/^(?:timezone|time_zone|tz)$/i, 'Remove it, and write it in each manifest, below schedule.'],
];

/** A key that a section does not have. `value`: `null` if it has none. `known`: the keys of the section. */
interface UnknownKey {
  key: string;
  value: Json;
  section: JsonObject;
  known: readonly string[];
  /** The known key that it is another spelling of or another word for. */
  meant: string | null;
  failed: FailedCheck;
}

type Explanation = Partial<Omit<Violation, 'path'>>;

/** What may be wrong with an unknown key. The first that applies explains it. */
const EXPLANATIONS: readonly ((unknown: UnknownKey) => Explanation | null)[] = [
  merge,
  spaced,
  glued,
  partOfNumber,
  removed,
  hours,
  included,
  secret,
  wrapper,
  unsubscribe,
  otherWord,
  misplaced,
  misspelt,
  ofOtherTool,
];

export function unknownKey(failed: FailedCheck, key: string): Violation {
  const section = isObject(failed.value) ? failed.value : {};
  const known = Object.keys(objectAt(failed.schema, 'properties'));
  const value = section[key] ?? null;
  const unknown = { key, value, section, known, meant: keyMeant(key, known), failed };
  const explanation = EXPLANATIONS.reduce<Explanation | null>(
    (first, explain) => first ?? explain(unknown),
    null,
  );
  return {
    code: 'unknown-key',
    message: unknownMessage(failed, key),
    hint: `Allowed here: ${listed(known)}.`,
    target: 'key',
    ...explanation,
    path: [...failed.path, key],
  };
}

function unknownMessage(section: FailedCheck, key: string): string {
  return `Unknown key ${quoted(key)}${lookAlikes(key)}${inside(section)}.`;
}

export const MERGE = '<<';

/** `place`: the words for the section, perhaps none. */
export function mergeKey(place: string): Wording {
  return {
    code: 'unknown-key',
    message: `"<<"${place} is a merge key, which YAML 1.2 does not have.`,
    hint: 'Write out the keys, or share them in another way: manifests have `use` and `for_each`, the project file has `defaults`.',
  };
}

/** It may contain every key of the section. */
function merge({ key, known, failed }: UnknownKey): Explanation | null {
  if (key !== MERGE) return null;
  return { ...mergeKey(inside(failed)), provides: [...known, ...propertyNames(failed.section)] };
}

/** A known key with a space that is not U+0020, which people cannot see. */
function spaced({ key, known }: UnknownKey): Explanation | null {
  const [hidden] = HIDDEN_SPACE.exec(key) ?? [];
  const word = key.replaceAll(/[\s\u200b-\u200f\u2060]/gu, '');
  if (hidden === undefined || !known.includes(word)) return null;
  return {
    message: `The key ${word} contains the invisible character ${codePoint(hidden)}.`,
    hint: `Delete the character: \`${word}: …\`.`,
    provides: [word],
  };
}

const HIDDEN_SPACE = /[^\S ]|[\u200b-\u200f\u2060]/u;

/** `max_emails_per_day:200`, `sandbox { profile: …` and `-lists`, which YAML takes for keys. */
function glued({ key, known }: UnknownKey): Explanation | null {
  const [whole = '', dash, word = '', sign] = /^(-)?([\w-]+?)(:|\s)?(?=$|[^\w-]|(?<=:))/.exec(key) ?? [];
  if (!known.includes(word) || word === key) return null;
  const missing =
    dash !== undefined
      ? 'space is missing after the dash'
      : sign === ':'
        ? 'space is missing after the colon'
        : 'colon is missing';
  return {
    message: `A ${missing} of ${word}.`,
    hint: `Write \`${dash === undefined ? '' : '- '}${word}: …\`.`,
    provides: [word],
    // The key itself holds the value.
    ...(mayBeSecret(word, key.slice(whole.length).trim()) && { secret: true, target: 'value' }),
  };
}

function partOfNumber({ key }: UnknownKey): Explanation | null {
  return /^\d{3}$/.test(key)
    ? { hint: 'Write numbers without commas: in { … }, a comma ends the value.' }
    : null;
}

function removed({ key, failed }: UnknownKey): Explanation | null {
  const hint = REMOVED_KEYS.get(`${failed.path.at(-1)}.${key}`);
  return hint === undefined ? null : { hint };
}

function hours({ key, value, known }: UnknownKey): Explanation | null {
  if (!HOURS.test(key) || !known.includes('start_time')) return null;
  const lines = hoursMeant(value) ?? 'both times: `start_time: "09:00"` and `end_time: "17:00"`';
  return { hint: `Write ${lines}.`, provides: ['start_time', 'end_time'] };
}

const INCLUDES = /^(?:\$?ref|includes?|extends?|imports?|file|path|source|uses|from_?file|template_?file)$/i;

/** A shared sequence or schedule, which is included in another way in other tools. */
function included({ key, value: file, failed }: UnknownKey): Explanation | null {
  const { path, schema } = failed;
  if (!INCLUDES.test(key) || typeof file !== 'string' || !/\.ya?ml$/i.test(file)) return null;
  const section = path.at(-1);
  if (section === undefined) {
    const line = `sequence: ${asYaml({ use: file })}`;
    return { hint: `Write it in the section that the file contains: \`${line}\`.`, provides: [] };
  }
  if (section !== 'sequence' && section !== 'schedule') return null;
  const whole = [schema, failed.section, ...formsOf(failed.section)];
  return {
    hint: `Write \`${section}: ${asYaml({ use: file })}\`.`,
    provides: whole.flatMap(requiredKeys),
  };
}

function secret({ key, value, known, meant }: UnknownKey): Explanation | null {
  const [name = key, gluedValue] = key.split(/[:=]\s*(.*)/s);
  if (!mayBeSecret(name, gluedValue ?? value) || (meant === null && nearest(key, known) !== null))
    return null;
  return {
    code: 'secret-in-file',
    message: `${name} is not a known key, and its value may be a secret.`,
    hint: "Put the token in an environment variable, and write the variable's name under token_env. Revoke the token and create a new one, because it was stored in a file.",
    secret: true,
    ...(gluedValue !== undefined && { target: 'value' }),
    provides: meant === null ? [] : [meant],
  };
}

/** A misspelt key in a section that takes any name, with a value that only the known key can have; otherwise `null`. */
export function misspeltKey(failed: FailedCheck): Violation | null {
  const { path, value, around, root } = failed;
  const key = String(path.at(-1));
  const properties = objectAt(around, 'properties');
  const near = nearest(key, Object.keys(properties));
  if (near === null || near === key || !fits(value, properties[near] ?? false, root)) return null;
  return {
    code: 'unknown-key',
    message: unknownMessage({ ...failed, path: path.slice(0, -1) }, key),
    hint: didYouMean(near) ?? '',
    ...{ path, target: 'key', provides: [near] },
  };
}

/** A section around keys that are known here. */
function wrapper({ value, known, meant, failed: { schema, root } }: UnknownKey): Explanation | null {
  if (!isObject(value)) return null;
  const keys = Object.keys(value);
  const property = meant === null ? false : (objectAt(schema, 'properties')[meant] ?? false);
  if (keys.length === 0 || !keys.every((name) => known.includes(name)) || fits(value, property, root))
    return null;
  return { hint: `Remove the key, and indent ${listed(keys)} less.`, provides: keys };
}

/** A day counted from the start of the sequence, whose number is not that of the wait. */
const DAY_OF_EMAIL = /^(?:(?:send_|on_)?day)$/i;

/** The link of the settings has a switch and a text. */
function unsubscribe({ key, value, section, meant }: UnknownKey): Explanation | null {
  const isSwitch = typeof value !== 'string' || switchMeant(value) !== undefined;
  const isOff =
    value === null || value === false || (typeof value === 'string' && switchMeant(value) === false);
  if (meant !== 'can_unsubscribe' || key === meant || isOff || Object.hasOwn(section, meant)) return null;
  const own = section.unsubscribe_text;
  const text = isSwitch ? (typeof own === 'string' ? null : 'Unsubscribe') : value;
  if (text === null) return null;
  const provides = ['can_unsubscribe', 'unsubscribe_text'];
  return {
    provides,
    hint: `Write two lines: \`can_unsubscribe: true\` and \`unsubscribe_text: ${asYaml(text)}\`.`,
  };
}

/** A known key in another spelling or with another word, and the line to write. */
function otherWord({ key, value, section, meant, failed }: UnknownKey): Explanation | null {
  if (meant === null) return null;
  const { path, schema } = failed;
  const provides = [meant];
  if (meant !== key && Object.hasOwn(section, meant))
    return {
      provides,
      hint: isObject(value)
        ? `Move what is below it to ${meant}, which is there as well.`
        : `Remove it: ${meant} is there as well.`,
    };
  if (meant === 'wait_in_days' && DAY_OF_EMAIL.test(key))
    return {
      provides,
      hint: `${didYouMean(meant)} It is the wait after this email, until the next one: 3 from day 0 to day 3.`,
    };
  if (meant === 'days' && typeof value === 'boolean') {
    const days = Object.entries(section).filter(
      ([name, item]) => typeof item === 'boolean' && valueMeant(meant, name) !== undefined,
    );
    const hint = `Write days: ${asYaml(valueMeant(meant, Object.fromEntries(days)) ?? null)}.`;
    return { provides, hint, group: groupOf(failed, { id: 'days', key, hint }) };
  }
  const property = definition(objectAt(objectAt(schema, 'properties'), meant), failed.root);
  const wrong = { path: [...path, meant], value, parent: section, source: null, schema: property };
  if (meant === 'sequence' && Array.isArray(value))
    return { provides, hint: `${didYouMean(meant)} ${typeHint('object', wrong)}` };
  const line = lineMeant(wrong);
  const fitted = fitting(meant, value, property);
  const isAllowed = value === null || line !== null || mayFit(fitted, property, failed.root);
  // An example might say the opposite of a switch.
  const example = types(property.type).includes('boolean')
    ? `, as ${meant}: true or ${meant}: false`
    : exampleOf(meant, property);
  const written = line ?? lineFor(meant, fitted);
  // Only the key is wrong, and no line can repeat what is below it.
  const isBlock = Array.isArray(value) ? types(property.type).includes('array') : isObject(value);
  if (isAllowed || example === '' ? value !== null && written === `${meant}: …` : isBlock)
    return { provides, hint: `Rename it to ${meant}.` };
  const hint = isAllowed || example === '' ? `Write \`${written}\`.` : `Write it${example}.`;
  // Other tools wait before an email. Different waits of several emails are told one by one.
  return meant === 'wait_in_days'
    ? { provides, hint: `${hint} It is the wait after this email, until the next one.` }
    : { provides, hint: `${didYouMean(meant)} ${hint}` };
}

function groupOf(
  failed: FailedCheck,
  { id, key, hint }: { id: string; key: string; hint: string },
): ViolationGroup {
  const place = `${pathText(failed.path)}: ${id}`;
  return { id: place, word: quoted(key), before: 'Unknown keys ', after: `${inside(failed)}.`, hint };
}

/** A key of another section. All keys of the section that belong to the same one are reported once. */
function misplaced({ key, value, section, failed }: UnknownKey): Explanation | null {
  const home = findHome(key, failed);
  if (home === null) return null;
  const below = home.path.slice(failed.path.length);
  const isBelow = pathText(home.path.slice(0, failed.path.length)) === pathText(failed.path);
  const isEntry = home.path.at(-1) === ENTRY;
  const place = isEntry
    ? `in an entry of ${homeText(home.path.slice(0, -1))}`
    : home.path.length === 0
      ? 'at the top level of the file'
      : `under ${homeText(home.path)}`;
  const line = isBelow && below.length > 0 && !below.includes(ENTRY) ? lineBelow(failed, key, home) : null;
  const group = groupOf(failed, { id: place, key, hint: `They belong ${place}.` });
  const own = `\`${lineFor(home.key, valueAtHome(home, value))}\``;
  const isSame = home.key === key && [undefined, value].includes(valueMeant(home.key, value));
  const there = isBelow && below.length > 0 ? valueAt(section, below) : undefined;
  const hint =
    isObject(there) && Object.hasOwn(there, home.key)
      ? `Remove it: ${[...below, home.key].join('.')} is there as well.`
      : line !== null && Object.hasOwn(section, below[0] ?? '')
        ? `Move it below ${homeText(home.path)}: ${own}.`
        : `It belongs ${place}${line !== null ? `: \`${line}\`` : isSame ? '' : `, as ${own}`}.`;
  return {
    hint,
    group: { ...group, meant: home.key },
    home: [...home.path, home.key],
    ...(isBelow && below[0] !== undefined && { provides: [below[0]] }),
  };
}

/** The value of an expression may be of any type. */
function mayFit(value: Json, property: JsonObject, root: JsonObject): boolean {
  return (typeof value === 'string' && isExpression(value)) || fits(value, property, root);
}

const homeText = (path: readonly string[]) => path.join('.').replaceAll(`.${ENTRY}`, '[]');

/** With the keys that have to be there as well; `null` if the value is not allowed there. */
function lineBelow({ value, path, root }: FailedCheck, key: string, home: KeyHome): string | null {
  const { [key]: written = null, ...others } = isObject(value) ? value : {};
  const fitted = valueAtHome(home, written);
  if (written !== null && !mayFit(fitted, home.property, root)) return null;
  const required = [home.section, ...formsOf(home.section)]
    .map(requiredKeys)
    .filter((names) => names.includes(home.key))
    .flat()
    .filter((name) => name !== home.key);
  const rest = required.map((name) => {
    const [example = null] = examplesOf(objectAt(objectAt(home.section, 'properties'), name));
    return lineFor(name, others[name] ?? (name === 'title' ? titleIn(others) : example));
  });
  return home.path
    .slice(path.length)
    .reduceRight(
      (inner, part) => `${part === ANY_NAME ? 'production' : part}: { ${inner} }`,
      [lineFor(home.key, fitted), ...rest].join(', '),
    );
}

function misspelt({ key, value, known }: UnknownKey): Explanation | null {
  const near = nearest(key, known);
  if (near === null) return null;
  return {
    hint: didYouMean(near) ?? '',
    provides: [near],
    ...(mayBeSecret(key, value) && { secret: true }),
  };
}

function ofOtherTool({ key }: UnknownKey): Explanation | null {
  const [, hint] = OTHER_TOOLS.find(([keys]) => keys.test(key)) ?? [];
  return hint === undefined ? null : { hint };
}
