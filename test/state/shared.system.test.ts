import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { CREATED_STATE, type RunStart, type StateEntry } from '../../src/model/state.js';
import { type Branch, openBranch } from '../../src/state/git.js';
import { acquireLock, ownHolder } from '../../src/state/lock.js';
import { openMirror } from '../../src/state/mirror.js';
import { sharedBackend } from '../../src/state/shared.js';
import { withFolder } from '../support/folder.js';

const entry = (id: number, name: string): StateEntry => ({
  ...{ id, name, manifest: `${name}.yaml` },
  recorded: { ...CREATED_STATE, attached: { lists: [id], ids: [] } },
});

interface Scene {
  remote: string;
  machine(
    name: string,
    options?: { seconds?: number; root?: string },
  ): Promise<ReturnType<typeof sharedBackend>>;
  branchOf(name: string): Promise<Branch>;
  git(...args: string[]): string;
  folder: string;
}

const ADDRESS = 'https://send.example.com';

const scene = (work: (at: Scene) => Promise<void>) =>
  withFolder(async (folder) => {
    const remote = join(folder, 'remote.git');
    execFileSync('git', ['init', '-q', '--bare', remote]);
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', remote, ...args], { encoding: 'utf8' }).trim();
    const branchOf = async (name: string, root = folder, project = root === folder ? '.' : null) => {
      const own = join(folder, name);
      await mkdir(own, { recursive: true });
      const options = { root, folder: join(own, 'branch.git'), remote, branch: 'state' };
      return openBranch({
        ...options,
        project,
        projectFile: 'campaignctl.yaml',
        claims: async () => [],
        repositories: [],
        environment: 'production',
        secrets: [],
      });
    };
    await work({
      ...{ folder, remote, git },
      branchOf,
      async machine(name, { seconds = 30, root = folder } = {}) {
        return sharedBackend({
          folder: join(folder, name, 'state'),
          address: ADDRESS,
          branch: await branchOf(name, root),
          environment: 'production',
          seconds,
        });
      },
    });
  });

const asking = (timeout = 0) => ({
  who: 'ada',
  timeout,
  waiting: () => {},
  signal: new AbortController().signal,
});

it('what one machine writes, another one reads; one at a time', () =>
  scene(async ({ machine, git }) => {
    const [one, other] = [await machine('one'), await machine('other')];
    expect([await other.held(), await other.store.readAll()]).toEqual([null, []]);
    const lease = await one.acquire(asking());
    await lease.store.save(entry(12, 'Spring'));
    await expect(other.acquire(asking())).rejects.toMatchObject({ code: 'locked', message: /ada, process/ });
    await lease.end();
    const second = await other.acquire(asking());
    expect(await second.store.readAll()).toEqual([entry(12, 'Spring')]);
    await second.store.remove(12);
    await second.store.save(entry(13, 'Autumn'));
    second.check();
    await second.end();
    expect(await (await machine('one')).store.readAll()).toEqual([entry(13, 'Autumn')]);
    expect(Number(git('rev-list', '--count', 'state/production'))).toBe(4);
  }));

it('the lease of a machine that is gone is taken over once it has not moved for as long as it holds', () =>
  scene(async ({ machine, folder }) => {
    const one = await machine('one', { seconds: 5 });
    const lost = await one.acquire(asking());
    await lost.store.save(entry(12, 'Spring'));
    // It is stopped: it renews nothing.
    await rm(join(folder, 'one', 'branch.git'), { recursive: true, force: true });
    const other = await machine('other', { seconds: 5 });
    const lease = await other.acquire(asking(40_000));
    await lease.store.save(entry(13, 'Autumn'));
    lease.check();
    expect(() => lost.check()).toThrow(expect.objectContaining({ code: 'lease-lost' }));
    await lease.end();
    await expect(lost.end()).rejects.toMatchObject({ code: 'state-not-kept' });
    expect((await other.store.readAll()).map(({ id }) => id)).toEqual([13]);
    expect((await (await machine('third')).store.readAll()).map(({ id }) => id)).toEqual([13]);
  }));

it('a branch that was edited, reset or removed is an error that says so', () =>
  scene(async ({ machine, git, folder, remote }) => {
    const one = await machine('one');
    for (const id of [12, 13]) {
      const lease = await one.acquire(asking());
      await lease.store.save(entry(id, 'Spring'));
      await lease.end();
    }
    const [name, ref] = ['state/production', 'refs/heads/state/production'];
    const good = git('rev-parse', name);
    const again = async () => (await machine('one')).store.readAll();

    const clone = join(folder, 'clone');
    execFileSync('git', ['clone', '-q', '-b', name, remote, clone]);
    await writeFile(join(clone, '12.json'), '{}');
    execFileSync('git', [
      '-C',
      clone,
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@b',
      'commit',
      '-qam',
      'By hand',
    ]);
    execFileSync('git', ['-C', clone, 'push', '-q', 'origin', name]);
    await expect(again()).rejects.toMatchObject({ code: 'state-edited' });
    await expect(one.acquire(asking())).rejects.toMatchObject({ code: 'state-edited' });

    git('update-ref', ref, `${good}~2`);
    await expect(again()).rejects.toMatchObject({ code: 'state-rewound' });
    git('update-ref', '-d', ref);
    await expect(again()).rejects.toMatchObject({ code: 'state-gone' });
    git('update-ref', ref, good);
    expect((await again()).map(({ id }) => id)).toEqual([12, 13]);
  }));

it('projects and environments of one repository have branches of their own', () =>
  scene(async ({ machine, git, folder }) => {
    const roots = ['', 'a', 'a/b', 'a+b', 'a.b', 'a b', 'production'].map((path) =>
      join(folder, 'repository', path),
    );
    execFileSync('git', ['init', '-q', join(folder, 'repository')]);
    for (const [at, root] of roots.entries()) {
      await mkdir(root, { recursive: true });
      await writeFile(join(root, 'campaignctl.yaml'), '');
      await (await (await machine(`m${at}`, { root })).acquire(asking())).end();
    }
    expect(git('for-each-ref', '--format=%(refname:lstrip=2)').split('\n')).toEqual([
      'state/production',
      'state/production+a',
      'state/production+a%20=b',
      'state/production+a%2b=b',
      'state/production+a%2e=b',
      'state/production+a+b',
      'state/production+production',
    ]);
  }));

it('a repository whose ids are those of SHA-256 keeps the state as any other', () =>
  scene(async ({ machine, folder, remote }) => {
    const top = join(folder, 'top');
    for (const args of [['--bare', remote], [top]]) {
      await rm(args.at(-1) ?? '', { recursive: true, force: true });
      execFileSync('git', ['init', '-q', '--object-format=sha256', ...args]);
    }
    for (const [name, id] of [
      ['one', 12],
      ['other', 13],
    ] as const) {
      const lease = await (await machine(name, { root: top })).acquire(asking());
      await lease.store.save(entry(id, 'Spring'));
      await lease.end();
    }
    const all = await (await machine('one', { root: top })).store.readAll();
    expect(all.map(({ id }) => id)).toEqual([12, 13]);
  }));

it('a state of this machine alone is not mixed with that of the branch', () =>
  scene(async ({ machine, folder }) => {
    const one = await machine('one');
    const lease = await one.acquire(asking());
    await lease.end();
    const other = await machine('other');
    await other.store.save(entry(12, 'Spring'));
    await expect(other.store.readAll()).rejects.toMatchObject({ code: 'state-to-migrate' });
    expect(await readdir(join(folder, 'other', 'state'))).toContain('12.json');
  }));

it('a copy of the folder of a machine at work is not that machine', () =>
  scene(async ({ machine, folder }) => {
    const lease = await (await machine('one')).acquire(asking());
    await cp(join(folder, 'one'), join(folder, 'copy'), { recursive: true });
    await rm(join(folder, 'copy', 'state', 'lock'));
    await expect((await machine('copy')).acquire(asking())).rejects.toMatchObject({ code: 'locked' });
    lease.check();
    await lease.end();
  }));

it('who reads while another process of this machine has the folder waits, and reads the branch', () =>
  scene(async ({ machine, folder }) => {
    const lease = await (await machine('one')).acquire(asking());
    await lease.store.save(entry(12, 'Spring'));
    await lease.end();
    const other = await machine('other');
    const lock = await acquireLock({ ...asking(), folder: join(folder, 'other', 'state') });
    const reading = other.store.readAll();
    setTimeout(() => lock.release(), 1_500);
    expect((await reading).map(({ id }) => id)).toEqual([12]);
  }));

it('a machine that read before there was a branch, or was cut short while it read, goes on', () =>
  scene(async ({ machine, folder }) => {
    const one = await machine('one');
    expect(await one.store.readAll()).toEqual([]);
    const lease = await (await machine('one')).acquire(asking());
    await lease.store.save(entry(12, 'Spring'));
    await lease.end();
    await (await machine('other')).store.readAll();
    const record = join(folder, 'other', 'state', '.branch.json');
    await writeFile(
      record,
      '{"commit":"","serial":0,"holder":null,"heir":null,"removed":[],"written":{},"runs":[]}\n',
    );
    await writeFile(join(folder, 'other', 'state', '12.json'), '{}');
    expect((await (await machine('other')).store.readAll()).map(({ id }) => id)).toEqual([12]);
  }));

it('nothing leaves the branch because a copy lacks it, or has another one', () =>
  scene(async ({ machine, folder, git }) => {
    const entries = [12, 13, 14].map((id) => entry(id, `Campaign ${id}`));
    const first = await (await machine('one')).acquire(asking());
    for (const one of entries) await first.store.save(one);
    await first.end();
    const copy = join(folder, 'one', 'state');
    await rm(join(copy, '12.json'));
    await rm(join(copy, 'journal'), { recursive: true, force: true });
    await writeFile(join(copy, '13.json'), '{}');
    await cp(join(copy, '14.json'), join(copy, '15.json'));
    expect(await (await machine('one')).store.readAll()).toEqual(entries);
    // What is not there when a run ends, was not forgotten.
    const second = await (await machine('one')).acquire(asking());
    await rm(join(copy, '12.json'));
    await second.store.remove(14);
    await second.end();
    expect(await (await machine('one')).store.readAll()).toEqual(entries.slice(0, 2));
    expect(git('ls-tree', '-r', '--name-only', 'state/production')).toBe(
      '12.json\n13.json\nbranch.json\nstate.json',
    );
  }));

const AT = '2026-10-05T09:00:00.000Z';
const START: RunStart = {
  ...{ run: 'run-0', environment: 'production', at: AT, who: 'ada', commit: null, tool: '1.0.0', specs: {} },
  plan: {
    ...{ version: 1, environment: 'production', base_url: ADDRESS, fingerprint: 'sha256:0', mode: 'all' },
    ...{ problems: [], removed: [], by_hand: [], campaigns: [] },
    summary: {
      create: 0,
      change: 0,
      unchanged: 0,
      not_read: 0,
      blocked: 0,
      launch: 0,
      pause: 0,
      removed: 0,
      requests: 0,
    },
  },
};

/** A run that was killed, after its journal was closed and before that was pushed; the branch holds what it began with. */
const killed = (
  work: (at: {
    copy: string;
    machine: Scene['machine'];
    /** What the next run begins with, and what it pushes first. */
    goOn(): Promise<{ here: Record<string, string>; pushed: Record<string, string> }>;
  }) => Promise<void>,
) =>
  scene(async ({ branchOf, machine, folder, git }) => {
    const copy = join(folder, 'one', 'state');
    const open = async () => {
      const mirror = openMirror({ folder: copy, branch: await branchOf('one'), environment: 'production' });
      const tip = await mirror.read();
      expect(await mirror.mirror(tip)).toBe(true);
      const write = async (path: string, text: string) => {
        await mirror.writing(path, text);
        await writeFile(join(copy, path), text);
      };
      return { ...mirror, tip, write };
    };
    const one = await open();
    const held = { holder: ownHolder('ada'), lease: 30 };
    const begun = (await one.commit(one.tip, held, 'Lease'))?.tip ?? one.tip;
    for (const path of ['12.json', '13.json', '15.json']) await one.write(path, `${path} first\n`);
    await one.growing(['run-1']);
    await mkdir(join(copy, 'journal'), { recursive: true });
    await writeFile(join(copy, OPENED), 'begun\n');
    expect((await one.commit(begun, {}, 'Records'))?.whole).toBe(true);

    await one.write('12.json', '12.json then\n');
    await one.write('14.json', '14.json first\n');
    await one.giveUp(['13.json']);
    await rm(join(copy, '13.json'));
    await writeFile(join(copy, OPENED), 'begun\nreconciled\n');
    await rename(join(copy, OPENED), join(copy, CLOSED));
    await work({
      ...{ copy, machine },
      async goOn() {
        const next = await open();
        const paths = (await readdir(copy, { recursive: true })).filter((path) => /^[^.].*json/.test(path));
        const texts = paths.sort().map(async (path) => [path, await readFile(join(copy, path), 'utf8')]);
        const here = Object.fromEntries(await Promise.all(texts));
        await next.commit(next.tip, { holder: null, lease: 0 }, 'Given back');
        const kept = git('ls-tree', '-r', '--name-only', 'state/production').split('\n');
        const pushed = kept
          .filter((path) => path !== 'branch.json')
          .map((path) => [path, `${git('show', `state/production:${path}`)}\n`]);
        return { here, pushed: Object.fromEntries(pushed) };
      },
    });
  });

const [OPENED, CLOSED] = ['journal/run-1.open.jsonl', 'journal/run-1.jsonl'];
const BEGUN = {
  ...{ '12.json': '12.json first\n', '13.json': '13.json first\n', '15.json': '15.json first\n' },
  [OPENED]: 'begun\n',
};

it('what a run of this machine did before it died is kept; what else is another one in the copy is not', () =>
  killed(async ({ copy, goOn }) => {
    await writeFile(join(copy, '15.json'), 'of an earlier checkout\n');
    await writeFile(join(copy, '16.json'), 'of an earlier checkout\n');
    await writeFile(join(copy, OPENED), 'begun\n');
    await writeFile(join(copy, 'journal/run-0.jsonl'), 'of an earlier checkout\n');
    const { here, pushed } = await goOn();
    expect(here).toEqual({
      ...{ '12.json': '12.json then\n', '14.json': '14.json first\n', '15.json': '15.json first\n' },
      [CLOSED]: 'begun\nreconciled\n',
    });
    expect(pushed).toEqual(here);
  }));

it('of what a run did before it died, nothing is believed once another machine has its lease', () =>
  killed(async ({ machine, goOn }) => {
    const other = await machine('other');
    await other.unlock(await other.held());
    expect(await goOn()).toEqual({ here: BEGUN, pushed: BEGUN });
  }));

it.each<[string, (copy: string) => Promise<void>]>([
  ['an entry is gone', (copy) => rm(join(copy, '14.json'))],
  ['an entry is an earlier one', (copy) => writeFile(join(copy, '12.json'), '12.json first\n')],
  ['the journal is gone', (copy) => rm(join(copy, CLOSED))],
  ['the journal is a shorter one', (copy) => writeFile(join(copy, CLOSED), 'beg')],
])('of what a run did before it died, nothing is believed where %s', (_, slip) =>
  killed(async ({ copy, goOn }) => {
    await slip(copy);
    expect(await goOn()).toEqual({ here: BEGUN, pushed: BEGUN });
  }),
);

it('what is given up while a push is under way leaves the branch with the next one', () =>
  scene(async ({ branchOf, folder, git }) => {
    const copy = join(folder, 'one', 'state');
    const branch = await branchOf('one');
    const mirror = openMirror({ folder: copy, branch, environment: 'production' });
    await mkdir(copy, { recursive: true });
    await writeFile(
      join(copy, '.branch.json'),
      '{"commit":"","serial":0,"holder":null,"heir":null,"removed":[],"written":{},"runs":[]}\n',
    );
    await mirror.writing('12.json', '{}');
    await writeFile(join(copy, '12.json'), '{}');
    const first = mirror.commit(await mirror.read(), {}, 'Records');
    await sleep(0);
    await mirror.giveUp(['12.json']);
    const tip = (await first)?.tip;
    expect(tip?.files.has('12.json')).toBe(true);
    await rm(join(copy, '12.json'));
    if (tip !== undefined) await mirror.commit(tip, {}, 'Records');
    expect(git('ls-tree', '-r', '--name-only', 'state/production')).toBe('branch.json');
  }));

it('a run that is closed and taken away at once is not open on the branch', () =>
  scene(async ({ machine, folder, git }) => {
    const journal = join(folder, 'one', 'state', 'journal');
    const first = await (await machine('one')).acquire(asking());
    const run = await first.store.begin(START, () => AT);
    await first.end();
    expect(git('ls-tree', '-r', '--name-only', 'state/production')).toContain('run-0.open.jsonl');
    const second = await (await machine('one')).acquire(asking());
    for (let at = 0; at < 50; at++) await writeFile(join(journal, `run-1-${at}.jsonl`), '');
    await run.end('done');
    await second.end();
    expect(git('ls-tree', '-r', '--name-only', 'state/production')).toBe('branch.json\nstate.json');
  }));

it('what is in the place of an entry, and is no file that can be read, is told', () =>
  scene(async ({ machine, folder }) => {
    const one = await machine('one');
    const lease = await one.acquire(asking());
    await lease.store.save(entry(12, 'Spring'));
    await lease.end();
    const place = (id: number) => join(folder, 'one', 'state', `${id}.json`);
    const told = (id: number, why: string) =>
      expect(one.store.readAll()).rejects.toMatchObject({
        code: 'state-unusable',
        message: `The state at ${place(id)} cannot be used: ${why}.`,
      });
    await symlink(join(folder, 'nowhere'), place(13));
    await told(13, `ENOENT: no such file or directory, open '${place(13)}'`);
    await rm(place(13));
    await rm(place(12));
    await mkdir(place(12));
    await told(12, 'a folder is where a file belongs');
  }));

it('a run whose pushes take longer than its lease allows sends nothing, and says which setting is too small', () =>
  scene(async ({ machine, remote }) => {
    await mkdir(join(remote, 'hooks'), { recursive: true });
    await writeFile(join(remote, 'hooks', 'pre-receive'), '#!/bin/sh\nsleep 1\n', { mode: 0o755 });
    const one = await machine('one', { seconds: 1 });
    const lease = await one.acquire(asking());
    await expect(lease.store.begin(START, () => AT)).rejects.toMatchObject({
      code: 'lease-lost',
      exitCode: 1,
      message: expect.stringMatching(
        /A push took \d s, .*state\.lease: 1\. Set it to \d+ or more\. Nothing was sent\.$/,
      ),
    });
    await lease.end();
    const runs = await one.store.runs({ limit: 9, prefix: '' });
    expect(runs).toMatchObject([{ result: 'incomplete', pending: false, steps: [] }]);
  }));

it('what this machine has is read where no remote answers', () =>
  scene(async ({ machine, remote }) => {
    const lease = await (await machine('one')).acquire(asking());
    await lease.store.save(entry(12, 'Spring'));
    await lease.end();
    await rm(remote, { recursive: true });
    const again = await machine('one');
    await expect(again.store.readAll()).rejects.toMatchObject({ code: 'state-unreachable' });
    expect(await again.local.readAll()).toEqual([entry(12, 'Spring')]);
    expect(await again.local.runs({ limit: 50, prefix: '' })).toEqual([]);
  }));

it('a push whose answer is lost is looked up', () =>
  scene(async ({ machine, remote, git }) => {
    const one = await machine('one');
    const hook = join(remote, 'hooks', 'post-receive');
    await mkdir(join(remote, 'hooks'), { recursive: true });
    await writeFile(hook, '#!/bin/sh\nkill -9 $PPID\n', { mode: 0o755 });
    const lease = await one.acquire(asking());
    await lease.store.save(entry(12, 'Spring'));
    await lease.end();
    expect((await (await machine('other')).store.readAll()).map(({ id }) => id)).toEqual([12]);
    expect(git('rev-list', '--count', 'state/production')).toBe('2');
  }));

it('a branch that cannot be made is an error with what git says of it', () =>
  scene(async ({ machine, git }) => {
    const tree = git('hash-object', '-t', 'tree', '-w', '--stdin');
    const commit = git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit-tree', '-m', 'Other', tree);
    git('update-ref', 'refs/heads/state', commit);
    await expect((await machine('one')).acquire(asking())).rejects.toMatchObject({
      code: 'state-refused',
      message: expect.stringContaining('refuses pushes to the branch state/production'),
    });
  }));

it('a history that was written anew is an error, also where it is as long', () =>
  scene(async ({ machine, git }) => {
    const one = await machine('one');
    await (await one.acquire(asking())).end();
    const ref = 'refs/heads/state/production';
    const tree = git('rev-parse', `${ref}^{tree}`);
    const commit = git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit-tree', '-m', 'Other', tree);
    git('update-ref', ref, commit);
    await expect((await machine('one')).store.readAll()).rejects.toMatchObject({ code: 'state-edited' });
  }));

it('a branch that was reset is an error also once it is as long again, or longer', () =>
  scene(async ({ machine, git }) => {
    const [ref, one] = ['refs/heads/state/production', await machine('one')];
    await (await one.acquire(asking())).end();
    const before = git('rev-parse', ref);
    const lease = await one.acquire(asking());
    await lease.store.save(entry(12, 'Spring'));
    await lease.end();
    git('update-ref', ref, before);
    for (const name of ['two', 'three']) {
      await (await (await machine(name)).acquire(asking())).end();
      await expect((await machine('one')).store.readAll()).rejects.toMatchObject({
        code: 'state-rewound',
        message: expect.stringContaining('does not hold change 4'),
      });
    }
    expect(await (await machine('two')).store.readAll()).toEqual([]);
  }));

it('a head that was edited, and a commit on top of the last one, are errors', () =>
  scene(async ({ machine, git, folder, remote }) => {
    await (await (await machine('one')).acquire(asking())).end();
    const name = 'state/production';
    const good = git('rev-parse', name);
    const clone = join(folder, 'clone');
    execFileSync('git', ['clone', '-q', '-b', name, remote, clone]);
    const head = JSON.parse(await readFile(join(clone, 'branch.json'), 'utf8'));
    const changes = [{ moved: 'mallory' }, { epoch: 0 }, { serial: 3 }, {}];
    for (const [change, how] of [
      ...changes.map((one) => [one, '-q'] as const),
      [{ epoch: 7 }, '--amend'],
    ] as const) {
      await writeFile(join(clone, 'branch.json'), `${JSON.stringify({ ...head, ...change }, null, 2)}\n`);
      const commit = ['commit', '-qa', '--allow-empty', how, '-m', 'By hand'];
      execFileSync('git', ['-C', clone, '-c', 'user.name=a', '-c', 'user.email=a@b', ...commit]);
      execFileSync('git', ['-C', clone, 'push', '-q', '-f', 'origin', name]);
      for (const name of how === '-q' ? ['one', 'fresh'] : ['fresh'])
        await expect((await machine(name)).store.readAll()).rejects.toMatchObject({
          code: 'state-edited',
        });
      git('update-ref', `refs/heads/${name}`, good);
      execFileSync('git', ['-C', clone, 'reset', '-q', '--hard', good]);
    }
  }));

it('a lease that is renewed while a person decides is not taken away, and a lock of this machine alone is not the lease', () =>
  scene(async ({ machine }) => {
    const [one, other] = [await machine('one', { seconds: 6 }), await machine('other')];
    const lease = await one.acquire(asking());
    const held = await other.held();
    await other.unlock(null);
    while (isDeepStrictEqual(await (await machine('third')).held(), held)) await sleep(200);
    await expect(other.unlock(held)).rejects.toMatchObject({ code: 'locked' });
    lease.check();
    await lease.end();
  }));

it('a person may take a lease away', () =>
  scene(async ({ machine }) => {
    const [one, other] = [await machine('one'), await machine('other')];
    const lease = await one.acquire(asking());
    const held = await other.held();
    expect(held?.holder.who).toBe('ada');
    await other.unlock(held);
    await (await other.acquire(asking())).end();
    await expect(lease.end()).rejects.toMatchObject({ code: 'state-not-kept' });
  }));

it('a folder whose lock is of an unknown process is read past, and a person may unlock it', () =>
  scene(async ({ machine, folder }) => {
    const save = async (name: string, id: number) => {
      const lease = await (await machine(name)).acquire(asking());
      await lease.store.save(entry(id, 'Spring'));
      await lease.end();
    };
    await save('one', 12);
    const lock = join(folder, 'one', 'state', 'lock');
    const away = { ...ownHolder('ada'), host: 'runner-1', space: 'another boot' };
    await writeFile(lock, JSON.stringify(away));
    await save('other', 13);
    const at = await machine('other');
    const leased = await at.acquire(asking());

    const one = await machine('one');
    const [all, pending, runs] = [
      one.store.readAll(),
      one.store.pending(),
      one.store.runs({ limit: 9, prefix: '' }),
    ];
    expect((await all).map(({ id }) => id)).toEqual([12, 13]);
    expect([await pending, (await runs).length]).toEqual([[], 0]);
    // The folder stays as it was: its holder may be at work.
    expect(await readdir(join(folder, 'one', 'state'))).not.toContain('13.json');
    await expect(one.acquire(asking())).rejects.toMatchObject({ code: 'locked' });
    const held = await one.held();
    expect(held).toMatchObject({ holder: away, alive: null, lease: null });
    await one.unlock(held);
    expect(await readdir(join(folder, 'one', 'state'))).not.toContain('lock');
    await leased.end();
    await save('one', 14);
    expect((await (await machine('one')).store.readAll()).map(({ id }) => id)).toEqual([12, 13, 14]);
  }));

it('a folder whose lock is of an unknown process is ahead only by what was written there', () =>
  scene(async ({ machine, branchOf, folder, git }) => {
    const lock = join(folder, 'one', 'state', 'lock');
    const away = JSON.stringify({ ...ownHolder('ada'), host: 'runner-1', space: 'another boot' });
    const died = await (await machine('one', { seconds: 300 })).acquire(asking());
    // The one that died had the lease, and its folder was locked by another since.
    await writeFile(lock, away);
    expect(await (await machine('one')).store.readAll()).toEqual([]);
    await died.store.save(entry(12, 'Spring'));
    const at = { folder: join(folder, 'one', 'state'), environment: 'production' };
    const mirror = openMirror({ ...at, branch: await branchOf('one') });
    expect(await mirror.isAhead(await mirror.read())).toBe(true);

    // A branch that was reset and has gone on is one also for who reads past the folder.
    await rm(lock);
    git('update-ref', '-d', 'refs/heads/state/production');
    for (const id of [13, 14, 15]) {
      const lease = await (await machine('other')).acquire(asking());
      await lease.store.save(entry(id, 'Autumn'));
      await lease.end();
    }
    await writeFile(lock, away);
    await expect((await machine('one')).store.readAll()).rejects.toMatchObject({ code: 'state-rewound' });
  }));
