import { describe, expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/model/spec.js';
import type { LastApplied } from '../../src/model/state-entry.js';
import { isApplied, lastAfter, unchangedSections } from '../../src/plan/drift.js';
import { deepFreeze } from '../support/freeze.js';
import { bodyChange, campaignPlan } from '../support/plans.js';

const SPEC: CampaignSpec = deepFreeze({
  name: 'Spring installers',
  settings: { max_emails_per_day: 200 },
  leads: { lists: ['installers'] },
  status: 'running',
});
const MAY = '2026-05-12T08:00:00.000Z';
const JUNE = '2026-06-01T08:00:00.000Z';
const last = (spec: CampaignSpec): LastApplied => deepFreeze({ at: MAY, how: 'import', spec });
const unsent = { sent: false, at: JUNE };

describe('what was last applied', () => {
  it('is the parts that were proven, and the name', () => {
    const after = lastAfter(null, SPEC, { proven: ['settings'], ...unsent });
    expect(after).toEqual({
      at: JUNE,
      how: 'apply',
      spec: { name: SPEC.name, settings: { max_emails_per_day: 200 } },
    });
    expect(isApplied(after, SPEC)).toBe(false);
    expect(isApplied(lastAfter(after, SPEC, { proven: ['leads', 'status'], ...unsent }), SPEC)).toBe(true);
  });

  it('keeps what was not proven as it was, and drops what is not managed any more', () => {
    const before = last({ ...SPEC, settings: { max_emails_per_day: 100 }, schedule: { template: 3 } });
    expect(
      lastAfter(before, { ...SPEC, status: 'paused' }, { proven: ['leads'], sent: true, at: JUNE }),
    ).toEqual({
      at: JUNE,
      how: 'apply',
      spec: { ...SPEC, settings: { max_emails_per_day: 100 } },
    });
  });

  it('stays the same value where nothing is new, unless something was sent', () => {
    const before = last(SPEC);
    const proven = ['settings', 'leads', 'status'] as const;
    expect(lastAfter(before, SPEC, { proven, ...unsent })).toBe(before);
    expect(lastAfter(before, SPEC, { proven: [], ...unsent })).toBe(before);
    expect(lastAfter(before, SPEC, { proven, sent: true, at: JUNE })).toEqual({
      at: JUNE,
      how: 'apply',
      spec: SPEC,
    });
  });

  it('is nothing as long as nothing was proven', () => {
    expect(lastAfter(null, SPEC, { proven: [], ...unsent })).toBeNull();
    expect(isApplied(null, { name: 'Bare' })).toBe(false);
    expect(isApplied(lastAfter(null, { name: 'Bare' }, { proven: [], ...unsent }), { name: 'Bare' })).toBe(
      true,
    );
  });

  it('tells another id, order or text from the one that was applied', () => {
    const others: CampaignSpec[] = [
      { ...SPEC, id: 42 },
      { ...SPEC, leads: { lists: [77] } },
      { ...SPEC, sequence: { title: 'x', steps: [] } },
      { name: SPEC.name },
    ];
    expect(others.map((spec) => isApplied(last(SPEC), spec))).toEqual([false, false, false, false]);
  });
});

describe('what is as the manifest says already', () => {
  it('is every part without a change', () => {
    expect(unchangedSections(campaignPlan('Spring', { changes: [bodyChange('a', 'b')] }))).toEqual([
      'settings',
      'schedule',
      'leads',
      'status',
    ]);
  });

  it('is nothing of a campaign that is gone', () => {
    const gone = { code: 'campaign-gone', severity: 'blocked' as const, message: '', hint: '' };
    expect(unchangedSections(campaignPlan('Spring', { problems: [gone] }))).toEqual([]);
  });
});
