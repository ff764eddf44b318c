import type { JsonObject } from '../../model/json.js';
import { CHECKS } from './checks.js';
import { RECOMMENDED, RECOMMENDED_NAMES } from './recommended.js';

const policy: JsonObject = {
  title: 'PolicyConfig',
  type: 'object',
  additionalProperties: false,
  description: 'What campaigns must and must not be, and why.',
  properties: {
    reason: {
      type: 'string',
      minLength: 1,
      pattern: '\\S',
      description: 'Why there is this policy; shown with everything that breaks it.',
      examples: ['Required by our privacy promise.'],
    },
    severity: {
      type: 'string',
      enum: ['error', 'warning'],
      default: 'error',
      description: 'An error stops plan and apply; a warning is shown by validate and in the plan.',
      examples: ['warning'],
    },
    environments: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', minLength: 1 },
      description: 'Where the policy holds. Default: in all environments.',
      examples: [['production']],
    },
    waivable: {
      type: 'boolean',
      default: true,
      description: 'Whether a manifest can waive it.',
      examples: [false],
    },
    optional: {
      type: 'boolean',
      default: false,
      description:
        'Whether a manifest may leave out what the policy is about. Otherwise what is not written breaks it, since nobody can tell what holds then.',
      examples: [true],
    },
    ...Object.fromEntries(CHECKS.map(({ key, schema }) => [key, schema])),
  },
};

/** Section `policies` of the project file. */
export const policiesSchema: JsonObject = {
  title: 'Policies',
  type: 'object',
  description: 'What campaigns must and must not be: the built-in set and policies of your own, by name.',
  examples: [
    {
      recommended: true,
      caps: { reason: 'Agreed with legal.', range: { 'settings.max_emails_per_day': { max: 500 } } },
    },
  ],
  propertyNames: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' },
  properties: {
    recommended: {
      type: ['boolean', 'object'],
      additionalProperties: false,
      description: 'The built-in set: all of it with true, or weighed policy by policy. Absent: off.',
      examples: [true, { 'follow-up': 'off', 'few-links': 'error' }],
      properties: Object.fromEntries(
        RECOMMENDED_NAMES.map((name) => [
          name,
          {
            type: 'string',
            enum: ['off', 'warning', 'error'],
            default: RECOMMENDED[name].severity,
            description: RECOMMENDED[name].reason,
            examples: ['off'],
          },
        ]),
      ),
    },
  },
  additionalProperties: policy,
};
