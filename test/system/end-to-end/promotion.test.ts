import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/model/outputs.js';
import { type Project, SCHEDULE, withProject, withService } from '../../support/project.js';
import type { TestService } from '../../support/service/service.js';
import { oneLine } from '../../support/texts.js';

const MANIFEST = `name: Spring installers
settings: { max_emails_per_day: 200, reputation_building: true }
sequence:
  title: Spring
  steps:
    - { email_subject: A question, email_body: Worth a look?, wait_in_days: 3 }
leads: { lists: [installers] }
environments:
  production:
    settings: { max_emails_per_day: 1000 }
`;

const SPRING = 'campaigns/spring.yaml';
const PROMOTE = 'apply --env production --require-applied staging --yes';
const STAGE = 'apply --env staging --yes';

/** Without line breaks and tags. */
const flat = (text: string) => oneLine(text).replaceAll('\\_', '_').replaceAll('&gt; ', '');

interface Environments extends Project {
  staging: TestService;
  production: TestService;
}

/** Two empty workspaces and one manifest for both. `more`: keys of production. */
function between(use: (project: Environments) => Promise<void>, more = ''): Promise<void> {
  return withService({}, (staging) => {
    const files = {
      'campaignctl.yaml': `version: 1
manifests: [campaigns/*.yaml]
environments:
  staging: { base_url: "${staging.url}", token_env: CAMPAIGNS_TOKEN, lead_lists: { installers: 12 } }
  production: { base_url: "{url}", token_env: CAMPAIGNS_TOKEN, lead_lists: { installers: 77 }${more} }
`,
      [SPRING]: MANIFEST,
    };
    return withProject({ files }, (project) => use({ ...project, staging, production: project.service }));
  });
}

describe('a requirement of an earlier environment', () => {
  it('is applied to production once it is applied to staging', () =>
    between(async ({ exits, production }) => {
      expect((await exits(3, PROMOTE)).err).toContain('the state of staging');
      expect(production.writes()).toEqual([]);
      await exits(0, STAGE);
      await exits(0, PROMOTE);
      expect(production.store.campaigns).toMatchObject([
        { name: 'Spring installers', settings: { max_emails_per_day: 1000 }, lists: [77] },
      ]);
    }));

  it('is met by an imported campaign, in the form in which it was imported', () =>
    between(async ({ exits, write, edit, production }) => {
      await exits(0, STAGE);
      await write({ [SPRING]: null, '.campaignctl/state/staging': null });
      await exits(0, 'import --all --env staging');
      await exits(0, PROMOTE);
      expect(production.store.campaigns).toMatchObject([{ name: 'Spring installers' }]);
      await edit('campaigns/spring-installers.yaml', 'plain_text: false', 'plain_text: true');
      expect(oneLine((await exits(3, PROMOTE)).err)).toContain('Not applied to staging: settings.plain_text');
    }));

  it('is refused again after the manifest has changed, until that is applied to staging', () =>
    between(async ({ exits, run, edit, sent }) => {
      await run(STAGE);
      await run(PROMOTE);
      sent();
      await edit(SPRING, 'reputation_building: true', 'reputation_building: false');
      const { err } = await exits(3, PROMOTE);
      expect(err).toContain('settings.reputation_building differs');
      expect(err).toContain('campaignctl apply --env staging');
      expect(sent()).toEqual([]);
      await exits(0, STAGE);
      await exits(0, PROMOTE);
      expect(sent()).toHaveLength(1);
    }));

  it('can come from the project file instead of the flag, and is shown by a dry run', () =>
    between(async ({ exits, sent }) => {
      const rehearsed = await exits(0, 'apply --env production --dry-run');
      expect(rehearsed.err).toContain('\n✗ error: Spring installers: Not applied to staging');
      await exits(3, 'apply --env production --yes');
      expect(sent()).toEqual([]);
      await exits(0, STAGE);
      await exits(0, 'apply --env production --yes');
    }, ', require_applied: staging'));

  it('does not count line ends, the Unicode form or surrounding white space as content', () =>
    between(async ({ exits, edit, write }) => {
      await edit(SPRING, 'email_body: Worth a look?', 'email_body_file: ../mails/{FIRST}.txt');
      await edit(SPRING, '../mails/{FIRST}.txt', '../mails/first.txt');
      await edit(SPRING, 'reputation_building: true', `unsubscribe_text: "${'Désabonner'.normalize('NFC')}"`);
      await write({ 'mails/first.txt': 'Worth a look?\r\nCafé?\r\n'.normalize('NFD') });
      await exits(0, STAGE);
      await edit(SPRING, 'Désabonner'.normalize('NFC'), 'Désabonner '.normalize('NFD'));
      await write({ 'mails/first.txt': '\nWorth a look?\nCafé?'.normalize('NFC') });
      await exits(0, PROMOTE);
    }));

  it('is compared without line ends and Unicode forms between overlays', () =>
    between(async ({ exits, edit, write }) => {
      const first = '{ email_subject: A question, email_body_file: ../mails/staging.txt, wait_in_days: 3 }';
      await edit(SPRING, '{ email_subject: A question, email_body: Worth a look?, wait_in_days: 3 }', first);
      const own = `\n    sequence: { title: Spring, steps: [${first.replace('staging', 'production')}] }\n`;
      await edit(SPRING, ' { max_emails_per_day: 1000 }\n', ` { max_emails_per_day: 1000 }${own}`);
      await write({
        'mails/staging.txt': 'Worth a look?\r\nCafé?\r\n'.normalize('NFD'),
        'mails/production.txt': 'Worth a look?\nCafé?\n'.normalize('NFC'),
      });
      expect((await exits(0, 'compare staging production')).out).not.toContain('email_body');
      await exits(0, STAGE);
      await exits(0, PROMOTE);
    }));

  it('names emails as other messages do, counted from 1', () =>
    between(async ({ exits, edit }) => {
      await exits(0, STAGE);
      await edit(SPRING, 'Worth a look?', 'Worth a call?');
      const { out } = await exits(0, 'plan --env production --require-applied staging');
      expect(flat(out)).toContain('Not applied to staging: sequence step 1: email_body differs from');
    }));

  it('is decided by plan, shown in every view with what differs, kept in a saved plan, and decided anew by apply', () =>
    between(async ({ exits, edit, plan, sent, write, read }) => {
      await exits(0, STAGE);
      await exits(0, 'apply --env production --yes');
      sent();
      await edit(SPRING, 'max_emails_per_day: 200,', 'max_emails_per_day: 200, plain_text: true,');
      const words = 'Not applied to staging: settings.plain_text differs from what was last applied there.';
      const { err } = await exits(0, 'plan --env production --out plan.json');
      expect(err).toContain('Once its changes are applied to the earlier environment, run campaignctl apply');
      for (const form of ['text', 'markdown', 'html']) {
        const { out } = await exits(0, `plan --env production --format ${form}`);
        expect(flat(out)).toContain(words);
        expect(flat(out)).toMatch(/1(<\/strong>)? not applied to staging/);
        expect(out).not.toContain('nothing blocked');
        expect(out).not.toContain('no approval needed');
        expect(out).not.toContain('campaignctl apply --env production');
        expect(flat((await exits(0, `show plan.json --format ${form}`)).out)).toContain(words);
      }
      const seen = await plan('--env production');
      expect(seen).toMatchObject({ require_applied: 'staging', summary: { change: 1, requests: 1 } });
      const saved = JSON.parse(await read('plan.json')) as { plan: Plan };
      for (const { campaigns } of [seen, saved.plan])
        expect(campaigns[0]?.problems).toContainEqual(
          expect.objectContaining({ code: 'not-promoted', severity: 'error', message: words }),
        );
      for (const line of ['apply --env production --yes', 'apply --plan plan.json --yes']) {
        const { err } = await exits(3, line);
        expect(flat(err)).toContain(`error: Spring installers: ${words}`);
        expect(err).toContain('campaignctl apply --env staging');
      }
      expect(sent()).toEqual([]);
      await exits(0, STAGE);
      await exits(0, 'apply --plan plan.json --yes');
      expect(sent()).toHaveLength(1);
      await write({ 'plan.json': null });
    }, ', require_applied: staging'));

  it('needs no promotion for a pause', () =>
    between(async ({ exits, edit, plan, production }) => {
      await edit(SPRING, 'leads:', `${SCHEDULE}status: running\nleads:`);
      await exits(0, 'apply --env staging --yes --allow launch');
      await exits(0, 'apply --env production --yes --allow launch');
      await edit(SPRING, 'status: running', 'status: paused');
      const { campaigns } = await plan('--env production');
      expect(campaigns).toMatchObject([{ steps: [{ id: 'pause' }] }]);
      expect(JSON.stringify(campaigns)).not.toContain('not-promoted');
      await exits(0, 'apply --env production --yes');
      expect(production.store.campaigns[0]?.status).toBe('paused');
    }, ', require_applied: staging'));

  it('given to plan is kept in the saved plan', () =>
    between(async ({ exits }) => {
      await exits(0, 'plan --env production --require-applied staging --out plan.json');
      expect((await exits(3, 'apply --plan plan.json --yes')).err).toContain('[not-promoted]');
    }));

  it('cannot be the environment itself, or one that does not exist', () =>
    between(async ({ exits }) => {
      const same = await exits(1, 'apply --env staging --require-applied staging --yes');
      expect(same.err).toContain('--require-applied is staging');
      const unknown = await exits(1, 'apply --env production --require-applied stagng --yes');
      expect(unknown.err).toContain('Did you mean "staging"?');
    }));
});

it('a campaign that replaces another is applied to staging, and then to production', () =>
  between(async ({ exits, edit, plan, staging, production }) => {
    const allowed = '--allow launch --allow shared-leads';
    await edit(SPRING, 'leads:', `${SCHEDULE}status: running\nleads:`);
    for (const env of ['staging', 'production']) await exits(0, `apply --env ${env} --yes --allow launch`);
    await edit(SPRING, 'name: Spring installers', 'name: Spring again\nreplaces: Spring installers');
    await edit(SPRING, 'Worth a look?', 'Worth another look?');
    expect((await exits(3, `${PROMOTE} ${allowed}`)).err).toContain('[not-promoted]');
    await exits(0, `${STAGE} ${allowed}`);
    await exits(0, `${PROMOTE} ${allowed}`);
    const writes = (service: TestService) => service.writes().map(({ path }) => path);
    expect(writes(production)).toEqual(writes(staging));
    for (const env of ['staging', 'production'])
      expect(await plan(`--env ${env}`)).toMatchObject({
        summary: { unchanged: 1, requests: 0 },
        by_hand: [{ does: 'delete', id: 101, superseded_by: 102 }],
      });
  }));
