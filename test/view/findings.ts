import fc from 'fast-check';
import type { LocatedFinding } from '../../src/model/outputs.js';
import { anyText } from '../support/texts.js';

const LINE = '    Hi {first_name}, worth a look?';

/** A finding with these fields. */
export function finding(part: Partial<LocatedFinding> = {}): LocatedFinding {
  return {
    code: 'variable-case',
    severity: 'error',
    message: 'step 1, email_body: {first_name} is no variable.',
    hint: 'Write {FIRST_NAME}.',
    file: 'campaigns/spring.yaml',
    line: 7,
    column: 8,
    length: 12,
    excerpt: LINE,
    ...part,
  };
}

/** Texts that are hostile to terminals, logs, URIs, Markdown or XML, and arbitrary texts. */
const hostile = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: anyText({ maxLength: 6 }) },
      fc.constantFrom(
        ...['\u001b[31m', '\u009b2J', '\u0000', '\r', '\n', '\r\n', '\t'],
        ...['\u202e', '\ud800', '\udc00', '\uffff'],
        ...['::error::x', '::add-mask::x', '\n ::stop-commands::x', '##[add-mask]x', '##vso[task.complete]'],
        ...['%', '%0A', '%25', '%3A%2C', ',', ':', '::', '=', ', title=x', '#', '?', '//', '../', 'http://'],
        ...[']]>', '&amp;', '&#0;', '<!--', '</failure>', '"', "'"],
        ...['[x](1)', '[x](http://example.com)', '{0}'],
      ),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(''));

/** Findings with hostile texts in every untrusted part. */
export const hostileFindings: fc.Arbitrary<LocatedFinding[]> = fc.array(
  fc.record({
    code: fc.constantFrom('variable-case', 'liquid', 'wrong-value'),
    severity: fc.constantFrom('error' as const, 'warning' as const),
    message: hostile,
    hint: hostile,
    file: hostile.map((text) => `campaigns/${text}.yaml`),
    line: fc.integer({ min: 1, max: 9 }),
    column: fc.integer({ min: 1, max: 9 }),
    length: fc.integer({ min: 1, max: 9 }),
    excerpt: hostile,
  }),
  { maxLength: 30 },
);

/** Characters that a terminal would act on or not show. */
export const MOVES =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;
