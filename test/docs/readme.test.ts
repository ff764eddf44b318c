import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseArguments } from '../../src/cli/arguments.js';
import { type Piece, parsePage, printPage } from './page.js';
import { openTerminal } from './terminal.js';

const README = fileURLToPath(new URL('../../README.md', import.meta.url));
const pieces = parsePage(readFileSync(README, 'utf8'));
const blocks = pieces.filter((piece) => piece.kind === 'block');
const yaml = blocks.filter(({ info }) => info === 'yaml');
const terminal = openTerminal();
afterAll(() => terminal.close());

/** The name of the file that a YAML block shows is its first line. */
function fileOf(text: string): string {
  const [, file] = /^# (\S+\.yaml)\n/.exec(text) ?? [];
  if (file === undefined)
    throw new Error(`A YAML block begins with the name of its file, not with:\n${text}`);
  return file;
}

/** Does what a reader does: writes the files, makes the edits, types the commands. The answer is what the reader sees. */
function replay(piece: Piece): Piece {
  if (piece.kind === 'edit') terminal.edit(piece.file, piece.from, piece.to);
  if (piece.kind !== 'block') return piece;
  if (piece.info === 'yaml') terminal.write(fileOf(piece.text), piece.text);
  if (piece.info !== 'console') return piece;
  return {
    ...piece,
    text: `${piece.text
      .split(/^(?=\$ )/m)
      .map(retype)
      .join('\n\n')}\n`,
  };
}

/** A command with what the page shows of its output, typed again. `…` stands for what comes before the next line shown. */
function retype(entry: string): string {
  const [line = '', cut = '', first = ''] = entry.split('\n');
  const output = terminal.run(line.slice(2)).output.trimEnd();
  if (cut !== '…') return `${line}\n${output}`;
  const start = `\n${output}`.indexOf(`\n${first}\n`);
  return `${line}\n…\n${start < 0 ? output : output.slice(start)}`;
}

test('the page is read and printed without a loss', () => {
  expect(printPage(pieces)).toBe(readFileSync(README, 'utf8'));
  expect([yaml.length > 2, blocks.length > 8]).toEqual([true, true]);
});

test('its first two commands are the demo and the tests', () => {
  const commands = blocks.filter(({ info }) => info === 'sh').map(({ text }) => text);
  expect(commands[0]).toBe('npm ci && npm run demo\nnpm ci && npm test\n');
});

test('every command shows what the page shows (`npx vitest run test/docs -u` writes it)', async () => {
  await expect(printPage(pieces.map(replay))).toMatchFileSnapshot(README);
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
    .flatMap((json) => [...json.matchAll(/"run":"(?:npx )?campaignctl ([^"]+)"/g)])
    .map(([, words = '']) => words.split(' '));
  expect(commands.length).toBeGreaterThan(0);
  for (const words of commands) expect((await parseArguments(words, 80)).kind).toBe('command');
});
