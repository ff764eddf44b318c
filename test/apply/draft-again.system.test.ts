/** A campaign that has run and is shown as a draft: the answer is outdated, and no second launch is sent. */
import { expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/model/spec.js';
import { problemsOf, type Ran } from '../support/apply.js';
import { fakeClock } from '../support/clock.js';
import { environment } from '../support/environment.js';
import type { Service } from '../support/service/service.js';
import { draft, isRecord } from '../support/service/store.js';
import { killer } from '../system/trust/killer.js';
import {
  applying,
  becomes,
  entry42,
  KNOWN,
  LIVE_SCHEDULE,
  LIVE_STEP,
  NAME,
  SCHEDULE,
  SEQUENCE,
} from './spring.js';

const SPEC: Partial<CampaignSpec> = {
  ...{ schedule: SCHEDULE, sequence: SEQUENCE, leads: { ids: [1, 2] }, status: 'running' },
};
const ALLOWED = {
  ...environment(),
  allow: [{ hazard: 'launch' as const, by: '--allow launch' }],
};
const DRAFT = { ...draft(42, NAME), schedule: LIVE_SCHEDULE, title: 'Spring', steps: [LIVE_STEP] };

type Where = 'list' | 'record' | 'both';

/** Shows every campaign as a draft, for the next `times` answers. Returns how to end that. */
function showsDraft(service: Service, where: Where, times = Number.POSITIVE_INFINITY) {
  const { answer } = service;
  let left = times;
  const asDraft = (row: unknown) => (isRecord(row) ? { ...row, status: 'draft' } : row);
  service.answer = (arrived) => {
    const reply = answer(arrived);
    const path = arrived.url.pathname;
    const isList = path === '/api/campaigns' && where !== 'record';
    const isOne = /^\/api\/campaigns\/\d+$/.test(path) && where !== 'list';
    if (arrived.method !== 'GET' || !(isList || isOne) || left <= 0 || reply === null) return reply;
    left -= 1;
    const { data } = reply.body as { data: unknown };
    return {
      ...reply,
      body: { ...(reply.body as object), data: Array.isArray(data) ? data.map(asDraft) : asDraft(data) },
    };
  };
  return () => {
    service.answer = answer;
  };
}

const resumes = (service: Service) => service.writes().filter(({ path }) => path.endsWith('/resume')).length;

/** Launches a campaign, then applies again, each time with all approvals. */
function launched(
  use: (at: {
    service: Service;
    clock: ReturnType<typeof fakeClock>;
    apply: (spec?: Partial<CampaignSpec>) => Promise<Ran>;
  }) => Promise<void>,
) {
  return applying({}, async ({ service, apply }) => {
    const clock = fakeClock();
    const again = (spec: Partial<CampaignSpec> = SPEC) => apply(spec, { clock });
    expect((await again()).result).toBe('done');
    expect(resumes(service)).toBe(1);
    await use({ service, clock, apply: again });
  });
}

it.each(['list', 'record', 'both'] as const)(
  'a launched campaign that the %s shows as a draft from then on is not launched again',
  (where) =>
    launched(async ({ service, apply }) => {
      showsDraft(service, where);
      const { plan, result } = await apply();
      expect([resumes(service), plan.summary.launch]).toEqual([1, 0]);
      expect(result).toBe(where === 'list' ? 'done' : 'incomplete');
      // The list alone is outweighed by the record and the state.
      expect(plan.summary.blocked).toBe(where === 'list' ? 0 : 1);
    }),
);

it.each(['list', 'record', 'both'] as const)(
  'a launched campaign that the %s shows as a draft once is read again',
  (where) =>
    launched(async ({ service, apply }) => {
      showsDraft(service, where, where === 'both' ? 2 : 1);
      const { plan, result } = await apply();
      expect([resumes(service), plan.summary, result]).toMatchObject([
        1,
        { unchanged: 1, blocked: 0 },
        'done',
      ]);
    }),
);

it('the plan says why it does not launch, and status: paused settles it', () =>
  launched(async ({ service, apply }) => {
    showsDraft(service, 'both');
    const blocked = await apply();
    expect(problemsOf(blocked)).toEqual(['blocked unknown-status']);
    const [problem] = blocked.plan.campaigns[0]?.problems ?? [];
    expect(problem?.message).toBe(
      'The service shows "draft", but this campaign has run, so the answer is probably outdated: the campaign may be sending, so apply does not launch it.',
    );
    expect(problem?.hint).toContain('write status: paused and apply');

    const paused = await apply({ ...SPEC, status: 'paused' });
    expect([paused.result, service.writes().at(-1)?.path]).toEqual(['done', '/api/campaigns/101/pause']);
    expect((await apply({ ...SPEC, status: 'paused' })).plan.summary.requests).toBe(0);

    const writes = service.writes().length;
    const resumed = await apply();
    expect(problemsOf(resumed)).toEqual(['hazard launch', 'hazard undoes-apply']);
    expect(
      service
        .writes()
        .slice(writes)
        .map(({ path }) => path),
    ).toEqual(['/api/campaigns/101/resume']);
  }));

it('a campaign that campaignctl saw running is not launched if it is shown as a draft later', () =>
  applying({ campaigns: [{ ...DRAFT, status: 'active' }] }, async ({ service, state, apply }) => {
    await state.save(entry42({ ...KNOWN, has_run: null, status: null }));
    const { leads: _leads, ...spec } = SPEC;
    const options = { environment: ALLOWED, refuses: true };
    expect((await apply(spec, options)).plan.summary.unchanged).toBe(1);
    becomes('draft')(service);
    expect(problemsOf(await apply(spec, options))).toEqual(['blocked unknown-status']);
    expect(service.writes()).toEqual([]);
  }));

it('a launch that failed is sent again, and so is one whose effect never showed', async () => {
  await applying({ shape: { resume: 'failed' } }, async ({ service, apply }) => {
    const options = { environment: ALLOWED, refuses: true };
    const first = await apply(SPEC, options);
    expect(first.campaigns[0]?.steps.at(-1)).toMatchObject({ id: 'launch', result: 'failed' });
    await apply(SPEC, options);
    expect(resumes(service)).toBe(2);
    becomes('draft')(service);
    await apply(SPEC, options);
    expect(resumes(service)).toBe(3);
  });
  await applying({}, async ({ service, apply }) => {
    const clock = fakeClock();
    const options = { environment: ALLOWED, refuses: true, clock };
    service.answerThen('PATCH', '/api/campaigns/101/resume', {
      ...{ status: 200, body: { data: { success: true } }, effect: false },
    });
    const first = await apply(SPEC, options);
    expect(first.campaigns[0]?.steps.at(-1)).toMatchObject({ id: 'launch', result: 'in_doubt' });
    await clock.sleep(60_000);
    expect((await apply(SPEC, options)).result).toBe('done');
    expect(resumes(service)).toBe(2);
  });
});

it('a run that died after the launch was accepted leads to no second launch while the service shows a draft', () =>
  applying({}, async ({ service, apply }) => {
    const clock = fakeClock();
    const options = { environment: ALLOWED, clock, refuses: true };
    await apply(SPEC, { ...options, ...killer('once its outcome is noted', 6) }).catch(() => null);
    expect(resumes(service)).toBe(1);
    expect((await apply(SPEC, options)).result).toBe('done');
    showsDraft(service, 'both');
    await apply(SPEC, options);
    expect(resumes(service)).toBe(1);
  }));

it('leads are attached to a campaign that is shown as a draft again only as to one that is sending', () =>
  launched(async ({ service, apply }) => {
    showsDraft(service, 'both');
    const { status: _status, ...spec } = { ...SPEC, leads: { ids: [1, 2, 3] } };
    expect(problemsOf(await apply(spec))).toEqual(['hazard attach-running']);
  }));
