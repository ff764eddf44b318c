import type { LintSubject } from '../../manifest/resolve.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { SETTINGS, type SettingType } from '../../model/settings.js';
import type { CampaignSpec } from '../../model/spec.js';
import type { Remark } from '../lint/rule.js';
import { type Check, notWritten } from './check.js';

const VALUES: Record<SettingType, JsonObject> = {
  integer: { type: ['integer', 'string'], minimum: 0, pattern: '^any$' },
  boolean: { enum: [true, false, 'any'] },
  text: { type: 'string', minLength: 1 },
};

const settings = SETTINGS.map(({ name, type, description, examples: [example] }) => [
  `settings.${name}`,
  { ...VALUES[type], description, examples: [example, 'any'] },
]);
const section = { type: 'string', enum: ['any'], examples: ['any'] };

const schema: JsonObject = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  description: 'What a manifest has to write, each with the value that it must have, or any.',
  examples: [{ 'settings.can_unsubscribe': true, 'settings.unsubscribe_text': 'any' }],
  properties: {
    ...Object.fromEntries(settings),
    schedule: { ...section, description: 'Days and times, or a template.' },
    sequence: { ...section, description: 'Emails.' },
    leads: { ...section, description: 'Lead lists or ids.' },
    status: {
      type: 'string',
      enum: ['running', 'paused', 'any'],
      description: 'Whether the campaign runs.',
      examples: ['paused'],
    },
  },
};

/** Values that have to be written. What is not written is not managed: it cannot be said to hold. */
export const required: Check = {
  key: 'require',
  schema,
  faults: () => [],
  breaches({ require: wanted = {}, optional = false }, { subject }) {
    return Object.entries(wanted).flatMap(([key, value]) => breach(subject, { key, value, optional }));
  },
};

function breach(
  subject: LintSubject,
  { key, value, optional }: { key: string; value: Json; optional: boolean },
): Remark[] {
  const found = writtenAt(subject.spec, key);
  const wanted = value === 'any' ? null : JSON.stringify(value);
  const hint = wanted === null ? `Write ${key}.` : `Set ${key} to ${wanted}.`;
  if (found === undefined) return optional ? [] : [notWritten(subject, key.split('.'), hint)];
  const isEmpty = found === null || (typeof found === 'string' && found.trim() === '');
  if (wanted === null ? !isEmpty : found === value) return [];
  const message = isEmpty
    ? `${key} is empty.`
    : `${key} is ${JSON.stringify(found)}, where ${wanted} is asked for.`;
  return [{ message, hint, place: subject.at(key.split('.')) }];
}

/** The value under `section.key` or `section` of a spec; undefined where it is not written. */
function writtenAt(spec: CampaignSpec, key: string): Json | undefined {
  let value: Json | undefined = { ...spec } as unknown as JsonObject;
  for (const part of key.split('.'))
    value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  return value;
}
