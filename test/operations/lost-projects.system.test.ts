import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LostProjects } from '../../src/model/reports.js';
import { command, type Ended, writeFiles } from '../support/command.js';
import { type Project, withProject } from '../support/project.js';
import { git } from '../support/repository.js';
import { faultsOf } from '../support/schema.js';
import { TOKEN } from '../support/service/service.js';
import { oneLine } from '../support/texts.js';

/** Deleted and moved projects, whose states are still on branches of a real remote. */

const projectFile = (url: string, client: string, branch = `campaignctl/clients/${client}`) => `version: 1
manifests: [campaigns/*.yaml]
state: { backend: git, branch: ${branch} }
environments:
  production: { base_url: "${url}", token_env: CAMPAIGNS_TOKEN }
`;

const manifest = (name: string) => `name: ${name}
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps: [{ email_subject: Hi, email_body: Hello, wait_in_days: 1 }]
status: running
`;

interface Clients extends Pick<Project, 'service'> {
  clone: string;
  remote: string;
  /** Runs a command in a folder of the clone. */
  run(line: string, folder?: string): Promise<Ended>;
  git(...args: string[]): string;
  /** What `list --recursive --json` says about lost projects. */
  lost(folder?: string): Promise<LostProjects | undefined>;
}

/** Two clients whose campaigns run. `branchOf`: of their states. */
const withClients = (use: (clients: Clients) => Promise<void>, branchOf?: (client: string) => string) =>
  withProject({ files: {} }, async ({ folder, service }) => {
    const [remote, clone] = [join(folder, 'remote.git'), join(folder, 'clone')];
    git(folder, 'init', '-q', '--bare', remote);
    git(folder, 'clone', '-q', remote, clone);
    const env = { PATH: process.env.PATH ?? '', HOME: folder, CAMPAIGNS_TOKEN: TOKEN };
    const run: Clients['run'] = (line, at = '.') =>
      command(join(clone, at), line.split(' '), env, Date.now, { width: 80 });
    const inClone = (...args: string[]) => git(clone, ...args);
    const commit = (message: string) => {
      inClone('add', '-A');
      inClone('commit', '-qm', message);
      inClone('push', '-q', 'origin', 'HEAD');
    };
    for (const client of ['acorn', 'birch'])
      await writeFiles(join(clone, 'clients', client), {
        'campaignctl.yaml': projectFile(service.url, client, branchOf?.(client)),
        'campaigns/spring.yaml': manifest(`Spring of ${client}`),
      });
    commit('Two clients');
    const applied = await run('apply --recursive --yes --allow launch --allow no-leads');
    expect([applied.code, applied.err], applied.out).toEqual([0, expect.any(String)]);
    commit('The ids of their states');
    await use({
      ...{ service, clone, remote, run, git: inClone },
      async lost(at) {
        const { out } = await run('list --recursive --json', at);
        expect(faultsOf('projects', out)).toEqual([]);
        return (JSON.parse(out) as { lost?: LostProjects }).lost;
      },
    });
  });

test('a deleted project whose campaigns may still send is reported until they are paused', () =>
  withClients(async ({ run, git, lost, service }) => {
    expect(await lost()).toEqual({ projects: [], unread: [] });
    git('rm', '-rq', 'clients/acorn');
    git('commit', '-qm', 'Acorn has left');
    const commit = git('rev-parse', 'HEAD');
    expect(await lost()).toEqual({
      projects: [
        {
          ...{ project: 'clients/acorn', environment: 'production', base_url: service.url },
          ...{ file: 'clients/acorn/campaignctl.yaml', remote: 'origin' },
          ...{ branch: 'campaignctl/clients/acorn/production', removed_in: commit },
          campaigns: [{ id: 101, name: 'Spring of acorn', running: true }],
        },
      ],
      unread: [],
    });
    const listed = await run('list --recursive --check');
    expect(listed.code).toBe(2);
    await expect(listed.out.replaceAll(commit.slice(0, 8), 'COMMIT')).toMatchFileSnapshot(
      '../view/golden/lost-project.txt',
    );
    expect((await run('list --recursive')).code).toBe(0);
    const words =
      'clients/acorn: no project file any more; 1 campaign that its state last knew as running may';
    expect(oneLine((await run('plan --recursive')).out)).toContain(words);
    expect((await run('list --recursive --env other --json')).out).not.toContain('"clients/acorn"');
    expect((await run('plan --recursive --out ../plans')).code).toBe(0);
    expect(oneLine((await run('show ../plans')).out)).toContain(words);
    // As the hint says.
    git('checkout', '-q', `${commit}^`, '--', 'clients/acorn');
    expect((await run('pause --all --env production --yes', 'clients/acorn')).code).toBe(0);
    git('rm', '-rqf', 'clients/acorn');
    expect(await lost()).toEqual({ projects: [], unread: [] });
    expect((await run('list --recursive --check')).code).toBe(0);
  }));

test('a deleted project is reported whose branch has nothing in common with the others but the environment', () =>
  withClients(
    async ({ run, git, lost }) => {
      // Neither a state nor one of its environments.
      git('push', '-q', 'origin', 'HEAD:refs/heads/release/production', 'HEAD:refs/heads/release/other');
      expect(await lost()).toEqual({ projects: [], unread: [] });
      git('rm', '-rq', 'clients/acorn');
      git('commit', '-qm', 'Acorn has left');
      expect(await lost()).toMatchObject({
        projects: [{ project: 'clients/acorn', branch: 'acorn/production' }],
        unread: [],
      });
      const refs = Array.from({ length: 52 }, (_, at) => `HEAD:refs/heads/topic-${at + 10}/production`);
      git('push', '-q', 'origin', ...refs);
      expect(await lost()).toMatchObject({
        projects: [{ project: 'clients/acorn' }],
        unread: [expect.stringContaining('4 branches of the remote are named like an environment')],
      });
      expect((await run('pause --all --recursive --yes')).code).toBe(4);
    },
    (client) => client,
  ));

test('a deleted project is reported if the environment of the others is not chosen', () =>
  withClients(async ({ clone, git, run, service }) => {
    git('rm', '-rq', 'clients/acorn');
    git('commit', '-qm', 'Acorn has left');
    const path = join(clone, 'clients/birch');
    const text = projectFile(service.url, 'birch');
    await writeFiles(path, {
      'campaignctl.yaml': `${text}  staging: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN }\n`,
    });
    const undecided = await run('plan --recursive');
    expect([undecided.code, oneLine(undecided.out)]).toEqual([
      1,
      expect.stringContaining('clients/acorn: no project file any more'),
    ]);
    await writeFiles(path, { 'campaignctl.yaml': 'version: 2\n' });
    const unreadable = await run('plan --recursive');
    expect([unreadable.code, oneLine(unreadable.out)]).toEqual([
      1,
      expect.stringContaining('It is not known whether projects without a project file still send.'),
    ]);
  }));

test('pause over projects stops the others, names a deleted project, and ends with totals', () =>
  withClients(async ({ run, git, service }) => {
    git('rm', '-rq', 'clients/acorn');
    git('commit', '-qm', 'Acorn has left');
    const commit = git('rev-parse', 'HEAD');
    const paused = await run('pause --all --recursive --yes');
    // Its campaigns may still send.
    expect(paused.code).toBe(4);
    expect(service.store.campaigns.map(({ name, status }) => `${name}: ${status}`)).toEqual([
      'Spring of acorn: active',
      'Spring of birch: paused',
    ]);
    const shown = paused.out.replaceAll(commit.slice(0, 8), 'COMMIT').replace(service.url, 'SERVICE');
    await expect(shown).toMatchFileSnapshot('../view/golden/lost-project-pause.txt');
    git('checkout', '-q', `${commit}^`, '--', 'clients/acorn');
    const again = await run('pause --all --recursive --yes');
    expect([again.code, oneLine(again.out)]).toEqual([
      0,
      expect.stringContaining('2 projects: 2 done 1 campaign paused, 1 not sending'),
    ]);
  }));

test('a remote that cannot be read keeps nothing from being paused', () =>
  withClients(async ({ remote, run, service }) => {
    await rename(remote, `${remote}.gone`);
    const { code, out } = await run('pause --all --recursive --yes');
    expect([code, oneLine(out)]).toEqual([
      4,
      expect.stringContaining('It is not known whether projects without a project file still send.'),
    ]);
    expect(service.store.campaigns.map(({ status }) => status)).toEqual(['paused', 'paused']);
  }));

test('a project that was moved within the checkout, or lies outside of the folder, is not lost', () =>
  withClients(async ({ git, lost }) => {
    git('mv', 'clients/acorn', 'former');
    expect(await lost()).toMatchObject({ projects: [] });
    git('rm', '-rqf', 'former');
    expect(await lost('clients')).toMatchObject({ projects: [{ project: 'acorn', removed_in: null }] });
    expect(await lost('clients/birch')).toMatchObject({ projects: [] });
  }));

test('a project whose state is damaged may still send', () =>
  withClients(async ({ clone, git, run }) => {
    git('rm', '-rq', 'clients/acorn');
    git('commit', '-qm', 'Acorn has left');
    git('fetch', '-q', 'origin', 'campaignctl/clients/acorn/production');
    git('worktree', 'add', '-q', '../state', 'FETCH_HEAD');
    await writeFiles(join(clone, '../state'), { '101.json': '{}' });
    git('-C', '../state', 'commit', '-qam', 'By hand');
    git('-C', '../state', 'push', '-q', 'origin', 'HEAD:campaignctl/clients/acorn/production');
    await rm(join(clone, '../state'), { recursive: true });
    const { code, out } = await run('list --recursive --check');
    expect([code, oneLine(out)]).toEqual([
      2,
      expect.stringContaining('its state on the branch campaignctl/clients/acorn/production is damaged'),
    ]);
  }));

test('if the remote cannot be read, it is not known whether a deleted project still sends', () =>
  withClients(async ({ clone, git, remote, run, service }) => {
    git('rm', '-rq', 'clients/acorn');
    // Its own state can be read.
    await writeFiles(join(clone, 'clients/cedar'), {
      'campaignctl.yaml': projectFile(service.url, 'cedar').replace(/^state: .*\n/m, ''),
      'campaigns/spring.yaml': 'name: Spring of cedar\n',
    });
    await rename(remote, `${remote}.gone`);
    const { code, out } = await run('list --recursive --check --json');
    const report = JSON.parse(out);
    expect(code).toBe(1);
    expect(report.projects.map(({ exit_code }: { exit_code: number }) => exit_code)).toEqual([1, 0]);
    expect(report.lost).toEqual({
      projects: [],
      unread: [expect.stringContaining('cannot read the states from the git remote origin')],
    });
    expect(oneLine((await run('plan --recursive')).out)).toContain(
      'It is not known whether projects without a project file still send.',
    );
  }));
