import { afterEach, expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import type { Reader, Writer } from '../../src/service/index.js';
import { campaign, listedCampaign } from '../support/campaigns.js';
import { fakeClock } from '../support/clock.js';
import { SCHEDULE as SCHEDULE_TEXT, withProject } from '../support/project.js';
import type { Service } from '../support/service/service.js';
import type { Shape } from '../support/service/shape.js';
import { active, draft, type StoredCampaign } from '../support/service/store.js';
import { oneLine } from '../support/texts.js';
import {
  applying,
  becomes,
  entry42,
  LIVE_SCHEDULE,
  LIVE_STEP,
  NAME,
  SCHEDULE,
  SEQUENCE,
  statusOf,
  unsent,
} from './spring.js';

const FULL: Partial<CampaignSpec> = {
  settings: { max_emails_per_day: 200, max_new_leads_per_day: 100 },
  ...{ schedule: SCHEDULE, sequence: SEQUENCE, status: 'running' },
};

interface Scene {
  live?: StoredCampaign[];
  bound?: number;
  specs?: Partial<CampaignSpec>[];
  shape?: Partial<Shape>;
  /** Acts on the service before each request to this path, like a person or another run. */
  meanwhile?: { path: string; act: (service: Service) => void };
  campaigns?: (real: Reader['campaigns']) => Reader['campaigns'];
  before?: (service: Service) => void;
  /** Acts on the service before a campaign is read. */
  looked?: (service: Service) => void;
}

type Lookups = Pick<Reader, 'read' | 'campaigns'>;

/** Applies. Returns the first campaign's outcome, the launched ids and the number of list reads. */
function launch({ live = [], bound, specs = [{}], shape = {}, ...scene }: Scene) {
  return applying({ shape, campaigns: live }, async ({ apply, service, state }) => {
    scene.before?.(service);
    let lists = 0;
    const clock = fakeClock();
    const watched = (reader: Lookups): Lookups => ({
      campaigns() {
        lists += 1;
        return (scene.campaigns?.(reader.campaigns) ?? reader.campaigns)();
      },
      read(name, id) {
        scene.looked?.(service);
        return reader.read(name, id);
      },
    });
    const watchedService = (real: Reader & Writer): Reader & Writer => {
      let lookups: Lookups | null = null;
      return {
        ...real,
        ...watched(real),
        async send(request, terms) {
          // Requests take time, so that lists are shared.
          await clock.sleep(1);
          if (request.path.endsWith(scene.meanwhile?.path ?? '-')) scene.meanwhile?.act(service);
          const { guard } = terms ?? {};
          if (guard === undefined) return real.send(request, terms);
          const watchedGuard = (reader: Lookups) => {
            lookups ??= watched(reader);
            return guard(lookups);
          };
          return real.send(request, { ...terms, guard: watchedGuard });
        },
      };
    };
    if (bound !== undefined) await state.save({ ...entry42(), id: bound, manifest: '0.yaml' });
    const { plan, campaigns, result } = await apply(
      {},
      {
        clock,
        campaigns: specs.map((spec, at) => campaign(`${at}.yaml`, { name: NAME, ...FULL, ...spec })),
        service: watchedService,
      },
    );
    const last = campaigns[0]?.steps.at(-1);
    return {
      result,
      launch: last?.id === 'launch' ? [last.result, last.detail] : null,
      failed: campaigns[0]?.steps.flatMap(({ id, result }) => (result === 'failed' ? id : [])),
      readBack: campaigns[0]?.steps.find(({ id }) => id === 'read-back')?.detail,
      launched: service
        .writes()
        .flatMap(({ effect, path }) => (effect === 'resumed' ? [Number(path.split('/')[3])] : []))
        .sort((a, b) => a - b),
      problems: plan.campaigns[0]?.problems.map(({ code, severity }) => `${severity} ${code}`),
      lists,
    };
  });
}

const afterTheSequence = (act: (service: Service) => void) => ({ path: '/sequence-steps', act });
const paused = afterTheSequence(becomes('paused'));
const duplicate = afterTheSequence(({ store }) => void store.campaigns.push(draft(900, NAME)));

it('a campaign with a unique name is launched, after a list before its creation and one before its launch', async () => {
  const expected = { result: 'done', launch: ['done', null], launched: [101], lists: 3 };
  expect(await launch({})).toMatchObject(expected);
});

it('creations and launches within a few seconds share a list', async () => {
  const specs = Array.from({ length: 40 }, (_, at) => ({ name: `${NAME} ${at}` }));
  const { launched, lists } = await launch({ specs });
  expect([launched.length, lists]).toEqual([40, 3]);
});

const notAlone = (id: number, other: number, status: string | null, isPinned = false) =>
  unsent('not-alone', { id, name: NAME, others: [listedCampaign(other, NAME, status)], isPinned });
const changed = (word: string, isCreated: boolean) =>
  unsent('status-changed', { now: statusOf(word), before: 'draft', isCreated });

/** A list that is empty for the first reads. */
const late = (until: number) => {
  let readings = 0;
  return (real: Reader['campaigns']) => async () => {
    readings += 1;
    const listed = await real();
    return readings < until ? [] : listed;
  };
};
/** A list that cannot be read from the third read on. */
const lost = () => {
  let readings = 0;
  const failure = new Failure({ code: 'incomplete-list', message: 'The list is not complete.', hint: '' });
  return (real: Reader['campaigns']) => () => {
    readings += 1;
    return readings <= 2 ? real() : Promise.reject(failure);
  };
};

it.each<[string, () => Scene, detail: string]>([
  [
    'a second campaign has its name, in a row that shows a status',
    () => ({ meanwhile: duplicate }),
    notAlone(101, 900, 'draft'),
  ],
  [
    'a second campaign has its name, in a row of id and name',
    () => ({ meanwhile: duplicate, shape: { rows: 'id-name' } }),
    notAlone(101, 900, null),
  ],
  [
    'a second campaign has its name, on a different page',
    () => ({ meanwhile: duplicate, shape: { pageSize: 1, list: 'numbered-silent' } }),
    notAlone(101, 900, 'draft'),
  ],
  [
    'it is pinned, and a campaign that is not in the state has its name',
    () => ({ live: [draft(42, NAME), active(43, NAME)], specs: [{ id: 42 }] }),
    notAlone(42, 43, 'active', true),
  ],
  [
    'it is new and a person pauses it, and the answer to its creation shows a status',
    () => ({ meanwhile: paused }),
    changed('paused', true),
  ],
  [
    'it is new and a person pauses it, and only its record shows a status',
    () => ({ meanwhile: paused, shape: { createAnswer: 'only-id', rows: 'id-name' } }),
    changed('paused', true),
  ],
  [
    'a person pauses it',
    () => ({ live: [draft(42, NAME)], bound: 42, meanwhile: paused }),
    changed('paused', false),
  ],
  [
    'another run launches it',
    () => ({
      ...{ live: [draft(42, NAME)], bound: 42 },
      meanwhile: { path: '/resume', act: becomes('active') },
    }),
    changed('active', false),
  ],
  ['the list never shows it', () => ({ campaigns: late(99) }), unsent('not-listed', { id: 101, name: NAME })],
  ['the list cannot be read', () => ({ campaigns: lost() }), 'it was not sent: The list is not complete.'],
])('a campaign is not launched where %s', async (_, scene, detail) => {
  expect(await launch(scene())).toMatchObject({
    result: 'incomplete',
    launch: ['failed', detail],
    launched: [],
  });
});

it.each([
  ['shows the live emails and dates that the manifest leaves out', {}, expect.any(String)],
  [
    'does not need a schedule that the manifest leaves out and that cannot be read',
    { monday: 'perhaps' },
    null,
  ],
])('the plan of a launch %s', async (_, odd, first) => {
  const live = { ...draft(42, NAME), schedule: LIVE_SCHEDULE, title: 'Spring', steps: [LIVE_STEP] };
  await applying({ campaigns: [live] }, async ({ apply, service }) => {
    const data = { ...LIVE_SCHEDULE, ...odd };
    service.answerThen('GET', '/api/campaigns/42/schedule', { status: 200, body: { data }, effect: false });
    const { plan } = await apply({ status: 'running' }, { refuses: true });
    const [only] = plan.campaigns;
    expect(only?.content?.after.sequence?.steps).toMatchObject([{ email_subject: 'Hi' }]);
    expect(only?.impact?.first).toEqual(first);
    expect(only?.steps.map(({ id }) => id)).toEqual(['launch']);
  });
});

it('a list that lags is awaited', async () => {
  expect(await launch({ campaigns: late(6) })).toMatchObject({ launched: [101] });
});

it('a new campaign that is not launched and shares its name is incomplete, after one more read of the list', async () => {
  const specs = [{ status: 'paused' as const }, { name: 'Summer', status: 'paused' as const }];
  const actOnce = afterTheSequence((service) => {
    if (service.store.campaigns.every(({ id }) => id !== 900)) duplicate.act(service);
  });
  expect(await launch({ specs, meanwhile: actOnce })).toMatchObject({
    ...{ result: 'incomplete', failed: ['read-back'] },
    readBack: expect.stringMatching(/^[^;]+"Spring installers": .* \(10[12]\) and 900 \(draft\)/),
    lists: 3,
  });
  expect(await launch({ specs })).toMatchObject({ result: 'done', lists: 3 });
});

it('a pinned campaign is launched even if others have its name, if they are known to manifests or gone', async () => {
  const live = [draft(42, NAME), draft(43, NAME), { ...draft(44, NAME), status: 'archived' }];
  const specs = [{ id: 42 }, { id: 43 }];
  // A launch needs a list that is newer than the campaign's last request.
  expect(await launch({ live, specs })).toMatchObject({ result: 'done', launched: [42, 43], lists: 3 });
});

it.each(['draft', 'archived'])(
  'a plan shows that another campaign has the name, whose status is "%s", and blocks the launch',
  async (status) => {
    const live = [draft(42, NAME), { ...draft(43, NAME), status }];
    expect(await launch({ live, bound: 42 })).toMatchObject({
      result: 'incomplete',
      launch: null,
      launched: [],
      problems: ['blocked same-name', 'warning launch-withheld', 'hazard reset-unreadable'],
    });
  },
);

it('a status in a different spelling is the same, and a campaign that was paused before may be launched', async () => {
  const live = [{ ...draft(42, NAME), status: 'paused' }];
  const louder = afterTheSequence(becomes('Paused'));
  expect(await launch({ live, bound: 42, meanwhile: louder })).toMatchObject({ launched: [42] });
});

it.each(['draft', 'Stopped', 'Failed'])(
  'a launch whose response was lost is not sent again by the same run while the status is "%s"',
  async (status) => {
    const live = [{ ...draft(42, NAME), status }];
    for (const effect of [true, false]) {
      const before = (service: Service) =>
        service.answerThen('PATCH', '/api/campaigns/42/resume', { reset: true, effect });
      const looked = (service: Service) => {
        if (service.writes().some(({ effect }) => effect === 'resumed')) becomes(status)(service);
      };
      const { result, launch: last, launched } = await launch({ live, bound: 42, before, looked });
      expect([result, launched, last?.[0]]).toEqual(['incomplete', effect ? [42] : [], 'in_doubt']);
      expect(last?.[1]).toContain(`after 60 s, the service showed "${status}"`);
    }
  },
);

it('a campaign that is gone after its launch is no launched one whose status is not shown', async () => {
  const gone = { status: 404, body: { message: 'record_not_found' }, effect: false };
  const looked = (service: Service) => {
    if (service.writes().some(({ effect }) => effect === 'resumed'))
      service.answerThen('GET', '/api/campaigns/101', gone);
  };
  const { result, launch: last } = await launch({ shape: { status: 'hidden' }, looked });
  expect([result, last?.[0]]).toEqual(['incomplete', 'in_doubt']);
});

const FAILED = ['failed', 'the service accepted the launch, then showed "failed"'];

/** The launch is read again after 0.5, 2, 5, 10 and 15 seconds. */
it.each([
  ['is visible only briefly is ignored', ['queued', 'failed', 'queued', 'active'], ['done', null]],
  [
    'lasts for less than five seconds is ignored',
    ['queued', 'failed', 'failed', 'failed', 'active'],
    ['done', null],
  ],
  ['lasts for five seconds is one', ['failed', 'failed', 'failed', 'failed', 'active'], FAILED],
  ['comes again is another one', ['failed', 'failed', 'queued', 'failed', 'active'], ['done', null]],
])('a failure after a launch that %s', async (_, statuses, outcome) => {
  let readings = 0;
  const looked = (service: Service) => {
    if (service.writes().every(({ effect }) => effect !== 'resumed')) return;
    becomes(statuses[readings] ?? 'active')(service);
    readings += 1;
  };
  expect(await launch({ looked })).toMatchObject({ launch: outcome, launched: [101] });
});

it('a campaign that is shown as finished after its launch was launched', async () => {
  const looked = (service: Service) => {
    if (service.writes().some(({ effect }) => effect === 'resumed')) becomes('completed')(service);
  };
  expect(await launch({ looked })).toMatchObject({ launch: ['done', null], launched: [101] });
});

it('the result says if the service keeps only one of three leads', async () => {
  const looked = ({ store }: Service) => {
    for (const campaign of store.campaigns) campaign.leads.splice(1);
  };
  const shape = { totals: 'shown' } as const;
  const specs = [{ leads: { ids: [1001, 1002, 1003] } }];
  const kept = { launched: [101], readBack: 'the service shows 1 of 3 leads' };
  expect(await launch({ shape, specs, looked })).toMatchObject(kept);
  expect(await launch({ shape, specs })).toMatchObject({ readBack: 'the service shows 3 leads' });
});

it('an accepted launch whose status cannot be read afterwards is described as accepted', () =>
  withProject(
    {
      files: {
        'campaigns/spring.yaml': `name: Spring
${SCHEDULE_TEXT}sequence: { title: Spring, steps: [{ email_subject: One, email_body: <p>One</p>, wait_in_days: 1 }] }
leads: { ids: [1] }
status: running
`,
      },
    },
    async ({ exits, service, statuses }) => {
      const body = { data: { id: 101, name: 'Spring', status: { name: 'active' } } };
      service.actAt(
        5,
        () => {
          for (let times = 0; times < 9; times += 1)
            service.answerThen('GET', '/api/campaigns/101', { status: 200, body, effect: false });
        },
        'writes',
      );
      const ended = await exits(4, 'apply --yes --allow launch');
      const out = oneLine(ended.out);
      expect(out).toContain(
        '? launch the campaign in doubt the service accepted it; its effect could not be read: The response to GET /api/campaigns/101 cannot be read: field status',
      );
      expect(out).toContain(
        'In doubt: campaignctl sent the request, but the service has not shown whether it took effect. Run plan again',
      );
      expect(statuses()).toEqual({ Spring: 'active' });
    },
  ));

const { now } = Date;
afterEach(() => {
  Date.now = now;
});

it('an apply waits for the launch, after a rate limit, while the system clock is set forward and back', () =>
  withProject(
    {
      shape: { resume: 'queued' },
      environment: '    limits: { requests_per_minute: 6000 }\n',
      files: {
        'campaigns/spring.yaml': `name: Spring
${SCHEDULE_TEXT}sequence: { title: Spring, steps: [{ email_subject: One, email_body: <p>One</p>, wait_in_days: 1 }] }
leads: { ids: [1] }
status: running
`,
      },
    },
    async ({ exits, service, statuses }) => {
      const body = { error: 'rate_limited', retry_after: 1 };
      service.answerThen('POST', '/api/campaigns', { status: 429, body, effect: false });
      let looks = 0;
      Date.now = () => now() + (looks++ % 2 === 0 ? 1 : -1) * 86_400_000;
      expect((await exits(0, 'apply --yes --allow launch')).out).toContain('✓ launch the campaign');
      expect(statuses()).toEqual({ Spring: 'active' });
    },
  ));
