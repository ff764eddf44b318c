/** The repository of an agency: twelve clients, each with staging and production, on services of two kinds. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { command, type Ended, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { git } from '../../support/repository.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { LITERAL, shaped } from '../../support/service/shape.js';

const CLIENTS = Array.from({ length: 12 }, (_, at) => `client-${String(at + 1).padStart(2, '0')}`);
/** As reported of services: a launch takes a while, and the campaign shows how many leads it has. */
const REPORTED = { totals: 'shown', resume: 'queued', list: 'numbered-links', extras: 'everywhere' } as const;
/** Clients with an even number have a service that shows no more than the document names. */
export const isLiteral = (at: number) => at % 2 === 1;

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

export const NEW_SEQUENCE = SEQUENCE.replace('Only a short reply', 'Just a short reply');

export const SUMMER = {
  ...{ max_emails_per_day: 100, max_new_leads_per_day: 50 },
  ...{ can_unsubscribe: true, unsubscribe_text: 'No more' },
};

export interface Client {
  name: string;
  staging: TestService;
  production: TestService;
}

const projectOf = ({ name, staging, production }: Client) => `version: 1
extends: ../../agency.yaml
manifests: [campaigns/*.yaml]
state: { backend: git, branch: campaignctl/${name}, id: ${name.replace('client-', '5f1c20a9be')} }
environments:
  staging: { base_url: "${staging.url}", token_env: CAMPAIGNS_TOKEN }
  production:
    base_url: "${production.url}"
    token_env: CAMPAIGNS_TOKEN
    require_applied: staging
    capacity: 500
`;

/** The campaign of the autumn, as it is after the copy has changed. */
export const changedOf = (client: string, { cap = 100, leads = '{ lists: [7] }' } = {}) =>
  campaignOf(client, {
    cap,
    leads,
    head: `name: ${client} autumn v2\nreplaces: ${client} autumn`,
    copy: 'one-question-2',
  });

export const campaignOf = (
  client: string,
  { cap = 100, leads = '{ lists: [7] }', head = `name: ${client} autumn`, copy = 'one-question' } = {},
) => `${head}
settings:
  max_emails_per_day: ${cap}
  max_new_leads_per_day: 50
  reputation_building: false
  can_unsubscribe: true
  unsubscribe_text: No more
schedule: { days: [monday, tuesday], start_time: "09:00", end_time: "17:00", timezone: Europe/London }
sequence: { use: ../../../shared/${copy}.yaml }
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

export async function week(work: (week: Week) => Promise<void>): Promise<void> {
  const clients: Client[] = [];
  const start = (at: number) =>
    startService(shaped(isLiteral(at) ? LITERAL : REPORTED), { campaigns: [], templates: [] });
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
