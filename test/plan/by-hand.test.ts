import { expect, it } from 'vitest';
import { buildPlan } from '../../src/plan/build.js';
import { scratchCampaigns } from '../../src/plan/by-hand.js';
import { entryOf, listedCampaign } from '../support/campaigns.js';
import { answer } from '../support/context.js';
import { environment } from '../support/environment.js';
import { removedWork } from '../support/works.js';

it('leaves over only campaigns without a manifest that send nothing', () => {
  const left = (status: string | null, outside: boolean) => {
    const entry = entryOf(12, 'campaigns/spring.yaml', 'Spring');
    const listed = listedCampaign(12, 'Spring', status);
    const record = answer('GET /api/campaigns/12', { id: 12, name: 'Spring', status });
    const answers = { campaign: record, schedule: null, sequence: null };
    const works = [{ ...removedWork({ entry, listed, answers }), outside }];
    const rest = { templates: null, listed: [listed], entries: [entry], pending: [], now: 0 };
    return buildPlan({ environment: environment(), works, ...rest }).plan.by_hand;
  };
  expect(left('paused', false)).toEqual([
    {
      ...{ campaign: 'Spring', id: 12, manifest: 'campaigns/spring.yaml', does: 'delete', section: null },
      ...{ path: '', place: '', from: 'paused', to: null },
    },
  ]);
  expect(left('active', false)).toEqual([]);
  expect(left('paused', true)).toEqual([]);
  expect(left(null, false)).toEqual([]);
});

it('leaves over the scratch campaigns of probes, but none that was put to use or is gone', () => {
  const name = 'campaignctl probe 2026-11-22 3fa91c02';
  const shown = ['draft', null, 'active', 'completed', 'archived'];
  const listed = shown.map((status, at) => ({
    id: at + 1,
    name,
    status,
    total_leads: null,
    updated_at: null,
  }));
  const others = [{ id: 9, name: 'campaignctl probe', status: 'draft', total_leads: null, updated_at: null }];
  const of = scratchCampaigns([...listed, ...others], environment());
  expect(of.map(({ id, manifest, status }) => [id, manifest, status])).toEqual([
    [1, 'campaignctl probe', 'draft'],
    [2, 'campaignctl probe', null],
  ]);
});
