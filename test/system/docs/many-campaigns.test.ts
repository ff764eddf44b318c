import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { command } from '../../support/command.js';
import { parsePage } from './page.js';
import { openTerminal } from './terminal.js';

const page = readFileSync(new URL('../../../docs/many-campaigns.md', import.meta.url), 'utf8');
const blocks = parsePage(page).filter((piece) => piece.kind === 'block');
const terminal = openTerminal();
afterAll(() => terminal.close());

test('the project of the page is planned as the page shows, applied, and has nothing left to do', async () => {
  const files = blocks.filter(({ info }) => info === 'yaml');
  expect(files).toHaveLength(4);
  for (const { text } of files) terminal.write(/^# (\S+)\n/.exec(text)?.[1] ?? '', text);
  const [, line = '', shown = ''] =
    /^\$ (.+)\n([\s\S]+)\n…\n$/.exec(blocks.find(({ info }) => info === 'console')?.text ?? '') ?? [];
  expect(terminal.run(line).output.slice(0, shown.length)).toBe(shown);
  for (const env of ['staging', 'production']) {
    const run = (words: string) => command(terminal.folder, words.split(' '));
    expect(await run(`apply --env ${env} --yes --allow launch`)).toMatchObject({ code: 0 });
    expect(await run(`plan --env ${env} --detailed-exitcode`)).toMatchObject({ code: 0 });
  }
});
