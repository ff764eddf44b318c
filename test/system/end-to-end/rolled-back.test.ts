import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';

const manifest = (lists: number[]) => `name: Spring\nleads: { lists: [${lists}] }\n`;
const APPLY = ['apply', '--yes', '--env', 'production'];

/** A repository whose project keeps its state in a folder. */
async function withRepository(
  work: (at: {
    service: TestService;
    folder: string;
    git: (...args: string[]) => string;
    run: typeof command extends (folder: string, ...rest: infer Rest) => infer Result
      ? (...rest: Rest) => Result
      : never;
  }) => Promise<void>,
): Promise<void> {
  const service = await startService(shaped({ totals: 'hidden' }), { campaigns: [], templates: [] });
  try {
    await withFolder(async (folder) => {
      const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
      const git = (...args: string[]) =>
        execFileSync('git', [...who, ...args], { cwd: folder, encoding: 'utf8' });
      git('init', '-q');
      await writeFiles(folder, {
        'campaignctl.yaml': `version: 1
manifests: ["campaigns/*.yaml"]
environments:
  production: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN }
  sandbox: { sandbox: {} }
`,
        'campaigns/spring.yaml': manifest([1]),
      });
      git('add', '-A');
      git('commit', '-qm', 'Campaigns');
      await work({ service, folder, git, run: (...rest) => command(folder, ...rest) });
    });
  } finally {
    await service.close();
  }
}

test('git stash does not make a list be attached again', () =>
  withRepository(async ({ service, folder, git, run }) => {
    expect(await run(APPLY)).toMatchObject({ code: 0 });
    git('add', '-A');
    git('commit', '-qm', 'State');
    await writeFiles(folder, { 'campaigns/spring.yaml': manifest([1, 2]) });
    const refused = await run(APPLY);
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('unkept-state') });
    expect(service.store.campaigns[0]?.lists).toEqual([1]);
    expect(await run([...APPLY, '--allow', 'unkept-state'])).toMatchObject({ code: 0 });
    git('add', 'campaigns');
    git('commit', '-qm', 'Another list');
    git('stash', '-q');
    const plan = await run(['plan', '--env', 'production', '--detailed-exitcode']);
    expect(plan).toMatchObject({ code: 0, out: expect.stringContaining('No changes') });
    expect(await run([...APPLY, '--allow', 'unkept-state'])).toMatchObject({ code: 0 });
    expect(service.store.campaigns[0]?.lists).toEqual([1, 2]);
  }));

test('a job whose checkout is thrown away keeps its state only with approval', () =>
  withRepository(async ({ service, run }) => {
    const env = { CAMPAIGNS_TOKEN: TOKEN, CI: 'true' };
    const refused = await run(APPLY, env);
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('backend: git') });
    expect(service.writes()).toEqual([]);
    expect(await run([...APPLY, '--allow', 'unkept-state'], env)).toMatchObject({ code: 0 });
    expect(await run(['apply', '--yes', '--env', 'sandbox'], env)).toMatchObject({ code: 0 });
  }));
