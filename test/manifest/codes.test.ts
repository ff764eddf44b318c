import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { explanations } from '../../scripts/generated.js';
import { EXPLANATIONS } from '../../src/cli/explanations.generated.js';
import { CODES } from '../../src/manifest/index.js';
import { RULES } from '../../src/rules/index.js';

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

test('every code of the catalogue has a section in docs/errors.md, and every section a code', () => {
  const sections = [...page.matchAll(/^### (.+)$/gm)].map(([, code]) => code);
  expect(sections.toSorted()).toEqual(Object.keys(CODES).toSorted());
});

test('no error has the code of a rule', () => {
  const rules = RULES.map(({ code }) => code);
  expect(Object.keys(CODES).filter((code) => rules.includes(code))).toEqual([]);
});

test('every code that the program spells has a section on one of the pages, and docs/messages.md has no other', () => {
  const src = new URL('../../src/', import.meta.url);
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const spelled = files
    .filter((file) => !file.includes('.generated.'))
    .flatMap((file) => [...readFileSync(new URL(file, src), 'utf8').matchAll(/\bcode: '([a-z-]+)'/g)])
    .map(([, code = '']) => code);
  expect(spelled.filter((code) => !Object.hasOwn(EXPLANATIONS, code))).toEqual([]);
  const explained = Object.keys(EXPLANATIONS).filter((code) => EXPLANATIONS[code]?.page === 'messages.md');
  expect(explained.filter((code) => !spelled.includes(code))).toEqual([]);
});

test('explain has what the pages say now: npm run generate', () => {
  expect(readFileSync('src/cli/explanations.generated.ts', 'utf8')).toBe(explanations());
});
