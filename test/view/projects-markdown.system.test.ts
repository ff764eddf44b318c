import { describe, expect, it } from 'vitest';
import type { Plan, PlanProblem } from '../../src/model/outputs.js';
import { documentText } from '../../src/view/document-text.js';
import { plansDocument, renderPlansMarkdown } from '../../src/view/plans.js';
import type { ProjectPart } from '../../src/view/projects.js';
import { plain } from '../../src/view/terminal.js';
import { bodyChange, campaignPlan, planOf, step } from '../support/plans.js';
import { LAUNCHED } from './plans.js';

/** Projects with one plan each, whose only campaign has a changed body of this length. */
function projects(count: number, length: number): ProjectPart<Plan>[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ project: `clients/${at}`, environment: 'live', exit_code: 0, failure: null },
    result: planOf([
      campaignPlan(`Spring ${at}`, {
        changes: [bodyChange('Hi', `Hello ${at}\n${'more words '.repeat(length / 11)}`)],
        steps: [step('sequence')],
      }),
    ]),
  }));
}

const TOO_LONG = '**Too long to show here:**';

describe('the report of several projects', () => {
  it('shows the changes of 24 environments if they all fit', () => {
    const markdown = renderPlansMarkdown(projects(24, 1_650));
    expect(markdown.length).toBeGreaterThan(40_000);
    expect(markdown.length).toBeLessThanOrEqual(60_000);
    expect(markdown).not.toMatch(/too long/i);
    expect(markdown.match(/<ins>Hello/g)).toHaveLength(24);
  });

  it('shows less of all projects if they do not fit, and says once what is omitted', () => {
    const lines = renderPlansMarkdown(projects(24, 5_000));
    expect(lines.match(/^\| `clients\/\d+: Spring \d+` \|/gm)).toHaveLength(24);
    expect(lines.split(TOO_LONG)).toHaveLength(2);
    const counts = renderPlansMarkdown(projects(24, 5_000), 5_000);
    expect(counts.match(/`clients\/\d+`/g)).toHaveLength(24);
    expect(counts.split(TOO_LONG)).toHaveLength(2);
  });

  it('shows the plan that several projects share once, with all their names', () => {
    const [first] = projects(1, 90);
    if (first === undefined) throw new Error('no project');
    const same = ['a', 'b', 'c'].map((project) => ({ ...first, project }));
    const markdown = renderPlansMarkdown(same);
    expect(markdown).toMatch(/^\| ✓ \| `a`, `b`, `c` \| 1 to change/m);
    expect(markdown).toContain('`a: Spring 0`, `b: Spring 0`, `c: Spring 0`');
    expect(markdown.match(/<ins>Hello/g)).toHaveLength(1);
  });

  it.each([
    [2_000, 24],
    [2_000, 300],
    [20_000, 24],
    [60_000, 300],
  ])('keeps to %i characters for %i projects, with every fold and fence closed', (limit, count) => {
    const markdown = renderPlansMarkdown(projects(count, 90), limit);
    expect(markdown.length).toBeLessThanOrEqual(limit);
    expect(markdown.split('<details').length).toBe(markdown.split('</details>').length);
    expect((markdown.match(/^```/gm)?.length ?? 0) % 2).toBe(0);
    expect(markdown).toContain(`### ${count} project`);
  });
});

it('the offered command holds the launches that the plans hold, each in its project', () => {
  const parts = projects(2, 90).map(
    (part, at): ProjectPart<Plan> => ({
      ...part,
      result: part.result && {
        ...part.result,
        hold: ['launch=Fair *', ...(at === 0 ? [] : ['launch=Spring' as const])],
      },
    }),
  );
  expect(renderPlansMarkdown(parts)).toContain(
    'campaignctl apply --recursive --env production --hold launch="Fair *" --hold launch="clients/1: Spring" --yes',
  );
});

it('the head sums the launches of all projects', () => {
  const launched = projects(3, 90).map((part) => {
    const impact = LAUNCHED.impact;
    const launch = step('status', { id: 'launch' });
    return { ...part, result: planOf([campaignPlan('Spring', { steps: [launch], impact })]) };
  });
  const [markdownHead] = renderPlansMarkdown(launched).split('| Project');
  expect(markdownHead).toMatch(/> \[!CAUTION\]\n> \*\*3 launches · 3,600 people .*\*\*/);
  expect(documentText(plansDocument(launched), { paint: plain, width: 110 })).toMatch(
    /^3 projects: 3 planned for live\n\n .*3 launches · 3 requests · no approval needed\n\n3 launches · 3,600 people [^━]*\n\n {2}✓ 3 × .*clients\/0, /,
  );
});

it('lines to write name the file with the folder of its project', () => {
  const blocked: PlanProblem = {
    ...{ code: 'sequence-exists', severity: 'blocked', message: 'It exists.', hint: '' },
    ...{
      where: 'To do so, write these lines in campaigns/spring.yaml in place of its name:',
      lines: ['name: Spring v2'],
    },
  };
  const part = {
    ...{ project: 'clients/acme', environment: 'live', exit_code: 0 as const, failure: null },
    result: planOf([
      campaignPlan('Spring', { manifest: 'campaigns/spring.yaml', action: 'blocked', problems: [blocked] }),
    ]),
  };
  const text = documentText(plansDocument([part]), { paint: plain, width: 120 });
  expect(text).toContain('write these lines in clients/acme/campaigns/spring.yaml in place');
});

it.each([80, 100])(
  'a change of an email that twelve projects share takes less than 60 lines of %i columns',
  (width) => {
    const body = (words: string) =>
      Array.from(
        { length: 30 },
        (_, at) => `<p>${at === 12 ? words : `Paragraph ${at} of the email, which stays as it is.`}</p>`,
      ).join('\n');
    const [before, after] = [body('A crew gains two hours a roof.'), body('A crew gains an hour a roof.')];
    const task: Plan['by_hand'][number] = {
      ...{
        campaign: 'Spring',
        id: 42,
        manifest: 'campaigns/spring.yaml',
        does: 'update',
        section: 'sequence',
      },
      ...{ path: 'steps[0].email_body', place: 'sequence, step 1: email_body', from: before, to: after },
    };
    const blocked: PlanProblem = {
      ...{
        code: 'sequence-exists',
        severity: 'blocked',
        message: 'A sequence cannot be edited.',
        hint: 'Edit it in the web app.',
      },
      ...{
        where: 'To replace the campaign, write these lines in campaigns/spring.yaml:',
        lines: ['name: Spring v2', 'replaces: Spring'],
      },
    };
    const parts = Array.from({ length: 12 }, (_, at) => ({
      ...{ project: `clients/client-${at}`, environment: 'production', exit_code: 0 as const, failure: null },
      result: planOf(
        [
          campaignPlan('Spring', {
            ...{ action: 'blocked', changes: [bodyChange(before, after)], problems: [blocked] },
            running_emails: { emails: 'old', sure: true },
          }),
        ],
        { by_hand: [task] },
      ),
    }));
    const lines = documentText(plansDocument(parts), { paint: plain, width }).trimEnd().split('\n');
    expect(lines.length).toBeLessThan(60);
    expect(lines.filter((line) => line.includes('an hour a roof'))).toHaveLength(2);
  },
);
