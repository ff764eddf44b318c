/**
 * Machines that share no disk: clones of one repository with the state on a branch of its remote. Uses real processes and
 * git.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { command, type Ended, writeFiles } from './command.js';
import { withFolder } from './folder.js';
import { startGitServer } from './git-http.js';
import { type Started, startProgram } from './program.js';
import { git } from './repository.js';
import { startService, type TestService, TOKEN } from './service/service.js';
import { shaped } from './service/shape.js';

export const STAGING_TOKEN = 'staging-token-4c1d';

/** Campaigns that together need every kind of write. The second is launched. */
export const FILES: Record<string, string> = {
  'campaigns/spring.yaml': `name: Spring
settings: { max_emails_per_day: 120, max_new_leads_per_day: 40, reputation_building: false }
sequence:
  title: Spring
  steps: [{ email_subject: Hi, email_body: Hello, wait_in_days: 1 }]
leads: { lists: [7] }
`,
  'campaigns/summer.yaml': `name: Summer
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Summer
  steps: [{ email_subject: Hi, email_body: Hello, wait_in_days: 1 }]
leads: { lists: [8] }
status: running
`,
};
export const WRITES = 9;

export interface Machine {
  folder: string;
  /** Runs a command in this process. */
  run(...argv: string[]): Promise<Ended>;
  /** Starts a process without waiting for it. */
  start(...argv: string[]): Started;
}

export interface Scene {
  service: TestService;
  /** A bare repository. */
  remote: string;
  folder: string;
  /** Creates a machine: a new clone, without local state. `env`: additional variables. */
  machine(env?: Record<string, string>): Promise<Machine>;
  /** Installs a hook on the remote. `$n`: number of pushes since. */
  hook(name: 'pre-receive' | 'post-receive', script: string): Promise<void>;
  pushes(name: 'pre-receive' | 'post-receive'): Promise<number>;
  /** Resolves just before the nth write. */
  write(number: number): Promise<void>;
}

export interface SceneOptions {
  /** In seconds. */
  lease?: number;
  files?: Record<string, string>;
  /** Milliseconds before each response of the remote over HTTP. If omitted, the remote is a path. */
  http?: number;
}

export async function scene(
  work: (at: Scene) => Promise<void>,
  { lease = 30, files = FILES, http }: SceneOptions = {},
): Promise<void> {
  await withFolder(async (folder) => {
    const service = await startService(shaped({}), { campaigns: [], templates: [] });
    const [remote, first] = [join(folder, 'remote.git'), join(folder, 'first')];
    git(folder, 'init', '-q', '--bare', remote);
    git(remote, 'config', 'http.receivepack', 'true');
    const server = http === undefined ? null : await startGitServer(folder, { delay: http });
    const started: Started[] = [];
    try {
      git(folder, 'clone', '-q', remote, first);
      await writeFiles(first, {
        '.gitignore': '.campaignctl\n',
        'campaignctl.yaml': projectFile(service.url, lease),
        ...files,
      });
      git(first, 'add', '-A');
      git(first, 'commit', '-qm', 'Campaigns');
      git(first, 'push', '-q', 'origin', 'HEAD');
      let machines = 0;
      await work({
        ...{ service, remote, folder },
        async machine(env = {}) {
          machines += 1;
          const value = join(folder, `machine-${machines}`);
          git(folder, 'clone', '-q', remote, value);
          if (server !== null) git(value, 'remote', 'set-url', 'origin', `${server.url}/remote.git`);
          const time = { NOW: String(Date.now()), JUMP: '0', FASTER: '6' };
          const start = (...argv: string[]) => {
            const running = startProgram(value, argv, { STAGING_TOKEN, ...time, ...env });
            started.push(running);
            return running;
          };
          const variables = {
            PATH: process.env.PATH ?? '',
            HOME: value,
            CAMPAIGNS_TOKEN: TOKEN,
            STAGING_TOKEN,
          };
          return {
            folder: value,
            start,
            run: (...argv) => command(value, argv, { ...variables, ...env }, Date.now),
          };
        },
        async hook(name, script) {
          await mkdir(join(remote, 'hooks'), { recursive: true });
          const count = join(remote, `${name}-count`);
          await rm(count, { force: true });
          const text = `#!/bin/sh\necho x >> '${count}'\nn=$(wc -l < '${count}')\n${script}\n`;
          await writeFile(join(remote, 'hooks', name), text, { mode: 0o755 });
        },
        async pushes(name) {
          return (await readFile(join(remote, `${name}-count`), 'utf8')).trim().split('\n').length;
        },
        write: (number) => new Promise((resolve) => service.actAt(number, resolve, 'writes')),
      });
      expect(service.violations).toEqual([]);
    } finally {
      for (const { pid } of started) signal(-pid, 'SIGKILL');
      await Promise.all([service.close(), server?.close(), ...started.map(({ ended }) => ended)]);
    }
  });
}

function projectFile(url: string, lease: number): string {
  return `version: 1
manifests: ["campaigns/*.yaml"]
default_environment: production
state: { backend: git, id: 5f1c20a9be37, lease: ${lease} }
environments:
  staging: { base_url: "https://staging.example.com", token_env: STAGING_TOKEN }
  production: { base_url: "${url}", token_env: CAMPAIGNS_TOKEN, allow: [launch] }
`;
}

/** A negative `pid` means a process group. Ignores processes that have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}

export function expectNothingTwice({ service }: Scene, { repeatedLists = false } = {}): void {
  const { campaigns } = service.store;
  const names = campaigns.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  for (const { steps, lists } of campaigns) {
    expect(steps.length).toBeLessThanOrEqual(1);
    if (!repeatedLists) expect(lists).toEqual([...new Set(lists)]);
  }
  const launches = service.writes().filter(({ path, effect }) => path.endsWith('/resume') && effect !== null);
  expect(launches.length).toBeLessThanOrEqual(1);
}

const ASKED = ['repeat-attach', 'attach-running', 'adopt'];

/**
 * Finishes the work on another machine. Returns true if attaching again needed approval. `lost`: the previous machine still
 * holds the lease. `waits`: waits until the lease expires.
 */
export async function finish(
  at: Scene,
  { lost, waits = false }: { lost: boolean; waits?: boolean },
): Promise<boolean> {
  const next = await at.machine();
  if (lost) await next.run('unlock', '--yes');
  const apply = ['apply', '--yes', '--lock-timeout', '90'];
  let ended = await (waits ? next.start(...apply).ended : next.run(...apply));
  expectNothingTwice(at);
  const asked = ASKED.filter(
    (hazard) => ended.code === 3 && ended.err.replace(/\s+/g, ' ').includes(`--allow ${hazard}`),
  );
  const isAsked = asked.includes('repeat-attach');
  if (isAsked) ended = await next.run(...apply, ...asked.flatMap((hazard) => ['--allow', hazard]));
  expect([ended.code, ended.err], ended.out).toEqual([0, expect.anything()]);
  expectNothingTwice(at, { repeatedLists: isAsked });
  const matches = at.service.store.campaigns.map(({ name, status, steps, lists }) => {
    return { name, status, steps: steps.length, lists: [...new Set(lists)] };
  });
  expect(matches.sort((each, other) => each.name.localeCompare(other.name))).toEqual([
    { name: 'Spring', status: 'draft', steps: 1, lists: [7] },
    { name: 'Summer', status: 'active', steps: 1, lists: [8] },
  ]);
  await expectNothingLeft(at);
  return isAsked;
}

/** Checks that a new machine plans no changes. */
export async function expectNothingLeft(at: Scene): Promise<void> {
  const { code, out } = await (await at.machine()).run('plan', '--detailed-exitcode');
  expect([code, out]).toEqual([0, expect.stringContaining('No changes')]);
}
