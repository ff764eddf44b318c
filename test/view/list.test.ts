import { expect, it } from 'vitest';
import type { Inventory, InventoryEntry } from '../../src/model/outputs.js';
import { NO_RESULTS, sumVolume } from '../../src/model/volume.js';
import { renderListText } from '../../src/view/list.js';
import { plain } from '../../src/view/terminal.js';

const LONG = 'Roofers in Brandenburg, spring, second wave';

function inventory(...names: string[]): Inventory {
  const entry = (name: string): InventoryEntry => ({
    ...{ status: 'managed', manifest: 'campaigns/spring.yaml', name, id: 7, live_status: 'active' },
    ...{ last: null, cap: 200, problems: [], results: { ...NO_RESULTS, sent: 1200, replies: 9 } },
  });
  return {
    ...{ version: 1, environment: 'production', base_url: 'https://send.example.com', problems: [] },
    summary: {
      ...{ live: names.length, managed: names.length, unclear: 0, missing: 0, gone: 0, removed: 0 },
      ...{ outside: 0, superseded: 0, new: 0, scratch: 0, unmanaged: 0 },
    },
    totals: NO_RESULTS,
    volume: sumVolume([], null),
    campaigns: names.map(entry),
  };
}

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
