import { expect, it } from 'vitest';
import { Failure } from '../../../src/model/failure.js';
import type { CampaignSpec } from '../../../src/model/spec.js';
import { CREATED_STATE } from '../../../src/model/state.js';
import type { Reader, Writer } from '../../../src/service/index.js';
import { openStore } from '../../../src/state/store.js';
import { run } from '../../support/apply.js';
import { campaign } from '../../support/campaigns.js';
import { fakeClock } from '../../support/clock.js';
import { environment } from '../../support/environment.js';
import { withFolder } from '../../support/folder.js';
import { withService } from '../../support/project.js';
import { type TestService, TOKEN } from '../../support/service/service.js';
import type { Shape } from '../../support/service/shape.js';
import { draft, type StoredCampaign } from '../../support/service/store.js';

const NAME = 'Spring installers';
const FULL: Partial<CampaignSpec> = {
  settings: { max_emails_per_day: 200, max_new_leads_per_day: 100 },
  schedule: {
    days: ['monday'],
    start_time: '09:00',
    end_time: '17:00',
    timezone: 'Europe/Paris',
    save_as_template: false,
  },
  sequence: {
    title: 'Spring',
    steps: [{ email_subject: 'Hi', email_body: 'Hello', wait_in_days: 1, thread_reply: false }],
  },
  status: 'running',
};

interface Scene {
  live?: StoredCampaign[];
  /** The campaign that the state binds to the manifest. */
  bound?: number;
  specs?: Partial<CampaignSpec>[];
  shape?: Partial<Shape>;
  /** A person or another run: acts on the service before each request to this path. */
  meanwhile?: { path: string; act: (service: TestService) => void };
  /** How lists are read. */
  campaigns?: (real: Reader['campaigns']) => Reader['campaigns'];
  before?: (service: TestService) => void;
  /** Acts on the service before a campaign is read. */
  looked?: (service: TestService) => void;
}

type Lookups = Pick<Reader, 'read' | 'campaigns'>;

/** Applies; returns the outcome of the first campaign, the ids launched, and how often the list was read. */
function launch({ live = [], bound, specs = [{}], shape = {}, ...scene }: Scene) {
  return withService({ shape, campaigns: live }, async (service) => {
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
          // A request takes some time, which lists are shared by.
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
    const { plan, campaigns, result } = await withFolder(async (folder) => {
      const recorded = { ...CREATED_STATE, at_defaults: false };
      const store = openStore(folder, environment().base_url);
      if (bound !== undefined) await store.save({ id: bound, manifest: '0.yaml', name: NAME, recorded });
      return run({
        url: service.url,
        token: TOKEN,
        folder,
        clock,
        environment: environment(),
        campaigns: specs.map((spec, at) => campaign(`${at}.yaml`, { name: NAME, ...FULL, ...spec })),
        service: watchedService,
      });
    });
    const last = campaigns[0]?.steps.at(-1);
    return {
      result,
      launch: last?.id === 'launch' ? [last.result, last.detail] : null,
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

const afterTheSequence = (act: (service: TestService) => void) => ({ path: '/sequence-steps', act });
const paused = afterTheSequence(({ store }) => {
  for (const campaign of store.campaigns) campaign.status = 'paused';
});
const duplicate = afterTheSequence(({ store }) => void store.campaigns.push(draft(900, NAME)));

it('a campaign that is alone under its name is launched, after a list before its creation and one before its launch', async () => {
  expect(await launch({})).toMatchObject({
    result: 'done',
    launch: ['done', null],
    launched: [101],
    lists: 3,
  });
});

it('creations and launches of the same seconds share a list', async () => {
  const specs = Array.from({ length: 40 }, (_, at) => ({ name: `${NAME} ${at}` }));
  const { launched, lists } = await launch({ specs });
  expect([launched.length, lists]).toEqual([40, 3]);
});

it.each<[string, Partial<Shape>, string]>([
  ['with rows that show a status', {}, '900 (draft)'],
  ['with rows of id and name', { rows: 'id-name' }, '900'],
  ['on another page', { pageSize: 1, list: 'numbered-silent' }, '900 (draft)'],
])('of two campaigns of one name none is launched, %s', async (_, shape, other) => {
  expect(await launch({ shape, meanwhile: duplicate })).toMatchObject({
    result: 'incomplete',
    launch: [
      'failed',
      `it was not sent: the service has 2 campaigns called "${NAME}": this one (101) and ${other}. Another run may have created it at the same time. Plan again`,
    ],
    launched: [],
  });
});

it('a new campaign that is not launched and shares its name is not done, after one more reading of the list', async () => {
  const specs = [{ status: 'paused' as const }, { name: 'Summer', status: 'paused' as const }];
  const once = afterTheSequence((service) => {
    if (service.store.campaigns.every(({ id }) => id !== 900)) duplicate.act(service);
  });
  expect(await launch({ specs, meanwhile: once })).toMatchObject({
    result: 'incomplete',
    // Two creations are sent at the same time: either may get the first id.
    readBack: expect.stringMatching(
      /^the service has 2 campaigns called "Spring installers": this one \(10[12]\) and 900 \(draft\)\. Another run may have created it at the same time$/,
    ),
    lists: 3,
  });
  expect(await launch({ specs })).toMatchObject({ result: 'done', lists: 3 });
});

it('a pinned campaign is launched beside others of its name that a manifest knows or that are gone', async () => {
  const live = [draft(42, NAME), draft(43, NAME), { ...draft(44, NAME), status: 'archived' }];
  const specs = [{ id: 42 }, { id: 43 }];
  expect(await launch({ live, specs })).toMatchObject({ result: 'done', launched: [42, 43], lists: 2 });
});

it('a pinned campaign is not launched beside one of its name that nothing here knows', async () => {
  const live = [draft(42, NAME), { ...draft(43, NAME), status: 'active' }];
  expect(await launch({ live, specs: [{ id: 42 }] })).toMatchObject({
    result: 'incomplete',
    launch: [
      'failed',
      `it was not sent: the service has 2 campaigns called "${NAME}": this one (42) and 43 (active). Neither the state nor a manifest knows the other. Plan again`,
    ],
    launched: [],
    lists: 2,
  });
});

it('a plan shows that the name is there twice, and the launch is blocked', async () => {
  const live = [draft(42, NAME), draft(43, NAME)];
  expect(await launch({ live, bound: 42 })).toMatchObject({
    result: 'incomplete',
    launch: null,
    launched: [],
    problems: ['blocked same-name', 'hazard reset-unreadable', 'warning launch-withheld'],
  });
});

it.each<[string, Partial<Shape>]>([
  ['the answer to its creation shows a status', {}],
  ['only its record shows a status', { createAnswer: 'only-id', rows: 'id-name' }],
])('a new campaign that a person pauses in mid-run stays paused where %s', async (_, shape) => {
  expect(await launch({ shape, meanwhile: paused })).toMatchObject({
    result: 'incomplete',
    launch: [
      'failed',
      'it was not sent: its status is now "paused" and was "draft" when it was created: it was changed outside this run. Plan again to see it',
    ],
    launched: [],
  });
});

it('a campaign that a person pauses in mid-run stays paused, and one that another run launches is not launched again', async () => {
  const scene = () => ({ live: [draft(42, NAME)], bound: 42 });
  const refused = (word: string) => ({
    result: 'incomplete',
    launch: [
      'failed',
      `it was not sent: its status is now "${word}" and was "draft" when this was planned: it was changed outside this run. Plan again to see it`,
    ],
    launched: [],
  });
  expect(await launch({ ...scene(), meanwhile: paused })).toMatchObject(refused('paused'));
  const act = ({ store }: TestService) => {
    for (const campaign of store.campaigns) campaign.status = 'active';
  };
  expect(await launch({ ...scene(), meanwhile: { path: '/resume', act } })).toMatchObject(refused('active'));
});

it('a status that is written otherwise is the same, and one that was paused before may be launched', async () => {
  const live = [{ ...draft(42, NAME), status: 'paused' }];
  const louder = afterTheSequence(({ store }) => {
    for (const campaign of store.campaigns) campaign.status = 'Paused';
  });
  expect(await launch({ live, bound: 42, meanwhile: louder })).toMatchObject({ launched: [42] });
});

it.each(['draft', 'paused', 'Stopped', 'INACTIVE', 'Failed'])(
  'a launch whose answer was lost is not sent again by the same run while the campaign says "%s"',
  async (status) => {
    const live = [{ ...draft(42, NAME), status }];
    for (const effect of [true, false]) {
      const lost = { reset: true, effect } as const;
      const before = (service: TestService) => service.answerThen('PATCH', '/api/campaigns/42/resume', lost);
      const looked = ({ store, writes }: TestService) => {
        for (const campaign of store.campaigns)
          if (writes().some(({ effect }) => effect === 'resumed')) campaign.status = status;
      };
      const { result, launch: last, launched } = await launch({ live, bound: 42, before, looked });
      expect([result, launched, last?.[0]]).toEqual(['incomplete', effect ? [42] : [], 'in_doubt']);
      expect(last?.[1]).toContain(`after 60 s the service shows "${status}"`);
    }
  },
);

it('a failure that shows for a moment after a launch is not believed', async () => {
  let readings = 0;
  const looked = ({ store, writes }: TestService) => {
    if (writes().every(({ effect }) => effect !== 'resumed')) return;
    readings += 1;
    for (const campaign of store.campaigns)
      campaign.status = readings === 2 ? 'failed' : readings < 4 ? 'queued' : 'active';
  };
  const shape = { resume: 'queued' } as const;
  expect(await launch({ looked, shape })).toMatchObject({ launch: ['done', null], launched: [101] });
});

it('a list that is late is waited for; one that never shows the campaign holds the launch back', async () => {
  const late = (until: number) => {
    let readings = 0;
    return (real: Reader['campaigns']) => async () => {
      readings += 1;
      const listed = await real();
      return readings < until ? [] : listed;
    };
  };
  expect(await launch({ campaigns: late(6) })).toMatchObject({ launched: [101] });
  expect(await launch({ campaigns: late(99) })).toMatchObject({
    result: 'incomplete',
    launch: [
      'failed',
      `it was not sent: the list of campaigns does not show campaign 101 under the name "${NAME}". Plan again`,
    ],
    launched: [],
  });
});

it('a list that cannot be read holds the launch back', async () => {
  const lost = new Failure({ code: 'incomplete-list', message: 'The list is not complete.', hint: '' });
  let readings = 0;
  const failing = (real: Reader['campaigns']) => () => {
    readings += 1;
    return readings <= 2 ? real() : Promise.reject(lost);
  };
  expect(await launch({ campaigns: failing })).toMatchObject({
    result: 'incomplete',
    launch: ['failed', 'it was not sent: The list is not complete.'],
    launched: [],
  });
});

it('a service that keeps one of three leads has the result say so', async () => {
  const looked = ({ store }: TestService) => {
    for (const campaign of store.campaigns) campaign.leads.splice(1);
  };
  const shape = { totals: 'shown' } as const;
  const specs = [{ leads: { ids: [1001, 1002, 1003] } }];
  expect(await launch({ shape, specs, looked })).toMatchObject({
    launched: [101],
    readBack: 'the service shows 1 of 3 leads',
  });
  expect(await launch({ shape, specs })).toMatchObject({ readBack: 'the service shows 3 leads' });
});
