/** Situations in which a hint once led the wrong way: whoever follows the first way out gets a plan with nothing to do, and nobody is mailed twice. */
import { expect, test } from 'vitest';
import { nextStep } from '../../../src/view/plan-view.js';
import { type Project, SCHEDULE, withProject } from '../../support/project.js';
import { draft } from '../../support/service/store.js';

const sequence = (body: string) =>
  `sequence: { title: S, steps: [{ email_subject: A question, email_body: "${body}", wait_in_days: 3 }] }\n`;
const manifest = (name: string, more = '') =>
  `name: ${name}\n${SCHEDULE}${sequence('Hi {FIRST_NAME}')}leads: { lists: [12] }\nstatus: running\n${more}`;
const SPRING = 'campaigns/spring.yaml';

/** Spring was launched, and had this problem once this has happened to it; the plan is empty after `solve`, and nothing was sent. */
const solved = (
  code: string,
  happens: (project: Project) => unknown,
  solve: (project: Project, hint: string) => Promise<void>,
) =>
  withProject({ shape: { title: 'shown' }, files: { [SPRING]: manifest('Spring') } }, async (project) => {
    await project.exits(0, 'apply --yes --allow launch');
    project.sent();
    await happens(project);
    const hint = (await project.problems()).find((problem) => problem.code === code)?.hint ?? '';
    await solve(project, hint);
    expect(await project.plan()).toMatchObject({
      problems: [],
      removed: [],
      summary: { create: 0, requests: 0 },
    });
    expect(project.sent()).toEqual([]);
  });

/** The ways out in the order in which a hint names them. */
const inOrder = (hint: string, ...ways: string[]) => {
  const places = ways.map((way) => hint.indexOf(way));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
};

test('a campaign that was deleted on purpose is forgotten with its manifest, not made again', () =>
  solved(
    'missing',
    ({ service }) => service.store.campaigns.splice(0, 1, draft(900, 'Other')),
    async ({ exits, write }, hint) => {
      inOrder(hint, 'campaignctl forget 101', '--allow missing');
      await write({ [SPRING]: null, 'campaigns/other.yaml': 'name: Other\n' });
      await exits(0, 'forget 101 --yes');
    },
  ));

test('a campaign that was renamed in the web app gets its new name in the manifest', () =>
  solved(
    'rename',
    ({ live }) => Object.assign(live(101), { name: 'Winter' }),
    async ({ exits, read }, hint) => {
      inOrder(hint, 'name: "Winter"', 'campaignctl import --update "Spring"', '--allow rename');
      expect(hint).not.toContain('old name');
      await exits(0, 'import --update Spring');
      expect(await read(SPRING)).toContain('name: Winter');
    },
  ));

test('a manifest that was moved and renamed is pinned by id', () =>
  solved(
    'shared-leads',
    ({ write }) => write({ [SPRING]: null, 'campaigns/acme/spring.yaml': manifest('Acme spring') }),
    async ({ plan, write }, hint) => {
      inOrder(hint, 'id: 101', '--allow shared-leads');
      expect(nextStep(await plan(), 'Merge.')).not.toContain('--allow shared-leads');
      await write({ 'campaigns/acme/spring.yaml': manifest('Acme spring', 'id: 101\n') });
    },
  ));

test('a schedule template that is not there is told with days and hours of those that are', () => {
  const days = { monday: true, tuesday: true, wednesday: false, thursday: false, friday: false };
  const hours = { start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' };
  const templates = [{ id: 3, ...days, saturday: false, sunday: false, ...hours }];
  const files = { 'campaigns/a.yaml': 'name: A\nschedule: { template: 9 }\n' };
  return withProject({ templates, files }, async ({ exits }) => {
    const { err } = await exits(1, 'plan');
    expect(err.replace(/\s+/g, ' ')).toContain('3 (mon tue 09:00–17:00 Europe/Paris)');
  });
});

test.each([
  ['FRIST_NAME', true],
  ['FIRST_NAME', false],
])(
  'where the environment declares no variables, as after an import, {%s} is misspelt: %s',
  (name, isMisspelt) =>
    withProject({ files: { [SPRING]: `name: A\n${sequence(`Hi {${name}}`)}` } }, async ({ run }) => {
      expect((await run('validate')).out.includes('misspelt-variable')).toBe(isMisspelt);
    }),
);
