import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { parsePage, printPage } from './page.js';
import { replay } from './replay.js';
import { openTerminal } from './terminal.js';

const PAGE = fileURLToPath(new URL('../../../docs/promotion.md', import.meta.url));
const pieces = parsePage(readFileSync(PAGE, 'utf8'));
const terminal = openTerminal();
afterAll(() => terminal.close());

test('every command of the page shows what the page shows', async () => {
  const blocks = pieces.filter((piece) => piece.kind === 'block');
  expect(blocks.filter(({ info }) => info === 'console')).toHaveLength(3);
  await expect(printPage(pieces.map((piece) => replay(piece, terminal)))).toMatchFileSnapshot(PAGE);
});
