import { execFile, execFileSync, spawn } from 'node:child_process';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { type Ended, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';

/** Machines that share no disk: clones of one repository, whose state is on a branch of its remote. Real processes and real git. */

const PROGRAM = fileURLToPath(new URL('../../../dist/campaignctl.cjs', import.meta.url));
const NAMES = ['Spring', 'Summer', 'Autumn', 'Winter', 'Monsoon'];
const manifest = (name: string) => `name: ${name}
settings: { max_emails_per_day: 120, max_new_leads_per_day: 40 }
sequence:
  title: ${name}
  steps: [{ email_subject: Hi, email_body: Hello, wait_in_days: 1 }]
leads: { lists: [7] }
`;
const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

type Service = Awaited<ReturnType<typeof startService>>;

interface Scene {
  service: Service;
  remote: string;
  /** A new clone: a machine with nothing but what is in the repository. */
  machine(): Promise<Machine>;
}

interface Machine {
  folder: string;
  run(...argv: string[]): Promise<Ended>;
}

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
    cwd,
    encoding: 'utf8',
  });

async function scene(work: (at: Scene) => Promise<void>, lease = 10): Promise<void> {
  await withFolder(async (folder) => {
    const service = await startService(shaped({}), { campaigns: [], templates: [] });
    open.push(() => service.close());
    const [remote, first] = [join(folder, 'remote.git'), join(folder, 'first')];
    git(folder, 'init', '-q', '--bare', remote);
    git(folder, 'clone', '-q', remote, first);
    await writeFiles(first, {
      '.gitignore': '.campaignctl\n',
      'campaignctl.yaml': `version: 1
manifests: ["campaigns/*.yaml"]
environments:
  production:
    base_url: "${service.url}"
    token_env: CAMPAIGNS_TOKEN
    state: { backend: git, lease: ${lease} }
`,
      ...Object.fromEntries(NAMES.map((name) => [`campaigns/${name}.yaml`, manifest(name)])),
    });
    git(first, 'add', '-A');
    git(first, 'commit', '-qm', 'Campaigns');
    git(first, 'push', '-q', 'origin', 'HEAD');
    let machines = 0;
    await work({
      ...{ service, remote },
      async machine() {
        machines += 1;
        const own = join(folder, `machine-${machines}`);
        git(folder, 'clone', '-q', remote, own);
        return { folder: own, run: (...argv) => run(own, argv) };
      },
    });
  });
}

function run(cwd: string, argv: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, HOME: cwd, CAMPAIGNS_TOKEN: TOKEN };
    execFile(process.execPath, [PROGRAM, ...argv], { cwd, env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    }).stdin?.end();
  });
}

const made = ({ store }: Service) => store.campaigns.map(({ name }) => name).sort();
const attached = (service: Service) =>
  service
    .writes()
    .filter(({ path, effect }) => path.endsWith('/attach-lead-list') && effect !== null)
    .map(({ found }) => found?.name)
    .sort();

test(
  'two machines that apply at once make each campaign once, and attach each list once',
  () =>
    scene(async ({ service, machine }) => {
      const machines = [await machine(), await machine()];
      const ended = await Promise.all(
        machines.map(({ run }) => run('apply', '--yes', '--lock-timeout', '120')),
      );
      expect(ended.map(({ code }) => code)).toEqual([0, 0]);
      expect(made(service)).toEqual([...NAMES].sort());
      expect(attached(service)).toEqual([...NAMES].sort());
      const third = await machine();
      const shown = await third.run('plan', '--detailed-exitcode');
      expect([shown.code, shown.out]).toEqual([0, expect.stringContaining('No changes')]);
      expect((await third.run('history', '--format', 'json')).out).toContain('"result": "done"');
    }),
  120_000,
);

test(
  'a machine that is lost with its disk is taken over: nothing is made twice',
  () =>
    scene(async ({ service, machine }) => {
      const lost = await machine();
      const env = { PATH: process.env.PATH, HOME: lost.folder, CAMPAIGNS_TOKEN: TOKEN };
      const child = spawn(process.execPath, [PROGRAM, 'apply', '--yes'], {
        cwd: lost.folder,
        env,
        stdio: 'ignore',
      });
      await new Promise<void>((resolve) => {
        const look = setInterval(() => {
          if (service.store.campaigns.length < 2) return;
          clearInterval(look);
          child.kill('SIGKILL');
          resolve();
        }, 1);
      });
      await rm(lost.folder, { recursive: true, force: true });
      const next = await machine();
      const refused = await next.run('apply', '--yes', '--lock-timeout', '1');
      expect([refused.code, refused.err]).toEqual([
        1,
        expect.stringContaining('The state is locked by another apply'),
      ]);
      const ended = await next.run('apply', '--yes', '--lock-timeout', '60');
      // What the lost machine attached is not kept: attaching it again needs approval.
      expect([ended.code, ended.err]).toEqual([3, expect.stringContaining('Waiting up to 60 s')]);
      expect(new Set(made(service)).size).toBe(made(service).length);
      const lists = attached(service);
      expect(lists).toEqual([...new Set(lists)]);
    }),
  180_000,
);

test.each([1, 2, 3, 4])(
  'pushes that are refused from number %i on: nothing is called done that is not kept',
  (number) =>
    scene(async ({ service, machine, remote }) => {
      const hook = join(remote, 'hooks', 'pre-receive');
      await mkdir(join(remote, 'hooks'), { recursive: true });
      const counter = join(remote, 'pushes');
      await writeFile(hook, `#!/bin/sh\necho x >> ${counter}\n[ "$(wc -l < ${counter})" -lt ${number} ]\n`);
      const one = await machine();
      await chmod(hook, 0o755);
      const ended = await one.run('apply', '--yes');
      expect(ended.code).toBe(number < 2 ? 1 : 4);
      if (number < 3) expect(service.writes()).toEqual([]);
      await rm(hook);
      const next = await machine();
      const again = await next.run('apply', '--yes', '--lock-timeout', '60');
      // What was attached is not kept, so attaching it again needs approval.
      expect(again.code).toBe(number < 3 ? 0 : 3);
      expect(made(service)).toEqual([...NAMES].sort());
      const lists = attached(service);
      expect(lists).toEqual(NAMES.filter((name) => lists.includes(name)).sort());
      expect(await readdir(join(next.folder, '.campaignctl', 'state', 'production'))).toContain(
        '.branch.json',
      );
    }),
  180_000,
);
