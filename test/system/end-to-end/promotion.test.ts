import { describe, expect, it } from 'vitest';
import { type Project, SCHEDULE, withProject, withService } from '../../support/project.js';
import type { TestService } from '../../support/service/service.js';

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

  it('is refused again after the manifest has changed, until that is applied to staging', () =>
    between(async ({ exits, run, edit, sent }) => {
      await run(STAGE);
      await run(PROMOTE);
      sent();
      await edit(SPRING, 'reputation_building: true', 'reputation_building: false');
      const { err } = await exits(3, PROMOTE);
      expect(err).toContain('campaigns/spring.yaml has changed');
      expect(err).toContain('campaignctl apply --env staging');
      expect(sent()).toEqual([]);
      await exits(0, STAGE);
      await exits(0, PROMOTE);
      expect(sent()).toHaveLength(1);
    }));

  it('can come from the project file instead of the flag, and is shown by a dry run', () =>
    between(async ({ exits, sent }) => {
      const rehearsed = await exits(0, 'apply --env production --dry-run');
      expect(rehearsed.err).toContain('\n✗ error: "Spring installers"');
      await exits(3, 'apply --env production --yes');
      expect(sent()).toEqual([]);
      await exits(0, STAGE);
      await exits(0, 'apply --env production --yes');
    }, ', require_applied: staging'));

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
