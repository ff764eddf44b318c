/** The main job on a literal service. */
import { expect } from 'vitest';
import type { Plan } from '../../../src/model/outputs.js';
import { command, type Ended, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import {
  type AcceptedWrite,
  LITERAL_TOKEN,
  type LiteralService,
  startLiteralService,
} from '../../support/literal/service.js';
import { type Literal, PLAINEST } from '../../support/literal/shape.js';
import type { Campaign, Row } from '../../support/literal/store.js';

const PROJECT = `version: 1
manifests: [campaigns/*.yaml]
environments:
  production: { base_url: "{url}", token_env: CAMPAIGNS_TOKEN }
`;

/** `isEmpty`: only name and settings are declared. */
interface Manifest {
  isEmpty?: boolean;
  cap?: number;
  leads?: number[];
  status?: 'running' | 'paused';
}

const manifest = ({ isEmpty = false, ...rest }: Manifest = {}) => `
name: Spring installers
settings:
  max_emails_per_day: ${rest.cap ?? 1200}
  open_tracking: true
  can_unsubscribe: true
  unsubscribe_text: Unsubscribe here
${isEmpty ? '' : content(rest)}`;

const content = ({ leads = [1001, 1002], status = 'running' }: Manifest) => `
schedule:
  days: [monday, tuesday, wednesday, thursday, friday]
  start_time: "09:00"
  end_time: "17:00"
  timezone: Europe/Paris
sequence:
  title: Spring sequence
  steps:
    - email_subject: A question
      email_body: Hi, do you install heat pumps?
      wait_in_days: 3
      variants:
        - email_subject: Heat pumps
          email_body: Hello, do you install heat pumps?
    - email_subject: A question
      email_body: Worth a call?
      wait_in_days: 4
      thread_reply: true
leads:
  lists: [42]
  ids: [${leads.join(', ')}]
status: ${status}
`;

const SETTINGS = {
  max_emails_per_day: 1200,
  max_new_leads_per_day: 1000,
  plain_text: false,
  open_tracking: true,
  reputation_building: false,
  can_unsubscribe: true,
  unsubscribe_text: 'Unsubscribe here',
};

const SCHEDULE = {
  ...{ monday: true, tuesday: true, wednesday: true, thursday: true, friday: true },
  ...{ saturday: false, sunday: false, start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
};

const EMAILS = [
  'A question | Hi, do you install heat pumps? | 3 days',
  'A question | Worth a call? | 4 days | reply',
  'Heat pumps | Hello, do you install heat pumps? | 3 days | variant of 1',
];

/** A project with one manifest on a service, and its commands. */
export interface Desk {
  service: LiteralService;
  run(line: string): Promise<Ended>;
  write(manifest?: Manifest): Promise<void>;
  /** Applies with these options, and returns what was sent. Fails unless it ends with 0. */
  apply(options?: string): Promise<AcceptedWrite[]>;
  plan(): Promise<Plan>;
}

export async function withDesk<Result>(
  shape: Partial<Literal>,
  use: (desk: Desk) => Promise<Result>,
): Promise<Result> {
  const service = await startLiteralService({ ...PLAINEST, ...shape });
  try {
    return await withFolder(async (folder) => {
      const run = (line: string) => command(folder, line.split(' '), { CAMPAIGNS_TOKEN: LITERAL_TOKEN });
      const write = (changes?: Manifest) =>
        writeFiles(folder, { 'campaigns/spring.yaml': manifest(changes) });
      await writeFiles(folder, { 'campaignctl.yaml': PROJECT.replace('{url}', service.url) });
      await write();
      return use({
        service,
        run,
        write,
        async apply(options = '') {
          const before = service.writes.length;
          const ended = await run(`apply --yes${options}`);
          expect(ended.code, `${ended.out}${ended.err}`.slice(-3000)).toBe(0);
          return service.writes.slice(before);
        },
        async plan() {
          const { out, err } = await run('plan --json');
          expect(out, err).not.toBe('');
          return JSON.parse(out) as Plan;
        },
      });
    });
  } finally {
    await service.close();
  }
}

/** Creates and launches a campaign with one apply, adds a lead, changes a setting, and pauses it. */
export async function mainJob(shape: Partial<Literal>): Promise<void> {
  await withDesk(shape, async (desk) => {
    const { service, write, apply } = desk;
    const settings = firstSettings(shape);
    await apply(' --allow launch');
    // The next apply sends only the new lead, so nothing else is left to do.
    expectKept(service, { settings });

    const campaign = `/api/campaigns/${service.store.campaigns.at(-1)?.id}`;
    const leads = [1001, 1002, 1003];
    await write({ leads });
    expect(await apply(' --allow attach-running')).toEqual([
      { method: 'POST', path: `${campaign}/leads/attach-leads`, body: { lead_ids: [1003] } },
    ]);
    const update = { ...settings, max_emails_per_day: 1500 };
    await write({ leads, cap: 1500 });
    expect(await apply()).toEqual([{ method: 'PATCH', path: `${campaign}/update`, body: update }]);
    await write({ leads, cap: 1500, status: 'paused' });
    expect(await apply()).toEqual([{ method: 'PATCH', path: `${campaign}/pause`, body: undefined }]);
    await isInSync(desk, { settings: update, leads, state: 'paused' });
  });
}

/** Creates a campaign that has only settings, and completes and launches it with a second apply. */
export async function secondApply(shape: Partial<Literal>): Promise<void> {
  await withDesk(shape, async (desk) => {
    const { write, apply } = desk;
    const settings = firstSettings(shape);
    const empty = { title: null, schedule: null, emails: [], lists: [], leads: [] };
    await write({ isEmpty: true });
    await apply();
    await isInSync(desk, { ...empty, settings, state: 'draft', launches: 0 });
    await write();
    await apply(' --allow launch');
    await isInSync(desk, { settings });
  });
}

/** The first update keeps a null that the service shows for a setting that is not managed. */
function firstSettings({ settingsUntilSet }: Partial<Literal>): Row {
  return settingsUntilSet === 'null' ? { ...SETTINGS, max_new_leads_per_day: null } : SETTINGS;
}

/** The service contains exactly this campaign, the next plan is empty, and the next apply sends nothing. */
async function isInSync({ service, plan, apply }: Desk, changes: Partial<Kept>): Promise<void> {
  expectKept(service, changes);
  const { campaigns } = await plan();
  expect(campaigns.map(({ steps, changes }) => ({ steps, changes }))).toEqual([{ steps: [], changes: [] }]);
  expect(await apply()).toEqual([]);
  expect(service.refusals).toEqual([]);
}

/** The service contains exactly this campaign. */
function expectKept({ store }: LiteralService, changes: Partial<Kept>): void {
  const expected: Kept = {
    ...{ name: 'Spring installers', title: 'Spring sequence', settings: SETTINGS, schedule: SCHEDULE },
    ...{ emails: EMAILS, lists: [42], leads: [1001, 1002], state: 'active', launches: 1 },
    ...changes,
  };
  expect(store.campaigns.filter(({ name }) => !OTHERS.includes(name)).map(kept)).toEqual([expected]);
}

const OTHERS = ['Autumn installers', 'Winter'];

type Kept = Omit<Campaign, 'id' | 'steps'> & { emails: string[] };

function kept({ id: _id, steps, ...campaign }: Campaign): Kept {
  const emails = steps.map(({ row }) => {
    const parent = steps.findIndex(({ id }) => id === row.variant_from_step) + 1;
    const words = [row.email_subject, row.email_body, `${row.wait_in_days} days`];
    const more = [row.thread_reply ? ['reply'] : [], row.variant ? [`variant of ${parent}`] : []];
    return [...words, ...more.flat()].join(' | ');
  });
  return { ...campaign, emails };
}
