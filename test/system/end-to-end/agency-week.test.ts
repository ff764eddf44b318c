/** A week of an agency: twelve clients, each with staging and production, on services of two kinds. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command, type Ended, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { git } from '../../support/repository.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { LITERAL, shaped } from '../../support/service/shape.js';
import { active, draft } from '../../support/service/store.js';

const CLIENTS = Array.from({ length: 12 }, (_, at) => `client-${String(at + 1).padStart(2, '0')}`);
/** Clients with an even number have a service that shows no more than the document names. */
const isLiteral = (at: number) => at % 2 === 1;

const AGENCY = `defaults:
  custom_variables: [FIRST_NAME, COMPANY]
  on_removal: pause
policies:
  unsubscribe:
    reason: Every email needs a way out.
    require: { settings.unsubscribe_text: any }
  results:
    reason: Above 3%, mail providers block the senders.
    environments: [production]
    results: { bounced: { max: 3%, after: 200 } }
shared: [shared]
`;

const SEQUENCE = `title: One question
steps:
  - email_subject: A question for {COMPANY}
    email_body: "Hi {FIRST_NAME}, is this a good week to talk?"
    wait_in_days: 3
  - email_subject: A question for {COMPANY}
    email_body: "Only a short reply, {FIRST_NAME}?"
    wait_in_days: 2
    thread_reply: true
`;

const SUMMER = {
  ...{ max_emails_per_day: 100, max_new_leads_per_day: 50 },
  ...{ can_unsubscribe: true, unsubscribe_text: 'No more' },
};

interface Client {
  name: string;
  staging: TestService;
  production: TestService;
}

const projectOf = ({ name, staging, production }: Client) => `version: 1
extends: ../../agency.yaml
manifests: [campaigns/*.yaml]
state: { backend: git, branch: campaignctl/${name}, id: ${name.replace('client-', '5f1c20a9be')} }
environments:
  staging: { base_url: "${staging.url}", token_env: CAMPAIGNS_TOKEN, manifests: [campaigns/autumn.yaml] }
  production:
    base_url: "${production.url}"
    token_env: CAMPAIGNS_TOKEN
    require_applied: staging
    capacity: 500
`;

const campaignOf = (client: string, { cap = 100, leads = '{ lists: [7] }' } = {}) => `name: ${client} autumn
settings:
  max_emails_per_day: ${cap}
  max_new_leads_per_day: 50
  reputation_building: false
  can_unsubscribe: true
  unsubscribe_text: No more
schedule: { days: [monday, tuesday], start_time: "09:00", end_time: "17:00", timezone: Europe/London }
sequence: { use: ../../../shared/one-question.yaml }
leads: ${leads}
status: running
`;

interface Week {
  clients: readonly Client[];
  /** The folder of the first machine. */
  folder: string;
  run(...argv: string[]): Promise<Ended>;
  on(folder: string, ...argv: string[]): Promise<Ended>;
  /** A second clone of the repository. */
  clone(): string;
  commit(message: string): void;
}

async function week(work: (week: Week) => Promise<void>): Promise<void> {
  const clients: Client[] = [];
  const start = (at: number) =>
    startService(shaped(isLiteral(at) ? LITERAL : { totals: 'shown' }), { campaigns: [], templates: [] });
  for (const [at, name] of CLIENTS.entries())
    clients.push({ name, staging: await start(at), production: await start(at) });
  try {
    await withFolder(async (root) => {
      const [remote, folder] = [join(root, 'remote.git'), join(root, 'first')];
      git(root, 'init', '-q', '--bare', remote);
      git(root, 'clone', '-q', remote, folder);
      await writeFiles(folder, {
        '.gitignore': '.campaignctl\n',
        'agency.yaml': AGENCY,
        'shared/one-question.yaml': SEQUENCE,
        ...Object.fromEntries(
          clients.map((client) => [`clients/${client.name}/campaignctl.yaml`, projectOf(client)]),
        ),
      });
      const on = (cwd: string, ...argv: string[]) =>
        command(cwd, argv, { CAMPAIGNS_TOKEN: TOKEN, PATH: process.env.PATH ?? '', HOME: root });
      await work({
        ...{ clients, folder, on, run: (...argv) => on(folder, ...argv) },
        clone() {
          git(root, 'clone', '-q', remote, join(root, 'second'));
          return join(root, 'second');
        },
        commit(message) {
          git(folder, 'add', '-A');
          git(folder, 'commit', '-qm', message);
          git(folder, 'push', '-q', 'origin', 'HEAD');
        },
      });
      for (const { staging, production } of clients)
        expect([...staging.violations, ...production.violations]).toEqual([]);
    });
  } finally {
    await Promise.all(clients.flatMap(({ staging, production }) => [staging.close(), production.close()]));
  }
}

const statuses = ({ production }: Client) =>
  Object.fromEntries(production.store.campaigns.map(({ name, status }) => [name, status]));
const expectDone = ({ code, out, err }: Ended) => expect(code, `${out}${err}`).toBe(0);
const codesOf = ({ out }: Ended): number[] =>
  JSON.parse(out).projects.map(({ exit_code }: { exit_code: number }) => exit_code);

test('a week of an agency with twelve clients', { timeout: 180_000 }, () =>
  week(async ({ clients, folder, run, on, clone, commit }) => {
    const [first, second, third, , fifth] = clients;
    if (!first || !second || !third || !fifth) throw new Error('clients are missing');

    // Monday: what runs already is imported, and its plan is empty.
    for (const [at, { name, production }] of clients.entries()) {
      const summer = isLiteral(at) ? draft(1, `${name} summer`) : active(1, `${name} summer`);
      const settings = { ...summer.settings, ...SUMMER };
      production.store.campaigns.push({ ...summer, settings });
    }
    const imported = await run('import', '--all', '--recursive', '--env', 'production');
    expectDone(imported);
    commit('Import');
    const empty = await run('plan', '--recursive', '--env', 'production', '--detailed-exitcode');
    expect([empty.code, empty.out]).toEqual([0, expect.stringContaining('12 projects: 12 planned')]);

    // Tuesday: a new campaign for every client, first in staging.
    await writeFiles(
      folder,
      Object.fromEntries(
        clients.map(({ name }) => [`clients/${name}/campaigns/autumn.yaml`, campaignOf(name)]),
      ),
    );
    commit('Autumn');
    const valid = await run('validate', '--recursive');
    expectDone(valid);
    expect(valid.out.trim().split('\n'), valid.out).toHaveLength(1);
    const early = await run(
      'apply',
      '--recursive',
      '--env',
      'production',
      '--yes',
      '--allow',
      'launch',
      '--json',
    );
    expect(codesOf(early)).toEqual(clients.map(() => 3));
    const staged = ['apply', '--recursive', '--env', 'staging', '--yes', '--allow', 'launch'];
    const tested = await run(...staged);
    expectDone(tested);

    // Wednesday: production gets everything, one client is launched.
    const held = await run('apply', '--recursive', '--env', 'production', '--yes', '--hold', 'launch');
    expectDone(held);
    expect(clients.map((client) => statuses(client)[`${client.name} autumn`])).toEqual(
      clients.map(() => 'draft'),
    );
    const launch = ['apply', '--recursive', '--env', 'production', '--yes', '--json'];
    const launched = await run(...launch, '--allow', `launch=clients/${first.name}: ${first.name} autumn`);
    expect(codesOf(launched)).toEqual([0, ...clients.slice(1).map(() => 3)]);
    expectDone(await run(...launch, '--allow', 'launch'));
    expect(clients.map((client) => statuses(client)[`${client.name} autumn`])).toEqual(
      clients.map(() => 'active'),
    );

    // Thursday: a list has grown, a cap is too high, and mail bounces.
    const refilled = { leads: '{ lists: [{ list: 7, refill: 2026-03-02 }] }' };
    await writeFiles(folder, {
      [`clients/${second.name}/campaigns/autumn.yaml`]: campaignOf(second.name, refilled),
      [`clients/${third.name}/campaigns/autumn.yaml`]: campaignOf(third.name, { cap: 900 }),
    });
    commit('Refill and raise');
    expectDone(await run(...staged, '--allow', 'attach-running', '--allow', 'repeat-attach'));
    const asked = await run(...launch);
    expect(codesOf(asked)).toEqual(clients.map((client) => (client === second || client === third ? 3 : 0)));
    expect(asked.out).toContain('attach-running');
    expect(asked.out).toContain('over-capacity');
    const refill = ['apply', '-C', `clients/${second.name}`, '--env', 'production', '--yes'];
    const attached = await run(...refill, '--allow', 'attach-running', '--allow', 'repeat-attach');
    expectDone(attached);
    expect(second.production.store.campaigns.find(({ name }) => name.endsWith('autumn'))?.lists).toEqual([
      7, 7,
    ]);
    const again = await run(...refill, '--allow', 'attach-running', '--allow', 'repeat-attach');
    expect([again.code, second.production.store.campaigns.at(-1)?.lists]).toEqual([0, [7, 7]]);
    const check = () => run('list', '--recursive', '--env', 'production', '--check');
    expectDone(await check());
    const bouncing = fifth.production.store.campaigns.find(({ name }) => name.endsWith('autumn'));
    if (bouncing === undefined) throw new Error('the campaign was not created');
    bouncing.counters = { emails_sent: 1000, bounced: 90 };
    const checked = await check();
    expect([checked.code, checked.out]).toEqual([2, expect.stringMatching(/client-05[\s\S]*9%/)]);

    // Friday: two machines apply at once, then everything is stopped, and a client leaves.
    await writeFiles(folder, {
      [`clients/${third.name}/campaigns/autumn.yaml`]: campaignOf(third.name, { cap: 200 }),
    });
    commit('Lower');
    expectDone(await run(...staged));
    const other = clone();
    const both = await Promise.all([folder, other].map((machine) => on(machine, ...launch)));
    expect(both.every(({ code }) => code === 0 || code === 1)).toBe(true);
    for (const { production } of clients)
      for (const { name, lists, steps } of production.store.campaigns.filter(({ name }) =>
        name.endsWith('autumn'),
      ))
        expect([name, lists.length, steps.length]).toEqual([name, name.startsWith(second.name) ? 2 : 1, 2]);
    expect(third.production.store.campaigns.at(-1)?.settings.max_emails_per_day).toBe(200);

    const stopped = await run('pause', '--all', '--recursive', '--yes');
    expectDone(stopped);
    for (const client of clients) {
      expect(Object.values(statuses(client))).not.toContain('active');
      expect(client.staging.store.campaigns.map(({ status }) => status)).not.toContain('active');
    }
    const resumed = await run(...launch);
    expect(codesOf(resumed)).toEqual(clients.map(() => 3));
    for (const client of clients) expect(Object.values(statuses(client))).not.toContain('active');

    await rm(join(folder, 'clients', first.name), { recursive: true });
    commit('A client leaves');
    const left = await run('list', '--recursive', '--env', 'production');
    expect(left.out).toContain(`${first.name}: no project file any more`);
  }),
);
