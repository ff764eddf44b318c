/**
 * What a person needs for a decision is in every form: for each launch people, emails, days, cap and leads; what needs
 * approval, is blocked, stops or was not applied to the earlier environment. Plans are generated with numbers and names that
 * occur nowhere else.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CampaignPlan, Impact, Plan, PlanProblem } from '../../src/model/outputs.js';
import { thousands } from '../../src/model/words.js';
import { documentHtml } from '../../src/view/document-html.js';
import { documentText } from '../../src/view/document-text.js';
import { dayWords } from '../../src/view/launches.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { renderPlanMarkdown } from '../../src/view/plan-markdown.js';
import { renderPlanText } from '../../src/view/plan-text.js';
import { plansDocument, renderPlansMarkdown } from '../../src/view/plans.js';
import { plain } from '../../src/view/terminal.js';
import { campaignPlan, planOf, step } from '../support/plans.js';
import { IMPACT } from './plans.js';

/** The words of a form, without markup, on one line. */
const words = (text: string) =>
  text
    .replace(/<!-- -->/g, '')
    .replace(/\\(?=[^\w\s])/g, '')
    .replace(/\s+/g, ' ');
const unescaped = (html: string) =>
  html
    .replace(/<style>.*?<\/style>|<script>.*?<\/script>/gs, '')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));

const ONE: [string, (plan: Plan) => string][] = [
  ['text', (plan) => words(renderPlanText(plan, { paint: plain, width: 100 }))],
  ['Markdown', (plan) => words(renderPlanMarkdown(plan))],
  ['HTML', (plan) => words(unescaped(renderPlanHtml(plan)))],
];

/** The same plan as one of two projects. */
const partsOf = (plan: Plan) =>
  [plan, planOf([])].map((result, at) => {
    return { project: `p${at}`, environment: 'production', exit_code: 0 as const, failure: null, result };
  });
const MANY: [string, (plan: Plan) => string][] = [
  [
    'text of projects',
    (plan) => words(documentText(plansDocument(partsOf(plan)), { paint: plain, width: 100 })),
  ],
  ['Markdown of projects', (plan) => words(renderPlansMarkdown(partsOf(plan)))],
  ['HTML of projects', (plan) => words(unescaped(documentHtml(plansDocument(partsOf(plan)))))],
];

const date = fc
  .integer({ min: 0, max: 300 })
  .map((days) => new Date(Date.UTC(2026, 0, 5 + days)).toISOString());
const impact = fc
  .record({
    people: fc.integer({ min: 1_000, max: 9_999 }),
    emails: fc.integer({ min: 20_000, max: 99_999 }),
    first_day: fc.integer({ min: 100, max: 999 }),
    cap: fc.integer({ min: 100_000, max: 999_999 }),
    dates: fc.tuple(date, date),
    list: fc.integer({ min: 1, max: 99 }),
    isUnknown: fc.boolean(),
  })
  .map(({ people, emails, first_day, cap, dates, list, isUnknown }): Impact => {
    const [first = '', last = ''] = [...dates].sort();
    const name = `list-${list}z`;
    return {
      ...IMPACT,
      ...{ people, leads: people, emails, first_day, emails_per_day: cap, and_more: isUnknown },
      ...{ lists: [list], list_names: [name], unknown_lists: isUnknown ? [name] : [] },
      first: first.replace('T00:00', 'T09:00'),
      last: last.replace('T00:00', 'T17:00'),
      days: [{ date: first.slice(0, 10), emails: first_day }],
    };
  });

const CODES: [PlanProblem['code'], PlanProblem['severity']][] = [
  ['launch', 'hazard'],
  ['adopt', 'hazard'],
  ['shared-leads', 'hazard'],
  ['sequence-exists', 'blocked'],
  ['not-promoted', 'error'],
];

const campaign = fc.record({
  impact: fc.option(impact, { nil: null }),
  codes: fc.subarray(CODES),
  pauses: fc.boolean(),
});

const plans = fc.array(campaign, { minLength: 1, maxLength: 6 }).map((all): Plan => {
  const campaigns = all.map(({ impact, codes, pauses }, at): CampaignPlan => {
    const isLaunched = impact !== null;
    const steps = isLaunched
      ? [step('status', { id: 'launch', irreversible: true })]
      : pauses
        ? [step('status', { id: 'pause' })]
        : [step('settings')];
    const problems = codes.map(([code, severity]): PlanProblem => {
      return { code, severity, message: `Message ${code} ${at}z.`, hint: `Hint ${code} ${at}z.` };
    });
    const isBlocked = codes.some(([, severity]) => severity === 'blocked');
    return campaignPlan(`Name${at}z`, {
      ...{ id: at + 1, manifest: `campaigns/${at}.yaml`, steps, problems, impact },
      action: isBlocked ? 'blocked' : 'change',
      changes: [
        {
          ...{ section: 'settings', path: 'max_emails_per_day', kind: 'update', from: 1, to: 7_000_000 + at },
          ...{ note: null, origin: null },
        },
      ],
    });
  });
  return planOf(campaigns, {
    volume: {
      ...{ running: 3, cap: 31_415, unlimited: 0, not_shown: 0, capacity: 27_182 },
      campaigns: [{ name: 'Harvest fair', cap: 16_180, launch: false }],
    },
  });
});

/** Facts of the plan's JSON, in the words that any form must have. */
function factsOf(plan: Plan): string[] {
  return plan.campaigns.flatMap(({ name, impact, problems, changes }) => [
    name,
    ...changes.map(({ to }) => String(to)),
    ...problems.flatMap(({ code, message }) => [code, message]),
    ...(impact === null ? [] : launchFacts(impact)),
  ]);
}

function launchFacts({
  people,
  emails,
  first_day,
  first,
  last,
  emails_per_day,
  list_names,
}: Impact): string[] {
  return [
    thousands(people ?? 0),
    thousands(emails ?? 0),
    thousands(first_day ?? 0),
    thousands(Number(emails_per_day)),
    ...[first, last].map((day) => dayWords(day ?? '', false)),
    ...list_names,
  ];
}

describe.each([...ONE, ...MANY])('as %s, a plan shows', (form, render) => {
  it('everything that a decision needs', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const shown = render(plan);
        const missing = factsOf(plan).filter((fact) => !shown.includes(fact));
        expect(missing).toEqual([]);
      }),
    );
  });

  it('which campaigns stop, and how many', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const stopped = plan.campaigns.filter(({ steps }) => steps.some(({ stage }) => stage === 'pause'));
        const shown = render(plan);
        const [, names = ''] = /\d campaigns? stops? sending: ([^.]*?z)(?![\w,])/.exec(shown) ?? [];
        const shownNames = names === '' ? [] : names.split(', ').map((name) => name.replace(/^p\d: /, ''));
        expect(shownNames).toEqual(stopped.map(({ name }) => name));
      }),
    );
  });

  it('the sums of all launches, and the capacity', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const impacts = plan.campaigns.flatMap(({ impact }) => impact ?? []);
        fc.pre(impacts.length > 0);
        const sum = (numbers: (number | null)[]) =>
          thousands(numbers.reduce<number>((total, number) => total + (number ?? 0), 0));
        const shown = render(plan);
        expect(shown).toContain(`${sum(impacts.map(({ people }) => people))} people`);
        expect(shown).toContain(`${sum(impacts.map(({ emails }) => emails))} emails`);
        if (form.includes('projects')) return;
        for (const fact of ['27,182', 'Harvest fair', '16,180']) expect(shown).toContain(fact);
      }),
    );
  });
});
