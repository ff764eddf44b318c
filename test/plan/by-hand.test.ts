import { expect, it } from 'vitest';
import { deleteByHand, leftOver, scratchOf } from '../../src/plan/by-hand.js';
import { environment } from '../support/environment.js';

it('leaves over only campaigns without a manifest that send nothing', () => {
  const one = {
    ...{ id: 12, name: 'Spring', manifest: 'campaigns/spring.yaml', outside: false, status: 'paused' },
    ...{ running: false, basis: 'shown' as const, max_emails_per_day: null, step: null },
  };
  const all = [
    one,
    { ...one, id: 13, running: true },
    { ...one, id: 14, outside: true },
    { ...one, id: 15, basis: 'believed' as const },
  ];
  expect(deleteByHand(leftOver(all))).toEqual([
    {
      ...{ campaign: 'Spring', id: 12, manifest: 'campaigns/spring.yaml', does: 'delete', section: null },
      ...{ path: '', place: '', from: 'paused', to: null },
    },
  ]);
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
  const of = scratchOf([...listed, ...others], environment());
  expect(of.map(({ id, manifest, status }) => [id, manifest, status])).toEqual([
    [1, 'campaignctl probe', 'draft'],
    [2, 'campaignctl probe', null],
  ]);
});
