import { expect, it } from 'vitest';
import { deleteByHand } from '../../src/plan/by-hand.js';

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
  expect(deleteByHand(all)).toEqual([
    {
      ...{ campaign: 'Spring', id: 12, manifest: 'campaigns/spring.yaml', does: 'delete', section: null },
      ...{ path: '', place: '', from: 'paused', to: null },
    },
  ]);
});
