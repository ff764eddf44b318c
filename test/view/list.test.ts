import { expect, it } from 'vitest';
import { renderListText } from '../../src/view/list.js';
import { plain } from '../../src/view/terminal.js';
import { inventory } from './inventory.js';

const LONG = 'Roofers in Brandenburg, spring, second wave';

it.each([
  [
    140,
    'name                                         id  status   sent  replies  bounces  left  cap  manifest',
  ],
  [104, 'name                                         id  status   sent  replies  bounces  left  cap'],
  [80, 'name                                         id  status  cap'],
  [70, 'name                                         id  status'],
  [60, 'id  status  name'],
])('at %i columns, a list drops columns but cuts no name', (width, head) => {
  const lines = renderListText(inventory(LONG, 'Fair'), { paint: plain, width }).split('\n');
  const [heads = '', first] = lines.slice(4);
  expect(heads.trim()).toMatch(new RegExp(`^${head}( |$)`));
  expect(first).toContain(LONG);
});
