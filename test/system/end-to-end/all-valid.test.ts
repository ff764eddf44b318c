import { expect, it } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';

const SPRING = 'campaigns/spring.yaml';

/** Runs commands in a project with a valid manifest and these other files, beside an empty service. */
async function project(
  others: Record<string, string>,
  use: (run: (...argv: string[]) => ReturnType<typeof command>, requests: () => number) => Promise<void>,
): Promise<void> {
  const service = await startService(shaped({}), { campaigns: [], templates: [] });
  try {
    await withFolder(async (folder) => {
      await writeFiles(folder, {
        'campaignctl.yaml': `version: 1
manifests: [campaigns/*.yaml]
environments:
  production: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN, manifests: [campaigns/*.yaml, "!campaigns/other-*"] }
  other: { sandbox: {}, manifests: ["campaigns/other-*.yaml"] }
`,
        [SPRING]: 'name: Spring\n',
        ...others,
      });
      const run = (...argv: string[]) =>
        command(folder, [...argv, '--env', 'production'], { CAMPAIGNS_TOKEN: TOKEN });
      await use(run, () => service.requests.length);
    });
  } finally {
    await service.close();
  }
}

const SELECTIONS = [
  ['plan', '--target', 'Spring'],
  ['plan', SPRING],
  ['plan', '--refresh', 'changed', SPRING],
  ['apply', SPRING, '--yes'],
  ['apply', '--target', 'Spring', '--yes'],
  ['apply', '--dry-run', SPRING],
];
it.each(SELECTIONS)('%s %s %s stops on an error in a manifest that is not selected', (...argv) =>
  project({ 'campaigns/winter.yaml': 'name: Winter\nstatus: runing\n' }, async (run, requests) => {
    const { code, err } = await run(...argv);
    expect(code).toBe(1);
    expect(err).toContain('campaigns/winter.yaml:2:9');
    expect(err).toContain('[invalid-manifests]');
    expect(requests()).toBe(0);
  }),
);

it.each(SELECTIONS)('%s %s %s stops where a manifest that is not selected has the same name', (...argv) =>
  project({ 'campaigns/winter.yaml': 'name: Spring\n' }, async (run, requests) => {
    const { code, err } = await run(...argv);
    expect([code, err]).toEqual([1, expect.stringContaining('[duplicate-name]')]);
    expect(requests()).toBe(0);
  }),
);

it.each([
  ['does not parse', '<<<<<<< ours\nname: Winter\n'],
  ['has a for_each that does not resolve', 'for_each: 7\nname: Winter\n'],
])('a manifest that %s stops the plan of another one', (_, broken) =>
  project({ 'campaigns/winter.yaml': broken }, async (run, requests) => {
    expect(await run('apply', SPRING, '--yes')).toMatchObject({ code: 1 });
    expect(requests()).toBe(0);
  }),
);

it('an error in a manifest of another environment stops nothing', () =>
  project({ 'campaigns/other-winter.yaml': 'name: [\n' }, async (run) => {
    expect(await run('apply', SPRING, '--yes')).toMatchObject({ code: 0 });
  }));

it('validate and preview of one file speak of that file, and compare its name with all others', () =>
  project({ 'campaigns/winter.yaml': 'name: Winter\nstatus: runing\n' }, async (run) => {
    expect(await run('validate', SPRING)).toMatchObject({ code: 0 });
    expect(await run('preview', SPRING, '--out', 'page.html')).toMatchObject({ code: 0 });
    expect(await run('validate')).toMatchObject({ code: 1 });
    await project({ 'campaigns/winter.yaml': 'name: Spring\n' }, async (run) => {
      const { code, out } = await run('validate', SPRING);
      expect([code, out]).toEqual([1, expect.stringContaining('[duplicate-name]')]);
    });
  }));
