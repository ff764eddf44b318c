/** When a probe stops, what it journals before it sends, and what it writes to the project file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ProbeResult } from '../../src/model/reports.js';
import { shaped } from '../support/service/shape.js';
import type { StoredCampaign } from '../support/service/store.js';
import { journalsOf, probing, valuesOf } from './scratch.js';

const LONGEST = shaped({ variants: 'order' });

test('each request is in the journal before it leaves, with its campaign', () =>
  probing(LONGEST, async ({ folder, service, probe }) => {
    const noted: unknown[] = [];
    for (let nth = 1; nth <= 8; nth += 1)
      service.actAt(
        nth,
        () => {
          const last = journalsOf(folder)[0]?.lines.at(-1) as { type: string; step: { path: string } };
          noted.push([last.type, last.step.path]);
        },
        'writes',
      );
    await probe();
    expect(noted).toEqual(service.writes().map(({ path }) => ['intent', path]));
  }));

describe('a probe stops', () => {
  const changes: [string, (campaign: StoredCampaign) => void, RegExp][] = [
    [
      'is called otherwise',
      (campaign) => (campaign.name = 'Taken over'),
      /is no longer the scratch campaign/,
    ],
    ['has leads', (campaign) => campaign.leads.push(1), /now has leads/],
    ['runs', (campaign) => (campaign.status = 'active'), /is "active" and may send/],
  ];
  test.each(changes)('as soon as its campaign %s', (_, change, why) =>
    probing(shaped({ totals: 'shown' }), async ({ service, probe }) => {
      let before: StoredCampaign | undefined;
      service.actAt(
        2,
        () => {
          const [campaign] = service.store.campaigns.slice(-1);
          before = structuredClone(campaign);
          if (campaign !== undefined) change(campaign);
        },
        'writes',
      );
      const result = await probe();
      expect([service.writes().length, result.requests, result.complete]).toEqual([2, 2, false]);
      expect(result.problems[0]?.message).toMatch(why);
      expect(result.campaigns).toEqual([{ id: 101, name: before?.name }]);
      Object.assign(service.store.campaigns.at(-1) ?? {}, { name: before?.name, leads: [], status: 'draft' });
    }),
  );

  test('if the service creates campaigns that may send, but not if the status is an unknown word', () =>
    probing(LONGEST, async ({ service, probe }) => {
      service.behave({ createdAs: 'active' }, () => 0);
      const sending = await probe();
      expect([sending.requests, sending.complete]).toEqual([1, false]);
      expect(sending.problems[0]?.message).toMatch(/is "active" and may send/);
      service.behave({ createdAs: 'brand new' }, () => 0);
      expect((await probe()).complete).toBe(true);
    }));

  test('before it sends anything else if the response names a campaign that existed before', () =>
    probing(LONGEST, async ({ service, probe }) => {
      const body = { data: { id: 11, name: 'any' } };
      service.answerThen('POST', '/api/campaigns', { status: 200, body, effect: true });
      const result = await probe();
      expect(result.campaigns[0]?.id).toBe(101);
      expect(service.writes().some(({ path }) => path.includes('/11/'))).toBe(false);
    }));

  test('when it is interrupted, and reports what it knows', () =>
    probing(LONGEST, async ({ service, folder, probe }) => {
      const controller = new AbortController();
      service.actAt(4, () => controller.abort(), 'writes');
      const result = await probe({}, { signal: controller.signal });
      expect([service.writes().length, result.complete, result.problems[0]?.code]).toEqual([
        4,
        false,
        'interrupted',
      ]);
      expect(valuesOf(result)).toMatchObject({ schedule_repost: 'replace', sequence_repost: null });
      expect(journalsOf(folder)[0]?.lines.at(-1)).toMatchObject({ type: 'end', result: 'interrupted' });
      expect(journalsOf(folder)[0]?.open).toBe(false);
    }));
});

const SERVICE = `version: 1 # keep me
manifests: [campaigns/*.yaml]
environments:
  # Our only one.
  production:
    base_url:   "https://send.example.com"   # odd blanks
    token_env: CAMPAIGNS_TOKEN
    service:
      schedule_repost: refuse   # seen in May
      status: shown
`;

describe('--write', () => {
  const writes = async (text: string, shape = LONGEST) => {
    let written: { text: string; result: ProbeResult } | null = null;
    await probing(shape, async ({ folder, probe }) => {
      const file = join(folder, 'campaignctl.yaml');
      writeFileSync(file, text);
      const result = await probe({}, { write: true });
      written = { text: readFileSync(file, 'utf8'), result };
    });
    return written ?? { text: '', result: null };
  };

  test('changes what differs, adds what is missing, and leaves every other byte', async () => {
    const { text, result } = await writes(SERVICE);
    expect(text).toBe(
      `${SERVICE.replace('refuse   # seen', 'replace   # seen')}      sequence_repost: append\n      variant_reference: order\n`,
    );
    expect(result).toMatchObject({ complete: true, written: 'campaignctl.yaml' });
  });

  test('writes nothing if all values are already there', async () => {
    const { text: once } = await writes(SERVICE);
    const { text, result } = await writes(once);
    expect(text).toBe(once);
    expect(result).toMatchObject({ complete: true, written: 'campaignctl.yaml' });
  });

  test('keeps an environment on one line, and line endings', async () => {
    const flow = SERVICE.replace(
      / {2}production:[\s\S]*/,
      '  production: { base_url: "https://send.example.com", token_env: CAMPAIGNS_TOKEN } # here\n',
    ).replaceAll('\n', '\r\n');
    const { text } = await writes(flow);
    const keys = 'status: shown, schedule_repost: replace, sequence_repost: append, variant_reference: order';
    expect(text).toBe(flow.replace('CAMPAIGNS_TOKEN }', `CAMPAIGNS_TOKEN, service: { ${keys} } }`));
  });

  test('writes nothing if an alias shares a value to change, and says so', async () => {
    const shared = SERVICE.replace('service:', 'service: &ours').concat(
      '  staging: { base_url: "https://staging.example.com", token_env: STAGING_TOKEN, service: *ours }\ndefault_environment: production\n',
    );
    const { text, result } = await writes(shared);
    expect(text).toBe(shared);
    expect(result).toMatchObject({
      complete: false,
      written: null,
      findings: expect.arrayContaining([
        expect.objectContaining({ key: 'sequence_repost', value: 'append' }),
      ]),
      problems: [{ code: 'file-not-written' }],
    });
  });

  test('does not change what it could not determine', async () => {
    const shape = shaped({ sequenceRepost: 'refuse', variants: 'step_id' });
    const { text } = await writes(SERVICE.concat('      variant_reference: order\n'), shape);
    expect(text).toContain('      variant_reference: order\n');
  });
});
