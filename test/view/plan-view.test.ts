import { describe, expect, it } from 'vitest';
import type { CampaignPlan, Impact, Plan, PlannedChange, PlanProblem } from '../../src/model/outputs.js';
import { keepDrift } from '../../src/plan/drift.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { renderPlanMarkdown } from '../../src/view/plan-markdown.js';
import { renderPlanText } from '../../src/view/plan-text.js';
import { viewPlan } from '../../src/view/plan-view.js';
import { renderPlansMarkdown } from '../../src/view/plans.js';
import { plain } from '../../src/view/terminal.js';
import { bodyChange, campaignPlan, NOT_COMPARED, planOf, step } from '../support/plans.js';
import { campaignContent, LAUNCHED } from './plans.js';

const last = { at: '2026-05-12T23:30:00.000Z', how: 'apply' as const };
const change = (path: string, origin: PlannedChange['origin']): PlannedChange => ({
  section: 'settings',
  path,
  kind: 'update',
  from: 300,
  to: 200,
  note: null,
  origin,
});
const spring = (origins: PlannedChange['origin'][], more: Partial<CampaignPlan> = {}): CampaignPlan => {
  const changes = origins.map((origin, index) =>
    change(['first', 'second', 'third'][index] ?? 'more', origin),
  );
  return campaignPlan('Spring', { changes, steps: [step('settings')], last, ...more });
};
const text = (plan: Plan) => renderPlanText(plan, { paint: plain, width: 120 });
const NOTHING = {
  resumed: false,
  lists: [],
  list_names: [],
  ids: [],
  ...{ people: 0, partway: 0, unknown_lists: [], first_day: null },
  ...{ timezone: null, first: null, last: null, emails: null },
  ...{
    can_unsubscribe: null,
    open_tracking: null,
    emails_per_day: null,
    leads: null,
    and_more: false,
    sending_days: null,
  },
  days: [],
};
/** The lines of one campaign in a plan. */
const told = (campaign: CampaignPlan) =>
  (text(planOf([campaign])).split(/^[+~✗=] .*\n/m)[1] ?? '').split('\n').slice(0, -1);
const atTop = (campaign: CampaignPlan) => text(planOf([campaign])).split(/^[+~✗=] /m)[0];

describe('a plan shows the origin of changes', () => {
  const since = 'outside campaignctl since the last apply on 12 May 2026';
  it.each<[string, PlannedChange['origin'][], Partial<CampaignPlan>, string]>([
    ['not where the manifest was changed', ['manifest', null], {}, 'settings'],
    ['in one line where all are of one origin', ['service', 'service'], {}, `changed ${since}`],
    ['where both sides changed', ['both'], {}, `changed in the manifest and ${since}`],
    [
      'since an import',
      ['service'],
      { last: { ...last, how: 'import' } },
      'changed outside campaignctl since it was imported on 12 May 2026',
    ],
    ['each by itself where they differ', ['service', 'manifest'], {}, `partly changed ${since}`],
  ])('%s', (_name, origins, more, line) => {
    expect(told(spring(origins, more))[0]).toBe(`    ${line}`);
  });

  it('except for a pause by campaignctl pause, which is not an outside change', () => {
    const paused = { ...change('', 'pause'), section: 'status' as const, from: 'paused', to: 'running' };
    expect(text(planOf([spring([], { changes: [paused] })]))).not.toContain('outside');
  });

  it('and does not say that apply would undo unsent changes', () => {
    const [sent, blocked] = [spring(['service']), spring(['service'], { steps: [], action: 'blocked' })].map(
      atTop,
    );
    expect(sent).toMatch(/^Drift: 1 .*\n {2}Spring: apply puts back: first 300 → 200$/m);
    expect(blocked).toMatch(/^Drift: 1 .*\n {2}Spring: cannot be applied: first 300 → 200$/m);
  });
});

it('says how many launches share a row, even if their names are cut', () => {
  const names = ['Installers in France', 'Installers in Spain', 'Installers in Italy'];
  const [other, ...equal] = names.map((name) => ({ ...LAUNCHED, name, manifest: `campaigns/${name}.yaml` }));
  const impact = LAUNCHED.impact && { ...LAUNCHED.impact, emails_per_day: 50 };
  const plan = planOf([...equal, { ...LAUNCHED, ...other, impact }]);
  const table = /^Launches at a glance\n(?: {2}.*\n)+/m.exec(text(plan))?.[0];
  expect(table).toContain('  2 × Installers in Sp');
  expect(table).toContain('  Installers in Fr');
});

describe('several projects', () => {
  const part = (project: string, result: Plan) => ({
    ...{ project, environment: 'live', exit_code: 0 as const, result, failure: null },
  });
  const changed = planOf([spring(['service']), spring([], { name: 'Calm', action: 'none', steps: [] })]);
  const calm = planOf([spring([], { name: 'Calm', action: 'none', steps: [] })]);

  it('shows drift as drift, and names the projects without any', () => {
    const drift = [part('one', keepDrift(changed, new Map())), part('two', keepDrift(calm, new Map()))];
    const markdown = renderPlansMarkdown(drift);
    expect(markdown).toContain('1 of 3 campaigns changed outside campaignctl');
    expect(markdown).toMatch(/^\| ✓ \| `one` \| 1 of 2 campaigns changed outside/m);
    expect(markdown).toMatch(/^\| ✓ \| `two` \| Nothing /m);
    expect(markdown).not.toMatch(/to change|No changes/);
  });

  it('shows a plan with problems even if it sends nothing', () => {
    const warned = planOf([
      spring([], {
        ...{ name: 'Odd', action: 'none', steps: [] },
        problems: [{ code: 'unknown-status', severity: 'warning', message: 'It may send.', hint: 'Look.' }],
      }),
    ]);
    const markdown = renderPlansMarkdown([part('one', warned), part('two', calm)]);
    expect(markdown).toContain('It may send.');
    expect(markdown).toContain('| `two` | 1 unchanged |');
  });
});

const renamed = (old: string): PlanProblem => ({
  code: 'rename',
  severity: 'hazard',
  message: `It was applied to the campaign called ${old}.`,
  hint: 'Accept with --allow rename.',
});
describe('Markdown without room for every message', () => {
  const names = Array.from({ length: 223 }, (_, at) => `Campaign ${at}`);
  const many = (problem: (at: number) => PlanProblem) =>
    planOf(
      names.map((name, at) =>
        campaignPlan(name, {
          id: null,
          action: 'create',
          steps: [step('campaign')],
          problems: [problem(at)],
        }),
      ),
    );

  it.each([60_000, 20_000, 2_000])('shows how to approve a hazard, at %i characters', (limit) => {
    const ownHint = (at: number): PlanProblem => ({
      ...renamed(`Old ${at}`),
      hint: `Look at campaign ${at}.`,
    });
    expect(
      renderPlanMarkdown(
        many((at) => renamed(`Old ${at}`)),
        limit,
      ),
    ).toContain('Accept with --allow rename.');
    expect(renderPlanMarkdown(many(ownHint), limit)).toContain('Look at campaign 0.');
  });

  it.each([60_000, 20_000, 2_000])('explains a hazard of all campaigns, at %i characters', (limit) => {
    // With much other content, short plans have no room for messages of single campaigns.
    const plan = many((at) => ({
      ...renamed(`Old ${at} ${'and long '.repeat(60)}`),
      code: `policy/kind-${at % 4}`,
    }));
    const message = '250 of 300 campaigns (83%) would change at once.';
    const hint = 'Check the environment and the files. If this is intended, pass --allow mass-change.';
    plan.problems.push({ code: 'mass-change', severity: 'hazard', message, hint });
    expect(renderPlanMarkdown(plan, limit)).toContain(`\`mass-change\`: ${message}`);
  });

  it.each([60_000, 20_000, 2_000])('omits no warning silently, at %i characters', (limit) => {
    const text = '0123456789 '.repeat(40);
    const warn = (at: number): PlanProblem => ({
      ...{ code: 'cannot-detach', severity: 'warning', hint: '' },
      message: `${text}${Math.min(110, Math.floor(at / 2))}`,
    });
    const markdown = renderPlanMarkdown(many(warn), limit);
    expect(markdown).toMatch(/^> \*\*Warnings: \d+, for \d+ campaigns\*\*$/m);
    const cut = Number(/^> - and (\d+) more/m.exec(markdown)?.[1] ?? 0);
    const shown = markdown.match(/^> - .*0123456789/gm)?.length ?? 0;
    expect(shown + cut).toBe(111);
  });
});

describe('a comment of 100 different campaigns', () => {
  const campaigns = Array.from({ length: 100 }, (_, at) =>
    campaignPlan(`Campaign ${at}`, {
      changes: [bodyChange('Hi', `Hello ${at}\n${'and more '.repeat(80)}`)],
      steps: [step('sequence'), step('status', { id: 'launch', irreversible: true })],
      impact: { ...NOTHING, leads: at + 1, people: at + 1 },
    }),
  );

  it.each([
    [1_000_000, { rows: 100, diffs: 100, mentions: 2, note: false }],
    [60_000, { rows: 100, diffs: 0, mentions: 1, note: true }],
    [6_000, { rows: 0, diffs: 0, mentions: 0, note: true }],
    [2_000, { rows: 0, diffs: 0, mentions: 0, note: true }],
  ])(
    'shows at %i characters the first level that fits, which names each launch once in a table and once with its emails',
    (limit, level) => {
      const markdown = renderPlanMarkdown(planOf(campaigns), limit);
      expect(markdown.length).toBeLessThanOrEqual(limit);
      const rows = markdown.match(/^\| `Campaign \d+/gm)?.length ?? 0;
      const diffs = markdown.match(/<del>/g)?.length ?? 0;
      const mentions = markdown.match(/Campaign 7\b/g)?.length ?? 0;
      expect({ rows, diffs, mentions, note: markdown.includes('**Too long to show here:**') }).toEqual(level);
      // Launches are counted at every level.
      expect(markdown).toMatch(/^> \*\*100 launches · .*\*\*$/m);
    },
  );

  it('counts resumed campaigns apart from launches, in the counts and in the totals', () => {
    const launched = (resumed: boolean) =>
      campaignPlan('Spring', { steps: [step('status', { id: 'launch' })], impact: { ...NOTHING, resumed } });
    const view = viewPlan(planOf([launched(true), launched(false), launched(true)]));
    expect(view.counts.rest).toMatchObject([
      { number: 1, words: 'launch' },
      { number: 2, words: 'resumes' },
      { kind: 'requests' },
    ]);
    expect(view.notices[0]?.title).toMatch(/^1 launch · 2 resumed campaigns · /);
    const alone = viewPlan(planOf([launched(true)]));
    expect(alone.counts.rest).toMatchObject([{ number: 1, words: 'resume' }, { kind: 'requests' }]);
  });

  it('calls a resumed campaign resumed, and shows a launch without leads as such', () => {
    const launch = step('status', { id: 'launch', irreversible: true });
    const launched = (impact: Partial<Impact>) =>
      campaignPlan('Spring', { steps: [launch], impact: { ...NOTHING, ...impact } });
    const resumed = text(
      planOf([launched({ resumed: true, leads: 3, people: 1, partway: 2 }), launched({})]),
    );
    expect(resumed).toMatch(/~ Spring .* RESUME .*\n {4}1 person and up to 2 who are partway through get /);
    expect(text(planOf([launched({})]))).toMatch(/1 launch · 0 people .* once leads are attached\n/);
  });

  it('shows the facts of each launch with its campaign', () => {
    const shown = text(planOf(campaigns));
    expect(shown.match(/^~ Campaign \d+ .*\n {4}\d+ (?:person gets|people get) /gm)).toHaveLength(100);
  });

  it('shows the facts of launches even of new campaigns, which are shown in brief', () => {
    const created = campaigns
      .slice(0, 40)
      .map((campaign) => ({ ...campaign, id: null, action: 'create' as const }));
    const shown = text(planOf(created));
    expect(shown.match(/^\+ Campaign \d+ .*\n {4}\d+ (?:person gets|people get) /gm)).toHaveLength(40);
  });
});

describe('the view of a plan', () => {
  const blocked: PlanProblem = { ...renamed('x'), code: 'sequence-exists', severity: 'blocked' };
  const warning: PlanProblem = { ...renamed('x'), code: 'cannot-detach', severity: 'warning' };
  const view = viewPlan(
    planOf([
      campaignPlan('Quiet', { action: 'none' }),
      campaignPlan('New', { id: null, action: 'create', steps: [step('campaign')] }),
      campaignPlan('Told', { action: 'none', problems: [warning] }),
      campaignPlan('Changed', { changes: [change('first', null)], steps: [step('settings')] }),
      spring(['service'], { name: 'Drifted' }),
      campaignPlan('Blocked', { action: 'blocked', problems: [blocked, warning] }),
      campaignPlan('Renamed', { id: null, action: 'create', problems: [renamed('Winter')] }),
      campaignPlan('Launched', { steps: [step('status', { id: 'launch', irreversible: true })] }),
    ]),
  );

  it('shows first what needs a review', () => {
    expect(view.notices.map(({ kind }) => kind)).toEqual(['launch', 'hazard', 'blocked', 'drift', 'warning']);
    expect(view.campaigns.map(({ name }) => name)).toEqual([
      'Launched',
      'Renamed',
      'Blocked',
      'Drifted',
      'Told',
      'Changed',
      'New',
    ]);
  });

  it('groups campaigns with equal changes, not those with only the same words', () => {
    const body = (name: string, to: string) =>
      campaignPlan(name, { changes: [bodyChange('Hi', to)], steps: [step('sequence')] });
    const { others } = viewPlan(
      planOf([...['A', 'B', 'C'].map((name) => body(name, 'Hello')), body('D', 'Howdy'), body('E', 'Hey')]),
    );
    expect(others.map(({ campaigns }) => campaigns.map(({ name }) => name))).toEqual([
      ['A', 'B', 'C'],
      ['D'],
      ['E'],
    ]);
  });

  it('is a plain value', () => {
    expect(JSON.parse(JSON.stringify(view))).toEqual(view);
  });
});

describe('campaigns of every kind', () => {
  const problem = (severity: PlanProblem['severity']): PlanProblem => ({
    ...renamed('x'),
    code: `policy/a-${severity}`,
    severity,
  });
  const long = Array.from({ length: 300 }, (_, at) => `line ${at}`).join('\n');
  const all = planOf([
    campaignPlan('C1', { id: null, action: 'create', steps: [step('campaign')] }),
    campaignPlan('C2', { action: 'none', problems: [problem('warning')] }),
    campaignPlan('C3', { action: 'blocked', steps: [step('settings')], problems: [problem('blocked')] }),
    campaignPlan('C4', { action: 'blocked', problems: [problem('blocked'), problem('warning')] }),
    campaignPlan('C5', {
      changes: [bodyChange(long, 'Hello')],
      steps: [step('sequence')],
      problems: [problem('hazard')],
    }),
    campaignPlan('C6', { steps: [step('status', { id: 'pause' })] }),
    campaignPlan('C7', { steps: [step('status', { id: 'launch', irreversible: true })] }),
    spring(['service', 'manifest'], { name: 'C8' }),
  ]);
  const found = (view: string, pattern: RegExp) => [...view.matchAll(pattern)].map(([, name]) => name);

  it.each([
    ['a plan', all],
    ['drift', keepDrift(all, new Map())],
  ])('are in the order of the view however little room Markdown has: %s', (_what, item) => {
    const names = viewPlan(item).campaigns.map(({ name }) => name);
    for (const limit of [60_000, 5_000])
      expect(found(renderPlanMarkdown(item, limit), /^\| `(C\d)` \|/gm)).toEqual(names);
  });
});

it('settings that a new campaign omits are shown even if part of it is blocked', () => {
  const created = (action: CampaignPlan['action']) => {
    const body = { max_emails_per_day: 200, plain_text: false };
    const changes = [change('max_emails_per_day', null)];
    return planOf([
      campaignPlan('Spring', { id: null, action, changes, steps: [step('settings', { body })] }),
    ]);
  };
  for (const action of ['create', 'blocked'] as const)
    expect(viewPlan(created(action)).notes).toMatchObject([
      { title: expect.stringMatching(/defaults: plain_text false$/) },
    ]);
});

it.each([
  [{ max_emails_per_day: 60 }, {}, 'cap 60 a day'],
  [{ max_emails_per_day: 60 }, { max_emails_per_day: 80 }, 'cap 80 a day'],
  [{ max_emails_per_day: 60 }, { max_emails_per_day: null }, 'no daily cap'],
])(
  'leads added to a sending campaign are shown with its cap after the plan: %j, %j',
  (before, after, cap) => {
    const added: PlannedChange = {
      ...change('ids', null),
      section: 'leads',
      kind: 'add',
      from: null,
      to: [7, 8],
    };
    const attached = campaignPlan('Spring', {
      steps: [step('leads')],
      changes: [added],
      problems: [{ code: 'attach-running', severity: 'hazard', message: 'M', hint: '' }],
      content: { before: campaignContent({ settings: before }), after: campaignContent({ settings: after }) },
    });
    const [view] = viewPlan(planOf([attached])).campaigns;
    expect(view?.leadFacts).toMatch(new RegExp(`^attaches 2 .*: 2 emails, ${cap}$`));
  },
);

it('leads added to a running campaign whose emails apply cannot change get the current ones', () => {
  const sequence = (subject: string, steps: number) => ({
    ...{ title: 'Spring' },
    steps: Array.from({ length: steps }, (_, at) => ({
      ...{ email_subject: `${subject} ${at + 1}`, email_body: 'Hello', wait_in_days: 2 },
      ...{ thread_reply: false, variants: [] },
    })),
  });
  const edits = [1, 2].map(
    (at): PlannedChange => ({
      ...{ ...change(`steps[${at - 1}].email_subject`, 'manifest'), section: 'sequence' },
      ...{ from: `Old ${at}`, to: `New ${at}` },
    }),
  );
  const ids: PlannedChange = {
    ...{ ...change('ids', 'manifest'), section: 'leads', kind: 'add' },
    ...{ from: null, to: [7] },
  };
  const plan = planOf([
    campaignPlan('Spring', {
      ...{ action: 'blocked', changes: [...edits, ids], steps: [step('leads')] },
      problems: [{ code: 'attach-running', severity: 'hazard', message: 'M', hint: '' }],
      content: {
        before: campaignContent({ sequence: sequence('Old', 2) }),
        after: campaignContent({ sequence: sequence('New', 3) }),
      },
      running_emails: { emails: 'old', sure: true },
    }),
  ]);
  const [view] = viewPlan(plan).campaigns;
  expect(view?.subjects.map(({ subject }) => subject)).toEqual(['Old 1', 'Old 2']);
  expect(view?.leadFacts).toMatch(/: 2 emails, /);
  const sends = /^ +sends\n(?: {6}.*\n)+/m.exec(text(plan))?.[0];
  expect(sends).toContain('Old 1');
  expect(sends).not.toContain('New');
  const markdown = renderPlanMarkdown(plan);
  const [, listed = ''] = markdown.split(/^.*sends.*$/m);
  expect(listed).toContain('Old 2');
  expect(listed).not.toContain('New');
  expect(renderPlanHtml(plan)).toMatch(/Sends 2 emails: <q>Old 1/);
});

it('marks emails that are switched off, and leaves them out of the subjects that a launch sends', () => {
  const email = (email_subject: string) => ({
    ...{ email_subject, email_body: 'Hello', wait_in_days: 2, thread_reply: false },
  });
  const off = (subject: string) => ({ ...email(subject), active: false as const });
  const steps = [
    { ...email('One'), variants: [off('Other')] },
    { ...off('Two'), variants: [email('Variant of two')] },
    { ...off('Three'), variants: [] },
  ];
  const content = campaignContent({ sequence: { title: 'Spring', steps } });
  const launch = campaignPlan('Spring', {
    steps: [step('status', { id: 'launch' })],
    content: { before: null, after: content },
  });
  const [view] = viewPlan(planOf([launch])).campaigns;
  expect(view?.subjects).toEqual([
    { subject: 'One', isVariant: false },
    { subject: 'Variant of two', isVariant: false },
  ]);
  expect(view?.sends.map(({ label, how }) => [label, how])).toEqual([
    ['Email 1', 'then wait 2 days'],
    ['Email 1, variant 1', 'switched off'],
    ['Email 2', 'switched off'],
    ['Email 2, variant 1', 'the last email'],
    ['Email 3', 'switched off'],
  ]);
});

it('a long text to change by hand is shown as a difference, and whole with --full', () => {
  const body = (word: string) =>
    Array.from({ length: 40 }, (_, at) => (at === 20 ? word : `line ${at}`)).join('\n');
  const task: Plan['by_hand'][number] = {
    ...{ campaign: 'Spring', id: 42, manifest: 'campaigns/spring.yaml', does: 'update', section: 'sequence' },
    ...{
      path: 'steps[0].email_body',
      place: 'sequence, step 1: email_body',
      from: body('old'),
      to: body('new'),
    },
  };
  const shown = (full: boolean) =>
    renderPlanText({ ...planOf([]), by_hand: [task] }, { paint: plain, width: 100, full });
  expect(shown(false).split('\n').length).toBeLessThan(20);
  expect(shown(false)).toMatch(/- old\n +\+ new\n/);
  expect(shown(false)).toContain('--full prints the texts to enter.');
  expect(shown(true).match(/line \d+/g)).toHaveLength(39);
});

it('a campaign that was last set to paused is not said to stop sending', () => {
  const pause = step('status', { id: 'pause' });
  const replaced = (id: number, running: boolean) => ({
    ...{ id, name: `Old ${id}`, manifest: 'campaigns/spring.yaml', role: 'replaced' as const, running },
    ...{ outside: false, status: 'paused', basis: 'set' as const, max_emails_per_day: null, step: pause },
  });
  const plan = { ...planOf([]), replaced: [replaced(1, true), replaced(2, false)] };
  const titles = viewPlan(plan).notices.map(({ title }) => title);
  expect(titles.slice(0, 2)).toEqual([
    '1 campaign stops sending: Old 1',
    '1 campaign last set to paused is paused again, to be sure: Old 2',
  ]);
});

it('changes of running campaigns that reach people without a launch are named at the head and at the campaign', () => {
  const settings = [step('settings'), step('schedule')];
  const changed = (name: string, changes: PlannedChange[], more: Partial<CampaignPlan> = {}) =>
    campaignPlan(name, { changes, steps: settings, ...more });
  const set = (path: string, from: PlannedChange['from'], to: PlannedChange['to']): PlannedChange => ({
    ...{ ...change(path, 'manifest'), from, to },
  });
  const zone: PlannedChange = { ...set('timezone', 'Europe/Paris', 'Europe/London'), section: 'schedule' };
  const days: PlannedChange = { ...set('days', ['monday'], ['tuesday']), section: 'schedule' };
  const plan = planOf([
    changed('Fewer', [set('max_emails_per_day', 20, 10)], { lowered_cap: { from: 20, to: 10 } }),
    changed('Moved', [zone], { running_schedule: { sure: true } }),
    changed('Perhaps', [days, zone], { running_schedule: { sure: false } }),
    changed('Tracked', [set('open_tracking', false, true), set('can_unsubscribe', true, false)]),
  ]);
  const heads = [
    '1 running campaign gets a lower daily cap: Fewer (20 → 10)',
    '1 running campaign sends at other times: Moved (timezone Europe/Paris → Europe/London)',
    '1 campaign may send at other times: Perhaps (days, timezone)',
    'Open tracking is switched on: Tracked',
    'The unsubscribe link is removed: Tracked',
  ];
  const { notices, campaigns } = viewPlan(plan);
  expect(notices.map(({ title }) => title)).toEqual(expect.arrayContaining(heads));
  const factsOf = Object.fromEntries(
    campaigns.map(({ name, facts: [, ...facts] }) => [name, facts.map(({ words }) => words)]),
  );
  expect(factsOf).toEqual({
    Fewer: ['lower daily cap'],
    Moved: ['other sending times'],
    Perhaps: ['other sending times'],
    Tracked: ['no unsubscribe link', 'open tracking on'],
  });
  expect(viewPlan(keepDrift(plan, new Map())).notices.map(({ kind }) => kind)).not.toContain('emails');
});

it('a removed campaign that sends nothing has a cap, and is not said to send emails', () => {
  const removed = (id: number, status: string, running: boolean) => ({
    ...{ id, name: `Old ${id}`, manifest: 'old.yaml', role: 'removed' as const, running, status },
    ...{ outside: false, basis: 'shown' as const, max_emails_per_day: 20, step: null },
  });
  const shown = text({ ...planOf([]), removed: [removed(1, 'draft', false), removed(2, 'active', true)] });
  expect(shown).toContain('draft · cap 20 a day');
  expect(shown).toContain('active · up to 20 emails a day');
});

it('no line of a campaign is wider than the terminal', () => {
  const replaces = { id: 7, name: 'Camp 17', status: 'active', running: true, ...NOT_COMPARED };
  const launched = (name: string) =>
    campaignPlan(name, {
      ...{ id: null, action: 'create', replaces, impact: { ...NOTHING, can_unsubscribe: false } },
      steps: [step('campaign'), step('status', { id: 'launch' })],
    });
  const blocked = spring(['service', 'manifest'], {
    ...{ action: 'blocked', raised_cap: { from: 10, to: 20 }, running_schedule: { sure: true } },
    content: { before: campaignContent({ status: 'active' }), after: campaignContent() },
  });
  const widest = (count: number) => {
    const many = Array.from({ length: count }, (_, at) => launched(`Camp ${at} b`));
    const lines = renderPlanText(planOf([blocked, ...many]), { paint: plain, width: 80 }).split('\n');
    return lines.filter((line) => /^[+✗~]/.test(line) && line.length > 80);
  };
  expect(widest(1)).toEqual([]);
  expect(widest(80)).toEqual([]);
});

it('a value to enter by hand stands alone in its line', () => {
  const task: Plan['by_hand'][number] = {
    ...{ campaign: 'Spring', id: 42, manifest: 'campaigns/spring.yaml', does: 'update', section: 'sequence' },
    ...{ path: 'steps[0].email_body', place: 'sequence, step 1: email_body', from: 'Hello', to: 'Hi Ann' },
  };
  const lines = text({ ...planOf([]), by_hand: [task] }).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining(['          email_body', '        - Hello', '        + Hi Ann']),
  );
});

it('what a launch should not have by accident has a line of its own, before the launch', () => {
  const launched = (name: string, more: Partial<Impact>) =>
    campaignPlan(name, {
      steps: [step('status', { id: 'launch' })],
      impact: { ...NOTHING, emails_per_day: 354, ...more },
    });
  const titles = (...campaigns: CampaignPlan[]) =>
    viewPlan({ ...planOf(campaigns), base_url: 'sandbox' }).notices.map(({ title }) => title);
  const [tokyo, oslo] = [
    launched('Tokyo', { can_unsubscribe: false, open_tracking: true }),
    launched('Oslo', { open_tracking: true }),
  ];
  expect(titles(tokyo, oslo).slice(0, 3)).toEqual([
    'No unsubscribe link: Tokyo',
    'Open tracking on: all launches',
    '2 launches · 0 people · 0 emails; daily caps together: up to 708 emails a day; in the sandbox, no email is sent',
  ]);
  expect(titles(oslo)[0]).toBe('Open tracking on: Oslo');
});

it('names unchanged campaigns, and the running ones if the head does not name them all', () => {
  const running = Array.from({ length: 6 }, (_, at) => ({ name: `R${at}`, cap: 50, launch: false }));
  const volume = { running: 6, cap: 300, unlimited: 0, not_shown: 0, capacity: 500, campaigns: running };
  const changed = campaignPlan('Spring', { changes: [bodyChange('Hi', 'Hello')] });
  const noted = (...args: Parameters<typeof planOf>) =>
    viewPlan(planOf(...args)).notes.map(({ title, messages }) => [
      title,
      ...messages.flatMap(({ campaigns, text }) => [...campaigns.map(({ name }) => name), text]),
    ]);
  expect(noted([changed, campaignPlan('Quiet', { action: 'none' })], { volume })).toEqual([
    ['Unchanged: 1 campaign', 'Quiet', ''],
    ['Running after this plan: 6 campaigns', ...running.map(({ name }) => name), 'cap 50 a day'],
  ]);
  const named = { ...volume, campaigns: running.slice(1) };
  expect(noted([campaignPlan('Quiet', { action: 'none' })], { volume: named })).toEqual([]);
});

it('the head names what is already approved, in each view', () => {
  const launch: PlanProblem = {
    ...{ code: 'launch', severity: 'hazard', message: 'Apply launches the campaign.', hint: '' },
    accepted_by: '--allow launch',
  };
  const plan = planOf([spring([null], { problems: [launch] })]);
  const views = [text(plan), renderPlanMarkdown(plan), renderPlanHtml(plan)];
  for (const view of views) {
    expect(view.replaceAll('\u00a0', ' ')).toContain('approved: launch');
    expect(view).not.toContain('no approval needed');
  }
});
