import { expect, test } from 'vitest';
import { type Project, SCHEDULE, withProject } from '../support/project.js';

const NAME = 'Café';
/** As terminals of macOS may write it. */
const TYPED = NAME.normalize('NFD');

const MANIFEST = `name: ${NAME}
settings: { can_unsubscribe: true, unsubscribe_text: ${NAME} }
${SCHEDULE}sequence:
  title: ${NAME}
  steps:
    - { email_subject: ${NAME}, email_body: ${NAME}, wait_in_days: 3 }
leads: { ids: [5] }
status: running
`;

const scene = (use: (project: Project) => Promise<void>) =>
  withProject({ files: { 'campaigns/cafe.yaml': MANIFEST } }, async (project) => {
    expect(TYPED).not.toBe(NAME);
    await use(project);
  });

test('campaigns are found by names and patterns that the terminal writes in Unicode form NFD', () =>
  scene(async ({ exits, plan, program, statuses, write, run }) => {
    for (const target of [TYPED, `${TYPED.slice(0, -2)}*`, `*${TYPED.slice(-2)}`])
      expect((await plan('--target', target)).campaigns.map(({ name }) => name)).toEqual([NAME]);
    expect(
      (await plan('--hold', `launch=${TYPED}`)).campaigns[0]?.steps.map(({ stage }) => stage),
    ).not.toContain('launch');
    await exits(0, 'apply --yes --target', TYPED, '--allow', `launch=${TYPED}`);
    expect(statuses()).toEqual({ [NAME]: 'active' });
    for (const name of [TYPED, `*${TYPED.slice(-2)}`]) {
      expect((await run('preview --live', name)).code).toBe(0);
      expect((await program(`pause --yes ${name}`)).code).toBe(0);
    }
    expect(statuses()).toEqual({ [NAME]: 'paused' });
    await exits(0, 'import --update', `*${TYPED.slice(-2)}`);
    await write({ 'campaigns/cafe.yaml': null });
    await exits(0, 'forget --yes', TYPED);
    await exits(0, 'import', `*${TYPED.slice(-2)}`);
  }));

test('a campaign whose name and texts the service shows in NFD is the one of the manifest, without a change', () =>
  scene(async ({ exits, plan, live }) => {
    await exits(0, 'apply --yes --allow launch');
    const campaign = live(NAME);
    Object.assign(campaign, { name: TYPED });
    Object.assign(campaign.settings, { unsubscribe_text: TYPED });
    for (const step of campaign.steps) Object.assign(step, { email_subject: TYPED, email_body: TYPED });
    const { campaigns, problems } = await plan();
    expect(problems).toEqual([]);
    expect(campaigns.map(({ name, id, action }) => [name, id, action])).toEqual([
      [NAME, campaign.id, 'none'],
    ]);
  }));
