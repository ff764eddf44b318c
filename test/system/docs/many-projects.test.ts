import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { parsePage, printPage } from './page.js';
import { replay } from './replay.js';
import { openTerminal } from './terminal.js';

const PAGE = fileURLToPath(new URL('../../../docs/many-projects.md', import.meta.url));
const terminal = openTerminal();
afterAll(() => terminal.close());

test('every command shows what the page shows', async () => {
  const pieces = parsePage(readFileSync(PAGE, 'utf8'));
  await expect(printPage(pieces.map((piece) => replay(piece, terminal)))).toMatchFileSnapshot(PAGE);
});
