import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ProjectPlace } from '../../src/operations/place.js';
import { readListing } from '../../src/operations/suspects.js';
import { listedCampaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a list that does not end within five seconds shows what was read of it', async () => {
  const place = { environment: environment() } as ProjectPlace;
  const spring = listedCampaign(1, 'Spring', 'active');
  const reader = {
    someCampaigns(rows: (typeof spring)[]) {
      rows.push(spring);
      return new Promise<null>(() => {});
    },
  };
  const listing = readListing(reader, place);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await listing).toMatchObject({
    rows: [spring],
    doubt: expect.stringMatching(/^it took too long \(environment \w+, base_url https:.*, token in \w+\)$/),
    isCutOff: true,
  });
});
