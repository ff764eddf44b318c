/** Every kind of write × its outcome × reads that lag × the next runs: in the end, nothing exists twice. */
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { type Ran, type RunOptions, run } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import { fakeClock } from '../support/clock.js';
import { environment } from '../support/environment.js';
import { withFolder } from '../support/folder.js';
import { type Fault, openService, type Recorded, type Service, TOKEN } from '../support/service/service.js';
import { type Shape, shaped } from '../support/service/shape.js';
import { wireTo } from '../support/service/wire.js';
import { SPEC } from '../system/trust/full-campaign.js';
import { Death, killer } from '../system/trust/killer.js';
import { applying } from './spring.js';

type Kind = [kind: string, method: string, path: string, nth: number];
const LAUNCH: Kind = ['launch', 'PATCH', '/api/campaigns/101/resume', 1];
/** Kinds of writes, by path; several may share a path. */
const KINDS: Kind[] = [
  ['create', 'POST', '/api/campaigns', 1],
  ['settings', 'PATCH', '/api/campaigns/101/update', 1],
  ['schedule', 'POST', '/api/campaigns/101/schedule', 1],
  ['sequence', 'POST', '/api/campaigns/101/sequence-steps', 1],
  ['variants', 'POST', '/api/campaigns/101/sequence-steps', 2],
  ['list', 'POST', '/api/campaigns/101/leads/attach-lead-list', 1],
  ['leads', 'POST', '/api/campaigns/101/leads/attach-leads', 1],
  LAUNCH,
];
const ENDS = ['goes on', 'is killed once it was sent', 'is killed once its outcome was noted'] as const;
/** If a run is killed before it records the outcome, all faults with an effect look the same. */
const FAULTS: Record<string, { fault: Fault | null; ends: readonly (typeof ENDS)[number][] }> = {
  'dropped after its effect': { fault: { reset: true, effect: true }, ends: ENDS },
  'dropped before its effect': { fault: { reset: true, effect: false }, ends: ENDS },
  'answered with 500 after its effect': {
    fault: { status: 500, body: { message: 'Server Error' }, effect: true },
    ends: ['goes on'],
  },
  'cut after its effect': { fault: { cut: true, effect: true }, ends: ['goes on'] },
  accepted: { fault: null, ends: ['goes on', 'is killed once its outcome was noted'] },
};
/**
 * The next run sees the effect immediately, sees it later, or starts after the minute. `test/system/trust/crash.test.ts`
 * tests runs without lag.
 */
const TIMES = [
  { lag: 12_000, next: 20_000 },
  { lag: 40_000, next: 20_000 },
  { lag: 40_000, next: 90_000 },
];

/** Each post of a schedule creates a template. */
const CAMPAIGN: Partial<CampaignSpec> = {
  ...SPEC,
  name: 'Spring installers',
  schedule: {
    ...{ days: ['monday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
    save_as_template: true,
  },
};

interface Course {
  lag: number;
  next: number;
  end: (typeof ENDS)[number];
}

/**
 * Runs until a run completes, at most four times. `at`: the write at which the first run is killed. Attachments in doubt are
 * approved only by `safe`.
 */
async function life(service: Service, at: number, { lag, end, next }: Course): Promise<string[]> {
  const clock = fakeClock();
  const results: string[] = [];
  service.behave({ lag }, clock.elapsed);
  await withFolder(async (folder) => {
    const options: RunOptions = {
      ...{ url: 'https://send.example.com', token: TOKEN, folder, clock, wire: () => wireTo(service) },
      environment: environment(),
      campaigns: [campaign('spring.yaml', CAMPAIGN)],
    };
    const point =
      end === 'is killed once it was sent' ? 'once it has its effect' : 'once its outcome is noted';
    for (let turn = 0; turn < 4 && results.at(-1) !== 'done'; turn += 1) {
      const struck = turn === 0 && end !== 'goes on' ? killer(point, at) : {};
      const asked = async () => {
        const { result, plan } = await run({ ...options, ...struck });
        const hazards = plan.campaigns.flatMap(({ problems }) => problems.map(({ code }) => code));
        if (hazards.includes('launch-in-doubt')) return 'launch-in-doubt';
        return hazards.includes('repeat-attach') ? 'asks' : result;
      };
      results.push(
        await asked().catch((error: unknown) => {
          if (error instanceof Death) return 'died';
          if (error instanceof Failure) return error.code;
          throw error;
        }),
      );
      // Hazards need a person.
      if (results.at(-1) === 'asks') break;
      await clock.sleep(next);
    }
  });
  return results;
}

function count(writes: readonly Recorded[], effect: RegExp): number {
  return writes.filter((write) => effect.test(write.effect ?? '')).length;
}

/** A service without campaigns that answers one write in this way. */
function faulty(shape: Partial<Shape>, [, method, path, nth]: Kind, fault: Fault | null): Service {
  const service = openService(shaped(shape), { campaigns: [], templates: [] });
  if (fault === null) return service;
  let sent = 0;
  const { answer: real } = service;
  service.answer = (arrived) => {
    if (arrived.method === method && arrived.url.pathname === path && ++sent === nth)
      service.answerThen(method, path, fault);
    return real(arrived);
  };
  return service;
}

const COURSES = Object.entries(FAULTS).map(([name, { fault, ends }]) => {
  return [name, fault, ends.flatMap((end) => TIMES.map((times): Course => ({ end, ...times })))] as const;
});
const CASES = KINDS.flatMap((kind, index) =>
  COURSES.map(([name, fault, courses]) => [kind[0], name, kind, index + 1, fault, courses] as const),
);

describe('what a write creates exists at most once', () => {
  it.each(CASES)('%s, %s', async (name, title, kind, at, fault, courses) => {
    for (const course of courses) {
      const service = faulty({}, kind, fault);
      const results = await life(service, at, course);
      const lines = `${name}, ${title}, ${JSON.stringify(course)}: ${results.join(', ')}`;
      const { campaigns, templates } = service.store;
      expect(campaigns.length, lines).toBeLessThanOrEqual(1);
      expect(templates.length, lines).toBeLessThanOrEqual(1);
      const [only] = campaigns;
      expect(only?.steps.length ?? 0, lines).toBeLessThanOrEqual(3);
      expect(count(service.writes(), /^resumed/), lines).toBeLessThanOrEqual(1);
      expect(service.violations, lines).toEqual([]);
      // The runs approve everything, so a repeated attachment must have needed approval.
      const asked = results.at(-1) === 'asks';
      expect([only?.lists.length ?? 0, only?.leads.length ?? 0].join(), lines).toMatch(
        asked ? /^[012],[036]$/ : /^[01],[03]$/,
      );
      if (!asked) expect(results.at(-1), lines).toBe('done');
      // Runs read until the effect is visible. Some settings and all attachments are never visible.
      const isFound = course.end === 'goes on' && fault?.effect === true;
      if (isFound && !/^(settings|list|leads)$/.test(name)) expect(results, lines).toEqual(['done']);
    }
  });
});

describe('if the service shows no status, a launch is sent once, and later runs are blocked unless it was accepted', () => {
  it.each(COURSES)('%s', async (title, fault, courses) => {
    for (const course of courses) {
      const service = faulty({ status: 'hidden' }, LAUNCH, fault);
      const results = await life(service, KINDS.length, course);
      const lines = `${title}, ${JSON.stringify(course)}`;
      expect(
        service.writes().filter(({ path }) => path === LAUNCH[2]),
        lines,
      ).toHaveLength(1);
      expect(service.violations, lines).toEqual([]);
      const isKilled = course.end !== 'goes on';
      const blocked = Array<string>(3).fill('launch-in-doubt');
      expect(results, lines).toEqual(
        fault === null
          ? [...(isKilled ? ['died'] : []), 'done']
          : [isKilled ? 'died' : 'incomplete', ...blocked],
      );
    }
  });
});

/**
 * A service that shows "draft" for most of a minute after accepting a launch. No run concludes that the launch had no
 * effect.
 */
const LATE = 45_000;

/** A campaign that is ready to launch, on a service that lags from now on. Returns the number of earlier requests. */
function late(
  use: (apply: (more?: object) => Promise<Ran>, service: Service) => Promise<void>,
): Promise<string[]> {
  return applying({}, async ({ service, apply }) => {
    const clock = fakeClock(Date.UTC(2026, 2, 2));
    expect((await apply({ ...SPEC, status: 'paused' }, { clock })).result).toBe('done');
    service.behave({ lag: LATE }, clock.elapsed);
    await clock.sleep(LATE);
    const before = service.writes().length;
    await use((more) => apply(SPEC, { clock, ...more }), service);
    return service
      .writes()
      .slice(before)
      .map(({ path }) => path.split('/').at(-1) ?? '');
  });
}

describe('a launch that the service shows late', () => {
  it('is watched as long if its response was lost', async () => {
    const sent = await late(async (apply, service) => {
      service.answerThen('PATCH', LAUNCH[2], { reset: true, effect: true });
      expect((await apply()).result).toBe('done');
    });
    expect(sent).toEqual(['resume']);
  });

  it.each(['once it has its effect', 'before its outcome is noted', 'once its outcome is noted'] as const)(
    'is awaited by the next run if a run died %s',
    async (point) => {
      const sent = await late(async (apply) => {
        await expect(apply(killer(point, 1))).rejects.toBeInstanceOf(Death);
        expect((await apply()).result).toBe('done');
      });
      expect(sent).toEqual(['resume']);
    },
  );
});
