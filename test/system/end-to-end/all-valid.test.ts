import { expect, it } from 'vitest';
import { type Project, withProject } from '../../support/project.js';

const SPRING = 'campaigns/spring.yaml';
const PROJECT = `version: 1
manifests: [campaigns/*.yaml]
default_environment: production
environments:
  production: { base_url: "{url}", token_env: CAMPAIGNS_TOKEN, manifests: [campaigns/*.yaml, "!campaigns/other-*"] }
  other: { sandbox: {}, manifests: ["campaigns/other-*.yaml"] }
`;

/** A project with a valid manifest and these other files, beside an empty service. */
const beside = (others: Record<string, string>, use: (project: Project) => Promise<void>) =>
  withProject({ files: { 'campaignctl.yaml': PROJECT, [SPRING]: 'name: Spring\n', ...others } }, use);

const INVALID = { 'campaigns/winter.yaml': 'name: Winter\nstatus: runing\n' };
const SAME_NAME = { 'campaigns/winter.yaml': 'name: Spring\n' };

it.each([
  'plan --target Spring',
  `plan ${SPRING}`,
  `plan --refresh changed ${SPRING}`,
  `apply ${SPRING} --yes`,
  'apply --target Spring --yes',
  `apply --dry-run ${SPRING}`,
])('%s stops on an error in a manifest that is not selected, or on its name there', async (line) => {
  await beside(INVALID, async ({ exits, service }) => {
    const { err } = await exits(1, line);
    expect(err).toContain('campaigns/winter.yaml:2:9');
    expect(err).toContain('[invalid-manifests]');
    expect(service.requests).toEqual([]);
  });
  await beside(SAME_NAME, async ({ exits, service }) => {
    expect((await exits(1, line)).err).toContain('[duplicate-name]');
    expect(service.requests).toEqual([]);
  });
});

it.each([
  ['does not parse', '<<<<<<< ours\nname: Winter\n'],
  ['has a for_each that does not resolve', 'for_each: 7\nname: Winter\n'],
])('a manifest that %s stops the plan of another one', (_, broken) =>
  beside({ 'campaigns/winter.yaml': broken }, async ({ exits, service }) => {
    await exits(1, `apply ${SPRING} --yes`);
    expect(service.requests).toEqual([]);
  }),
);

it('an error in a manifest of another environment stops nothing', () =>
  beside({ 'campaigns/other-winter.yaml': 'name: [\n' }, async ({ exits }) => {
    await exits(0, `apply ${SPRING} --yes`);
  }));

it('validate and preview of one file check that file, and compare its name with all others', () =>
  beside(INVALID, async ({ exits, write }) => {
    await exits(0, `validate ${SPRING} --env production`);
    await exits(0, `preview ${SPRING} --out page.html --env production`);
    await exits(1, 'validate --env production');
    await write(SAME_NAME);
    expect((await exits(1, `validate ${SPRING} --env production`)).out).toContain('[duplicate-name]');
  }));
