import { describe, expect, it } from 'vitest';
import type { Inventory } from '../../../src/model/reports.js';
import { planOf, step } from '../../support/plans.js';
import { type Project, SCHEDULE, withProject } from '../../support/project.js';

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

describe('forget', () => {
  it.each([
    ['Sprin', 'The state of production has no campaign "Sprin".', 'Did you mean "Spring"?'],
    ['7', 'The state of production has no campaign 7.', 'campaignctl list shows'],
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
