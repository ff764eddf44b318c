import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECTION_STAGES } from '../../src/model/sections.js';
import { inOrder } from '../../src/plan/order.js';
import { step } from '../support/plans.js';
import { planScene } from '../support/scene.js';
import type { Shape } from '../support/service/shape.js';
import { service, spec, WORKSPACE } from '../support/specs.js';

const stepOf = (id: string) => step('campaign', { id });
const ORDER = [
  'pause',
  'create',
  'settings',
  'schedule',
  'sequence',
  'variants',
  'leads/list-9',
  'leads/list-10',
  'leads/batch-1',
  'launch',
];

const STAGES = ['pause', ...SECTION_STAGES];

describe('the order of the steps of one campaign', () => {
  it('is pause, create, settings, schedule, sequence, variants, leads, launch', () => {
    expect(inOrder([...ORDER].sort().map(stepOf)).map(({ id }) => id.split('/')[0])).toEqual(
      ORDER.map((id) => id.split('/')[0]),
    );
  });

  it('keeps the order within a stage', () => {
    const leads = ['leads/list-9', 'leads/list-10', 'leads/batch-1'].map(stepOf);
    expect(inOrder(leads)).toEqual(leads);
  });

  it('has a place for every step that a section makes, and ids that are unique', () => {
    fc.assert(
      fc.property(spec, service, (wanted, { behaviour, shape }) => {
        const hidden: Shape = { ...shape, templates: 'ids-only' };
        const { plan } = planScene(wanted, { store: WORKSPACE, shape: hidden, entries: [], behaviour });
        const ids = plan.steps.map(({ id }) => id);
        const stages = ids.map((id) => STAGES.indexOf(id.split('/')[0] ?? ''));
        expect(stages).toEqual([...stages].sort((a, b) => a - b));
        expect(stages).not.toContain(-1);
        expect(new Set(ids).size).toBe(ids.length);
      }),
      { seed: 7, numRuns: 60 },
    );
  });
});
