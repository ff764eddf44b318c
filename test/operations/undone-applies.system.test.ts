/** Older checkouts, with real git: clones of one repository that share a state on a branch in memory, or one clone with a folder. */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import type { Plan } from '../../src/model/outputs.js';
import type { CampaignApply } from '../../src/model/state.js';
import { shortCommit } from '../../src/model/words.js';
import { memoryRemote } from '../support/branch.js';
import { command, type Ended, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { withService } from '../support/project.js';
import { git } from '../support/repository.js';
import { type startService, TOKEN } from '../support/service/service.js';
import { draft } from '../support/service/store.js';
import { openStore } from '../support/state.js';
import { oneLine } from '../support/texts.js';

const SPRING = 'campaigns/spring.yaml';
const manifest = (cap: number, more = '') =>
  `name: Spring\nsettings: { max_emails_per_day: ${cap}, reputation_building: true${more} }\n`;
const projectFile = (url: string, state: string) => `version: 1
manifests: [campaigns/*.yaml]
state: ${state}
environments:
  production: { base_url: "${url}", token_env: CAMPAIGNS_TOKEN, allow: [launch, no-leads, unkept-state] }
`;

interface Clone {
  folder: string;
  git(...words: string[]): string;
  /** Writes the manifest. */
  cap(number: number, more?: string): Promise<void>;
  /** Commits everything, and returns the commit. */
  commit(): string;
  run(...argv: string[]): Promise<Ended>;
  /** With more variables of the environment. */
  runWith(env: Record<string, string>, ...argv: string[]): Promise<Ended>;
  /** Applies, and expects this exit code. */
  apply(code: number, ...flags: string[]): Promise<string>;
  /** The planned changes, and messages of the hazard. */
  plan(): Promise<{ changes: string[]; undone: string[] }>;
}

interface Scene {
  remote: string;
  /** `words`: arguments of `git clone`. */
  clone(name: string, ...words: string[]): Clone;
  at(folder: string): Clone;
  service: Awaited<ReturnType<typeof startService>>;
}

const BRANCH = '{ backend: git, id: c5f1c20a9be3 }';
const FOLDER = '{ backend: file }';

/** A remote whose branch `main` has one commit, in which the cap is 300; the service's campaign has 500. */
function scene(use: (at: Scene) => Promise<void>, state = BRANCH): Promise<void> {
  vi.stubEnv('CI', '');
  const campaigns = [{ ...draft(42, 'Spring'), status: 'draft' }];
  return withService({ campaigns }, (service) =>
    withFolder(async (folder) => {
      const [remote, states] = [join(folder, 'remote.git'), memoryRemote()];
      git(folder, 'init', '-q', '--bare', '--initial-branch=main', remote);
      git(remote, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
      const at = (place: string): Clone => {
        const runWith: Clone['runWith'] = (env, ...argv) =>
          command(place, argv, { CAMPAIGNS_TOKEN: TOKEN, ...env }, Date.now, { openBranch: states.open });
        const run: Clone['run'] = (...argv) => runWith({}, ...argv);
        return {
          folder: place,
          git: (...words) => git(place, ...words),
          cap: (number, more) => writeFiles(place, { [SPRING]: manifest(number, more) }),
          commit() {
            git(place, 'add', '-A');
            git(place, 'commit', '-qm', 'Change');
            return git(place, 'rev-parse', 'HEAD');
          },
          run,
          runWith,
          async apply(code, ...flags) {
            const ended = await run('apply', '--yes', ...flags);
            expect([ended.code, ended.err], ended.out).toEqual([code, expect.anything()]);
            return ended.err;
          },
          async plan() {
            const { out, err } = await run('plan', '--json');
            expect(out, err).not.toBe('');
            const [campaign] = (JSON.parse(out) as Plan).campaigns;
            return {
              changes: campaign?.changes.map(({ path, from, to }) => `${path}: ${from} → ${to}`) ?? [],
              undone:
                campaign?.problems.flatMap(({ code, message }) => (code === 'undoes-apply' ? message : [])) ??
                [],
            };
          },
        };
      };
      const clone: Scene['clone'] = (name, ...words) => {
        git(folder, 'clone', '-q', ...words, `file://${remote}`, join(folder, name));
        return at(join(folder, name));
      };
      const first = clone('first');
      first.git('checkout', '-q', '-B', 'main');
      await writeFiles(first.folder, {
        '.gitignore': '.campaignctl\n',
        'campaignctl.yaml': projectFile(service.url, state),
        [SPRING]: manifest(300),
      });
      first.commit();
      first.git('push', '-q', 'origin', 'main');
      await use({ remote, clone, at, service });
    }),
  );
}

/** Both clones are at the first commit, which is applied. */
async function twoClones({ clone }: Scene): Promise<{ ada: Clone; ben: Clone }> {
  const ada = clone('ada');
  await ada.apply(0);
  return { ada, ben: clone('ben') };
}

async function changed(clone: Clone, cap: number, more = ''): Promise<string> {
  await clone.cap(cap, more);
  const commit = clone.commit();
  clone.git('push', '-q', 'origin', 'HEAD');
  return commit;
}

const CAP = 'max_emails_per_day';
const NONE = { undone: [] };
const undoing = (commit: string) =>
  expect.stringMatching(
    new RegExp(
      `settings ${CAP} that .+@.+ replaced on \\d{4}-.* UTC, at commit ${shortCommit(commit).replace('+', '\\+')}\\.`,
    ),
  );

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('an older checkout', () => {
  it('cannot put back what another clone replaced; after git pull, a revert is deliberate', () =>
    scene(async (at) => {
      const { ada, ben } = await twoClones(at);
      const commit = await changed(ben, 250);
      await ben.apply(0);
      expect(await ada.plan()).toEqual({ changes: [`${CAP}: 250 → 300`], undone: [undoing(commit)] });
      const refused = await ada.apply(3);
      expect(oneLine(refused)).toContain('Run git pull (in a pipeline, ');
      expect(refused.indexOf('git pull')).toBeLessThan(refused.indexOf('--allow undoes-apply'));
      expect(at.service.store.campaigns[0]?.settings.max_emails_per_day).toBe(250);
      await ada.cap(400);
      expect(await ada.plan()).toEqual({ changes: [`${CAP}: 250 → 400`], ...NONE });
      ada.git('checkout', '-q', '.');
      ada.git('pull', '-q');
      expect(await ada.plan()).toEqual({ changes: [], ...NONE });
      await changed(ada, 300);
      expect(await ada.plan()).toEqual({ changes: [`${CAP}: 250 → 300`], ...NONE });
      await ada.apply(0);
      expect(await ben.plan()).toEqual({ changes: [`${CAP}: 300 → 250`], undone: [expect.anything()] });
    }));

  it('cannot do so after a further change, or one in the web app', () =>
    scene(async ({ clone, service }) => {
      const ada = clone('ada');
      await ada.apply(0);
      await ada.cap(200);
      const first = ada.commit();
      await ada.apply(0);
      await ada.cap(250);
      ada.commit();
      await ada.apply(0);
      ada.git('checkout', '-q', 'origin/main');
      const undone = [undoing(first)];
      expect(await ada.plan()).toEqual({ changes: [`${CAP}: 250 → 300`], undone });
      const [campaign = draft(1, '')] = service.store.campaigns;
      campaign.settings.max_emails_per_day = 222;
      expect(await ada.plan()).toEqual({ changes: [`${CAP}: 222 → 300`], undone });
      ada.git('checkout', '-q', 'main');
      expect(await ada.plan()).toEqual({ changes: [`${CAP}: 222 → 250`], ...NONE });
    }, FOLDER));

  it('needs no approval to pause, but to resume what a later commit paused', () =>
    scene(async ({ clone, service }) => {
      const ada = clone('ada');
      const status = (word: string) =>
        writeFiles(ada.folder, { [SPRING]: `${manifest(300)}status: ${word}\n` });
      const [campaign = draft(1, '')] = service.store.campaigns;
      campaign.status = 'active';
      await status('running');
      ada.commit();
      await ada.apply(0, '--allow', 'adopt');
      await status('paused');
      const commit = ada.commit();
      await ada.apply(0);
      ada.git('checkout', '-q', 'HEAD^');
      const undone = [expect.stringContaining(`at commit ${commit.slice(0, 8)}`)];
      expect(await ada.plan()).toEqual({ changes: [': paused → running'], undone });
      campaign.status = 'active';
      await status('paused');
      expect(await ada.plan()).toEqual({ changes: [': active → paused'], ...NONE });
    }, FOLDER));

  it('is recognised with a state in a folder', () =>
    scene(async ({ clone }) => {
      const ada = clone('ada');
      await ada.apply(0);
      const before = ada.git('rev-parse', 'HEAD');
      const commit = await changed(ada, 250);
      await ada.apply(0);
      ada.git('checkout', '-q', before);
      expect(await ada.plan()).toEqual({ changes: [`${CAP}: 250 → 300`], undone: [undoing(commit)] });
      ada.git('checkout', '-q', 'main');
      await changed(ada, 300);
      expect((await ada.plan()).undone).toEqual([]);
    }, FOLDER));

  it('is recognised in a repository of another user', () =>
    scene(async ({ clone }) => {
      const ada = clone('ada');
      await ada.apply(0);
      await changed(ada, 250);
      await ada.apply(0);
      await changed(ada, 300);
      vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', 'true');
      expect((await ada.plan()).undone).toEqual([]);
    }, FOLDER));
});

describe('a branch that was applied before it was merged', () => {
  const merges: Record<string, (ben: Clone) => void> = {
    'in a squashed commit': (ben) => {
      ben.git('merge', '-q', '--squash', 'feature');
      ben.git('commit', '-qm', 'Squashed');
    },
    rebased: (ben) => {
      ben.git('commit', '-q', '--allow-empty', '-m', 'Other work');
      ben.git('checkout', '-q', 'feature');
      ben.git('rebase', '-q', 'main');
      ben.git('checkout', '-q', 'main');
      ben.git('merge', '-q', '--ff-only', 'feature');
    },
    'as a cherry-picked commit': (ben) => {
      ben.git('commit', '-q', '--allow-empty', '-m', 'Other work');
      ben.git('cherry-pick', 'feature');
    },
  };

  it.each(Object.entries(merges))('and merged %s', (_, merge) =>
    scene(async ({ clone }) => {
      const ada = clone('ada');
      await ada.apply(0);
      ada.git('checkout', '-q', '-b', 'feature');
      await ada.cap(250);
      const commit = ada.commit();
      await ada.apply(0);
      ada.git('checkout', '-q', 'main');
      expect((await ada.plan()).undone).toEqual([undoing(commit)]);
      merge(ada);
      expect(await ada.plan()).toEqual({ changes: [], ...NONE });
      const merged = ada.git('rev-parse', 'HEAD');
      await ada.cap(400);
      expect(await ada.plan()).toEqual({ changes: [`${CAP}: 250 → 400`], ...NONE });
      await ada.cap(300);
      const revert = ada.commit();
      // The commit that was applied is not an ancestor, and nothing else shows that main includes the change.
      expect((await ada.plan()).undone).toEqual([undoing(commit)]);
      ada.git('checkout', '-q', merged);
      await ada.apply(0);
      ada.git('checkout', '-q', revert);
      expect(await ada.plan()).toEqual({ changes: [`${CAP}: 250 → 300`], ...NONE });
      ada.git('checkout', '-q', 'origin/main');
      expect((await ada.plan()).undone).toEqual([undoing(commit)]);
    }, FOLDER),
  );

  it('writes the state once when an apply of the merged branch finds everything in sync', () =>
    scene(async ({ clone, service }) => {
      const ada = clone('ada');
      await ada.apply(0);
      ada.git('checkout', '-q', '-b', 'feature');
      await ada.cap(250);
      ada.commit();
      await ada.apply(0);
      ada.git('checkout', '-q', 'main');
      merges['in a squashed commit']?.(ada);
      const applies = async (): Promise<readonly CampaignApply[]> => {
        await ada.apply(0);
        const store = openStore(join(ada.folder, '.campaignctl/state/production'), service.url);
        return (await store.readAll()).flatMap(({ recorded }) => recorded.applies ?? []);
      };
      const first = await applies();
      expect(first.map(({ changes }) => Object.keys(changes).length)).toEqual([2, 1, 1]);
      expect(first.at(-1)).toMatchObject({
        commit: ada.git('rev-parse', 'HEAD'),
        changes: { [`settings.${CAP}`]: { from: null, to: null } },
      });
      ada.git('commit', '-q', '--allow-empty', '-m', 'Other work');
      expect(await applies()).toEqual(first);
    }, FOLDER));
});

test("a plan of a pull request's merge commit is applied on main, whatever either history shows", () =>
  scene(async (at) => {
    const { ada, ben } = await twoClones(at);
    await changed(ben, 250);
    await ben.apply(0);
    // Ada's branch begins before Ben's change.
    ada.git('checkout', '-q', '-b', 'pull');
    await writeFiles(ada.folder, { 'campaigns/notes.txt': 'x\n' });
    await writeFile(
      join(ada.folder, 'campaignctl.yaml'),
      `${await readFile(join(ada.folder, 'campaignctl.yaml'), 'utf8')}# x\n`,
    );
    ada.commit();
    expect((await ada.plan()).undone).toHaveLength(1);
    ada.git('fetch', '-q', 'origin', 'main');
    ada.git('checkout', '-q', '--detach');
    ada.git('merge', '-q', '--no-edit', 'FETCH_HEAD');
    await ada.cap(300);
    ada.commit();
    expect(await ada.plan()).toEqual({ changes: [`${CAP}: 250 → 300`], ...NONE });
    const tree = ada.git('rev-parse', 'HEAD^{tree}');
    // A shallow clone of the merge commit plans the same.
    ada.git('push', '-q', 'origin', 'HEAD:refs/heads/merge');
    const job = at.clone('job', '--depth', '1', '--branch', 'merge');
    expect((await job.plan()).undone).toEqual([expect.stringContaining('This clone is shallow')]);
    expect((await job.run('plan', '--out', 'plan.json')).code).toBe(0);
    ada.git('checkout', '-q', '-B', 'main', 'FETCH_HEAD');
    ada.git('reset', '-q', '--hard', ada.git('commit-tree', tree, '-p', 'HEAD', '-m', 'Squashed'));
    await cp(join(job.folder, 'plan.json'), join(ada.folder, 'plan.json'));
    const applied = await ada.run('apply', '--plan', 'plan.json', '--yes');
    expect([applied.code, applied.err]).toEqual([0, expect.anything()]);
  }));

test('an old job that runs again in a shallow clone is refused; a new value is not', () =>
  scene(async (at) => {
    const { ada, ben } = await twoClones(at);
    const old = ada.git('rev-parse', 'HEAD');
    await changed(ben, 250);
    await ben.apply(0);
    const job = at.clone('job', '--depth', '1');
    job.git('fetch', '-q', '--depth', '1', 'origin', old);
    job.git('checkout', '-q', old);
    const refused = await job.apply(3);
    expect(oneLine(refused)).toContain('fetch-depth: 0 or GIT_DEPTH: "0"');
    await job.cap(400);
    expect(await job.plan()).toEqual({ changes: [`${CAP}: 250 → 400`], ...NONE });
    job.git('checkout', '-q', '--force', 'main');
    expect(await job.plan()).toEqual({ changes: [], ...NONE });
    // The newest commit is there, even if what is below it is not.
    await job.cap(300);
    expect((await job.plan()).undone).toEqual([]);
    await changed(ben, 240);
    await ben.apply(0);
    await changed(ben, 230);
    job.git('checkout', '-q', '--force', 'main');
    job.git('fetch', '-q', '--depth', '1', 'origin', 'main');
    job.git('reset', '-q', '--hard', 'FETCH_HEAD');
    await job.cap(250);
    expect((await job.plan()).undone).toEqual([expect.stringContaining('shallow')]);
    job.git('fetch', '-q', '--unshallow');
    expect((await job.plan()).undone).toEqual([]);
  }));

describe('without git', () => {
  it.each([
    [
      'a folder outside a repository',
      async (ada: Clone) => rm(join(ada.folder, '.git'), { recursive: true }),
    ],
    ['a machine without git', async (ada: Clone) => vi.stubEnv('PATH', ada.folder)],
  ])('a value that is put back needs approval, and a new one does not: %s', (_, remove) =>
    scene(async ({ clone, service }) => {
      const ada = clone('ada');
      await remove(ada);
      await ada.apply(0);
      await ada.cap(250);
      await ada.apply(0);
      await ada.cap(400);
      expect(await ada.plan()).toEqual({ changes: [`${CAP}: 250 → 400`], ...NONE });
      await ada.cap(300);
      expect((await ada.plan()).undone).toEqual([expect.stringContaining('does not record the commit')]);
      await ada.apply(3);
      await ada.apply(0, '--allow', 'undoes-apply');
      expect(service.store.campaigns[0]?.settings.max_emails_per_day).toBe(300);
    }, FOLDER),
  );

  it('a commit of another machine is unknown', () =>
    scene(async (at) => {
      const ada = at.clone('ada');
      await ada.apply(0);
      await changed(ada, 250);
      await ada.apply(0);
      await ada.cap(300);
      ada.commit();
      vi.stubEnv('PATH', ada.folder);
      expect((await ada.plan()).undone).toEqual([expect.stringContaining('Git does not show the history')]);
    }, FOLDER));
});

describe('files that are not committed', () => {
  it('do not count as included, until an apply of a commit finds them in sync', () =>
    scene(async ({ clone }) => {
      const ada = clone('ada');
      await ada.apply(0);
      const base = ada.git('rev-parse', 'HEAD');
      await ada.cap(250);
      await ada.apply(0);
      ada.git('stash', '-q');
      const undone = [undoing(`${base.slice(0, 8)}+`)];
      expect(await ada.plan()).toEqual({ changes: [`${CAP}: 250 → 300`], undone });
      await ada.cap(270);
      expect((await ada.plan()).undone).toEqual([]);
      ada.git('checkout', '-q', '.');
      ada.git('stash', 'pop', '-q');
      ada.commit();
      expect(await ada.plan()).toEqual({ changes: [], ...NONE });
      await ada.cap(300);
      expect((await ada.plan()).undone).toEqual(undone);
      ada.git('checkout', '-q', '.');
      await ada.apply(0);
      await ada.cap(300);
      expect(await ada.plan()).toEqual({ changes: [`${CAP}: 250 → 300`], ...NONE });
    }, FOLDER));

  const CHANGES: Record<string, [expected: '' | '+', change: (clone: Clone) => Promise<unknown>]> = {
    'a changed manifest': ['+', (clone) => clone.cap(260)],
    'a manifest that is staged': ['+', async (clone) => clone.cap(260).then(() => clone.git('add', '-A'))],
    'a new manifest': [
      '+',
      (clone) => writeFiles(clone.folder, { 'campaigns/new.yaml': manifest(9).replace('Spring', 'New') }),
    ],
    'a deleted manifest': ['+', (clone) => rm(join(clone.folder, 'campaigns/old.yaml'))],
    'a changed project file': [
      '+',
      async (clone) => {
        const file = join(clone.folder, 'campaignctl.yaml');
        await writeFile(file, `${await readFile(file, 'utf8')}# changed\n`);
      },
    ],
    'a plan file': ['', (clone) => clone.run('plan', '--out', 'plan.json')],
    'a manifest with the line ends of Windows': [
      '',
      async (clone) => {
        const file = join(clone.folder, SPRING);
        await writeFile(file, (await readFile(file, 'utf8')).replaceAll('\n', '\r\n'));
      },
    ],
  };

  it.each(Object.entries(CHANGES))('are marked in the history: %s', (_, [mark, change]) =>
    scene(async ({ clone }) => {
      const ada = clone('ada');
      await writeFiles(ada.folder, { 'campaigns/old.yaml': manifest(7).replace('Spring', 'Old') });
      const commit = ada.commit();
      await change(ada);
      await ada.apply(0);
      const { out } = await ada.run('history', '--json');
      expect(JSON.parse(out).runs).toMatchObject([{ command: 'apply', commit: `${commit}${mark}` }]);
    }, FOLDER),
  );
});

test('a pipeline that checks out another commit than its own does not count as having applied its own', () =>
  scene(async (at) => {
    const { ada, ben } = await twoClones(at);
    const main = ben.git('rev-parse', 'HEAD');
    ben.git('checkout', '-q', '-b', 'pull');
    await ben.cap(250);
    const commit = ben.commit();
    expect((await ben.runWith({ GITHUB_SHA: main }, 'apply', '--yes')).code).toBe(0);
    expect((await ada.plan()).undone).toEqual([undoing(commit)]);
    const { out } = await ada.run('history', '--json');
    expect(JSON.parse(out).runs[0]).toMatchObject({ commit: main, checkout: commit });
  }));

test('the history names commands and commits', () =>
  scene(async (at) => {
    const ada = at.clone('ada');
    await ada.apply(0);
    const commit = ada.git('rev-parse', 'HEAD').slice(0, 8);
    const [campaign] = at.service.store.campaigns;
    if (campaign !== undefined) campaign.status = 'active';
    expect((await ada.run('pause', 'Spring', '--yes')).code).toBe(0);
    await mkdir(join(ada.folder, 'campaigns'), { recursive: true });
    expect((await ada.run('import', '--update', 'Spring')).code).toBe(0);
    await rm(join(ada.folder, SPRING));
    expect((await ada.run('forget', 'Spring', '--yes')).code).toBe(0);
    const { out } = await ada.run('history');
    const rows = out
      .split('\n')
      .slice(3)
      .filter((line) => line !== '');
    expect(out.split('\n')[2]).toMatch(/run +when +command +who +commit +requests +result/);
    const shown = rows.map((row) => row.trim().split(/ {2,}/).slice(2));
    expect(shown.map(([name, , id]) => [name, id])).toEqual([
      ['forget', `${commit}+`],
      ['pause', commit],
      ['apply', commit],
    ]);
  }));

test('a pause does not wait for git', () =>
  scene(async (at) => {
    const ada = at.clone('ada');
    const [campaign] = at.service.store.campaigns;
    if (campaign !== undefined) campaign.status = 'active';
    const programs = join(ada.folder, '.git/programs');
    await mkdir(programs);
    await writeFile(join(programs, 'git'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${programs}:${process.env.PATH}`);
    expect((await ada.run('pause', 'Spring', '--yes')).code).toBe(0);
    const { out } = await ada.run('history', '--json');
    expect(JSON.parse(out).runs).toMatchObject([{ command: 'pause', commit: null }]);
  }, FOLDER));

test('a pause names the commit if the state is in a folder', () =>
  scene(async (at) => {
    const ada = at.clone('ada');
    const [campaign] = at.service.store.campaigns;
    if (campaign !== undefined) campaign.status = 'active';
    expect((await ada.run('pause', 'Spring', '--yes')).code).toBe(0);
    const { out } = await ada.run('history', '--json');
    const commit = ada.git('rev-parse', 'HEAD');
    expect(JSON.parse(out).runs).toMatchObject([{ command: 'pause', commit }]);
  }, FOLDER));
