import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readChapters } from '../../src/cli/commands/explain.js';
import { CODES } from '../../src/manifest/errors.js';
import { RULES } from '../../src/rules/check.js';

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

test('every code of the catalogue has a section in docs/errors.md, and every section a code', () => {
  const sections = [...page.matchAll(/^### (.+)$/gm)].map(([, code]) => code);
  expect(sections.toSorted()).toEqual(Object.keys(CODES).toSorted());
});

test('no error has the code of a rule', () => {
  const rules = RULES.map(({ code }) => code);
  expect(Object.keys(CODES).filter((code) => rules.includes(code))).toEqual([]);
});

/** A code as a property, or as the key of a catalogue. */
const SPELLED = /\b(?:code: |problem\((?!'(?:error|warning|blocked)'))'([a-z-]+)/g;

test('every code that the program spells has a section on one of the pages, and docs/messages.md has no other', () => {
  const src = new URL('../../src/', import.meta.url);
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const spelled = files
    .filter((file) => !file.includes('.generated.'))
    .flatMap((file) => [...readFileSync(new URL(file, src), 'utf8').matchAll(SPELLED)])
    .map(([, code = '']) => code);
  const chapters = readChapters();
  expect(spelled.filter((code) => !chapters.some((chapter) => chapter.code === code))).toEqual([]);
  const explained = chapters.filter(({ page }) => page === 'messages.md').map(({ code }) => code);
  expect(explained.filter((code) => !spelled.includes(code))).toEqual([]);
});
