import { describe, expect, it } from 'vitest';
import type { CampaignPlan, Plan, PlanProblem } from '../../src/model/outputs.js';
import { keepDrift } from '../../src/plan/drift.js';
import { problem } from '../../src/plan/messages.js';
import { resetHazard } from '../../src/sections/settings.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { renderPlanMarkdown } from '../../src/view/plan-markdown.js';
import { renderPlanText } from '../../src/view/plan-text.js';
import { plain } from '../../src/view/terminal.js';
import { entryOf, listedCampaign } from '../support/campaigns.js';
import { liveContext } from '../support/context.js';
import { bodyChange, campaignPlan, planOf, step } from '../support/plans.js';
import { weekOf } from '../support/service/store.js';
import {
  BLOCKED,
  byHandPlan,
  CHANGED,
  CREATED,
  campaign,
  campaignContent,
  change,
  email,
  LAUNCH,
  LAUNCHED,
  mixedPlan,
  problemOf,
  REPLY,
  SETTINGS,
} from './plans.js';

/**
 * Golden files contain whole plans in each view; review them after `npx vitest run test/view -u`. Pages are without style,
 * with one line per block.
 */

const renamed = (name: string, now: string): PlanProblem =>
  problem('rename', name, listedCampaign(9, now), null);
const { plain_text: _, ...WITHOUT_FORMAT } = SETTINGS;
const [RESET] = resetHazard(
  liveContext({ settings: { max_emails_per_day: 200 } }, { campaign: WITHOUT_FORMAT }),
) as [PlanProblem];
const DETACHED = problemOf(
  'cannot-detach',
  { leads: { lists: [5] } },
  {},
  {
    recorded: { known: true, attached: { lists: [5, 77], ids: [] } },
  },
);
const NO_STATUS = problemOf('unknown-status', { status: 'paused' }, { campaign: { id: 42 } });
const SCHEDULE = { start_time: '09:00', end_time: '17:00', timezone: 'Europe/London' };
const SCHEDULE_EXISTS = problemOf(
  'schedule-exists',
  { schedule: { days: ['monday'], ...SCHEDULE } },
  { schedule: { ...weekOf(['friday']), ...SCHEDULE } },
  { service: { schedule_repost: 'refuse' } },
);
const created = (name: string, problems: PlanProblem[] = []) =>
  campaignPlan(name, {
    manifest: `campaigns/${name.toLowerCase().replaceAll(' ', '-')}.yaml`,
    id: null,
    action: 'create',
    changes: [change({ section: 'campaign', kind: 'add', to: name })],
    steps: [step('campaign', { title: 'create the campaign', irreversible: true })],
    problems,
  });
const setting = (fields: Parameters<typeof change>[0]) =>
  change({ path: 'max_emails_per_day', from: 300, to: 200, ...fields });
const HOSTILE = '<b>@ada</b> `#1`\n::error::x\u001b[31m\u202e</details>|*';

/** A lint finding; rules have their own tests. */
const lint = (code: PlanProblem['code'], message: string): PlanProblem => ({
  code,
  severity: 'warning',
  message,
  hint: 'Shorten it.',
});

/** Two renamed manifests, with hazards and problems that several campaigns share. */
function severalProblems(): Plan {
  const blocked = (name: string, id: number, problems: PlanProblem[]) =>
    campaignPlan(name, {
      id,
      action: 'blocked',
      changes: [bodyChange('Hi', 'Hello'), setting({})],
      steps: [step('settings')],
      problems,
    });
  return planOf(
    [
      created('Alpha', [renamed('Alpha', 'Winter')]),
      blocked('Gamma', 14, [BLOCKED, RESET, NO_STATUS]),
      created('Beta', [renamed('Beta', 'Summer')]),
      blocked('Delta', 15, [BLOCKED, RESET, DETACHED]),
      blocked('Epsilon', 16, [SCHEDULE_EXISTS, DETACHED]),
    ],
    {
      problems: [problem('mass-change', 5, 5)],
    },
  );
}

/** Hazards approved by the project file and by a flag, and one that needs approval. */
function approvals(): Plan {
  const launched = (name: string) =>
    campaign({
      ...{ name, changes: [change({ section: 'status', from: 'paused', to: 'running' })], content: null },
      steps: [step('status', { id: 'launch', title: 'launch the campaign', irreversible: true })],
      problems: LAUNCHED.problems.map((each) => ({ ...each, accepted_by: 'campaignctl.yaml:12' })),
    });
  return planOf([
    launched('Spring'),
    launched('Autumn'),
    created('Beta', [{ ...renamed('Beta', 'Summer'), accepted_by: '--allow rename' }]),
    campaignPlan('Gamma', {
      changes: [setting({})],
      steps: [step('settings')],
      problems: [{ ...RESET, accepted_by: null }],
    }),
  ]);
}

/**
 * Lists of a sending campaign, of an idle one whose service may attach leads twice and shows no number of them, and of one that has
 * other leads as well.
 */
function refilled(): Plan {
  const list_names = ['installers-fr (id 77)'];
  const refill = { lists: [77], list_names, leads: 2450, has_others: false, skips: true };
  const note = 'installers-fr (id 77)';
  const again = change({ section: 'leads', path: 'refill', kind: 'add', note });
  const attaches = (name: string, more: Parameters<typeof campaign>[0]) =>
    campaign({
      ...{ name, changes: [{ ...again, to: [{ list: 77, refill: '2026-11-27' }] }], content: null, refill },
      steps: [
        step('leads', { id: 'leads/list-77', title: 'attach lead list 77 again', refill: '2026-11-27' }),
      ],
      ...more,
    });
  const message = 'Apply attaches lead list 77 to this campaign, which is sending ("active").';
  return planOf([
    attaches('Spring', {
      problems: [{ code: 'attach-running', severity: 'hazard', message, hint: 'Approve this.' }],
    }),
    attaches('Autumn', { refill: { ...refill, leads: null, skips: false }, problems: [] }),
    attaches('Winter', { refill: { ...refill, has_others: true }, problems: [] }),
  ]);
}

function drifted(): Plan {
  const last = { at: '2026-05-12T23:30:00.000Z', how: 'apply' as const };
  const lost = problem('missing', entryOf(9, 'campaigns/lost.yaml', 'Lost'), null);
  const one = (name: string, more: Parameters<typeof campaignPlan>[1]) =>
    campaignPlan(name, { last, steps: [step('settings')], ...more });
  const origins = ['service', 'manifest', 'both'] as const;
  const paths = ['max_emails_per_day', 'max_new_leads_per_day', 'plain_text'];
  return planOf([
    one('Manifest alone', { changes: [setting({ origin: 'manifest' })] }),
    one('Spring', {
      changes: origins.map((origin, at) => setting({ origin, path: paths[at] ?? '' })),
      problems: [LAUNCH],
    }),
    one('New part', { changes: [setting({})] }),
    campaignPlan('Foreign', { action: 'none' }),
    one('Lost', { id: null, last: null, action: 'create', problems: [lost] }),
    one('New', { id: null, last: null, action: 'create' }),
  ]);
}

/**
 * Campaigns whose manifests were removed: one is running and is paused, and little is known about the others. One belongs
 * to a different environment.
 */
function removed(name: string): Plan {
  const pause = step('status', { id: 'pause', title: 'pause the campaign', method: 'PATCH' });
  const gone = {
    basis: 'shown' as const,
    name,
    manifest: 'campaigns/spring.yaml',
    max_emails_per_day: null,
    status: null,
    outside: false,
  };
  const summary = { ...planOf([]).summary, unchanged: 1, pause: 1, removed: 4, requests: 1 };
  return planOf([campaignPlan('Quiet', { action: 'none' })], {
    summary,
    removed: [
      { ...gone, id: 12, running: true, status: 'active', max_emails_per_day: 1200, step: pause },
      {
        ...gone,
        id: 13,
        running: false,
        basis: 'set',
        status: 'paused',
        since: '2026-03-02T09:00:00.000Z',
        step: null,
      },
      { ...gone, id: 14, running: true, basis: 'unknown', status: 'live', step: null },
      {
        ...{ ...gone, id: 15, running: true, status: 'active', step: null },
        ...{ manifest: 'clients/acme.yaml', outside: true },
      },
    ],
  });
}

/** More campaigns than are shown in full. */
function many(): Plan {
  const after = campaignContent({ leads: { lists: [5], ids: [1, 2] } });
  const launch = LAUNCHED.problems.slice(0, 1);
  return planOf([
    ...Array.from({ length: 26 }, (_, at) => ({
      ...created(`New ${at + 1}`),
      content: { before: null, after },
    })),
    { ...CREATED, name: 'New and launched', impact: LAUNCHED.impact, problems: launch },
    campaignPlan('Changed', { changes: [setting({})], steps: [step('settings')] }),
    campaignPlan('Left', { action: 'blocked', changes: [bodyChange('Hi', 'Hello')], problems: [BLOCKED] }),
  ]);
}

/** Mostly similar campaigns: higher caps, the same emails for different leads, equal launches. */
function alike(): Plan {
  const cities = ['Bath', 'Bristol', 'Cardiff', 'Exeter', 'Gloucester'];
  const own = (name: string, at: number, more: Partial<CampaignPlan>): CampaignPlan =>
    campaignPlan(name, { id: 100 + at, manifest: `campaigns/cities.yaml[${name}]`, ...more });
  const lists = (at: number) => change({ section: 'leads', path: 'lists', kind: 'add', to: [70 + at] });
  const launched = { ...LAUNCHED, name: '', manifest: '' };
  return planOf([
    ...cities.map((city, at) =>
      own(`Caps ${city}`, at, { changes: [setting({})], steps: [step('settings')] }),
    ),
    ...cities.map((city, at) => ({
      ...CREATED,
      name: `New in ${city}`,
      manifest: `campaigns/new.yaml[${city}]`,
      changes: [
        ...CREATED.changes.filter(({ section }) => section !== 'leads' && section !== 'status'),
        lists(at),
      ],
      problems: [],
      steps: CREATED.steps.filter(({ id }) => id !== 'launch'),
    })),
    ...cities
      .slice(0, 3)
      .map((city) => ({ ...launched, name: `Launch ${city}`, manifest: `campaigns/launch.yaml[${city}]` })),
    own('Another cap', 50, { changes: [setting({ to: 250 })], steps: [step('settings')] }),
  ]);
}

/** New campaigns with the same emails, but with other caps and titles. */
function sameEmails(): Plan {
  const own = (name: string, cap: number): CampaignPlan => ({
    ...CREATED,
    ...{ name, manifest: `campaigns/${name.toLowerCase()}.yaml`, problems: [] },
    changes: CREATED.changes.map((each) => {
      if (each.path === 'max_emails_per_day') return { ...each, to: cap };
      return each.section === 'sequence' ? { ...each, to: { ...Object(each.to), title: name } } : each;
    }),
    steps: CREATED.steps.filter(({ id }) => id !== 'launch'),
  });
  return planOf([own('Bath', 100), own('Bristol', 200), own('Cardiff', 300)]);
}

/** Lint findings: one shared by all manifests, and a separate one in each. */
function findings(): Plan {
  const at = (number: number, line: number) => `campaigns/c${number}.yaml:${line}`;
  return planOf(
    Array.from({ length: 14 }, (_, number) =>
      campaignPlan(`Campaign ${number}`, {
        manifest: `campaigns/c${number}.yaml`,
        changes: [setting({ to: 100 + number })],
        steps: [step('settings')],
        problems: [
          { ...lint('variable-case', 'The text is never shown.'), at: at(number, 4) },
          { ...lint('reply-first-step', `Subject ${number} is long.`), at: at(number, 9) },
        ],
      }),
    ),
  );
}

function hostile(): Plan {
  const sequence = {
    title: HOSTILE,
    steps: [{ ...email({ email_subject: HOSTILE, email_body: HOSTILE }), variants: [] }],
  };
  return planOf([
    campaign({
      name: HOSTILE,
      manifest: HOSTILE,
      changes: [
        change({ path: 'unsubscribe_text', from: HOSTILE, to: `${HOSTILE}!`, note: HOSTILE }),
        change({ section: 'sequence', path: 'title', from: HOSTILE, to: `${HOSTILE}!`, note: HOSTILE }),
        bodyChange(`a\n${HOSTILE}\nb`, HOSTILE),
        change({ section: 'status', from: HOSTILE, to: 'running' }),
      ],
      steps: [step('settings')],
      problems: ['blocked', 'hazard', 'warning'].map((severity) => ({
        ...BLOCKED,
        severity: severity as PlanProblem['severity'],
        message: HOSTILE,
        hint: HOSTILE,
      })),
      content: { before: campaignContent(), after: campaignContent({ sequence }) },
    }),
  ]);
}

/** Emails that are added, removed and changed, in a campaign whose changes are all sent. */
function edited(): Plan {
  const steps = CHANGED.changes.filter(({ section }) => section === 'sequence');
  const added = change({
    section: 'sequence',
    path: 'steps[1]',
    kind: 'add',
    to: { ...REPLY, variants: [{ ...email() }] },
  });
  return planOf([
    campaign({
      changes: [...steps.filter(({ path }) => !path.startsWith('steps[1]')), added],
      steps: [step('sequence', { title: 'replace the sequence', irreversible: true })],
    }),
  ]);
}

/** A plan that apply refuses: one campaign is also launched, and the launch of another one is held. */
function refused(): Plan {
  const unpromoted = problem('not-promoted/changed', 'staging', ['settings.max_emails_per_day']);
  const held = problem('launch-held', '--hold launch="Fair *"');
  const launched = { ...LAUNCHED, problems: [problem('not-promoted', 'staging', false), LAUNCH] };
  const changed = campaign({ name: 'Fair', changes: [setting({})], steps: [step('settings')] });
  const all = [launched, { ...changed, problems: [unpromoted, held] }];
  return planOf(all, { require_applied: 'staging', hold: ['launch=Fair *'] });
}

/** Nothing to send, and one task by hand. */
function onlyByHand(): Plan {
  const [task] = byHandPlan('Worth a look?').by_hand.filter(({ does }) => does === 'update');
  return planOf([campaignPlan('Quiet', { action: 'none' })], { by_hand: task === undefined ? [] : [task] });
}

const CASES: [name: string, plan: Plan][] = [
  ['by-hand', byHandPlan('Worth a look?')],
  ['by-hand-hostile', byHandPlan(HOSTILE)],
  ['create-change-launch', mixedPlan()],
  ['edited-emails', edited()],
  ['problems-of-several', severalProblems()],
  ['accepted-hazards', approvals()],
  ['refilled', refilled()],
  ['changed-outside-campaignctl', drifted()],
  ['drift', keepDrift(drifted(), new Map())],
  ['no-drift', keepDrift(planOf([campaignPlan('Quiet', { action: 'none' })]), new Map())],
  [
    'no-changes',
    planOf([campaignPlan('Quiet', { action: 'none' }), campaignPlan('Calm', { action: 'none' })]),
  ],
  ['no-changes-but-by-hand', onlyByHand()],
  ['refused', refused()],
  ['removed', removed('Spring installers')],
  ['removed-drift', keepDrift(removed(HOSTILE), new Map())],
  ['many', many()],
  ['alike', alike()],
  ['same-emails', sameEmails()],
  ['findings-of-many', findings()],
  ['hostile', hostile()],
];

describe.each(CASES)('%s', (name, plan) => {
  const golden = (kind: string) => `golden/${name}.${kind}`;

  it('as text', async () => {
    await expect(renderPlanText(plan, { paint: plain, width: 100 })).toMatchFileSnapshot(golden('txt'));
  });

  it.runIf(name === 'create-change-launch')('as text with full bodies', async () => {
    const text = renderPlanText(plan, { paint: plain, width: 100, full: true });
    await expect(text).toMatchFileSnapshot(golden('full.txt'));
  });

  it('as Markdown', async () => {
    await expect(renderPlanMarkdown(plan, 60_000)).toMatchFileSnapshot(golden('md'));
  });

  // The page of many campaigns is repetitive.
  it.skipIf(name === 'many')('as a page', async () => {
    const page = renderPlanHtml(plan)
      .replace(/<style>.*?<\/style>/s, '')
      .replace(/(?=<(?:section|article|li|p|h\d|details|tr|dt|figure|nav|header|footer)\b)/g, '\n');
    await expect(page).toMatchFileSnapshot(golden('html'));
  });
});
