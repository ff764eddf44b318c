import { quoted } from '../manifest/errors.js';
import { property } from '../model/json.js';
import type { PolicyKind } from './rule.js';

export const namePolicy: PolicyKind<'name'> = {
  key: 'name',
  schema: {
    title: 'NamePolicy',
    required: ['pattern'],
    description: 'Names of campaigns.',
    examples: [{ pattern: '^[A-Z]{2} .+' }],
    properties: {
      pattern: property(
        { type: 'string', minLength: 1, maxLength: 200 },
        'A JavaScript regular expression that must match part of the name; ^ and $ match its ends.',
        '^[A-Z]{2} .+',
        '^(Brightmoor|Ledgerline) · ',
      ),
    },
  },
  faults({ pattern }) {
    const reason = syntaxError(pattern);
    if (reason === null) return [];
    const message = `name.pattern is not a valid regular expression: ${reason}.`;
    return [{ path: ['name', 'pattern'], message, hint: PATTERN_HELP }];
  },
  *check({ pattern }, { spec: { name } }) {
    if (new RegExp(pattern, 'u').test(name)) return;
    yield {
      path: ['name'],
      message: `the name ${quoted(name)} does not match ${pattern}.`,
      hint: 'Change the name before the campaign is created.',
    };
  },
};

const PATTERN_HELP =
  'Write a JavaScript regular expression (flag u). Put \\ before a literal special character.';

function syntaxError(pattern: string): string | null {
  try {
    new RegExp(pattern, 'u');
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^.*\/u: /s, '') : String(error);
  }
}
