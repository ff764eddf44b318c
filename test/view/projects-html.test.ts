import { expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import type { Plan } from '../../src/model/outputs.js';
import { renderProjectsHtml } from '../../src/view/plan-html.js';
import type { ProjectPart } from '../../src/view/projects.js';
import { campaignPlan, planOf, step } from '../support/plans.js';

const part = (project: string, result: Plan | null): ProjectPart<Plan> => ({
  ...{ project, environment: 'live', result },
  exit_code: result === null ? 1 : 0,
  failure:
    result === null ? new Failure({ code: 'no-token', message: 'There is no token.', hint: '' }) : null,
});
const change = (name: string) => campaignPlan(name, { action: 'change', steps: [step('settings')] });

it('shows campaigns with the same name in the folders of their projects, and the totals', () => {
  const page = renderProjectsHtml([
    part('clients/acme', planOf([change('Spring'), change('Autumn')])),
    part('clients/globex', planOf([change('Spring')])),
  ]);
  expect(page).toContain('<h1>2 projects: 2 planned');
  expect(page).toMatch(/<strong>3<\/strong> to change/);
  expect(page).toContain('clients/acme (live)/');
  expect(page).toContain('clients/globex (live)/');
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

it('shows a project that could not be planned before all campaigns, and in the table', () => {
  const page = renderProjectsHtml([
    part('clients/acme', planOf([change('Spring')])),
    part('clients/late', null),
  ]);
  expect(page.indexOf('There is no token.')).toBeGreaterThan(0);
  expect(page.indexOf('There is no token.')).toBeLessThan(page.indexOf('class="campaign"'));
  expect(page).toMatch(/<th scope="row">clients\/late \(live\)<\/th><td>no-token/);
});

it('is a page even if no project could be planned', () => {
  expect(renderProjectsHtml([part('clients/late', null)])).toContain('1 project: 1 failed');
});
