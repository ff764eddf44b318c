import { describe, expect, it } from 'vitest';
import type { Inventory } from '../../../src/model/reports.js';
import { UNKNOWN_STATE } from '../../../src/model/state.js';
import { planOf, step } from '../../support/plans.js';
import { type Project, SCHEDULE, withProject } from '../../support/project.js';
import { active } from '../../support/service/store.js';

const manifest = (name: string, status: string) => `name: ${name}
settings: { max_emails_per_day: 200, max_new_leads_per_day: 50, reputation_building: false }
${SCHEDULE}sequence:
  title: Spring
  steps: [{ email_subject: A question, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }]
status: ${status}
`;

/** The first id that the service assigns. */
const [AUTUMN, SPRING] = [101, 102];

/** Spring is running and Autumn is paused; both were applied. Then these keys are added to the environment. */
const applied = (use: (project: Project) => Promise<void>, environment = '') =>
  withProject(
    {
      files: {
        'campaigns/autumn.yaml': manifest('Autumn', 'paused'),
        'campaigns/spring.yaml': manifest('Spring', 'running'),
      },
    },
    async (project) => {
      // Ids of concurrent creations are not predictable.
      await project.exits(0, 'apply --yes --target Autumn');
      await project.exits(0, 'apply --yes --allow launch --allow no-leads');
      project.sent();
      await project.edit(
        'campaignctl.yaml',
        'token_env: CAMPAIGNS_TOKEN\n',
        `token_env: CAMPAIGNS_TOKEN\n${environment}`,
      );
      await use(project);
    },
  );

const SPRING_REMOVED = { 'campaigns/spring.yaml': null };
const OUTSIDE = '    on_removal: pause\n    manifests: ["campaigns/a*.yaml"]\n';

it.each(['text', 'markdown'])(
  'as %s, a manifest that was moved and renamed is pointed to id: first',
  (format) =>
    applied(async ({ write, run }) => {
      const hint = 'If a new manifest describes one of these campaigns under a different name, write the id';
      await write(SPRING_REMOVED);
      expect((await run(`plan --format ${format}`)).out).not.toContain('If a new manifest describes');
      await write({ 'campaigns/moved.yaml': manifest('Spring 2', 'running') });
      const { out } = await run(`plan --format ${format}`);
      expect(out.replace(/\s+/g, ' ')).toContain(hint);
    }),
);

it('the leads of a campaign whose manifest was moved and renamed need approval if it has run', () =>
  applied(async ({ exits, plan, write }) => {
    const named = (name: string, status: string) => `${manifest(name, status)}leads: { ids: [1001] }\n`;
    const needsApproval = async (before: string, after: string) => {
      await write({ 'campaigns/autumn.yaml': named('Autumn', before) });
      await exits(0, 'apply --yes --allow launch');
      await write({ 'campaigns/autumn.yaml': null, 'campaigns/moved.yaml': named('Autumn 2', after) });
      const { campaigns } = await plan();
      await write({ 'campaigns/moved.yaml': null });
      return campaigns.some(({ problems }) => problems.some(({ code }) => code === 'shared-leads'));
    };
    expect(await needsApproval('paused', 'running')).toBe(false);
    expect(await needsApproval('running', 'paused')).toBe(true);
    expect(await needsApproval('running', 'running')).toBe(true);
  }));

it('a pending attachment of an interrupted run is in doubt after the next apply', () =>
  applied(async (project) => {
    await project.write(SPRING_REMOVED);
    await leaveOpen(project, SPRING, 'Spring');
    const { problems } = await project.plan();
    expect(problems.map(({ code, message }) => [code, message.slice(0, 10)])).toEqual([
      ['unfinished-run', '"Spring": '],
    ]);
    await project.exits(0, 'apply --yes');
    expect([await project.state().pending(), project.sent()]).toEqual([[], []]);
    const entry = (await project.state().readAll()).find(({ id }) => id === SPRING);
    expect(entry?.recorded.doubtful).toEqual({ lists: [7], ids: [] });
  }));

/** The journal of a run that ended after it recorded the intent to attach list 7. */
async function leaveOpen({ state, service }: Project, id: number, name: string) {
  const at = '2026-03-02T08:00:00.000Z';
  const plan = planOf([], { base_url: service.url });
  const head = { run: `run-${id}`, environment: 'production', at, who: 'ada', commit: null, tool: '0' };
  const journal = await state().begin({ ...head, plan, specs: {} }, () => at);
  const body = { lead_list_id: 7 };
  const attach = step('leads', { id: 'leads/list/7', title: 'attach lead list 7', body });
  const manifest = `campaigns/${name.toLowerCase()}.yaml`;
  await journal.intend({ id, name, manifest, total_leads: null, step: attach });
  await journal.end('incomplete');
}

it('a file outside the environment counts as removed once it describes another campaign', () =>
  applied(async ({ edit, write, plan, run, exits, sent }) => {
    const staging = '  staging: { base_url: "http://127.0.0.1:9", token_env: CAMPAIGNS_TOKEN }\n';
    await edit('campaignctl.yaml', OUTSIDE, OUTSIDE + staging);
    const status = async () => {
      const { campaigns }: Inventory = JSON.parse((await run('list --json --env production')).out);
      return campaigns.find(({ id }) => id === SPRING)?.status;
    };
    const other = manifest('Winter', 'running');
    const outside = [
      manifest('Spring', 'paused'),
      `${other}---\n${manifest('Spring', 'paused')}`,
      `${other}id: ${SPRING}\n`,
      `${other}environments: { production: { id: ${SPRING} } }\n`,
      `for_each: [Spring, Summer]\n${manifest('${{ value }}', 'running')}`,
      'name: [',
      `${other}sequence: nowhere.yaml\n`,
    ];
    for (const text of outside) {
      await write({ 'campaigns/spring.yaml': text });
      expect((await plan('--env production')).removed, text).toMatchObject([{ outside: true, step: null }]);
      expect(await status()).toBe('outside');
    }
    for (const text of [`for_each: [Summer]\n${manifest('${{ value }}', 'running')}`, other]) {
      await write({ 'campaigns/spring.yaml': text });
      expect((await plan('--env production')).removed, text).toMatchObject([
        { outside: false, step: { id: 'pause' } },
      ]);
      expect(await status()).toBe('removed');
    }
    await exits(0, 'apply --yes --env production');
    expect(sent()).toEqual([`PATCH /api/campaigns/${SPRING}/pause`]);
  }, OUTSIDE));

it('patterns without a file are an error with three fixes, and no request is sent', () =>
  applied(async ({ edit, exits, service }) => {
    await edit('campaignctl.yaml', 'campaigns/**/*.yaml', 'campaigns/*.yml');
    const { length } = service.requests;
    for (const line of ['plan', 'plan --drift', 'apply --yes', 'apply --dry-run']) {
      const { err } = await exits(1, line);
      for (const part of [
        'campaignctl.yaml:2:13  error  No file matches the pattern "campaigns/*.yml".',
        'It nearly matches campaigns/autumn.yaml, campaigns/spring.yaml.',
        'No file matches the manifests of production ("campaigns/*.yml"), but its state knows 2',
        'Correct `manifests` in campaignctl.yaml',
        'campaignctl pause "Autumn" "Spring" --env production',
        'campaignctl forget NAME --env production',
        '[no-manifests]',
      ])
        expect(err.replaceAll(/\n +/g, ' '), line).toContain(part);
    }
    expect(service.requests.length).toBe(length);
    for (const name of ['Autumn', 'Spring']) await exits(0, `forget ${name} --yes`);
    expect((await exits(1, 'plan')).err).toContain('[near-match]');
    await edit('campaignctl.yaml', 'campaigns/*.yml', 'old/*.yml');
    for (const name of ['spring', 'autumn']) await edit(`campaigns/${name}.yaml`, 'name:', '# name:');
    expect((await exits(0, 'plan')).out).toMatch(/No campaigns\.[\s\S]*! no-match/);
  }, '    on_removal: pause\n'));

it('many campaigns without a manifest are paused only with approval, and the refusal names the command', () => {
  const names = ['One', 'Two', 'Été', '- Four', 'Five'];
  const files = Object.fromEntries(
    names.map((name, at) => [`campaigns/${at}.yaml`, `name: ${JSON.stringify(name)}\n`]),
  );
  const campaigns = names.map((name, at) => active(11 + at, name));
  return withProject(
    { files, campaigns, environment: '    on_removal: pause\n' },
    async ({ exits, sent, state, write, statuses }) => {
      for (const [at, name] of names.entries()) {
        const entry = { id: 11 + at, name, manifest: `campaigns/${at}.yaml` };
        await state().save({ ...entry, recorded: UNKNOWN_STATE });
      }
      for (const at of [0, 1, 2, 3]) await write({ [`campaigns/${at}.yaml`]: null });
      await write({ 'campaigns/0.yml': 'name: One\n' });
      expect((await exits(0, 'plan')).out).toContain('! mass-removal');
      const { out, err } = await exits(3, 'apply --yes');
      expect(out.replaceAll(/\n +/g, ' ')).toContain(
        'campaignctl.yaml:2: The pattern "campaigns/**/*.yaml" does not match campaigns/0.yml,',
      );
      expect(err.replaceAll(/\n +/g, ' ')).toContain(
        'Nothing was paused either. To send this plan\'s 4 pauses now, run campaignctl pause "One" "Two" 13 14 --env production.',
      );
      expect(sent()).toEqual([]);
      await exits(0, 'apply --yes --allow mass-removal');
      expect(statuses()).toEqual({
        ...{ One: 'paused', Two: 'paused', Été: 'paused', '- Four': 'paused' },
        Five: 'active',
      });
    },
  );
});

it('a file that a pattern nearly matches is a warning in every view, and does not invalidate a saved plan', () =>
  applied(async ({ edit, exits, plan, write, sent }) => {
    await edit('campaigns/autumn.yaml', '200', '100');
    const before = await plan();
    await exits(0, 'plan --out plan.json');
    await write({ 'campaigns/winter.yml': 'name: Winter\n' });
    const after = await plan();
    expect(after.problems).toEqual([
      {
        code: 'near-match',
        severity: 'warning',
        at: 'campaignctl.yaml:2',
        message: expect.stringContaining('"campaigns/**/*.yaml" does not match campaigns/winter.yml'),
        hint: expect.stringContaining('Rename the file'),
      },
    ]);
    expect(after.fingerprint).toBe(before.fingerprint);
    for (const format of ['text', 'markdown', 'html'])
      expect((await exits(0, `plan --format ${format}`)).out, format).toContain('winter.yml');
    expect((await plan('--target Autumn')).problems).toEqual([]);
    expect((await exits(0, 'validate')).out).toContain('campaigns/winter.yml');
    await exits(0, 'apply --plan plan.json --yes');
    expect(sent()).toHaveLength(1);
  }));

describe('forget', () => {
  it.each([
    ['Sprin', 'The state of production has no campaign "Sprin".', 'Did you mean "Spring"?'],
    ['7', 'The state of production has no campaign 7.', 'campaignctl list shows names and ids.'],
  ])('refuses %s, which is not in the state', (name, message, hint) =>
    applied(async ({ exits, plan }) => {
      const { err } = await exits(1, `forget ${name} --yes`);
      expect(err).toContain(message);
      expect(err).toContain(hint);
      expect((await plan()).summary.unchanged).toBe(2);
    }),
  );

  it('says what the state contained, and whether a manifest still manages the campaign', () =>
    applied(async ({ exits }) => {
      const { out } = await exits(0, `forget ${SPRING} --yes`);
      for (const part of [
        'The state of production has campaign 102, "Spring" (campaigns/spring.yaml): in sync on ',
        'Forgot campaign 102, "Spring". Nothing was sent.\n',
        '! campaigns/spring.yaml still manages the campaign',
      ])
        expect(out).toContain(part);
    }));

  it('needs an id if the state contains several campaigns with the name', () =>
    applied(async ({ exits, state }) => {
      const [autumn = expect.fail('no entry')] = await state().readAll();
      await state().save({ ...autumn, name: 'Spring', manifest: 'campaigns/copy.yaml' });
      const { err } = await exits(1, 'forget Spring --yes');
      expect(err).toMatch(/"Spring": 101, 102.*forget 102 --env production/s);
      await exits(0, `forget ${AUTUMN} --yes`);
      expect((await state().readAll()).map(({ id }) => id)).toEqual([SPRING]);
    }));

  it('closes pending requests of a campaign without a manifest, and of no other', () =>
    applied(async (project) => {
      const { exits, state, write } = project;
      await leaveOpen(project, SPRING, 'Spring');
      await leaveOpen(project, AUTUMN, 'Autumn');
      expect((await exits(1, 'forget Spring --yes')).err).toContain('[pending-operations]');
      await write(SPRING_REMOVED);
      expect((await exits(0, 'forget Spring --yes')).out).toContain('1 request of an earlier run');
      expect((await state().pending()).map(({ name }) => name)).toEqual(['Autumn']);
      expect((await state().readAll()).map(({ id }) => id)).toEqual([AUTUMN]);
    }));
});
