/** Each view of a plan shows what approves a hazard: a line of the project file, or a flag. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, test, vi } from 'vitest';
import { viewPlan } from '../../../src/view/plan-view.js';
import { type Project, SCHEDULE, withProject } from '../../support/project.js';
import { git as gitIn } from '../../support/repository.js';
import { TOKEN } from '../../support/service/service.js';
import { draft, weekOf } from '../../support/service/store.js';
import { oneLine } from '../../support/texts.js';

const manifest = (name: string, list: number, cap = 100) => `name: ${name}
settings: { max_emails_per_day: ${cap}, max_new_leads_per_day: 10 }
${SCHEDULE}sequence: { title: A, steps: [{ email_subject: A question, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }] }
leads: { lists: [${list}] }
status: running
`;

const withLaunch = (environment: string, use: (project: Project) => Promise<void>) =>
  withProject({ environment, files: { 'campaigns/spring.yaml': manifest('Spring', 7) } }, use);

it.each(['text', 'markdown', 'html'])(
  'a hazard that the project file approves is shown as such: %s',
  (format) =>
    withLaunch('    allow:\n      - launch\n', async ({ run }) => {
      const { out } = await run(`plan --format ${format}`);
      expect(out).toContain('Accepted: apply sends these');
      expect(out).toContain('campaignctl.yaml:8');
      expect(out).not.toMatch(/Needs approval|--allow/);
    }),
);

it('a hazard without approval needs one, and the plan of apply shows the flag for it', () =>
  withLaunch('', async ({ exits, run, statuses }) => {
    const planned = (await run('plan')).out;
    expect(planned).toContain('\n  ! launch');
    expect(planned).not.toContain('ccepted');
    const refused = await exits(3, 'apply --yes');
    expect(refused.out).toContain('\n  ! launch');
    const accepted = (await exits(0, 'apply --yes --allow launch')).out;
    expect(accepted).toContain('  ✓ launch  Spring\n');
    expect(accepted).toContain('      → Accepted by --allow launch.\n');
    expect(accepted).not.toContain('Needs approval');
    expect(statuses()).toEqual({ Spring: 'active' });
  }));

it.each([
  ['Save $5 now', "'Save $5 now'"],
  ['Say "hi" for `$5`', `'Say "hi" for \`$5\`'`],
  ["Ana's \\ offer!", `'Ana'\\''s \\ offer!'`],
])('a launch of %s is approved by name', (name, word) =>
  withProject(
    { files: { 'campaigns/a.yaml': manifest(JSON.stringify(name), 1) } },
    async ({ exits, plan, run }) => {
      const { applying } = viewPlan(await plan());
      expect(applying.flatMap(({ command }) => command ?? [])).toEqual([
        `campaignctl apply --env production --allow launch=${word}`,
      ]);
      expect((await run('plan')).out).not.toMatch(/all\s+1\s+launch/);
      await exits(0, 'apply --yes --allow', `launch=${name}`);
    },
  ),
);

it('a launch can be approved by name, without approving others', () => {
  const files = { 'campaigns/a.yaml': manifest('Acme A', 1), 'campaigns/b.yaml': manifest('Beta', 2) };
  return withProject({ files }, async ({ exits, plan, statuses }) => {
    const { applying } = viewPlan(await plan());
    expect(applying.flatMap(({ command }) => command ?? [])).toEqual([
      'campaignctl apply --env production --allow launch="Acme A" --allow launch="Beta"',
    ]);
    expect(applying.map(({ words }) => words).join(' ')).not.toContain('project file');
    const allowed = ['--allow', 'launch=Acme *'];
    await exits(3, 'apply --yes', ...allowed);
    await exits(0, 'apply --yes --hold launch', ...allowed);
    await exits(0, 'apply --yes --target', 'Acme A', ...allowed);
    expect(statuses()).toEqual({ 'Acme A': 'active', Beta: 'draft' });
    await exits(1, 'apply --allow lunch');
    expect((await exits(1, 'apply --allow shared-lead')).err).toContain('Did you mean shared-leads?');
  });
});

it('a plan that raises the daily caps above the capacity needs approval', () =>
  withProject(
    {
      environment: '    capacity: 500\nlint: { shared-lead-list: off }\n',
      files: { 'campaigns/a.yaml': manifest('A', 1, 300) },
    },
    async ({ exits, plan, write }) => {
      const apply = 'apply --yes --allow launch --allow shared-leads';
      const head =
        'After this plan, in the whole workspace: 1 campaign running, together up to 300 emails a day; capacity 500 a day.';
      expect(oneLine((await exits(0, apply)).out)).toContain(head);
      await write({ 'campaigns/b.yaml': manifest('B', 1, 250) });
      expect((await exits(3, apply)).err).toContain('over-capacity');
      expect((await exits(0, 'validate')).out).toContain('[caps-above-capacity]');
      await exits(0, `${apply} --allow over-capacity`);
      expect(await plan()).toMatchObject({
        summary: { unchanged: 2 },
        volume: { running: 2, cap: 550, unlimited: 0, not_shown: 0, capacity: 500 },
      });
      // The service shows the cap in each row.
      await exits(2, 'list --check');
    },
  ));

it('a running campaign that gets a higher daily cap, or stops, is named at the head of every view', () => {
  const files = { 'campaigns/a.yaml': manifest('Acme', 1), 'campaigns/b.yaml': manifest('Beta', 2) };
  return withProject({ files }, async ({ exits, plan, run, write }) => {
    await exits(0, 'apply --yes --allow launch');
    await write({ 'campaigns/a.yaml': manifest('Acme', 1, 250) });
    expect((await plan()).campaigns[0]).toMatchObject({ raised_cap: { from: 100, to: 250 } });
    await write({ 'campaigns/b.yaml': manifest('Beta', 2, 300).replace('running', 'paused') });
    const heads = [
      '1 running campaign gets a higher daily cap: Acme (100 → 250)',
      '1 campaign stops sending: Beta',
    ];
    for (const format of ['text', 'markdown', 'html'])
      for (const head of heads) expect((await run(`plan --format ${format}`)).out).toContain(head);
    await exits(0, 'apply --yes --allow reset-unreadable');
    for (const cap of [200, 250]) {
      await write({ 'campaigns/a.yaml': manifest('Acme', 1, cap) });
      expect((await plan()).campaigns[0]).not.toHaveProperty('raised_cap');
      const lowered = '1 running campaign gets a lower daily cap: Acme (250 → 200)';
      expect((await run('plan')).out.includes(lowered)).toBe(cap === 200);
    }
    await write({ 'campaigns/b.yaml': manifest('Beta', 2, 900).replace('running', 'paused') });
    expect((await run('plan')).out).not.toContain('higher daily cap');
  });
});

it('each command that a plan prints does what it says', () => {
  const files = { 'campaigns/a.yaml': manifest('Acme', 1), 'campaigns/b.yaml': manifest('Beta', 2) };
  return withProject({ files }, async ({ exits, plan, statuses }) => {
    const { applying } = viewPlan(await plan());
    expect(applying).toEqual([
      {
        words:
          'Apply changes nothing until each hazard is approved, held or resolved. To approve all and apply, run:',
        command: 'campaignctl apply --env production --allow launch="Acme" --allow launch="Beta"',
      },
      {
        words:
          'To leave out a launch, write --hold instead of --allow for it: apply makes all other changes, and the campaign mails nobody.',
        command: null,
      },
      { words: expect.stringContaining("--target '!NAME'"), command: null },
    ]);
    await exits(0, 'apply --yes --env production --allow launch=Acme --hold launch=Beta');
    expect(statuses()).toEqual({ Acme: 'active', Beta: 'draft' });
    await exits(0, 'apply --yes --env production --allow launch=Beta --target !Beta');
    expect(statuses()).toEqual({ Acme: 'active', Beta: 'draft' });
    await exits(0, 'apply --yes --env production --allow launch=Acme --allow launch=Beta');
    expect(statuses()).toEqual({ Acme: 'active', Beta: 'active' });
  });
});

it('leads of a paused campaign that the same plan resumes are said to be mailed by both', () =>
  withProject(
    { files: { 'campaigns/a.yaml': manifest('Acme', 1) } },
    async ({ exits, live, plan, write }) => {
      await exits(0, 'apply --yes --allow launch');
      live('Acme').status = 'paused';
      await write({ 'campaigns/b.yaml': manifest('Beta', 1) });
      const problems = (await plan()).campaigns.flatMap((campaign) => campaign.problems);
      const shared = problems.filter(({ code }) => code === 'shared-leads');
      expect(shared.map(({ message }) => message)).toEqual([
        expect.stringContaining('this plan launches it'),
      ]);
    },
  ));

const leads = (lists: number[]) => ({
  'campaigns/spring.yaml': `name: Spring\nleads: { lists: [${lists}] }\n`,
});
const APPLY = 'apply --yes --env production';

/** A repository with a project whose state is in a folder. */
const withRepository = (
  variables: Record<string, string>,
  use: (project: Project, git: (line: string) => void) => Promise<void>,
) =>
  withProject(
    {
      variables: { CAMPAIGNS_TOKEN: TOKEN, ...variables },
      environment: '  sandbox: { sandbox: {} }\n',
      files: leads([1]),
    },
    (project) => {
      const git = (line: string) => void gitIn(project.folder, ...line.split(' '));
      for (const line of ['init -q', 'add -A', 'commit -qm Campaigns']) git(line);
      return use(project, git);
    },
  );

it('git stash does not cause a list to be attached again', () =>
  withRepository({}, async ({ exits, live, write }, git) => {
    await exits(0, APPLY);
    for (const line of ['add -A', 'commit -qm State']) git(line);
    await write(leads([1, 2]));
    expect((await exits(3, APPLY)).err).toContain('unkept-state');
    expect(live('Spring').lists).toEqual([1]);
    await exits(0, `${APPLY} --allow unkept-state`);
    for (const line of ['add campaigns', 'commit -qm List', 'stash -q']) git(line);
    expect((await exits(0, 'plan --env production --detailed-exitcode')).out).toContain('No changes');
    await exits(0, `${APPLY} --allow unkept-state`);
    expect(live('Spring').lists).toEqual([1, 2]);
  }));

it.each<[string, (folder: string) => void]>([
  ['git is not installed', () => vi.stubEnv('PATH', '/nonexistent')],
  [
    'the repository belongs to another user',
    (folder) => {
      const script = `#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 PATH='${process.env.PATH}' exec git "$@"\n`;
      mkdirSync(join(folder, 'bin'));
      writeFileSync(join(folder, 'bin/git'), script, { mode: 0o755 });
      vi.stubEnv('PATH', join(folder, 'bin'));
    },
  ],
  ['the index is damaged', (folder) => writeFileSync(join(folder, '.git/index'), 'damaged')],
])('a checkout does not cause a list to be attached again if %s', (_, damage) =>
  withRepository({}, async ({ exits, live, write, folder }, git) => {
    await exits(0, APPLY);
    for (const line of ['add -A', 'commit -qm State']) git(line);
    await write(leads([1, 2]));
    onTestFinished(() => void vi.unstubAllEnvs());
    damage(folder);
    expect((await exits(3, APPLY)).err).toContain('unkept-state');
    expect(live('Spring').lists).toEqual([1]);
  }),
);

it.each([
  ['CI', 'true'],
  ['TF_BUILD', 'True'],
  ['JENKINS_URL', 'https://jenkins.example.com/'],
  ['TEAMCITY_VERSION', '2026.1 (build 9)'],
])('a job whose checkout is discarded keeps its state there only with approval: %s', (name, value) =>
  withRepository({ [name]: value }, async ({ exits, sent }) => {
    const { err } = await exits(3, APPLY);
    expect(err).toContain('backend: git');
    expect(oneLine(err)).toContain(`(the variable ${name} is set)`);
    expect(sent()).toEqual([]);
    await exits(0, `${APPLY} --allow unkept-state`);
    await exits(0, 'apply --yes --env sandbox');
  }),
);

it.each(['', '0', 'false', 'False'])('a shell in which CI is "%s" is not a job', (value) =>
  withRepository({ CI: value }, async ({ exits }) => void (await exits(0, APPLY))),
);

/**
 * Situations in which a hint was once misleading. Following the first fix leads to an empty plan, and nobody is mailed
 * twice.
 */
const sequence = (body: string) =>
  `sequence: { title: S, steps: [{ email_subject: A question, email_body: "${body}", wait_in_days: 3 }] }\n`;
const launched = (name: string, more = '') =>
  `name: ${name}\n${SCHEDULE}${sequence('Hi {FIRST_NAME}')}leads: { lists: [12] }\nstatus: running\n${more}`;
const SPRING = 'campaigns/spring.yaml';

/** Spring was launched, then got this problem. After `solve`, the plan is empty, and nothing was sent. */
const solved = (
  code: string,
  happens: (project: Project) => unknown,
  solve: (project: Project, hint: string) => Promise<void>,
) =>
  withProject({ shape: { title: 'shown' }, files: { [SPRING]: launched('Spring') } }, async (project) => {
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

/** The fixes in the order of the hint. */
const inOrder = (hint: string, ...ways: string[]) => {
  const places = ways.map((way) => hint.indexOf(way));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((number, other) => number - other));
};

test('a campaign that was deleted on purpose is forgotten with its manifest, not created again', () =>
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
      await exits(0, 'import --update Spring');
      expect(await read(SPRING)).toContain('name: Winter');
    },
  ));

test('a manifest that was moved and renamed is pinned by id', () =>
  solved(
    'shared-leads',
    ({ write }) => write({ [SPRING]: null, 'campaigns/acme/spring.yaml': launched('Acme spring') }),
    async ({ plan, write }, hint) => {
      inOrder(hint, 'id: 101', '--allow shared-leads');
      expect(JSON.stringify(viewPlan(await plan()).applying)).not.toContain('--allow shared-leads');
      await write({ 'campaigns/acme/spring.yaml': launched('Acme spring', 'id: 101\n') });
    },
  ));

test('a missing schedule template is reported with the hours of the existing ones', () => {
  const hours = { start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' };
  const templates = [{ id: 3, ...weekOf(['monday', 'tuesday']), ...hours }];
  const files = { 'campaigns/a.yaml': 'name: A\nschedule: { template: 9 }\n' };
  return withProject({ templates, files }, async ({ exits }) => {
    const { err } = await exits(1, 'plan');
    expect(oneLine(err)).toContain('3 (mon tue 09:00–17:00 Europe/Paris)');
  });
});

test.each([
  ['FRIST_NAME', true],
  ['FIRST_NAME', false],
])('if the environment declares no variables, as after an import, {%s} is misspelt: %s', (name, isMisspelt) =>
  withProject({ files: { [SPRING]: `name: A\n${sequence(`Hi {${name}}`)}` } }, async ({ run }) => {
    expect((await run('validate')).out.includes('misspelt-variable')).toBe(isMisspelt);
  }),
);
