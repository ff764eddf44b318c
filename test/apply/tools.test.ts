import { expect, it } from 'vitest';
import { shareLists } from '../../src/apply/tools.js';

it('shares a list that began after a moment; one from that very moment may be older than what was sent at it', async () => {
  let now = 0;
  let reads = 0;
  const service = {
    async campaigns() {
      reads += 1;
      return [{ id: reads, name: 'Spring', status: null, total_leads: null, updated_at: null }];
    },
  };
  const list = shareLists(service, { elapsed: () => now });
  const readOf = async (since: number) => (await list(since))[0]?.id;
  now = 10;
  expect([await readOf(5), await readOf(9)]).toEqual([1, 1]);
  expect(await readOf(10)).toBe(2);
  now = 11;
  expect(await readOf(9)).toBe(2);
});
