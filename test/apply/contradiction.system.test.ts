import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import type { Environment, ServiceBehaviour } from '../../src/model/environment.js';
import type { Plan } from '../../src/model/outputs.js';
import type { Campaign, CampaignSpec } from '../../src/model/spec.js';
import { run } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import { writeFiles } from '../support/command.js';
import { environment } from '../support/environment.js';
import { withFolder } from '../support/folder.js';
import type { Arrived } from '../support/service/contract.js';
import { HTML } from '../support/service/faults.js';
import { openService, type Service } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';
import { campaignOf, isRecord, type Store, WORKDAYS } from '../support/service/store.js';
import { wireTo } from '../support/service/wire.js';

const STEPS = [
  {
    email_subject: 'A sample for {COMPANY}',
    email_body: '<p>Hi {FIRST_NAME}</p>',
    wait_in_days: 3,
    variants: [
      { email_subject: 'Installers at {COMPANY}', email_body: '<p>Hi</p>' },
      { email_subject: 'Your installers', email_body: '<p>Hello</p>' },
    ],
  },
  { email_subject: 'Still interested?', email_body: '<p>Hello again</p>', wait_in_days: 2 },
  { email_subject: 'Last one', email_body: '<p>Goodbye</p>', wait_in_days: 1 },
];
const OWN = {
  settings: { max_emails_per_day: 200, reputation_building: true },
  schedule: {
    days: ['monday' as const, 'friday' as const],
    start_time: '09:00',
    end_time: '17:00',
    timezone: 'Europe/Paris' as const,
  },
  sequence: { title: 'Spring sequence', steps: STEPS },
};
const SPECS: CampaignSpec[] = [
  { name: 'Adopted', ...OWN },
  { name: 'Draft', ...OWN },
  { name: 'Running', ...OWN, leads: { ids: [7] }, status: 'running' },
  { name: 'Paused', ...OWN, schedule: { template: 3 }, leads: { ids: [8] } },
];
const TEMPLATE = { id: 3, ...WORKDAYS, start_time: '08:00', end_time: '16:00', timezone: 'Europe/Paris' };

/** Services for which believing an incomplete response would cause a request. */
const EDITING = [
  { sequence_repost: 'append', schedule_repost: 'replace' },
  { sequence_repost: 'replace', variant_reference: 'order' },
] as const satisfies Partial<ServiceBehaviour>[];

interface Project {
  folder: string;
  store: Store;
  behaviour: Partial<ServiceBehaviour>;
  state: Record<string, string>;
}

const campaigns = SPECS.map((spec) => campaign(`${spec.name.toLowerCase()}.yaml`, spec));
const shapeOf = ({ variant_reference = 'step_id' }: Partial<ServiceBehaviour>) =>
  shaped({ variants: variant_reference, reputation: 'shown' });
const of = (names: readonly string[]): Campaign[] =>
  campaigns.filter(({ spec }) => names.includes(spec.name));

function applyTo(
  service: Pick<Service, 'answer'>,
  { folder, behaviour }: Pick<Project, 'folder' | 'behaviour'>,
  planned: readonly Campaign[] = campaigns,
  changed: Partial<Environment> = {},
) {
  return run({
    ...{ url: 'https://send.example.com', folder, wire: () => wireTo(service), refuses: true },
    environment: { ...environment(behaviour), ...changed },
    campaigns: planned,
  });
}

/** A project with nothing to do. All campaigns are in the state except for the adopted one, which is running. */
async function inSync(folder: string, behaviour: Partial<ServiceBehaviour>): Promise<Project> {
  const service = openService(shapeOf(behaviour), { campaigns: [], templates: [TEMPLATE] });
  const allow = [{ hazard: 'launch' as const, by: '--allow launch' }];
  const project = { folder, behaviour };
  const { store } = service;
  // A different checkout created it.
  await applyTo(service, { ...project, folder: `${folder}-other` }, of(['Adopted']));
  // Created in sequence, so that their ids are predictable.
  for (const name of ['Draft', 'Running', 'Paused']) await applyTo(service, project, of([name]), { allow });
  const launched = of(['Paused']).map((campaign) => ({
    ...campaign,
    spec: { ...campaign.spec, status: 'running' as const },
  }));
  await applyTo(service, project, launched, { allow });
  const paused = launched.map((each) => ({ ...each, spec: { ...each.spec, status: 'paused' as const } }));
  await applyTo(service, project, paused);
  for (const adopted of store.campaigns) if (adopted.name === 'Adopted') adopted.status = 'active';
  const { plan } = await applyTo(service, project);
  expect(plan.summary).toMatchObject({ unchanged: 4, requests: 0 });
  expect(store.campaigns.map(({ status }) => status)).toEqual(['active', 'draft', 'active', 'paused']);
  const files = (await readdir(folder, { withFileTypes: true, recursive: true })).filter((file) =>
    file.isFile(),
  );
  const state: Record<string, string> = {};
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    state[relative(folder, path)] = await readFile(path, 'utf8');
  }
  return { ...project, store, state };
}

type Reply = ReturnType<Service['answer']>;
type Wrong = (reply: NonNullable<Reply>) => Reply;

/** The rows without the last matching one; `null` if none matches. */
function without(isMeant: (row: Record<string, unknown>) => boolean): Wrong {
  return (reply) => {
    const rows =
      isRecord(reply.body) && Array.isArray(reply.body.data) ? reply.body.data.filter(isRecord) : [];
    const last = rows.findLast(isMeant);
    const remaining = rows.filter((row) => row !== last && row.variant_from_step !== (last?.id ?? 0));
    return { ...reply, body: { data: remaining } };
  };
}

const ok =
  (body: unknown): Wrong =>
  () => ({ status: 200, body });
const NOTHING: Record<string, Wrong> = {
  '404': () => ({ status: 404, body: { message: 'record_not_found' } }),
  null: ok(null),
  '{}': ok({}),
  '[]': ok([]),
  'data: []': ok({ data: [] }),
  'data: null': ok({ data: null }),
  'success: false': ok({ data: { success: false, message: 'No sequence steps yet.' } }),
};
const LESS: Record<string, Wrong> = {
  'one row less': without((row) => row.variant !== true),
  'one variant less': without((row) => row.variant === true),
};
const INCOMPLETE = { ...NOTHING, ...LESS };
const WRONG: Record<string, Wrong> = {
  ...INCOMPLETE,
  '500': () => ({ status: 500, body: { message: 'Server Error' } }),
  HTML: ok(HTML),
  'a truncated body': ok('{"data": [{"id": 17'),
};

/** A service that responds wrongly to this GET, once or always. */
function misled(
  service: Service,
  path: string,
  wrong: Wrong,
  often: 'once' | 'always',
): Pick<Service, 'answer'> {
  let isSpent = false;
  return {
    answer(arrived: Arrived) {
      const reply = service.answer(arrived);
      if (arrived.method !== 'GET' || arrived.url.pathname !== path || isSpent || reply === null)
        return reply;
      isSpent = often === 'once';
      return wrong(reply);
    },
  };
}

/** Plans and applies a copy of the project. Returns the writes, and the plan or `null` if the service could not be read. */
async function tryOn(project: Project, path: string, wrong: Wrong, often: 'once' | 'always') {
  return withFolder(async (folder) => {
    await writeFiles(folder, project.state);
    const service = openService(shapeOf(project.behaviour), structuredClone(project.store));
    const result = await applyTo(misled(service, path, wrong, often), { ...project, folder }).catch(
      () => null,
    );
    const writes = service.writes().map(({ method, path: to }) => `${method} ${to}`);
    return { writes, plan: result?.plan ?? null };
  });
}

const hazardsOf = (plan: Plan | null) => [
  ...new Set(
    plan?.campaigns.flatMap(({ problems }) =>
      problems.filter(({ severity }) => severity === 'hazard').map(({ code }) => code),
    ),
  ),
];

/**
 * A sequence or schedule that remains missing is refused; one that is missing once is not. The state does not know the
 * number of emails of the adopted campaign.
 */
const isMissing = (name: string, part: string, answer: string) =>
  (part === '/schedule' && answer in NOTHING) ||
  (part === '/sequence-steps' && answer in INCOMPLETE && !(name === 'Adopted' && answer in LESS));

/** For other services, one form of an empty response is enough, because reading does not depend on behaviour. */
const OTHER: Record<string, Wrong> = { 'data: []': ok({ data: [] }), ...LESS };

it.each([
  { behaviour: EDITING[0], wrongs: WRONG, parts: ['', '/schedule', '/sequence-steps'], others: true },
  { behaviour: EDITING[1], wrongs: OTHER, parts: ['/schedule', '/sequence-steps'], others: false },
])(
  'a project with nothing to do sends nothing, whatever the response to one GET, on a service with $behaviour',
  { timeout: 300_000 },
  ({ behaviour, wrongs, parts, others }) =>
    withFolder(async (top) => {
      const project = await inSync(join(top, 'state'), behaviour);
      const places = project.store.campaigns.flatMap(({ id, name }) =>
        parts.map((part) => ({ name, part, path: `/api/campaigns/${id}${part}` })),
      );
      const lists = ['/api/campaigns', '/api/campaigns/schedule/templates'];
      if (others) places.push(...lists.map((path) => ({ name: '', part: '', path })));
      for (const { name, part, path } of places)
        for (const [answer, wrong] of Object.entries(wrongs))
          for (const often of ['once', 'always'] as const) {
            const at = `${path}: ${answer}, ${often}`;
            const { writes, plan } = await tryOn(project, path, wrong, often);
            expect({ at, writes }).toEqual({ at, writes: [] });
            if (!isMissing(name, part, answer)) continue;
            if (often === 'once')
              expect({ at, requests: plan?.summary.requests }).toEqual({ at, requests: 0 });
            else
              expect(hazardsOf(plan), at).toContain(
                part === '/schedule' ? 'schedule-missing' : 'sequence-missing',
              );
          }
    }),
);

it('posts what is missing once that is approved', () =>
  withFolder(async (top) => {
    const project = await inSync(join(top, 'state'), {});
    const { store } = project;
    const running = campaignOf(store.campaigns, 103);
    if (running === undefined) throw new Error('there is no campaign 103');
    running.steps = [];
    running.schedule = null;
    const service = openService(shapeOf({}), store);
    const hazards = ['sequence-missing', 'schedule-missing'] as const;
    const allow = hazards.map((hazard) => ({ hazard, by: `--allow ${hazard}` }));
    expect(hazardsOf((await applyTo(service, project)).plan)).toEqual(hazards);
    await applyTo(service, project, campaigns, { allow });
    expect(running.steps).toHaveLength(5);
    expect(running.schedule).not.toBeNull();
    expect((await applyTo(service, project)).plan.summary).toMatchObject({ unchanged: 4, requests: 0 });
  }));
