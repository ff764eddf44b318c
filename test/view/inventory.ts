import { NO_RESULTS } from '../../src/model/answer.js';
import type { Inventory, InventoryEntry } from '../../src/model/reports.js';
import { sumVolume } from '../../src/model/volume.js';

/** A list of managed campaigns, with a problem each. */
export function inventory(...names: string[]): Inventory {
  const entry = (name: string): InventoryEntry => ({
    ...{ status: 'managed', manifest: 'campaigns/spring.yaml', name, id: 7, live_status: 'active' },
    ...{ last: null, cap: 200, results: { ...NO_RESULTS, sent: 1200, replies: 9 } },
    problems: [{ code: 'rename', severity: 'hazard', message: 'It was renamed.', hint: 'Look.' }],
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
