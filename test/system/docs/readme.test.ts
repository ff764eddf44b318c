import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseArguments } from '../../../src/cli/program.js';
import { command } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { parsePage, printPage } from './page.js';
import { fileOf, replay } from './replay.js';
import { openTerminal } from './terminal.js';

const README = fileURLToPath(new URL('../../../README.md', import.meta.url));
const pieces = parsePage(readFileSync(README, 'utf8'));
const blocks = pieces.filter((piece) => piece.kind === 'block');
const yaml = blocks.filter(({ info }) => info === 'yaml');
const terminal = openTerminal();
afterAll(() => terminal.close());

test('the page is read and printed without a loss', () => {
  expect(printPage(pieces)).toBe(readFileSync(README, 'utf8'));
  expect([yaml.length > 2, blocks.length > 8]).toEqual([true, true]);
});

test('its first two commands are the demo and the tests', () => {
  const commands = blocks.filter(({ info }) => info === 'sh').map(({ text }) => text);
  expect(commands[0]).toBe('npm ci && npm run demo\nnpm ci && npm test\n');
});

test('its first project is the one that init writes', () =>
  withFolder(async (folder) => {
    await command(folder, ['init']);
    for (const { text } of yaml.slice(0, 2)) {
      const written = await readFile(join(folder, fileOf(text)), 'utf8');
      expect(text).toBe(`# ${fileOf(text)}\n${written}`);
    }
  }));

test('every command shows what the page shows (`npx vitest run test/system/docs -u` writes it)', async () => {
  await expect(printPage(pieces.map((piece) => replay(piece, terminal)))).toMatchFileSnapshot(README);
});

test('every YAML block is part of a project that validates and plans', () => {
  const manifests = readdirSync(`${terminal.folder}/campaigns`);
  for (const { text } of yaml) terminal.write(fileOf(text), text);
  expect(manifests.length).toBeGreaterThan(1);
  expect(terminal.run('campaignctl validate')).toEqual({
    output: expect.stringMatching(/^\d manifests valid\.\n$/),
    status: 0,
  });
  expect(terminal.run('campaignctl plan').status).toBe(0);
});

test('every command of its pipelines is one that the program knows', async () => {
  const commands = yaml
    .filter(({ text }) => fileOf(text).startsWith('.github/'))
    .flatMap(({ text }) => parseAllDocuments(text).flatMap((document) => JSON.stringify(document)))
    .flatMap((json) => [...json.matchAll(/"run":"(?:npx --no )?campaignctl ([^"]+)"/g)])
    .map(([, words = '']) => words.split(' '));
  expect(commands.length).toBeGreaterThan(0);
  for (const words of commands) expect((await parseArguments(words, 80)).kind).toBe('command');
});
