/** A launch that was left out stays visible, and commands that apply a plan repeat what it holds. */
import { expect, it } from 'vitest';
import { type Project, SCHEDULE, withProject } from '../../support/project.js';
import { oneLine } from '../../support/texts.js';

const manifest = (name: string, lead: number) => `name: ${name}
${SCHEDULE}sequence:
  title: ${name}
  steps:
    - { email_subject: A question, email_body: Worth a look?, wait_in_days: 3 }
leads: { ids: [${lead}] }
status: running
`;
const SPRING = 'campaigns/spring.yaml';
const FILES = { [SPRING]: manifest('Spring', 1) };
const FAIRS = {
  ...FILES,
  'campaigns/fair-1.yaml': manifest('Fair in May', 2),
  'campaigns/fair-2.yaml': manifest('Fair in June', 3),
};
const HELD = /wants to run; its launch was held on \d{4}-\d\d-\d\d/.source;
const saying = (text: string) => new RegExp(text);

const flat = (text: string) => oneLine(text).replaceAll('&#34;', '"').replaceAll('\\*', '*');

async function isVisible({ exits, plan }: Project): Promise<void> {
  const checked = await exits(2, 'list --check');
  expect(flat(checked.out)).toMatch(saying(`Spring: This campaign ${HELD}`));
  const drift = await exits(0, 'plan --drift --detailed-exitcode');
  expect(flat(drift.out)).toMatch(saying(`"Spring" ${HELD}`));
  expect(flat(drift.out)).toContain('Nothing was changed outside campaignctl.');
  expect(drift.out).not.toContain('unknown origin');
  for (const form of ['text', 'markdown', 'html'])
    expect(flat((await exits(0, `plan --format ${form}`)).out)).toMatch(saying(`This campaign ${HELD}`));
  expect((await plan()).campaigns).toMatchObject([
    { launch_held: expect.stringMatching(/T/), problems: [{ code: 'launch', severity: 'hazard' }] },
  ]);
}

async function isGone({ exits, plan }: Project): Promise<void> {
  await exits(0, 'list --check');
  expect(JSON.stringify(await plan())).not.toContain('held');
  expect((await exits(0, 'plan --drift --detailed-exitcode')).out).not.toContain('held');
}

it('a launch held by --hold launch stays visible until the campaign is launched', () =>
  withProject({ files: FILES }, async (project) => {
    const { exits, edit } = project;
    const { out } = await exits(0, 'apply --yes --hold launch');
    expect(out).toMatch(/\n1 created, 0 unchanged · 1 launch held\. Run .*\n$/);
    await isVisible(project);
    // Nothing else is to be sent, and the launch is held again.
    await exits(0, 'apply --yes --hold launch');
    await isVisible(project);
    await exits(0, 'apply --yes --allow launch');
    await isGone(project);
    await edit(SPRING, 'status: running', 'status: paused');
    await exits(0, 'apply --yes');
    await isGone(project);
  }));

it('a name in --allow launch=NAME that no campaign of the plan has is reported', () =>
  withProject({ files: FILES }, async ({ exits }) => {
    const words = 'approves nothing: no campaign of this plan has that name.';
    const refused = await exits(3, 'apply --yes', '--allow', 'launch=Sprint');
    expect(refused.err).toContain(`! --allow launch="Sprint" ${words}\n`);
    const rehearsed = await exits(
      0,
      'apply --dry-run',
      '--allow',
      'launch=Fair *',
      '--allow',
      'launch=Spring',
    );
    expect(rehearsed.err).toContain(`! --allow launch="Fair *" ${words}\n`);
    expect(rehearsed.err.match(/approves nothing/g)).toHaveLength(1);
    const { err } = await exits(0, 'apply --yes', '--allow', 'launch=Spr*');
    expect(err).not.toContain('approves nothing');
  }));

it('a launch held for sender accounts stays visible', () =>
  withProject({ files: FILES, environment: '    service: { senders: by_hand }\n' }, async (project) => {
    await project.exits(0, 'apply --yes --allow launch');
    await isVisible(project);
    expect(flat((await project.exits(2, 'list --check')).out)).toContain('sender accounts');
    await project.exits(0, 'apply --yes --allow launch');
    await isGone(project);
  }));

it('a launch that the manifest no longer wants is not held', () =>
  withProject({ files: FILES }, async (project) => {
    const { exits, edit } = project;
    await exits(0, 'apply --yes --hold launch');
    await edit(SPRING, 'status: running', 'status: paused');
    await exits(0, 'list --check');
    await exits(0, 'apply --yes');
    await isGone(project);
    await edit(SPRING, 'status: paused', 'status: running');
    await exits(0, 'list --check');
  }));

it('a campaign that a person launched and stopped after its launch was held has drifted', () =>
  withProject({ files: FILES }, async ({ exits, live, plan }) => {
    await exits(0, 'apply --yes --hold launch');
    live('Spring').status = 'paused';
    await exits(2, 'plan --drift --detailed-exitcode');
    expect((await plan('--drift')).campaigns).toMatchObject([
      { changes: [{ section: 'status', from: 'paused', to: 'running', origin: 'service' }] },
    ]);
  }));

it('--hold launch="PATTERN" holds the launches of matching campaigns only', () =>
  withProject({ files: FAIRS }, async ({ exits, plan, statuses }) => {
    const hold = ['--hold', 'launch=Fair *'];
    const planned = await plan('', ...hold);
    expect(planned).toMatchObject({ hold: ['launch=Fair *'], summary: { launch: 1 } });
    expect(
      planned.campaigns.map(({ name, problems }) => [name, ...problems.map(({ code }) => code)]),
    ).toEqual([
      ['Fair in May', 'launch-held'],
      ['Fair in June', 'launch-held'],
      ['Spring', 'launch'],
    ]);
    await exits(0, 'apply --yes --allow launch', ...hold);
    expect(statuses()).toEqual({ Spring: 'active', 'Fair in May': 'draft', 'Fair in June': 'draft' });
    const { out } = await exits(2, 'list --check');
    expect(flat(out)).toContain('Fair in June, Fair in May: This campaign wants to run; its launch was held');
    await exits(0, 'apply --yes --allow launch', '--hold', 'launch=Fair in June', '--hold', 'launch=Spring');
    expect(statuses()).toEqual({ Spring: 'active', 'Fair in May': 'active', 'Fair in June': 'draft' });
  }));

it('--hold refuses what it does not know, and names that no manifest has', () =>
  withProject({ files: FAIRS }, async ({ exits, sent }) => {
    expect((await exits(1, 'apply --yes --hold settings')).err).toContain('--hold launch');
    await exits(1, 'apply --yes --hold launch=');
    const { err } = await exits(1, 'apply --yes --allow launch', '--hold', 'launch=Fiar *');
    expect(flat(err)).toContain('No manifest has a name that matches "Fiar *" (--hold).');
    expect(sent()).toEqual([]);
  }));

it('a plan that holds launches names the option in the command that applies it', () =>
  withProject({ files: FAIRS }, async ({ exits, sent, statuses }) => {
    const all = await exits(0, 'plan --format markdown --hold launch');
    expect(flat(all.out)).toMatch(
      /To apply this plan, run: ```sh campaignctl apply --env production --hold launch ```/,
    );
    const some = ['--hold', 'launch=Fair *'];
    for (const form of ['text', 'markdown', 'html'])
      expect(flat((await exits(0, `plan --format ${form}`, ...some)).out)).toContain(
        'campaignctl apply --env production --hold launch="Fair *" --allow launch="Spring"',
      );
    await exits(0, 'plan --out plan.json', ...some);
    expect(flat((await exits(0, 'show plan.json')).out)).toContain('--hold launch="Fair *"');
    expect(sent()).toEqual([]);
    await exits(0, 'apply --plan plan.json --yes --allow launch');
    expect(statuses()).toEqual({ Spring: 'active', 'Fair in May': 'draft', 'Fair in June': 'draft' });
  }));
