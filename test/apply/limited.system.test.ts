/** A write that takes effect although the service answers with status 429: the retry reads everything anew. */
import { expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/model/spec.js';
import type { RunOptions } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import { fakeClock } from '../support/clock.js';
import { environment } from '../support/environment.js';
import type { Service } from '../support/service/service.js';
import type { Shape } from '../support/service/shape.js';
import { draft } from '../support/service/store.js';
import { applying, NAME, SCHEDULE, SEQUENCE } from './spring.js';

const SPEC: Partial<CampaignSpec> = {
  ...{ settings: { max_emails_per_day: 200 }, schedule: SCHEDULE, sequence: SEQUENCE },
  ...{ leads: { lists: [77], ids: [1, 2, 3] }, status: 'running' },
};
const LIMITED = { status: 429, body: { message: 'slow down' } } as const;

/** Applies while this request, which takes effect, is answered with 429. `others`: names of further new campaigns. */
function limited(
  [method, path]: [method: string, path: string],
  use: (at: {
    service: Service;
    steps: string[];
    detail: string | null | undefined;
    again: () => Promise<{ hazards: string[]; steps: string[] }>;
  }) => void | Promise<void>,
  {
    shape = {},
    others = [],
    effect = true,
  }: { shape?: Partial<Shape>; others?: string[]; effect?: boolean } = {},
) {
  return applying({ shape: { totals: 'shown', ...shape } }, async ({ service, apply }) => {
    const clock = fakeClock();
    service.answerThen(method, path, { ...LIMITED, effect });
    const options: Partial<RunOptions> = {
      clock,
      refuses: true,
      environment: {
        ...environment(),
        allow: [{ hazard: 'launch', by: '--allow launch' }],
        limits: { parallelism: 1, requests_per_minute: null },
      },
      campaigns: [...others, NAME].map((name, at) =>
        campaign(`${at}.yaml`, name === NAME ? { name, ...SPEC } : { name }),
      ),
    };
    const { campaigns } = await apply({}, options);
    const outcome = campaigns.find(({ name }) => name === NAME);
    const again = async () => {
      await clock.sleep(60_000);
      const { plan } = await apply({}, options);
      const planned = plan.campaigns.find(({ name }) => name === NAME);
      return {
        hazards:
          planned?.problems.filter(({ severity }) => severity === 'hazard').map(({ code }) => code) ?? [],
        steps: planned?.steps.map(({ id }) => id) ?? [],
      };
    };
    const sent = outcome?.steps.filter(({ result }) => result !== 'not_run');
    await use({
      service,
      steps: sent?.map(({ id, result }) => `${id} ${result}`) ?? [],
      detail: sent?.at(-1)?.detail,
      again,
    });
  });
}

const count = (service: Service, path: string) =>
  service.writes().filter((write) => write.path === path).length;

it.each([{ others: [] }, { others: ['Autumn'] }])(
  'a creation is not sent again, after others: $others',
  ({ others }) =>
    limited(
      ['POST', '/api/campaigns'],
      async ({ service, steps, detail }) => {
        const failed = service.store.campaigns.filter(({ name }) => name === NAME || others.includes(name));
        expect(failed).toHaveLength(1 + others.length);
        if (others.length > 0) return;
        expect(steps).toEqual(['create failed']);
        expect(detail).toMatch(
          /^the service answered with status 429; it was not sent again: campaign 101 is called "Spring installers"/,
        );
      },
      { others },
    ),
);

it('ids after a list are not sent again if the number of leads grew: they are in doubt', () =>
  limited(['POST', '/api/campaigns/101/leads/attach-leads'], async ({ service, steps, detail, again }) => {
    expect(service.store.campaigns[0]).toMatchObject({ lists: [77], leads: [1, 2, 3], status: 'draft' });
    expect(steps.slice(-2)).toEqual(['leads/list-77 done', 'leads/batch-1 in_doubt']);
    expect(detail).toBe(
      'the service answered with status 429; it was not sent again: the service now shows 103 leads, 3 more than before the request; the service does not show which leads are attached; total_leads is now 103',
    );
    expect((await again()).hazards).toContain('repeat-attach');
  }));

it('nor is a list', () =>
  limited(['POST', '/api/campaigns/101/leads/attach-lead-list'], async ({ service, steps, again }) => {
    expect(service.store.campaigns[0]).toMatchObject({ lists: [77], leads: [], status: 'draft' });
    expect(steps.at(-1)).toBe('leads/list-77 in_doubt');
    expect((await again()).hazards).toContain('repeat-attach');
  }));

it.each([
  ['sequence', 'POST', '/api/campaigns/101/sequence-steps'],
  ['launch', 'PATCH', '/api/campaigns/101/resume'],
])('nor is a %s', (step, method, path) =>
  limited([method, path], ({ service, steps, detail }) => {
    expect(count(service, path)).toBe(1);
    expect(steps.findLast((each) => each.startsWith(step))).toBe(`${step} failed`);
    expect(detail).toMatch(/^the service answered with status 429; it was not sent again: /);
  }),
);

it.each([
  ['POST', '/api/campaigns'],
  ['POST', '/api/campaigns/101/leads/attach-lead-list'],
  ['POST', '/api/campaigns/101/leads/attach-leads'],
  ['POST', '/api/campaigns/101/sequence-steps'],
  ['PATCH', '/api/campaigns/101/resume'],
])('%s %s that had no effect is sent again', (method, path) =>
  limited(
    [method, path],
    ({ service, steps }) => {
      expect(count(service, path)).toBe(2);
      expect(service.store.campaigns).toMatchObject([{ lists: [77], leads: [1, 2, 3], status: 'active' }]);
      expect(steps.at(-1)).toBe('launch done');
    },
    { effect: false },
  ),
);

it('after a 429, the list is read again before the next write that depends on it', () =>
  limited(
    ['POST', '/api/campaigns/101/schedule'],
    ({ service }) => {
      const requests = service.requests.map(({ method, path }) => `${method} ${path}`);
      const retried = requests.lastIndexOf('POST /api/campaigns/101/schedule');
      const emails = requests.indexOf('POST /api/campaigns/101/sequence-steps');
      expect(requests.slice(retried, emails)).toContain('GET /api/campaigns');
    },
    { effect: false },
  ));

it('a namesake that another run creates meanwhile stops the emails', () =>
  applying({}, async ({ service, apply }) => {
    service.answerThen('POST', '/api/campaigns/101/schedule', { ...LIMITED, effect: false });
    const clock = fakeClock();
    const { campaigns } = await apply(SPEC, {
      clock: {
        ...clock,
        async sleep(ms, signal) {
          if (ms > 500) service.store.campaigns.push(draft(900, NAME));
          return clock.sleep(ms, signal);
        },
      },
    });
    const [outcome] = campaigns;
    expect(outcome?.steps.find(({ id }) => id === 'sequence')).toMatchObject({
      result: 'failed',
      detail: expect.stringContaining('this one (101) and 900 (draft)'),
    });
    expect(count(service, '/api/campaigns/101/sequence-steps')).toBe(0);
  }));
