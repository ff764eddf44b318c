import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CampaignPlan, Plan, PlannedChange, PlanProblem } from '../../src/model/outputs.js';
import { keepDrift } from '../../src/plan/drift.js';
import type { Block } from '../../src/view/document.js';
import { planDocument } from '../../src/view/plan-document.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { renderPlanMarkdown } from '../../src/view/plan-markdown.js';
import type { Notice } from '../../src/view/plan-notices.js';
import { renderPlanText } from '../../src/view/plan-text.js';
import { plain } from '../../src/view/terminal.js';
import { campaignPlan, planOf, step } from '../support/plans.js';
import { campaignContent } from './plans.js';

/**
 * Text, Markdown and HTML say the same in the same order. In these plans, each name, code, message and hint is a unique
 * word. The words of each notice and campaign are read back from the output.
 */

const KINDS = { N: 'name', C: 'code', M: 'message', H: 'hint', A: 'place', F: 'acceptance', T: 'note' };
const WORDS = new RegExp(`\\b(?:[${Object.keys(KINDS).join('')}]\\d+z)\\b`, 'g');

const problem = fc
  .record({
    code: fc.integer({ min: 1, max: 4 }),
    severity: fc.constantFrom<PlanProblem['severity']>('hazard', 'blocked', 'warning'),
    message: fc.integer({ min: 1, max: 6 }),
    hint: fc.integer({ min: 0, max: 2 }),
    at: fc.boolean(),
    accepted: fc.boolean(),
  })
  .map(({ code, severity, message, hint, at, accepted }): PlanProblem => {
    const number = { hazard: 0, blocked: 10, warning: 20, error: 30 }[severity] + code;
    return {
      ...{
        code: `C${number}z` as PlanProblem['code'],
        severity,
        message: `M${number * 10 + message}z`,
        hint: hint === 0 ? '' : `H${hint}z`,
      },
      ...(at ? { at: `A${message}z` } : {}),
      ...(severity === 'hazard' && accepted ? { accepted_by: `F${code}z` } : {}),
    };
  });

/** One change of each kind that views show differently, each with a note. */
const CHANGES: Omit<PlannedChange, 'note' | 'origin'>[] = [
  { section: 'settings', path: 'max_emails_per_day', kind: 'update', from: 1, to: 200 },
  { section: 'schedule', path: 'start_time', kind: 'update', from: '08:00', to: '09:00' },
  { section: 'schedule', path: 'template', kind: 'update', from: 1, to: 3 },
  { section: 'sequence', path: 'steps[0].wait_in_days', kind: 'update', from: 1, to: 3 },
  { section: 'sequence', path: 'steps[0].email_body', kind: 'update', from: 'one\ntwo', to: 'one\nthree' },
  { section: 'leads', path: 'lists', kind: 'add', from: null, to: [77] },
  { section: 'status', path: '', kind: 'update', from: 'paused', to: 'running' },
];

const campaign = fc.record({
  action: fc.constantFrom<CampaignPlan['action']>('create', 'change', 'blocked', 'none'),
  problems: fc.uniqueArray(problem, { maxLength: 3, selector: ({ code }) => code }),
  steps: fc.subarray([
    step('settings'),
    step('status', { id: 'launch', irreversible: true }),
    step('leads', { irreversible: true }),
  ]),
  drifted: fc.boolean(),
  changes: fc.subarray(CHANGES.map((_, at) => at)),
  hasContent: fc.boolean(),
});

const plans = fc
  .record({
    campaigns: fc.array(campaign, { maxLength: 8 }),
    problems: fc.uniqueArray(problem, { maxLength: 2, selector: ({ code }) => code }),
    removed: fc.array(fc.record({ running: fc.boolean(), outside: fc.boolean() }), { maxLength: 3 }),
  })
  .map(({ campaigns, problems, removed }): Plan => {
    const all = campaigns.map(({ action, problems: values, steps, drifted, changes, hasContent }, at) =>
      campaignPlan(`N${at + 1}z`, {
        action,
        id: action === 'create' ? null : at + 1,
        problems: values,
        steps: action === 'none' ? [] : steps,
        last: { at: '2026-05-12T23:30:00.000Z', how: 'apply' },
        content: hasContent ? { before: campaignContent(), after: campaignContent() } : null,
        changes:
          action === 'none'
            ? []
            : changes.flatMap((index) => {
                const change = CHANGES[index];
                const origin = drifted && index % 2 === 0 ? ('service' as const) : null;
                return change === undefined ? [] : [{ ...change, note: `T${at + 1}0${index}z`, origin }];
              }),
      }),
    );
    return planOf(all, {
      problems,
      removed: removed.map(({ running, outside }, at) => ({
        ...{
          id: at + 100,
          name: `N${at + 100}z`,
          manifest: 'gone.yaml',
          status: running ? 'active' : 'paused',
        },
        ...{
          role: 'removed' as const,
          running,
          outside,
          basis: 'shown' as const,
          max_emails_per_day: null,
          step: null,
        },
      })),
    });
  });

const TITLES: [Notice['kind'], string][] = [
  ['launch', 'real people get these emails'],
  ['unmanaged', ' without a manifest keep'],
  ['hazard', 'Needs approval before'],
  ['accepted', 'Accepted: apply'],
  ['blocked', 'Blocked: apply'],
  ['removed', 'Without a manifest: '],
  ['removed', 'Not among the manifests of '],
  ['drift', 'Drift: '],
  ['warning', 'Warnings'],
  ['calm', 'No launches, nothing blocked'],
  ['quiet', 'Unchanged: '],
];

/**
 * What a view says: kind and words of each notice, and words of each campaign. Words are sorted, because markup may be
 * between them.
 */
interface Told {
  notices: [string, string[]][];
  campaigns: [string, string[]][];
  /** Lint findings on unchanged campaigns. */
  found: string[];
}

const FOUND = 'Warnings about campaigns that do not change';

const sorted = (words: Iterable<string>) => [...new Set(words)].sort();

/** The content of the document of a plan, which is the same for all forms. */
function expected(plan: Plan): Told {
  const document = planDocument(plan);
  const some = <Is extends Block['is']>(is: Is) =>
    document.filter((block): block is Extract<Block, { is: Is }> => block.is === is);
  const quiet = some('notes').flatMap(({ notices }) => notices);
  const without = (key: string, value: unknown) => (key === 'key' ? undefined : value);
  const wordsOf = ({ title, messages, hint }: Notice) =>
    JSON.stringify([title, messages, hint], without).match(WORDS) ?? [];
  const toldBy = (notice: Notice): [string, string[]] => [notice.kind, sorted(wordsOf(notice))];
  const listed = quiet.filter(({ title }) => TITLES.some(([, start]) => title.startsWith(start)));
  return {
    notices: [...some('notice'), ...listed.filter(({ title }) => title !== FOUND)].map(toldBy),
    campaigns: some('cards')
      .flatMap(({ cards }) => cards)
      .map(({ members: [first, ...others], codes, parts }) => {
        const words = JSON.stringify(parts).match(WORDS) ?? [];
        return [first.name, sorted([...others.map(({ name }) => name), ...codes, ...words])];
      }),
    found: sorted(quiet.filter(({ title }) => title === FOUND).flatMap(wordsOf)),
  };
}

/**
 * Reads the content back from the output. `split` returns the parts around the campaigns, and each campaign from its name
 * on.
 */
function told(rendered: string, split: (text: string) => { head: string; campaigns: string[] }): Told {
  const [main = '', result = ''] = rendered.split(FOUND);
  const { head, campaigns } = split(main);
  const starts = TITLES.map(([kind, title]) => ({ kind, at: head.indexOf(title) }))
    .filter(({ at }) => at >= 0)
    .sort((each, other) => each.at - other.at);
  return {
    notices: starts.map(({ kind, at }, index) => [
      kind,
      sorted(head.slice(at, starts[index + 1]?.at).match(WORDS) ?? []),
    ]),
    campaigns: campaigns.map((part) => {
      const [name = '', ...words] = part.match(WORDS) ?? [];
      return [name, sorted(words.filter((word) => word !== name))];
    }),
    found: sorted(result.match(WORDS) ?? []),
  };
}

const FOLD = /<details(?: open)?><summary><b>(?!All)[\s\S]*?<\/details>/g;

/** In Markdown, campaigns without a manifest are rows of the table. */
const ROW = /^\| `N1\d\dz`.*\n/gm;

/** The table of launches repeats their names and numbers. */
const TABLE = /<section aria-labelledby="launch-table">.*?<\/section>/gs;
/** What to approve, in words and as boxes. */
const NEXT = /<section class="next".*?<\/section>/gs;

const FORMATS: [string, (plan: Plan) => Told][] = [
  [
    'text',
    (plan) =>
      told(renderPlanText(plan, { paint: plain, width: 1_000, before: 'question' }), (text) => {
        const shown = text.replace(/^ {2}→ .*\n/gm, '').replace(/^Launches at a glance\n(?: {2}.*\n)+/m, '');
        const parts = shown.split(/^(?=[+~✗=-] )/m);
        const [head = '', ...campaigns] = parts;
        // What needs nobody's attention follows the last campaign.
        const [last = '', after = ''] = (campaigns.pop() ?? '').split(/^(?=\S)(?![+~✗=-] )/m);
        return { head: `${head}${after}`, campaigns: [...campaigns, ...(last === '' ? [] : [last])] };
      }),
  ],
  [
    'Markdown',
    (plan) =>
      told(renderPlanMarkdown(plan, 60_000).replace(/^(?:\|(?! `N1\d\dz`)|\*\*Next:).*\n/gm, ''), (text) => ({
        head: text.replace(FOLD, '').replace(ROW, ''),
        campaigns: [...(text.match(FOLD) ?? []), ...(text.match(ROW) ?? [])],
      })),
  ],
  [
    'HTML',
    (plan) =>
      told(
        renderPlanHtml(plan)
          .replace(/<style>.*<\/style>/s, '')
          .replace(TABLE, '')
          .replace(NEXT, ''),
        (text) => {
          const campaigns =
            text.match(
              /<details class="campaign".*?<\/details>(?=<details class="campaign"|<\/section>|<\/details>)/gs,
            ) ?? [];
          return { head: campaigns.reduce((rest, campaign) => rest.replace(campaign, ''), text), campaigns };
        },
      ),
  ],
];

describe.each(FORMATS)('%s shows the content of the document of a plan, in its order', (_, read) => {
  it('of a plan', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        expect(read(plan)).toEqual(expected(plan));
      }),
    );
  });

  it('of drift', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const drift = keepDrift(plan, new Map());
        expect(read(drift)).toEqual(expected(drift));
      }),
    );
  });
});
