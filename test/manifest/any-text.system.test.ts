import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CODES } from '../../src/manifest/errors.js';
import { RULES } from '../../src/rules/check.js';
import { check } from './check.js';

const codes = [...Object.keys(CODES), ...RULES.map(({ code }) => code)];

function isSound(text: string): boolean {
  const { findings } = check({ 'campaigns/spring.yaml': text });
  return findings.every(
    ({ code, message, hint, line, column, length, excerpt }) =>
      codes.includes(code) &&
      message !== '' &&
      hint !== '' &&
      line >= 1 &&
      line <= text.split('\n').length &&
      column >= 1 &&
      column <= excerpt.length + 1 &&
      length >= 1,
  );
}

test('no text makes the parser throw, and every finding has a code, a hint and a place in the file', () => {
  const piece = fc.constantFrom(
    ...[
      'name: ',
      'schedule:',
      'settings:',
      '\n',
      '\n  ',
      '\n    - ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      ': ',
      ', ',
    ],
    ...[
      '&a ',
      '*a',
      '!!set ',
      '|\n',
      '>-\n',
      '---\n',
      '...\n',
      '%YAML 1.1\n',
      '# ',
      '\t',
      '\r\n',
      '? ',
      '<<: ',
      'yes',
      '1e3',
    ],
    ...[
      'environments:',
      'production:',
      'days',
      'monday',
      'steps',
      '__proto__: ',
      'null',
      '.inf',
      '\u0000',
      '\ud800',
      '😀',
    ],
  );
  fc.assert(fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => isSound(pieces.join(''))));
});

test('no JSON makes the validator throw', () => {
  const keys = [
    'name',
    'schedule',
    'template',
    'days',
    'sequence',
    'steps',
    'variants',
    'leads',
    'ids',
    'environments',
    'production',
  ];
  const key = fc.oneof(fc.constantFrom(...keys), fc.string());
  const leaf = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null));
  const tree = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  })).value;
  fc.assert(fc.property(tree, (value) => isSound(JSON.stringify(value))));
});

test.each([
  ['brackets', '['],
  ['dashes', '- '],
  ['braces', '{a: '],
  ['questions', '? '],
])('twenty thousand %s are an error and do not crash the process', (_, piece) => {
  const { findings } = check({ 'campaigns/spring.yaml': piece.repeat(20_000) });
  expect(findings.map(({ code }) => code)).toEqual(['yaml-syntax']);
});

test('aliases that expand to millions of values are an error', () => {
  const levels = 'bcdefghi'.split('').map((name, index) => {
    const below = 'abcdefgh'[index];
    return `${name}: &${name} [${Array(9).fill(`*${below}`).join(', ')}]`;
  });
  const { findings } = check({ 'campaigns/spring.yaml': `a: &a [x, x]\n${levels.join('\n')}\n` });
  expect(findings.map(({ code }) => code)).toEqual(['yaml-alias']);
});
