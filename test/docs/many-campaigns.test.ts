import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { parsePage } from './page.js';
import { openTerminal } from './terminal.js';

const page = readFileSync(new URL('../../docs/many-campaigns.md', import.meta.url), 'utf8');
const blocks = parsePage(page).filter((piece) => piece.kind === 'block');
const terminal = openTerminal();
afterAll(() => terminal.close());

test('the project of the page is planned as the page shows, applied, and has nothing left to do', () => {
  const files = blocks.filter(({ info }) => info === 'yaml');
  expect(files).toHaveLength(4);
  for (const { text } of files) terminal.write(/^# (\S+)\n/.exec(text)?.[1] ?? '', text);
  const [, command = '', shown = ''] =
    /^\$ (.+)\n([\s\S]+)\n…\n$/.exec(blocks.find(({ info }) => info === 'console')?.text ?? '') ?? [];
  expect(terminal.run(command).output.slice(0, shown.length)).toBe(shown);
  for (const env of ['staging', 'production']) {
    expect(terminal.run(`campaignctl apply --env ${env} --yes --allow launch`).status).toBe(0);
    expect(terminal.run(`campaignctl plan --env ${env} --detailed-exitcode`).status).toBe(0);
  }
});
