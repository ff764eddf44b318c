import type { Json } from '../../src/model/json.js';
import type {
  ByHandTask,
  CampaignPlan,
  Content,
  ContentEmail,
  Impact,
  Plan,
  PlannedChange,
  PlanProblem,
  SendingHours,
  Step,
} from '../../src/model/outputs.js';
import type { Inventory, InventoryEntry } from '../../src/model/reports.js';
import { NO_RESULTS } from '../../src/model/results.js';
import { sumVolume } from '../../src/model/volume.js';
import { SECTIONS } from '../../src/sections/index.js';
import { launchHazard } from '../../src/sections/status.js';
import { liveContext } from '../support/context.js';
import { bodyChange, campaignPlan, NO_CONTENT, planOf, stageOf } from '../support/plans.js';
import { planSection } from '../support/works.js';

/** Plans as the planner makes them, for the pages that show them. */

const OFFICE: SendingHours = {
  days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  start_time: '09:00',
  end_time: '17:00',
  timezone: 'Europe/London',
};

export const SETTINGS = {
  max_emails_per_day: 200,
  max_new_leads_per_day: 80,
  plain_text: false,
  open_tracking: false,
  reputation_building: true,
  can_unsubscribe: true,
  unsubscribe_text: 'No more emails, please',
};

const FIRST = `<p>{Hi|Hello} {FIRST_NAME},</p>
<p>most installers tell us that fixing the rails takes longer than fixing the panels. Our clamp
sets without a drill, and a crew of two gains about an hour a roof.</p>
<p>What people ask us first:</p>
<ul>
<li>Does it hold on slate? Yes, and on tiles.</li>
<li>Is it in stock? Yes, in Bristol.</li>
<li>What does it cost? Less than the drill bits.</li>
</ul>
<p>Would {COMPANY} like a sample kit for the next job?</p>
<p>Kind regards,<br>Jo at <a href="https://example.com/clamp">Example Clamps</a></p>`;

const SECOND = `<p>{FIRST_NAME}, did my note about the clamp reach you?</p>
<p>A kit fits into an envelope. Shall I send one to {COMPANY}?</p>`;

export function email(fields: Partial<ContentEmail> = {}): ContentEmail {
  return {
    email_subject: '{FIRST_NAME}, how long does a roof take you?',
    email_body: FIRST,
    wait_in_days: 3,
    thread_reply: false,
    ...fields,
  };
}

export const VARIANT = email({
  email_subject: 'A sample kit for {COMPANY}',
  email_body:
    '<p>{Hi|Hello} {FIRST_NAME},</p>\n<p>spring is when roofs get booked. May I send {COMPANY} a sample?</p>',
});
export const REPLY = email({ email_body: SECOND, wait_in_days: 4, thread_reply: true });

export function campaignContent(fields: Partial<Content> = {}): Content {
  return {
    ...NO_CONTENT,
    settings: SETTINGS,
    schedule: { window: OFFICE, template: null, save_as_template: false },
    sequence: {
      title: 'Spring installers',
      steps: [
        { ...email(), variants: [VARIANT] },
        { ...REPLY, variants: [] },
      ],
    },
    leads: { lists: [77], ids: [] },
    status: 'running',
    ...fields,
  };
}

export function change(fields: Partial<PlannedChange>): PlannedChange {
  return {
    section: 'settings',
    path: '',
    kind: 'update',
    from: null,
    to: null,
    note: null,
    origin: null,
    ...fields,
  };
}

export function step(fields: Partial<Step>): Step {
  const { id = 'settings', section = 'settings' } = fields;
  return {
    ...{ id, section, stage: stageOf({ id, section }) },
    title: 'update 2 settings',
    method: 'PATCH',
    path: '/api/campaigns/42/update',
    body: null,
    irreversible: false,
    ...fields,
  };
}

/** The problem with this code that the sections report, in the program's words. */
export function problemOf(code: string, ...facts: Parameters<typeof liveContext>): PlanProblem {
  const context = liveContext(...facts);
  const problems = SECTIONS.flatMap((section) => planSection(section, context).problems);
  const problem = problems.find((candidate) => candidate.code === code);
  if (problem === undefined) throw new Error(`No section reports ${code}.`);
  return problem;
}

const LIVE_EMAIL = {
  id: 1,
  order: 1,
  email_subject: 'Hi',
  email_body: 'Hi',
  wait_in_days: 3,
  thread_reply: false,
};
const { id: _id, order: _order, ...EMAIL } = LIVE_EMAIL;
export const LAUNCH = launchHazard(liveContext({ status: 'running' }, { campaign: { status: 'draft' } }));
export const BLOCKED = problemOf(
  'sequence-exists',
  { sequence: { title: 'Spring', steps: [{ ...EMAIL, email_body: 'Hello' }] } },
  { sequence: { title: 'Spring', steps: [LIVE_EMAIL] } },
);
const HIDDEN = problemOf(
  'not-readable',
  { settings: { reputation_building: true } },
  { campaign: { status: 'draft' } },
  { recorded: { applied: { settings: { reputation_building: true } } } },
);
const LAUNCH_STEP = step({
  id: 'launch',
  section: 'status',
  title: 'launch the campaign',
  path: '/api/campaigns/42/resume',
  irreversible: true,
});

export function campaign(fields: Partial<CampaignPlan> = {}): CampaignPlan {
  return {
    manifest: 'campaigns/spring.yaml',
    name: 'Spring installers',
    id: 42,
    action: 'change',
    changes: [],
    steps: [],
    problems: [],
    content: { before: campaignContent({ status: 'paused' }), after: campaignContent() },
    impact: null,
    last: null,
    ...fields,
  };
}

/** A campaign that does not exist yet, with everything that a manifest can contain. */
export const CREATED = campaign({
  name: 'Autumn roofers – Île-de-France',
  manifest: 'campaigns/autumn.yaml',
  id: null,
  action: 'create',
  content: { before: null, after: campaignContent() },
  changes: [
    change({ section: 'campaign', kind: 'add', to: 'Autumn roofers' }),
    ...Object.entries(SETTINGS).map(([path, to]) => change({ path, to })),
    change({ section: 'schedule', kind: 'add', to: { ...OFFICE, save_as_template: false } }),
    change({
      section: 'sequence',
      kind: 'add',
      to: {
        title: 'Spring installers',
        steps: [
          { ...email(), variants: [{ ...VARIANT }] },
          { ...REPLY, variants: [] },
        ],
      },
    }),
    change({ section: 'leads', path: 'lists', kind: 'add', to: [77] }),
    change({ section: 'status', kind: 'add', from: null, to: 'running' }),
  ],
  steps: [
    step({
      id: 'create',
      section: 'campaign',
      title: 'create the campaign',
      method: 'POST',
      path: '/api/campaigns',
      irreversible: true,
    }),
    step({ title: 'set 7 settings', path: '/api/campaigns/{campaign_id}/update' }),
    step({
      id: 'schedule',
      section: 'schedule',
      title: 'create the schedule',
      method: 'POST',
      path: '/api/campaigns/{campaign_id}/schedule',
    }),
    step({
      id: 'sequence',
      section: 'sequence',
      title: 'create the sequence of 2 emails',
      method: 'POST',
      path: '/api/campaigns/{campaign_id}/sequence-steps',
      irreversible: true,
    }),
    step({
      id: 'leads/list-77',
      section: 'leads',
      title: 'attach lead list 77',
      method: 'POST',
      path: '/api/campaigns/{campaign_id}/leads/attach-lead-list',
      irreversible: true,
    }),
    LAUNCH_STEP,
  ],
  problems: [LAUNCH],
});

/** A running campaign whose settings and schedule change, and whose email text cannot change. */
export const CHANGED = campaign({
  action: 'blocked',
  content: {
    before: campaignContent({
      settings: { ...SETTINGS, max_emails_per_day: 150, unsubscribe_text: 'Unsubscribe' },
      schedule: {
        window: {
          ...OFFICE,
          start_time: '08:00',
          end_time: '16:30',
          days: ['monday', 'tuesday', 'wednesday', 'thursday'],
        },
        template: null,
        save_as_template: false,
      },
      status: 'active',
    }),
    after: campaignContent(),
  },
  changes: [
    change({ path: 'max_emails_per_day', from: 150, to: 200 }),
    change({ path: 'unsubscribe_text', from: 'Unsubscribe', to: 'No more emails, please' }),
    change({
      section: 'schedule',
      path: 'days',
      from: ['monday', 'tuesday', 'wednesday', 'thursday'],
      to: [...OFFICE.days],
    }),
    change({ section: 'schedule', path: 'start_time', from: '08:00', to: '09:00' }),
    change({ section: 'schedule', path: 'end_time', from: '16:30', to: '17:00' }),
    change({
      section: 'sequence',
      path: 'steps[0].email_body',
      from: FIRST.replace('an hour a roof', 'two hours a roof').replace('Bristol', 'Bath'),
      to: FIRST,
    }),
    change({
      section: 'sequence',
      path: 'steps[1].email_subject',
      from: 'Re: {FIRST_NAME}, how long did a roof take you?',
      to: '{FIRST_NAME}, how long does a roof take you?',
    }),
    change({ section: 'sequence', path: 'steps[0].wait_in_days', from: 2, to: 3 }),
    change({
      section: 'sequence',
      path: 'steps[2]',
      kind: 'remove',
      from: {
        ...email({ email_subject: 'Goodbye, {FIRST_NAME}', email_body: '<p>I will not write again.</p>' }),
        variants: [],
      },
    }),
  ],
  steps: [
    step({}),
    step({
      id: 'schedule',
      section: 'schedule',
      title: 'replace the schedule',
      method: 'POST',
      path: '/api/campaigns/42/schedule',
    }),
  ],
  problems: [BLOCKED, HIDDEN],
});

const PLAIN = {
  settings: { ...SETTINGS, plain_text: true },
  sequence: {
    title: 'Winter',
    steps: [
      {
        ...email({
          email_body:
            'Hi {FIRST_NAME},\n\nis the roof of {COMPANY} ready for the winter?\n\n- gutters\n- tiles\n\nJo',
        }),
        variants: [],
      },
    ],
  },
};

const LAUNCH_DAYS = ['02', '03', '04', '05', '06', '09'].map((day) => ({
  date: `2026-03-${day}`,
  emails: 200,
}));

/** Without days. */
export const IMPACT: Impact = {
  resumed: false,
  lists: [77],
  list_names: ['77'],
  ids: [],
  ...{ leads: 1200, people: 1200, partway: 0, unknown_lists: [] },
  and_more: false,
  can_unsubscribe: null,
  open_tracking: null,
  ...{ emails_per_day: 200, first_day: 200 },
  emails: 1200,
  first: '2026-03-02T09:00:00+00:00',
  last: '2026-03-09T17:00:00+00:00',
  sending_days: 6,
  timezone: 'Europe/London',
  days: [],
};

/** A campaign in sync except for its status. */
export const LAUNCHED = campaign({
  name: 'Winter check-up, plain text',
  manifest: 'campaigns/winter.yaml',
  id: 43,
  changes: [change({ section: 'status', from: 'paused', to: 'running' })],
  steps: [LAUNCH_STEP],
  problems: [LAUNCH, HIDDEN],
  impact: { ...IMPACT, days: LAUNCH_DAYS },
  content: { before: campaignContent({ ...PLAIN, status: 'paused' }), after: campaignContent(PLAIN) },
});

/** One campaign of each kind, and some without changes. */
export function mixedPlan(): Plan {
  const same = Array.from({ length: 12 }, (_, index) =>
    campaign({ name: `Quiet ${index}`, action: 'none', content: null }),
  );
  return planOf([CHANGED, CREATED, LAUNCHED, ...same]);
}

/**
 * Tasks for a person: edits and an email of a blocked sequence, leads, a name, campaigns that are gone or to be deleted,
 * and equal tasks for several campaigns.
 */
export function byHandPlan(text: string): Plan {
  const task = (campaign: string, id: number, more: Partial<ByHandTask>): ByHandTask => ({
    ...{ campaign, id, manifest: `campaigns/${id}.yaml`, does: 'update', section: 'sequence' },
    ...{ path: '', place: '', from: null, to: null, ...more },
  });
  const edit = (field: string, from: Json, to: Json) =>
    task('Spring', 12, { path: `steps[1].${field}`, place: `sequence, step 2: ${field}`, from, to });
  const leads = { does: 'remove', section: 'leads', path: 'lists', place: 'leads, lists' } as const;
  const whole = { section: null, path: 'name', place: 'name' };
  return planOf(
    [
      campaignPlan('Spring', {
        action: 'blocked',
        changes: [bodyChange('<p>Hi</p>', text)],
        problems: [
          {
            code: 'sequence-exists',
            severity: 'blocked',
            message: 'A sequence cannot be edited.',
            hint: 'Edit it in the web app.',
          },
        ],
      }),
    ],
    {
      by_hand: [
        edit('email_subject', 'A question', text),
        edit('email_body', '<p>Hi</p>\n<p>there</p>', `<p>Hello</p>\n${text}\n`),
        edit('wait_in_days', 3, 4),
        task('Spring', 12, {
          ...{ does: 'add', path: 'steps[2]', place: 'sequence, step 3' },
          to: { ...REPLY, variants: [{ ...email() }] },
        }),
        task('Spring', 12, { ...leads, from: [42, 77] }),
        task('Spring', 12, { ...leads, path: 'ids', from: [1, 2, 3, 4, 5, 6, 7] }),
        task('Winter', 13, { does: 'rename', ...whole, from: 'Winter', to: 'Summer' }),
        task('Old', 14, { does: 'restore', ...whole, path: 'status', from: 'archived' }),
        ...[21, 22, 23].map((id) =>
          task(`Draft ${id}`, id, { ...whole, does: 'delete', path: '', from: 'draft' }),
        ),
      ],
    },
  );
}

/** A list of managed campaigns, with a problem each. */
export function inventory(...names: string[]): Inventory {
  const entry = (name: string): InventoryEntry => ({
    ...{ status: 'managed', manifest: 'campaigns/spring.yaml', name, id: 7, live_status: 'active' },
    status_basis: 'shown',
    ...{ last: null, cap: 200, results: { ...NO_RESULTS, sent: 1200, replies: 9 } },
    problems: [{ code: 'rename', severity: 'hazard', message: 'It was renamed.', hint: 'Look.' }],
  });
  return {
    ...{ version: 1, environment: 'production', base_url: 'https://send.example.com', problems: [] },
    summary: {
      ...{ live: names.length, managed: names.length, unclear: 0, missing: 0, gone: 0, removed: 0 },
      ...{ outside: 0, superseded: 0, new: 0, unmanaged: 0 },
    },
    totals: NO_RESULTS,
    volume: sumVolume([], null),
    campaigns: names.map(entry),
  };
}
