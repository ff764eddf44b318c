import { execFileSync } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { startService } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';

/** Several projects in one repository, and the branches of their states: real git, commands, and one service. */

interface Repository {
  top: string;
  git(...args: string[]): string;
  /** Writes and commits a project with one campaign. `project`: state.project; null: none. */
  project(folder: string, project: string | null, campaign?: string): Promise<void>;
  run(folder: string, ...argv: string[]): Promise<string>;
}

async function repository(body: (at: Repository) => Promise<void>): Promise<void> {
  const service = await startService(shaped({}), { campaigns: [], templates: [] });
  try {
    await withFolder(async (folder) => {
      const top = join(folder, 'top');
      const call = (cwd: string, ...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
          cwd,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        });
      call(folder, 'init', '-q', '--bare', join(folder, 'remote.git'));
      call(folder, 'clone', '-q', 'remote.git', 'top');
      const git = (...args: string[]) => call(top, ...args);
      await writeFiles(top, { '.gitignore': '.campaignctl\n' });
      await body({
        top,
        git,
        async project(name, project, campaign) {
          const named = project === null ? '' : `, project: ${project}`;
          await writeFiles(join(top, name), {
            'campaignctl.yaml': `version: 1
manifests: ["campaigns/*.yaml"]
on_removal: pause
state: { backend: git${named} }
environments: { production: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN, allow: [launch] } }
`,
            ...(campaign && { [`campaigns/${campaign}.yaml`]: `name: ${campaign}\nstatus: paused\n` }),
          });
          git('add', '-A');
          git('commit', '-qm', 'Project');
        },
        async run(name, ...argv) {
          const { code, out, err } = await command(join(top, name), argv);
          return `${code} ${out}${err}`.replace(/\s+/g, ' ').trim();
        },
      });
    });
  } finally {
    await service.close();
  }
}

it('a copy of a project, which names the same branch, is refused as long as the other is there', () =>
  repository(async ({ top, git, project, run }) => {
    await project('clients/acme', 'clients/old-acme', 'Spring');
    expect(await run('clients/acme', 'apply', '--yes')).toMatch(/^0 /);
    await cp(join(top, 'clients/acme'), join(top, 'clients/globex'), { recursive: true });
    await rm(join(top, 'clients/globex/.campaignctl'), { recursive: true });
    await rm(join(top, 'clients/globex/campaigns/Spring.yaml'));
    await project('clients/globex', 'clients/old-acme', 'Autumn');
    const refused =
      /^1 .*belongs to the project of clients\/acme\/campaignctl\.yaml, and clients\/globex\/campaignctl\.yaml is another one.*\[state-of-other\]/;
    for (const argv of [['plan'], ['apply', '--yes'], ['forget', 'Spring', '--yes']])
      expect(await run('clients/globex', ...argv)).toMatch(refused);
    expect(await run('clients/acme', 'plan')).toMatch(/^0 .*No changes/);
    for (const argv of [['validate'], ['plan'], ['apply', '--yes']])
      expect(await run('.', ...argv, '--recursive')).toMatch(
        /^1 .*clients\/acme\/campaignctl\.yaml, clients\/globex\/campaignctl\.yaml name one branch/,
      );

    // It is there as long as it is committed.
    await rm(join(top, 'clients/acme'), { recursive: true });
    expect(await run('clients/globex', 'apply', '--yes')).toMatch(refused);
    git('add', '-A');
    git('commit', '-qm', 'Gone');
    expect(await run('clients/globex', 'plan')).toMatch(
      /The state of production was that of clients\/acme\/campaignctl\.yaml, which is no more/,
    );
  }));

it('a copy without its repository is refused, unless it lies where the project does', () =>
  repository(async ({ top, project, run }) => {
    const named = `clients/acme, remote: ${join(top, '../remote.git')}, branch: states`;
    await project('clients/acme', named, 'Spring');
    expect(await run('clients/acme', 'apply', '--yes')).toMatch(/^0 /);
    await rm(join(top, 'clients/acme/.campaignctl'), { recursive: true });
    await cp(join(top, 'clients/acme'), join(top, 'clients/globex'), { recursive: true });
    await rm(join(top, 'clients/globex/campaigns/Spring.yaml'));
    await rm(join(top, '.git'), { recursive: true });
    expect(await run('clients/acme', 'plan')).toMatch(/^0 .*No changes/);
    for (const argv of [['plan'], ['apply', '--yes']])
      expect(await run('clients/globex', ...argv)).toMatch(
        /^1 .*belongs to the project of clients\/acme\/campaignctl\.yaml, and there is no git repository here.*\[state-of-other\]/,
      );
  }));

it('a project that was renamed goes on with its state, which no new one beside it is told to take', () =>
  repository(async ({ top, git, project, run }) => {
    await project('clients/acme', null, 'Spring');
    expect(await run('clients/acme', 'apply', '--yes')).toMatch(/^0 /);
    git('mv', 'clients/acme', 'clients/acme-corp');
    await rm(join(top, 'clients/acme'), { recursive: true, force: true });
    // A rename that is not committed yet: the name is not free.
    expect(await run('clients/acme-corp', 'plan')).toMatch(
      /^1 .*If it was renamed, commit that, and run again/,
    );
    await project('clients/acme-corp', 'clients/acme');
    expect(await run('clients/acme-corp', 'plan')).toMatch(/^0 .*No changes.*goes on with it/);

    await project('clients/globex', null, 'Autumn');
    expect(await run('clients/globex', 'plan')).toMatch(/^[02] .*1 to create/);
    await project('clients/globex', 'clients/acme');
    expect(await run('clients/globex', 'apply', '--yes')).toMatch(
      /^1 .*belongs to the project of clients\/acme-corp\/campaignctl\.yaml/,
    );
    await project('clients/globex', null);
    expect(await run('clients/acme-corp', 'apply', '--yes')).toMatch(/^0 .*goes on with it/);
    expect(await run('clients/acme-corp', 'plan')).not.toContain('goes on with it');
    expect(await run('.', 'validate', '--recursive')).toMatch(/^0 /);
    const head = JSON.parse(
      git('--git-dir', '../remote.git', 'show', 'campaignctl/production+clients+acme:branch.json'),
    );
    expect(head.owner).toBe('clients/acme-corp/campaignctl.yaml');
  }));

it('two projects that both say they are at the root do not meet on one branch', () =>
  repository(async ({ project, run }) => {
    await project('clients/acme', '.', 'Spring');
    expect(await run('clients/acme', 'apply', '--yes')).toMatch(/^0 /);
    await project('clients/globex', '.', 'Autumn');
    expect(await run('clients/globex', 'apply', '--yes')).toMatch(/^1 .*\[state-of-other\]/);
  }));
