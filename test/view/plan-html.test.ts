import { describe, expect, it } from 'vitest';
import { htmlToText } from '../../src/email/html-text.js';
import { Failure } from '../../src/model/failure.js';
import type { Plan } from '../../src/model/outputs.js';
import { documentHtml } from '../../src/view/document-html.js';
import { changedText } from '../../src/view/html-changes.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { renderPlanText } from '../../src/view/plan-text.js';
import { plansDocument } from '../../src/view/plans.js';
import type { ProjectPart } from '../../src/view/projects.js';
import { campaignPlan, planOf } from '../support/plans.js';
import { readPage } from '../support/texts.js';
import { CHANGED, CREATED, campaign, change, LAUNCHED, step } from './plans.js';

/** Golden files contain the order and the words of pages. */

/** The text of a page, without frames. */
describe('the page of a plan', () => {
  it('shows the emails of each of three launches if they differ, and once if they are equal', () => {
    const names = ['A', 'B', 'C'];
    const subject = JSON.stringify(CREATED.content?.after.sequence?.steps[0]?.email_subject);
    const differing = names.map((name) =>
      JSON.parse(JSON.stringify({ ...CREATED, name }).replaceAll(subject, `"A question for ${name}"`)),
    );
    const page = readPage(renderPlanHtml(planOf(differing)));
    for (const name of names) expect(page).toContain(`A question for ${name}`);
    expect(page).not.toContain('the same');
    const same = readPage(renderPlanHtml(planOf(names.map((name) => ({ ...LAUNCHED, name })))));
    expect(same).toMatch(/3 × .*: change, launch, .* A, B, C: 1,200 people/);
  });

  it('shows the choices of spintax, of which a sample shows only the first', () => {
    const written = JSON.stringify(CREATED).replaceAll(
      /"email_body":"(?:[^"\\]|\\.)*"/g,
      '"email_body":"{Hi|Good day} {FIRST_NAME}"',
    );
    const page = readPage(renderPlanHtml(planOf([JSON.parse(written)])));
    expect(page).toMatch(
      /How it looks .* Spintax: 2 different emails - in the body - Hi - Good day Email 1, variant 1/,
    );
  });

  it('shows the leads and dates of the first six launches of a group without expanding it', () => {
    const launches = Array.from({ length: 8 }, (_, at) => ({
      ...{ ...LAUNCHED, name: `Launch ${at}` },
      impact:
        at === 1 || LAUNCHED.impact === null
          ? null
          : { ...LAUNCHED.impact, leads: 100 + at, people: 100 + at },
    }));
    const [, head = ''] =
      /<details class="campaign"[^>]*>(.*?)<\/summary>/s.exec(renderPlanHtml(planOf(launches))) ?? [];
    expect(readPage(head)).toMatch(/Launch 0: 100 people.* day Launch 1 Launch 2: .* 2 more$/);
    expect(head.match(/: \d+ people/g)).toHaveLength(5);
  });

  it('says if there is nothing to do, or nothing to review first', () => {
    const same = campaign({ action: 'none', content: null });
    const idle = readPage(renderPlanHtml(planOf([same, same])));
    expect(idle).toMatch(/2 unchanged No changes\. .* 2 /);
    expect(idle).not.toContain('Needs a look');
    const settings = campaign({ changes: [change({ path: 'plain_text', to: true })], steps: [step({})] });
    expect(readPage(renderPlanHtml(planOf([settings])))).toContain('No launches, nothing blocked');
  });

  it('shows the emails of a campaign only if it launches or its sequence changes', () => {
    const settings = campaign({ changes: [change({ path: 'plain_text', to: true })], steps: [step({})] });
    expect(renderPlanHtml(planOf([settings]))).not.toContain('class="email"');
    expect(renderPlanHtml(planOf([CHANGED])).match(/<iframe /g)).toHaveLength(6);
  });

  it('shows the ids of all leads that it attaches, also as text with --full', () => {
    const leads = (to: number[]) =>
      planOf([campaign({ changes: [change({ section: 'leads', path: 'ids', kind: 'add', to })] })]);
    const text = (plan: Plan, full: boolean) =>
      renderPlanText(plan, { paint: (_, words) => words, width: 100, full }).replace(/\s+/g, ' ');
    const consecutive = leads(Array.from({ length: 1100 }, (_, index) => 5000 + index));
    for (const shown of [readPage(renderPlanHtml(consecutive)), text(consecutive, false)])
      expect(shown).toContain('1,100 individual leads 5000–6099');
    const ids = Array.from({ length: 60 }, (_, index) => 5000 + 2 * index);
    const scattered = leads(ids);
    for (const shown of [readPage(renderPlanHtml(scattered)), text(scattered, true)])
      expect(shown).toContain(ids.join(', '));
    expect(text(scattered, false)).toContain('… (--full shows all)');
    const alike = ['A', 'B', 'C'].map((name, at) => ({
      ...campaign({ changes: [change({ section: 'leads', path: 'ids', kind: 'add', to: ids.slice(at) })] }),
      name,
    }));
    for (const shown of [readPage(renderPlanHtml(planOf(alike))), text(planOf(alike), true)])
      for (const at of [0, 1, 2])
        expect(shown).toMatch(new RegExp(`individual leads *${ids.slice(at).join(', ')}`));
  });

  it('filters by the folders of all campaigns, even if they only launch', () => {
    const launches = Array.from({ length: 9 }, (_, at) => ({
      ...LAUNCHED,
      name: `Launch ${at}`,
      manifest: at === 0 ? 'a.yaml' : `clients/${at % 2 === 0 ? 'acme' : 'globex'}/${at}.yaml`,
    }));
    const page = renderPlanHtml(planOf([...launches, CHANGED]));
    const [, options = ''] = /<select aria-label="Folder">(.*?)<\/select>/.exec(page) ?? [];
    expect(options.match(/in:[^"]*/g)).toEqual([
      'in:campaigns;',
      'in:clients/acme;',
      'in:clients/globex;',
      'in:no folder;',
    ]);
    expect(page).toContain('in:clients/acme; in:clients/globex; in:no folder;" data-count="9"');
  });

  it('shows a change that campaigns of several folders share once, before those folders', () => {
    const cap = change({ path: 'max_emails_per_day', from: 1, to: 2 });
    const shared = ['a', 'b', 'c'].map((name) =>
      campaign({ name, manifest: `${name}/x.yaml`, changes: [cap], steps: [step({})] }),
    );
    const page = renderPlanHtml(planOf([...shared, { ...CHANGED, manifest: 'a/y.yaml' }]));
    expect(
      [...page.matchAll(/class="folder" open><summary><h3>(.*?)<\/h3>/g)].map(([, name]) => name),
    ).toEqual(['Several folders', 'a']);
  });
});

it('counts each email and each variant', () => {
  expect(renderPlanHtml(planOf([CREATED])).match(/<iframe /g)).toHaveLength(3);
});

describe('a changed text', () => {
  const lines = Array.from({ length: 200 }, (_, at) => `<p>line ${at}</p>`);

  it('is collapsed far from changes', () => {
    const { markup } = changedText(lines.join('\n'), lines.join('\n').replace('line 100', 'row 100'));
    expect(htmlToText(markup).split('\n\n')).toEqual([
      '99 unchanged lines',
      '<p>line 99</p>',
      '<p>linerow 100</p>',
      '<p>line 101</p>',
      '98 unchanged lines',
    ]);
  });

  it('has its paragraphs on separate lines if the source has one line', () => {
    const { markup } = changedText(lines.join(''), lines.join('').replace('line 100', 'row 100'));
    expect(markup.match(/class="line touched"/g)).toHaveLength(1);
    expect(markup.match(/unchanged line/g)).toHaveLength(2);
  });

  it('is shown as two texts if it is too long to compare', () => {
    const many = (word: string) => Array.from({ length: 600 }, (_, at) => `${word} ${at}`).join('\n');
    const { markup } = changedText(many('old'), many('new'));
    expect(markup.match(/<del>/g)).toHaveLength(600);
    expect(markup.match(/<ins>/g)).toHaveLength(600);
  });

  it('marks words with elements, and added or removed line breaks with a symbol', () => {
    const { markup } = changedText('Hi {FIRST_NAME}, <b>one</b>', 'Hi {COMPANY}, <b>one</b>\n\nBye');
    expect(markup).toContain('<del>{FIRST_NAME}</del><ins>{COMPANY}</ins>');
    expect(markup).toContain('&#60;b&#62;one');
    expect(changedText('a\nb', 'a\n\nb').markup).toContain('<ins>⏎</ins>');
    expect(changedText('<p>a</p><p>b</p>', '<p>a</p>\n<p>b</p>').markup).toContain(
      'Only line breaks differ.',
    );
  });
});

const part = (project: string, result: Plan | null): ProjectPart<Plan> => ({
  ...{ project, environment: 'live', result },
  exit_code: result === null ? 1 : 0,
  failure:
    result === null ? new Failure({ code: 'no-token', message: 'There is no token.', hint: '' }) : null,
});
const changed = (name: string) => campaignPlan(name, { action: 'change', steps: [step({})] });

describe('the page of several projects', () => {
  it('shows campaigns with the same name in the folders of their projects, and the totals', () => {
    const page = documentHtml(
      plansDocument([
        part('clients/acme', planOf([changed('Spring'), changed('Autumn')])),
        part('clients/globex', planOf([changed('Spring')])),
      ]),
    );
    expect(page).toContain('<h1>2 projects: 2 planned');
    expect(page).toMatch(/<strong>3<\/strong> to change/);
    expect(page).toContain('clients/acme/');
    expect(page).toContain('clients/globex/');
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('shows a project that could not be planned before all campaigns, and in the table', () => {
    const page = documentHtml(
      plansDocument([part('clients/acme', planOf([changed('Spring')])), part('clients/late', null)]),
    );
    expect(page.indexOf('There is no token.')).toBeGreaterThan(0);
    expect(page.indexOf('There is no token.')).toBeLessThan(page.indexOf('class="campaign"'));
    expect(page).toMatch(/<\/span> clients\/late<\/th><td>failed: There is no token/);
  });

  it('is a page even if no project could be planned', () => {
    expect(documentHtml(plansDocument([part('clients/late', null)]))).toContain('1 project: 1 failed');
  });
});
