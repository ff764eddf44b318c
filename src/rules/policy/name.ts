import { quoted } from '../../manifest/words.js';
import type { JsonObject } from '../../model/json.js';
import type { Check } from './check.js';
import { compile, PATTERN_HELP } from './pattern.js';

const schema: JsonObject = {
  title: 'NamePolicy',
  type: 'object',
  additionalProperties: false,
  required: ['pattern'],
  description: 'What campaigns are called.',
  examples: [{ pattern: '^[A-Z]{2} .+' }],
  properties: {
    pattern: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description: 'A regular expression that is found in the name; ^ and $ stand for its ends.',
      examples: ['^[A-Z]{2} .+', '^(Brightmoor|Ledgerline) · '],
    },
  },
};

/** How campaigns are named. */
export const name: Check = {
  key: 'name',
  schema,
  faults({ name: { pattern } = { pattern: '' } }) {
    const compiled = compile(pattern);
    if ('test' in compiled) return [];
    const message = `name.pattern is no pattern that can be used: ${compiled.problem}.`;
    return [{ path: ['name', 'pattern'], message, hint: PATTERN_HELP }];
  },
  breaches({ name: { pattern } = { pattern: '' } }, { subject }) {
    const compiled = compile(pattern);
    if (!('test' in compiled) || compiled.test(subject.spec.name)) return [];
    const message = `the name ${quoted(subject.spec.name)} is not of the form ${pattern}`;
    return [
      {
        message: `${message}.`,
        hint: 'Rename the campaign before it is created.',
        place: subject.at(['name']),
      },
    ];
  },
};
