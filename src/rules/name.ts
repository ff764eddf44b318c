import { quoted } from '../manifest/errors.js';
import { property } from '../model/json.js';
import type { Pattern, Patterns, PolicyKind } from './rule.js';

/** How campaigns are named. */
export const namePolicy: PolicyKind<'name'> = {
  key: 'name',
  schema: {
    title: 'NamePolicy',
    required: ['pattern'],
    description: 'What campaigns are called.',
    examples: [{ pattern: '^[A-Z]{2} .+' }],
    properties: {
      pattern: property(
        { type: 'string', minLength: 1, maxLength: 200 },
        'A regular expression (RE2) that is found in the name; ^ and $ stand for its ends.',
        '^[A-Z]{2} .+',
        '^(Brightmoor|Ledgerline) · ',
      ),
    },
  },
  faults({ pattern }, patterns) {
    const compiled = patterns.get(pattern);
    if (compiled === undefined || 'test' in compiled) return [];
    const message = `name.pattern is not a valid pattern: ${compiled.problem}.`;
    return [{ path: ['name', 'pattern'], message, hint: PATTERN_HELP }];
  },
  *check({ pattern }, { spec: { name } }, { patterns }) {
    const compiled = patterns.get(pattern);
    if (compiled === undefined || !('test' in compiled) || compiled.test(name)) return;
    yield {
      path: ['name'],
      message: `the name ${quoted(name)} does not match ${pattern}.`,
      hint: 'Rename the campaign before it is created.',
    };
  },
};

const PATTERN_HELP =
  'Patterns are RE2: letters, . [a-z] \\d \\w \\s \\p{…} ( ) | ? * + {2,5} ^ and $. Lookaround and backreferences do not exist; put \\ before a character that is meant literally.';

/** Compiles patterns. RE2 is large: it is loaded where there is one. */
export async function compilePatterns(sources: readonly string[]): Promise<Patterns> {
  if (sources.length === 0) return new Map();
  const { RE2JS, RE2JSSyntaxException } = await import('re2js');
  const compiled = sources.map((source): [string, Pattern] => {
    try {
      const pattern = RE2JS.compile(source);
      return [source, { test: (text) => pattern.matcher([...text].slice(0, MOST).join('')).find() }];
    } catch (error) {
      if (!(error instanceof RE2JSSyntaxException)) throw error;
      return [source, { problem: problemOf(error.getDescription(), error.getPattern() ?? '') }];
    }
  });
  return new Map(compiled);
}

/** Characters of a text that are looked at: enough for any name, so that none takes long. */
const MOST = 500;

const PROBLEMS: Record<string, (piece: string) => string> = {
  'missing closing )': () => 'a ( has no )',
  'unexpected )': () => 'a ) has no (',
  'missing closing ]': () => 'a [ has no ]',
  'missing argument to repetition operator': (piece) => `${piece} has nothing to repeat`,
  'invalid nested repetition operator': () => 'two repetitions follow each other',
  'invalid repeat count': (piece) => `${piece} is not a count up to 1000`,
  'trailing backslash at end of expression': () => 'it ends with a single \\',
};

/** What RE2 says of a pattern, or of a piece of it, in the words of this program. */
function problemOf(said: string, piece: string): string {
  return PROBLEMS[said]?.(piece) ?? `${piece || 'it'} is not understood`;
}
