/** Leads that the service accepts and does not count: nothing is launched to nobody. */
import { expect, it } from 'vitest';
import type { Hazard } from '../../src/model/codes.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { problemsOf, type Ran } from '../support/apply.js';
import { fakeClock } from '../support/clock.js';
import { environment } from '../support/environment.js';
import type { Service } from '../support/service/service.js';
import type { Shape } from '../support/service/shape.js';
import { draft, type StoredCampaign } from '../support/service/store.js';
import { dies, killer } from '../system/trust/killer.js';
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
  unsent,
} from './spring.js';

const LAUNCH: Partial<CampaignSpec> = { schedule: SCHEDULE, sequence: SEQUENCE, status: 'running' };
const IDS = Array.from({ length: 100 }, (_, at) => 1001 + at);
const LEADS = {
  'a list': { lists: [77] },
  ids: { ids: IDS },
  'a list and ids': { lists: [77], ids: IDS },
} satisfies Record<string, CampaignSpec['leads']>;

/** The service answers attachments with this status and attaches nobody. */
const attachesNobody =
  (status = 200) =>
  (service: Service) => {
    const { answer } = service;
    service.answer = (arrived) => {
      const { pathname: path } = arrived.url;
      if (path.includes('/leads/attach-'))
        service.answerThen('POST', path, { status, body: { data: { success: true } }, effect: false });
      return answer(arrived);
    };
    return () => {
      service.answer = answer;
    };
  };

interface Given {
  spec: Partial<CampaignSpec>;
  live?: StoredCampaign[];
  shape?: Partial<Shape>;
  before?: (service: Service) => unknown;
  /** Called during each wait, with the seconds since the attachment. */
  waits?: (service: Service, seconds: number) => void;
  /** Called after the read-back. */
  launching?: (service: Service) => void;
}

interface Scene {
  service: Service;
  ran: Ran;
  seconds: number;
  /** Applies again with these approvals; refuses if another one is needed. */
  again(allow: Hazard[], spec?: Partial<CampaignSpec>): Promise<Ran>;
  /** The writes since the last call. */
  sent(): string[];
}

const approvals = (allow: Hazard[]) => allow.map((hazard) => ({ hazard, by: `--allow ${hazard}` }));

function applied(
  { spec, live = [], shape = {}, before, waits, launching }: Given,
  use: (scene: Scene) => Promise<void>,
) {
  return applying({ shape: { totals: 'shown', ...shape }, campaigns: live }, async (at) => {
    const { service, state } = at;
    for (const { id, leads } of live)
      await state.save({ ...entry42({ ...KNOWN, total_leads: leads.length }), id });
    before?.(service);
    const clock = fakeClock();
    let attachedAt = 0;
    const sleep: typeof clock.sleep = (ms) => {
      attachedAt ||= service.writes().some(({ path }) => path.includes('attach-')) ? clock.elapsed() : 0;
      waits?.(service, (clock.elapsed() - attachedAt) / 1000);
      return clock.sleep(ms);
    };
    const again = (allow: Hazard[], changed = spec) =>
      at.apply(changed, {
        clock: { ...clock, sleep },
        refuses: true,
        emit: (event) => {
          if (event.type === 'step-started' && event.step === 'launch') launching?.(service);
        },
        environment: { ...environment(), allow: approvals(allow) },
      });
    let seen = 0;
    const sent = () => {
      const writes = service
        .writes()
        .map(({ method, path }) => `${method} ${path.split('/').slice(3).join('/')}`);
      const since = writes.slice(seen);
      seen = writes.length;
      return since;
    };
    const started = clock.elapsed();
    const ran = await again(['launch', 'attach-running']);
    await use({ service, ran, seconds: (clock.elapsed() - started) / 1000, again, sent });
  });
}

const stepsOf = ({ campaigns }: Ran) =>
  campaigns[0]?.steps
    .filter(({ id }) => /^leads|^launch|^read-back/.test(id))
    .map(({ id, result }) => `${id} ${result}`);
const othersOf = ({ campaigns }: Ran) =>
  campaigns[0]?.steps.filter(({ id }) => !/^leads|^launch|^read-back/.test(id)).map(({ result }) => result);
const detailOf = ({ campaigns }: Ran, step: string) =>
  campaigns[0]?.steps.find(({ id }) => id.startsWith(step))?.detail;
const launches = (writes: readonly string[]) => writes.filter((write) => write.endsWith('/resume'));
const attachments = (writes: readonly string[]) => writes.filter((write) => write.includes('/leads/'));

const DRAFT = { ...draft(42, NAME), schedule: LIVE_SCHEDULE, title: 'Spring', steps: [LIVE_STEP] };
const CAMPAIGNS: Record<string, StoredCampaign[]> = {
  new: [],
  draft: [DRAFT],
  paused: [{ ...DRAFT, status: 'paused' }],
};

it.each(
  Object.entries(LEADS).flatMap(([what, leads]) =>
    Object.entries(CAMPAIGNS).flatMap(([which, live]) =>
      [200, 202].map((status) => ({ what, which, status, leads, live })),
    ),
  ),
)(
  '$what that a $which campaign does not show, after status $status: in doubt, and not launched',
  ({ leads, live, status }) =>
    applied(
      { spec: { ...LAUNCH, leads }, live: structuredClone(live), before: attachesNobody(status) },
      async ({ ran, seconds, again, sent }) => {
        const steps = ['lists' in leads ? 'list-77' : '', 'ids' in leads ? 'batch-1' : ''].filter(Boolean);
        expect(stepsOf(ran)).toEqual([
          ...steps.map((step) => `leads/${step} in_doubt`),
          'read-back failed',
          'launch not_run',
        ]);
        expect(detailOf(ran, 'leads')).toBe('the service accepted it, but shows 0 leads in the campaign');
        expect(othersOf(ran)).toEqual(live.length === 0 ? ['done', 'done', 'done'] : []);
        expect([ran.result, seconds >= 60, seconds < 90]).toEqual(['incomplete', true, true]);
        expect(launches(sent())).toEqual([]);

        const asked = await again(['launch']);
        expect(problemsOf(asked)).toEqual(['hazard launch', 'hazard no-leads']);
        expect(asked.plan.campaigns[0]?.steps.map(({ id }) => id)).toEqual(['launch']);
        expect(sent()).toEqual([]);

        const approved = await again(['launch', 'no-leads']);
        expect(approved.result).toBe('done');
        expect(sent()).toEqual([expect.stringMatching(/^PATCH \d+\/resume$/)]);
        expect((await again([])).plan.summary.requests).toBe(0);
      },
    ),
);

it('a number that appears within the minute launches, one that appears later is launched by the next apply', async () => {
  for (const [after, result, writes] of [
    [20, 'done', 1],
    [1_000, 'incomplete', 0],
  ] as const)
    await applied(
      {
        spec: { ...LAUNCH, leads: { ids: IDS } },
        before: attachesNobody(),
        waits(service, seconds) {
          for (const campaign of service.store.campaigns) campaign.leads = seconds > after ? [...IDS] : [];
        },
      },
      async ({ service, ran, again, sent }) => {
        expect([ran.result, launches(sent()).length]).toEqual([result, writes]);
        for (const campaign of service.store.campaigns) campaign.leads = [...IDS];
        const next = await again(['launch']);
        expect([next.result, attachments(sent())]).toEqual(['done', []]);
        expect(service.store.campaigns[0]?.status).toBe('active');
      },
    );
});

it('fewer leads than the ids are said, and are no doubt', async () => {
  const keeps97 = (service: Service) => {
    for (const campaign of service.store.campaigns) campaign.leads.splice(97);
  };
  const spec = { ...LAUNCH, leads: { ids: IDS } };
  await applied({ spec, waits: keeps97, before: dropsThree }, async ({ ran, sent }) => {
    expect([ran.result, launches(sent()).length]).toEqual(['done', 1]);
    expect(detailOf(ran, 'read-back')).toBe('the service shows 97 of 100 leads');
  });
  const live = [{ ...structuredClone(DRAFT), leads: [1, 2, 3, 4, 5] }];
  await applied({ spec, live, before: dropsThree }, async ({ ran }) => {
    expect([ran.result, detailOf(ran, 'read-back')]).toEqual([
      'done',
      'the service shows 102 leads, 97 more than before: 100 were sent',
    ]);
  });
});

it.each([
  ['ids and a list', { ids: IDS, lists: [77] }, 5, 97, '97 leads'],
  ['ids, of which it keeps none', { ids: IDS }, 5, 5, '5 leads, 0 more than before: 100 were sent'],
  ['ids, and fewer leads than before', { ids: IDS }, 5, 3, '3 leads'],
  ['ids that it all keeps', { ids: IDS }, 5, 105, '105 leads'],
])('the number is shown as it is after %s', async (_, leads, before, after, shown) => {
  const leadsOf = (many: number) => Array.from({ length: many }, (_each, at) => at + 1);
  const live = [{ ...structuredClone(DRAFT), leads: leadsOf(before) }];
  const keeps = (service: Service) => {
    const { answer } = service;
    service.answer = (arrived) => {
      const reply = answer(arrived);
      if (arrived.url.pathname.includes('/attach-'))
        for (const campaign of service.store.campaigns)
          Object.assign(campaign, { lists: [], leads: leadsOf(after) });
      return reply;
    };
  };
  await applied({ spec: { ...LAUNCH, leads }, live, before: keeps }, async ({ ran }) => {
    expect([ran.result, detailOf(ran, 'read-back')]).toEqual(['done', `the service shows ${shown}`]);
  });
});

/** The service drops three leads of each attachment. */
function dropsThree(service: Service) {
  const { answer } = service;
  service.answer = (arrived) => {
    const reply = answer(arrived);
    if (arrived.url.pathname.endsWith('/attach-leads'))
      for (const campaign of service.store.campaigns) campaign.leads.splice(-3);
    return reply;
  };
}

it('the number is not compared on a running campaign, nor if none is shown', async () => {
  const spec = { ...LAUNCH, leads: LEADS['a list'] };
  const live = [{ ...structuredClone(DRAFT), status: 'active' }];
  await applied({ spec, live, before: attachesNobody() }, async ({ ran, again }) => {
    expect([ran.result, stepsOf(ran)]).toEqual(['done', ['leads/list-77 done', 'read-back done']]);
    expect((await again([])).plan.summary.requests).toBe(0);
  });
  const shape = { totals: 'hidden' } as const;
  await applied({ spec, shape, before: attachesNobody() }, async ({ ran, seconds, sent }) => {
    expect([ran.result, launches(sent()).length, seconds < 60]).toEqual(['done', 1, true]);
  });
});

it('nor on one that a person launches meanwhile', async () => {
  const spec = { ...LAUNCH, leads: LEADS['a list'] };
  const live = [structuredClone(DRAFT)];
  await applied({ spec, live, before: attachesNobody(), waits: becomes('active') }, async ({ ran, sent }) => {
    expect(stepsOf(ran)).toEqual(['leads/list-77 done', 'read-back done', 'launch failed']);
    expect(launches(sent())).toEqual([]);
  });
});

it('a campaign that is not launched is in doubt as well, and later plans say that the service shows no leads', async () => {
  const { status: _status, ...spec } = { ...LAUNCH, leads: LEADS['a list'] };
  await applied({ spec, before: attachesNobody() }, async ({ ran, again, sent }) => {
    expect([ran.result, stepsOf(ran)]).toEqual([
      'incomplete',
      ['leads/list-77 in_doubt', 'read-back failed'],
    ]);
    sent();
    const next = await again([]);
    expect([next.result, problemsOf(next), sent()]).toEqual(['done', ['warning no-leads'], []]);
  });
});

it.each(['once it has its effect', 'once its outcome is noted'] as const)(
  'after a run that died %s, the next one does not launch to nobody, and attaches nothing again unasked',
  (point) =>
    applying({ shape: { totals: 'shown' }, campaigns: [structuredClone(DRAFT)] }, async (at) => {
      const { service, state, apply } = at;
      await state.save(entry42());
      attachesNobody()(service);
      const clock = fakeClock();
      const spec = { ...LAUNCH, leads: LEADS['a list'] };
      await dies(apply(spec, { clock, ...killer(point, 1) }));
      const environmentOf = (allow: Hazard[]) => ({ ...environment(), allow: approvals(allow) });
      const options = { clock, refuses: true, environment: environmentOf(['launch']) };
      const next = await apply(spec, options);
      expect(problemsOf(next)).toContain(
        point === 'once its outcome is noted' ? 'hazard no-leads' : 'hazard repeat-attach',
      );
      expect(service.writes()).toHaveLength(1);
    }),
);

it('leads that a person removes right before the launch withhold it', async () => {
  const spec = { ...LAUNCH, leads: LEADS['a list'] };
  const launching = ({ store }: Service) => {
    for (const campaign of store.campaigns) campaign.lists = [];
  };
  await applied({ spec, launching }, async ({ ran, sent }) => {
    expect([ran.result, launches(sent())]).toEqual(['incomplete', []]);
    expect(detailOf(ran, 'launch')).toBe(unsent('nobody', {}));
  });
});
