import { expect, it, test } from 'vitest';
import type { PausePlan } from '../../src/model/reports.js';
import { documentHtml } from '../../src/view/document-html.js';
import { documentMarkdown } from '../../src/view/document-markdown.js';
import { documentText } from '../../src/view/document-text.js';
import { renderImportText } from '../../src/view/import.js';
import { listDocument, listsDocument } from '../../src/view/list.js';
import { renderPausePlanText } from '../../src/view/pause.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { renderPlanMarkdown } from '../../src/view/plan-markdown.js';
import { renderPlanText, renderQuestion } from '../../src/view/plan-text.js';
import { plansDocument, renderPlansMarkdown } from '../../src/view/plans.js';
import { plain } from '../../src/view/terminal.js';
import { campaignPlan, planOf, step } from '../support/plans.js';
import { inventory } from './plans.js';

const SERVICE = { base_url: 'http://send.internal:8080', insecure_http: true };
const HEAD = 'http://send.internal:8080, insecure http';
const spring = campaignPlan('Spring', { steps: [step('settings')] });
const insecure = planOf([spring], SERVICE);
const drift = { ...insecure, mode: 'drift' as const };
const on = { paint: plain, width: 100 };
const pause: PausePlan = {
  ...SERVICE,
  ...{ environment: 'production', targets: [], others: [], apply: null },
  ...{ doubts: [], unread: [], unmatched: [], idle: 0 },
};
const listed = { ...inventory('Spring'), ...SERVICE };
const imported = {
  ...SERVICE,
  environment: 'production',
  campaigns: [],
  variables: { names: [], file: null, key: null, copied_from: null },
  skipped: [],
};

const heads: [string, string][] = [
  ['a plan', renderPlanText(insecure, on)],
  ['drift', renderPlanText(drift, on)],
  ['a plan in Markdown', renderPlanMarkdown(insecure)],
  ['a plan that is too long for a comment', renderPlanMarkdown(insecure, 400)],
  ['a page', renderPlanHtml(insecure)],
  ['a question', renderQuestion(insecure)],
  ['a list', documentText(listDocument(listed), on)],
  ['a list in Markdown', documentMarkdown(listDocument(listed), 60_000)],
  ['a pause', renderPausePlanText(pause, { ...on, title: null })],
  ['a pause of several projects', renderPausePlanText(pause, { ...on, title: 'clients/acme' })],
  ['an import', renderImportText(imported, on)],
];

test.each(heads)('%s names the service and says that it uses insecure http', (_, text) => {
  expect(text).toContain(HEAD);
});

const part = (project: string, result = insecure) => ({
  ...{ project, environment: 'production', exit_code: 0 as const, failure: null },
  result,
});

it('is said of each project with insecure http, even if the plans are the same', () => {
  const secure = planOf([spring]);
  const parts = ['a', 'b', 'c'].map((name) => part(name, secure));
  const report = renderPlansMarkdown([...parts, ...['d', 'e', 'f'].map((name) => part(name))]);
  expect(report.match(/^\| ✓ .*/gm)).toEqual([
    expect.stringMatching(/^\| ✓ \| `a`.*`c` \| (?!.*insecure)/),
    expect.stringMatching(/^\| ✓ \| `d`.*`f` \| .* · insecure http \|/),
  ]);
  expect(report).toMatch(/^### 6 projects: 6 planned for production \(insecure http\)/);
  expect(documentHtml(plansDocument([...parts, part('d')]))).toMatch(/> d<\/th><td>[^<]* · insecure http/);
});

it('is said in a list of several projects, with their names', () => {
  const row = (project: string, result = inventory('Spring')) => ({ ...part(project), result });
  const parts = ['a', 'b', 'c', 'd', 'e'].map((name) => row(name, name === 'a' ? undefined : listed));
  const document = listsDocument(parts);
  const words = 'insecure http: b, c, d and 1 more';
  expect(documentText(document, on)).toContain(words);
  expect(documentHtml(document)).toContain(words);
  expect(documentMarkdown(document, 60_000)).toContain(words);
  expect(documentText(listsDocument([row('a')]), on)).not.toContain('insecure');
});

it('is not said of other services', () => {
  const secure = planOf([spring]);
  const texts = [
    renderPlanText(secure, on),
    renderPlanMarkdown(secure),
    renderPlanHtml(secure),
    renderQuestion(secure),
  ];
  expect(texts.join('')).not.toContain('insecure');
});
