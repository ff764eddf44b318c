import { describe, expect, it } from 'vitest';
import { serviceAddress } from '../../src/model/environment.js';
import { bounceRate, leadsLeft, NO_RESULTS, replyRate, sumResults } from '../../src/model/results.js';
import { isOverCapacity, sumVolume } from '../../src/model/volume.js';

const results = { sent: 400, replies: 3, bounced: 12, leads: 500, leads_contacted: 300 };

describe('results', () => {
  it('give replies per contacted lead, bounces per email and the remaining leads', () => {
    expect([replyRate(results), bounceRate(results), leadsLeft(results)]).toEqual([0.01, 0.03, 200]);
  });

  it.each(['sent', 'replies', 'bounced', 'leads', 'leads_contacted'] as const)(
    'without %s lack the numbers that depend on it',
    (missing) => {
      const partial = { ...results, [missing]: null };
      expect([replyRate(partial), bounceRate(partial), leadsLeft(partial)]).toEqual([
        ['replies', 'leads_contacted'].includes(missing) ? null : 0.01,
        ['sent', 'bounced'].includes(missing) ? null : 0.03,
        ['leads', 'leads_contacted'].includes(missing) ? null : 200,
      ]);
    },
  );

  it('of fewer than 100 emails have no rate', () => {
    const few = { ...results, sent: 99, leads_contacted: 99 };
    expect([replyRate(few), bounceRate(few)]).toEqual([null, null]);
    expect(bounceRate({ ...few, sent: 100 })).toBe(0.12);
  });

  it('are summed if every campaign shows them', () => {
    expect(sumResults([results, { ...results, bounced: null }])).toEqual({
      ...{ sent: 800, replies: 6, bounced: null },
      ...{ leads: 1000, leads_contacted: 600 },
    });
    expect(sumResults([])).toEqual(NO_RESULTS);
  });
});

describe('volume', () => {
  it.each([
    ['within the capacity', [200, 800], 1000, false],
    ['above it', [200, 801], 1000, true],
    ['without any limit', [200, 'unlimited'], 1000, true],
    ['of which a part is not shown', [200, null], 1000, false],
    ['without a capacity', [200, 'unlimited'], null, false],
  ] as const)('%s', (_, caps, capacity, isOver) => {
    expect(isOverCapacity(sumVolume(caps, capacity))).toBe(isOver);
  });
});

const of = (base_url: string) => serviceAddress({ sandbox: null, base_url, insecure_http: false });

it('addresses of one service may differ in case, default port and a final slash, but not in scheme, port or path', () => {
  const same = ['https://send.example.com', 'https://SEND.example.com:443/', 'https://send.example.com//'];
  expect(new Set(same.map(of))).toEqual(new Set(['https://send.example.com']));
  const others = ['https://send.example.com:8443', 'https://send.example.com/eu', 'https://eu.example.com'];
  const local = ['http://127.0.0.1:4010', 'https://127.0.0.1:4010', 'http://127.0.0.1'];
  expect(new Set([...same, ...others, ...local].map(of)).size).toBe(7);
  expect(serviceAddress({ sandbox: { profile: 'documented' }, base_url: '', insecure_http: false })).toBe(
    'sandbox',
  );
});
