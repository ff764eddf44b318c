import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { DEFAULT_SETTINGS, draft, type StoredCampaign } from '../../support/service/store.js';

/** One week of an agency: three clients with twelve campaigns each, in a staging and a production workspace. */
const CLIENTS = ['acme', 'globex', 'initech'];
const PRODUCTION = ['--recursive', '--env', 'production'];

let folder: string;
const production: TestService[] = [];
const staging: TestService[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'campaignctl-'));
  for (const client of CLIENTS) {
    production.push(
      await startService(shaped({ totals: 'shown' }), { campaigns: liveCampaigns(client), templates: [] }),
    );
    staging.push(await startService(shaped({}), { campaigns: [], templates: [] }));
  }
  await writeProjects();
});

afterAll(async () => {
  await Promise.all([...production, ...staging].map((service) => service.close()));
  await rm(folder, { recursive: true, force: true });
});

test('Monday: 36 campaigns are imported, and nothing is left to change', async () => {
  const imported = await run('import', '--all', ...PRODUCTION);
  expect(imported.code, imported.err).toBe(0);
  for (const client of CLIENTS)
    expect(await readdir(join(folder, 'clients', client, 'campaigns'))).toHaveLength(12);
  const planned = await run('plan', '--detailed-exitcode', ...PRODUCTION);
  expect([planned.code, planned.err]).toEqual([0, '']);
  expect(writes(production)).toEqual([]);
});

test('Monday: staging gets the same 36, none of which may be launched there', async () => {
  const planned = JSON.parse((await run('plan', '--recursive', '--env', 'staging', '--json')).out);
  expect(planned.projects.map(({ result }: { result: Planned }) => result.summary.create)).toEqual([
    12, 12, 12,
  ]);
  const applied = await run('apply', '--recursive', '--env', 'staging', '--yes', '--hold', 'launch');
  expect(applied.code, applied.err).toBe(0);
  expect(staging.map(({ store }) => store.campaigns.length)).toEqual([12, 12, 12]);
  expect(staging.flatMap(({ store }) => store.campaigns.map(({ status }) => status))).not.toContain('active');
});

test('Tuesday: a policy stops a cap that is too high before anything is sent', async () => {
  await writeProjects({
    policies: 'policies: { caps: { range: { settings.max_emails_per_day: { max: 300 } } } }\n',
  });
  await edit('acme', 'acme-01.yaml', 'max_emails_per_day: 50', 'max_emails_per_day: 500');
  const planned = await run('plan', ...PRODUCTION);
  expect([planned.code, /policy\/caps/.test(planned.out + planned.err)]).toEqual([1, true]);
  await edit('acme', 'acme-01.yaml', 'max_emails_per_day: 500', 'max_emails_per_day: 60');
});

test('Wednesday: a new text replaces a running campaign, first in staging, and needs approval in production', async () => {
  await edit(
    'acme',
    'acme-01.yaml',
    'name: acme 01\n',
    'name: acme 01 b\nreplaces: acme 01\nleads: { lists: [500] }\n',
  );
  await edit('acme', 'acme-01.yaml', 'A question', 'Another question');
  const unproved = await run('apply', ...PRODUCTION, '--yes', '--allow', 'launch');
  expect([unproved.code, writes(production)]).toEqual([3, []]);
  const staged = await run('apply', '--recursive', '--env', 'staging', '--yes', '--hold', 'launch');
  expect(staged.code, staged.out + staged.err).toBe(0);
  const unapproved = await run('apply', ...PRODUCTION, '--yes');
  expect([unapproved.code, writes(production)]).toEqual([3, []]);
  const applied = await run('apply', ...PRODUCTION, '--yes', '--allow', 'launch,shared-leads');
  expect(applied.code, applied.out + applied.err).toBe(0);
  expect(status('acme 01')).toBe('paused');
  expect(['queued', 'launching', 'active']).toContain(status('acme 01 b'));
});

test('Thursday: launches above the capacity of the client wait for a decision', async () => {
  await writeProjects({ capacity: 300 });
  for (const number of ['07', '08', '09'])
    await edit('globex', `globex-${number}.yaml`, 'status: paused', 'status: running');
  await run('apply', '--recursive', '--env', 'staging', '--yes', '--hold', 'launch');
  const before = writes(production);
  const refused = await run('apply', ...PRODUCTION, '--yes', '--allow', 'launch');
  expect([refused.code, /over-capacity/.test(refused.out + refused.err)]).toEqual([3, true]);
  expect(writes(production)).toEqual(before);
  const applied = await run('apply', ...PRODUCTION, '--yes', '--allow', 'launch', '--allow', 'over-capacity');
  expect(applied.code, applied.out + applied.err).toBe(0);
});

test('Friday: the nightly check finds the campaign that bounces and the setting that somebody changed', async () => {
  await writeProjects({
    capacity: 2000,
    policies: 'policies: { bounces: { results: { bounced: { max: 3 %, after: 200 } } } }\n',
  });
  expect((await run('list', '--check', ...PRODUCTION)).code).toBe(0);
  Object.assign(campaign('initech 02'), { counters: { emails_sent: 1000, bounced: 40 } });
  campaign('initech 03').settings.max_emails_per_day = 999;
  const checked = await run('list', '--check', ...PRODUCTION);
  expect([checked.code, checked.out]).toEqual([2, expect.stringMatching(/initech 02[\s\S]*4(\.0)? %/)]);
  const planned = JSON.parse((await run('plan', '--json', ...PRODUCTION)).out);
  const changed = planned.projects.flatMap(({ result }: { result: Planned }) =>
    result.campaigns.filter(({ action }) => action !== 'none').map(({ name }) => name),
  );
  expect(changed).toEqual(['initech 03']);
});

test('Friday: everything stops, in every workspace, with one command', async () => {
  const paused = await run('pause', '--all', ...PRODUCTION, '--yes');
  expect(paused.code, paused.out + paused.err).toBe(0);
  const sending = production.flatMap(({ store }) =>
    store.campaigns.filter(({ status }) => status === 'active'),
  );
  expect(sending).toEqual([]);
});

interface Planned {
  summary: { create: number };
  campaigns: { name: string; action: string }[];
}

function run(...argv: string[]) {
  return command(folder, argv, { STAGING: TOKEN, PRODUCTION: TOKEN });
}

/** Twelve campaigns that were made by hand: six run, six are paused. */
function liveCampaigns(client: string): StoredCampaign[] {
  return Array.from({ length: 12 }, (_, index) => ({
    ...draft(100 + index, `${client} ${String(index + 1).padStart(2, '0')}`),
    status: index < 6 ? 'active' : 'paused',
    settings: { ...DEFAULT_SETTINGS, max_emails_per_day: 50, max_new_leads_per_day: 20 },
    schedule: {
      ...{ monday: true, tuesday: true, wednesday: true, thursday: true, friday: true },
      ...{ saturday: false, sunday: false, start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
    },
    title: 'Questions',
    steps: [
      {
        ...{ id: 1000 + index, order: 1, email_subject: 'A question', email_body: 'For {COMPANY}?' },
        ...{ wait_in_days: 3, variant: false, variant_from_step: null, thread_reply: false },
      },
    ],
    lists: [500 + index],
  }));
}

async function writeProjects({ capacity = 2000, policies = '' } = {}) {
  for (const [index, client] of CLIENTS.entries())
    await writeFiles(folder, {
      [`clients/${client}/campaignctl.yaml`]: `version: 1
manifests: [campaigns/*.yaml]
defaults: { custom_variables: [COMPANY], lead_lists: {} }
environments:
  staging: { base_url: "${staging[index]?.url}", token_env: STAGING }
  production:
    base_url: "${production[index]?.url}"
    token_env: PRODUCTION
    require_applied: staging
    capacity: ${capacity}
${policies}`,
    });
}

async function edit(client: string, file: string, from: string, to: string) {
  const path = `clients/${client}/campaigns/${file}`;
  const text = await readFile(join(folder, path), 'utf8');
  expect(text).toContain(from);
  await writeFiles(folder, { [path]: text.replace(from, to) });
}

function writes(services: readonly TestService[]) {
  return services.flatMap((service) => service.writes().map(({ method, path }) => `${method} ${path}`));
}

function campaign(name: string): StoredCampaign {
  const found = production.flatMap(({ store }) => store.campaigns).find((one) => one.name === name);
  if (found === undefined) throw new Error(`no campaign ${name}`);
  return found;
}

function status(name: string) {
  return campaign(name).status;
}
