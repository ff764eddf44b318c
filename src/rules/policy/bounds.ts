import type { LintSubject } from '../../manifest/resolve.js';
import type { JsonObject } from '../../model/json.js';
import { SETTINGS } from '../../model/settings.js';
import type { Remark } from '../lint/rule.js';
import { type Check, notWritten, reversed } from './check.js';

interface Bounds {
  min?: number;
  max?: number;
}

const boundsSchema: JsonObject = {
  title: 'Bounds',
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    min: { type: 'integer', minimum: 0, description: 'The smallest number that is fine.', examples: [10] },
    max: { type: 'integer', minimum: 0, description: 'The largest number that is fine.', examples: [500] },
  },
};
const NUMBERS = SETTINGS.filter((setting) => setting.type === 'integer');
const examples = [{ max: 500 }, { min: 10, max: 500 }];

const schema: JsonObject = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  description: 'Caps and floors of numbers.',
  examples: [{ 'settings.max_emails_per_day': { min: 10, max: 500 } }],
  properties: Object.fromEntries(
    NUMBERS.map(({ name, description }) => [`settings.${name}`, { ...boundsSchema, description, examples }]),
  ),
};

/** Numbers within bounds. One that is not written has its live value, whatever that is; null is no number. */
export const bounds: Check = {
  key: 'range',
  schema,
  faults: ({ range: ranges = {} }) =>
    Object.entries(ranges).flatMap(([key, { min, max }]) => reversed(min, max, ['range', key])),
  breaches: ({ range: ranges = {}, optional = false }, { subject }) =>
    NUMBERS.flatMap(({ name }) => breach(name, ranges[`settings.${name}`], { subject, optional })),
};

function breach(
  field: (typeof NUMBERS)[number]['name'],
  bounds: Bounds | undefined,
  { subject, optional }: { subject: LintSubject; optional: boolean },
): Remark[] {
  if (bounds === undefined) return [];
  const path = ['settings', field];
  const hint = `Write ${words(bounds)}.`;
  const found = subject.spec.settings?.[field];
  if (found === undefined) return optional ? [] : [notWritten(subject, path, hint)];
  const message = outside(found, bounds);
  return message === null
    ? []
    : [{ message: `${path.join('.')} is ${message}.`, hint, place: subject.at(path) }];
}

function outside(found: number | null, { min, max }: Bounds): string | null {
  if (found === null) return 'null, which is no limit that could be checked';
  if (max !== undefined && found > max) return `${found}, more than ${max}`;
  return min !== undefined && found < min ? `${found}, less than ${min}` : null;
}

function words({ min, max }: Bounds): string {
  if (min === undefined) return `${max} or less`;
  return max === undefined ? `${min} or more` : `a number from ${min} to ${max}`;
}
