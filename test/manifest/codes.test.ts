import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
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
