import { describe, expect, it } from 'vitest';
import { checkResults } from '../../src/rules/results.js';
import { policies } from './hold.js';

const results = { sent: 400, replies: 2, bounced: 16, leads: 350, leads_contacted: 300 };
const codes = (yaml: string, changes: Partial<Record<keyof typeof results, number | null>> = {}) =>
  checkResults(policies(yaml), { name: 'production' }, { results: { ...results, ...changes } }).map(
    ({ code, severity }) => `${severity} ${code}`,
  );
const BOUNCED = 'safe: { results: { bounced: { max: 3%, after: 200 } } }';
const REPLIES = 'safe: { results: { replies: { min: 1%, after: 200 } } }';
const LEFT = 'safe: { results: { leads_left: { min: 100 } } }';

describe('a policy on results', () => {
  it.each([BOUNCED, REPLIES, LEFT])('warns: %s', (policy) => {
    expect(codes(policy)).toEqual(['warning policy/safe']);
  });

  it('is kept within its limits', () => {
    expect(codes(BOUNCED, { bounced: 12 })).toEqual([]);
    expect(codes(REPLIES, { replies: 3 })).toEqual([]);
    expect(codes(LEFT, { leads: 400 })).toEqual([]);
  });

  it('waits for enough emails or contacted leads', () => {
    expect(codes(BOUNCED, { sent: 199 })).toEqual([]);
    expect(codes(REPLIES, { leads_contacted: 199 })).toEqual([]);
  });

  it('is not broken by a number that is not shown', () => {
    const none = { sent: null, replies: null, bounced: null, leads: null, leads_contacted: null };
    for (const policy of [BOUNCED, REPLIES, LEFT]) expect(codes(policy, none)).toEqual([]);
  });

  it('holds in its environments only', () => {
    expect(codes(`safe: { environments: [staging], results: { leads_left: { min: 100 } } }`)).toEqual([]);
  });
});
