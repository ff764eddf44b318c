import { expect, it } from 'vitest';
import type { ServiceBehaviour } from '../../src/model/environment.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { environment } from '../support/environment.js';
import { withProject } from '../support/project.js';
import type { Service, TestService } from '../support/service/service.js';
import type { Shape } from '../support/service/shape.js';
import { OTHER_DEFAULTS, WORKDAYS } from '../support/service/store.js';
import { oneLine } from '../support/texts.js';
import { applying, NAME, SCHEDULE, SEQUENCE, statusOf, unsent } from './spring.js';

const LEADS: Partial<CampaignSpec> = { leads: { lists: [77] } };
const SETTINGS: Partial<CampaignSpec> = { settings: { plain_text: true } };
const EMAILS: Partial<CampaignSpec> = { sequence: SEQUENCE };
const DAYS: Partial<CampaignSpec> = { schedule: SCHEDULE };

interface Given {
  spec: Partial<CampaignSpec>;
  /** `null`: the service shows no status. */
  createdAs: string | null;
  service?: Partial<ServiceBehaviour>;
  before?: (service: Service) => void;
}

/**
 * Applies the same manifest `times` times with all approvals. Returns the hazards, details and requests after planning of
 * each run.
 */
async function make({ spec, createdAs: initial, service: habits = {}, before }: Given, times = 1) {
  return applying({ shape: initial === null ? { status: 'hidden' } : {} }, async ({ service, apply }) => {
    if (initial !== null) service.behave({ createdAs: initial }, () => 0);
    before?.(service);
    const runs = [];
    for (let time = 0; time < times; time++) {
      const already = service.requests.length;
      const { plan, campaigns, result } = await apply(spec, { environment: environment(habits) });
      const [outcome] = campaigns;
      const requests = service.requests.slice(already);
      const first = requests.findIndex(({ method }) => method !== 'GET');
      runs.push({
        result,
        problems: plan.campaigns[0]?.problems.map(({ code }) => code),
        failed: outcome?.steps
          .filter((step) => step.result === 'failed')
          .map(({ id, detail }) => [id, detail]),
        detail: outcome?.steps.at(-1)?.detail,
        remaining: outcome?.remaining,
        requests: requests
          .slice(first < 0 ? requests.length : first)
          .map(({ method, path }) => `${method} ${path.replace('/api/campaigns', '')}`),
      });
    }
    return runs;
  });
}

const SENDING = ['active', 'queued', 'fresh'];
const writesOf = ({ requests }: { requests: string[] }) => requests.filter((line) => !line.startsWith('GET'));

it.each(SENDING)(
  'a campaign that is created with this status gets nothing that could be mailed: %s',
  async (initial) => {
    const specs: [Partial<CampaignSpec>, step: string][] = [
      [LEADS, 'leads/list-77'],
      [{ ...LEADS, status: 'paused' }, 'leads/list-77'],
      [EMAILS, 'sequence'],
      [{ ...DAYS, ...EMAILS, ...LEADS, status: 'running' }, 'sequence'],
      [{ status: 'running' }, 'launch'],
    ];
    for (const [spec, step] of specs) {
      const [first] = await make({ spec, createdAs: initial });
      expect(first?.result).toBe('incomplete');
      expect(first?.failed).toEqual([[step, unsent('created-as', { status: statusOf(initial) })]]);
      expect(writesOf(first ?? { requests: [] })).toEqual(
        spec.schedule === undefined ? ['POST '] : ['POST ', 'POST /101/schedule'],
      );
    }
  },
);

it.each(SENDING)(
  'the next plan says what needs approval, and apply continues once it is approved: %s',
  async (initial) => {
    const [, second, third] = await make({ spec: { ...EMAILS, ...LEADS }, createdAs: initial }, 3);
    const runs = initial === 'active' || initial === 'queued';
    const problems = [...(runs ? ['sequence-missing'] : []), 'attach-running'];
    expect(second).toMatchObject({ result: 'done', problems });
    expect(writesOf(second ?? { requests: [] })).toEqual([
      'POST /101/sequence-steps',
      'POST /101/leads/attach-lead-list',
    ]);
    expect(third).toMatchObject({ result: 'done', requests: [] });
  },
);

it('one with status: paused is paused by the next apply before it gets leads', async () => {
  const [first, second] = await make({ spec: { ...LEADS, status: 'paused' }, createdAs: 'active' }, 2);
  expect(first?.result).toBe('incomplete');
  expect(second).toMatchObject({ result: 'done', problems: [] });
  expect(writesOf(second ?? { requests: [] })).toEqual([
    'PATCH /101/pause',
    'POST /101/leads/attach-lead-list',
  ]);
});

it('one with status: paused is read back as paused', async () => {
  const spec: Partial<CampaignSpec> = { status: 'paused' };
  const [first, second, third] = await make({ spec, createdAs: 'active' }, 3);
  expect(first).toMatchObject({
    result: 'incomplete',
    failed: [['read-back', expect.stringContaining('shows different values')]],
    remaining: [{ section: 'status', from: 'active', to: 'paused' }],
  });
  expect([second?.result, third?.requests]).toEqual(['done', []]);
  expect(await make({ spec, createdAs: 'draft' })).toMatchObject([{ result: 'done', remaining: [] }]);
});

it('one with an unknown status is in doubt after each pause until the project file declares the word', async () => {
  const words = { draft: 'frisch', paused: 'ruht', active: 'unterwegs' };
  const before = (service: Service) => service.behave({ words }, () => 0);
  const [first, ...others] = await make({ spec: { status: 'paused' }, createdAs: 'draft', before }, 3);
  expect(first).toMatchObject({
    result: 'incomplete',
    remaining: [{ section: 'status', from: 'frisch', to: 'paused' }],
  });
  for (const later of others) {
    expect(later).toMatchObject({ result: 'incomplete', remaining: [{ section: 'status', from: 'ruht' }] });
    expect(later?.requests.filter((line) => !line.startsWith('GET'))).toEqual(['PATCH /101/pause']);
  }
  const statuses = { ...environment().service.statuses, stopped: ['ruht'] };
  const explained = await make({ spec: { status: 'paused' }, createdAs: 'ruht', service: { statuses } });
  expect(explained).toMatchObject([{ result: 'done', remaining: [] }]);
});

it.each<[string, string | null, Partial<ServiceBehaviour>]>([
  ['that is idle', 'Inactive', {}],
  ['that is never shown', null, {}],
  [
    'that the project file declares as idle',
    'fresh',
    { statuses: { ...environment().service.statuses, stopped: ['Fresh'] } },
  ],
])('a campaign with a status %s gets its leads', async (_, initial, service) => {
  for (const [spec, sent] of [
    [LEADS, []],
    // The reading after the creation also serves the check of the next request.
    [{ ...LEADS, ...SETTINGS }, ['PATCH /101/update']],
    [{ ...LEADS, ...EMAILS }, ['GET /101/sequence-steps', 'POST /101/sequence-steps']],
  ] as const) {
    const [only] = await make({ spec, createdAs: initial, service });
    expect(only?.result).toBe('done');
    const upTo = (only?.requests.indexOf('POST /101/leads/attach-lead-list') ?? -1) + 1;
    expect(only?.requests.slice(0, upTo)).toEqual([
      'POST ',
      'GET /101',
      ...(initial === null ? ['GET '] : []),
      ...sent,
      // The check of the attachment.
      'GET ',
      'GET /101',
      'POST /101/leads/attach-lead-list',
    ]);
  }
});

it('a status that becomes idle shortly after the creation is awaited', async () => {
  const early = { status: 200, body: { data: { id: 101, name: NAME, status: 'creating' } }, effect: false };
  const [only] = await make({
    spec: LEADS,
    createdAs: 'draft',
    before: (service) => service.answerThen('GET', '/api/campaigns/101', early),
  });
  expect(only).toMatchObject({ result: 'done', failed: [] });
});

it('a campaign whose status cannot be read gets nothing that could be mailed', async () => {
  const odd = {
    status: 200,
    body: { data: { id: 101, name: NAME, status: { name: 'draft' } } },
    effect: false,
  };
  const [only] = await make({
    spec: { ...SETTINGS, ...LEADS },
    createdAs: 'draft',
    before(service) {
      for (let time = 0; time < 9; time++) service.answerThen('GET', '/api/campaigns/101', odd);
    },
  });
  expect(only?.failed).toEqual([['settings', expect.stringContaining('field status')]]);
  expect(writesOf(only ?? { requests: [] })).toEqual(['POST ']);
});

it('the default schedule of a new campaign is replaced with the one in the manifest', async () => {
  const schedule = { ...WORKDAYS, start_time: '08:00', end_time: '18:00', timezone: 'Europe/London' };
  const [only] = await make({
    spec: DAYS,
    createdAs: 'draft',
    before: (service) => service.behave({ schedule }, () => 0),
  });
  expect(only).toMatchObject({ result: 'done', failed: [] });
  expect(writesOf(only ?? { requests: [] })).toEqual(['POST ', 'POST /101/schedule']);
});

/**
 * A service may create campaigns with undocumented defaults. An update then sends what the plan showed, and the values of
 * the service.
 */
function applied(
  settings: string,
  shape: Partial<Shape> = {},
  before: (service: TestService) => void = () => {},
) {
  const files = { 'campaigns/spring.yaml': `name: Spring\nsettings: ${settings}\n` };
  return withProject({ shape: { defaults: 'other', ...shape }, files }, async ({ live, run, service }) => {
    before(service);
    const { code, out } = await run('apply --yes');
    return { code, out, settings: live('Spring').settings, plan: (await run('plan')).out };
  });
}

it.each([{}, { rows: 'id-name' }, { settings: 'nested', numbers: 'text', booleans: '"1"' }] as const)(
  'settings that the manifest omits keep the initial values of the service: %j',
  async (shape) => {
    const { code, out, settings, plan } = await applied(
      '{ can_unsubscribe: true, unsubscribe_text: Bye }',
      shape,
    );
    expect(code).toBe(0);
    expect(settings).toEqual({ ...OTHER_DEFAULTS, can_unsubscribe: true, unsubscribe_text: 'Bye' });
    expect(oneLine(out)).toContain(
      'documented defaults: max_emails_per_day 1000, max_new_leads_per_day 1000',
    );
    expect(plan).toContain('No changes.');
  },
);

it('a declared documented default is shown and sent', async () => {
  const { code, out, settings, plan } = await applied('{ max_emails_per_day: 1000 }');
  expect(code).toBe(0);
  expect(out).toContain('+ max_emails_per_day  1000');
  expect(settings).toEqual({ ...OTHER_DEFAULTS, max_emails_per_day: 1000 });
  expect(plan).toContain('No changes.');
});

const PATH = '/api/campaigns/101';

it('settings that become visible shortly after the campaign are awaited', async () => {
  const early = { effect: false, status: 200, body: { data: { id: 101, name: 'Spring' } } };
  const { code, settings } = await applied('{ can_unsubscribe: true }', {}, (service) =>
    service.answerThen('GET', PATH, early),
  );
  expect(code).toBe(0);
  expect(settings).toEqual({ ...OTHER_DEFAULTS, can_unsubscribe: true });
});

it('an update that an earlier run did not send lists the defaults that it sends for hidden settings', async () => {
  const refused = { effect: false, status: 422, body: { message: 'Not now.' } };
  const { code, plan } = await applied('{ can_unsubscribe: true }', { reputation: 'hidden' }, (service) =>
    service.answerThen('PATCH', `${PATH}/update`, refused),
  );
  expect(code).toBe(4);
  expect(oneLine(plan)).toContain('documented defaults: reputation_building false.');
});

it('caps that the plan has already shown are sent as planned', async () => {
  const { code, settings } = await applied('{ max_emails_per_day: 200 }');
  expect([code, settings.max_emails_per_day]).toEqual([0, 200]);
});
