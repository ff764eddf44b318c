import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Step } from '../../src/model/outputs.js';
import { CREATED_STATE, type Run, type StateEntry } from '../../src/model/state.js';
import { folderStorage, type Storage } from '../../src/state/storage.js';
import { type Store, storeIn } from '../../src/state/store.js';
import { type MemoryRemote, memoryRemote } from '../support/branch.js';
import { command, writeFiles } from '../support/command.js';
import { failureOf } from '../support/failure.js';
import { withFolder } from '../support/folder.js';
import { planOf } from '../support/plans.js';
import { git } from '../support/repository.js';
import { openService } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';
import { wireTo } from '../support/service/wire.js';
import { openStore, stateUser } from '../support/state.js';

const ADDRESS = 'https://send.example.com';
const AT = '2026-03-02T08:00:00.000Z';
const NAMED = { manifest: 'spring.yaml', name: 'Spring' };
const BRANCH = 'campaignctl/production';
const ALL = { limit: 99, prefix: '' };

/** Attaches a list in a run, and saves the entry. */
async function attach(store: Store, run: string, lists: number[]): Promise<void> {
  await store.readAll();
  const head = { run, environment: 'production', at: AT, who: 'ada', commit: null, tool: '1.0.0' };
  const journal = await store.begin({ ...head, plan: planOf([]), specs: {} }, () => AT);
  const list = lists.at(-1) ?? 0;
  const step: Step = {
    ...{ id: `leads/list-${list}`, stage: 'leads', section: 'leads', title: 'attach a list', method: 'POST' },
    ...{ path: '/api/campaigns/7/leads/attach-lead-list', body: { lead_list_id: list }, irreversible: true },
  };
  await journal.intend({ ...NAMED, id: 7, step, total_leads: null });
  const outcome = { result: 'done', detail: 'accepted', visible_in: null } as const;
  await journal.conclude({ ...NAMED, id: 7, step: step.id, ...outcome });
  await store.save(entry(lists));
  journal.reconciled(NAMED);
  await journal.end('done');
}

const entry = (lists: number[]): StateEntry => ({
  ...{ id: 7, ...NAMED },
  recorded: { ...CREATED_STATE, attached: { lists, ids: [] } },
});
const archived = (store: Store, journals: number) => store.archive({ journals, runs: 99 });
const withoutBody = (runs: readonly Run[]) =>
  runs.map(({ steps, ...run }) => ({
    ...run,
    steps: steps.map((step) => ({ ...step, step: { ...step.step, body: null } })),
  }));

interface Project {
  state: string;
  remote: MemoryRemote;
  run(...argv: string[]): Promise<string>;
  /** Applies a manifest with these lists. */
  apply(lists: number): Promise<void>;
}

function withProject(backend: 'file' | 'git', use: (project: Project) => Promise<void>): Promise<void> {
  const service = openService(shaped({ totals: 'hidden' }), { campaigns: [], templates: [] });
  return withFolder(async (folder) => {
    const remote = memoryRemote();
    const project = join(folder, 'project');
    git(folder, 'init', '-q', project);
    await writeFiles(project, {
      'campaignctl.yaml': `version: 1
manifests: ["*.yaml", "!campaignctl.yaml"]
state: { backend: ${backend}${backend === 'git' ? ', id: 5f1c20a9be37' : ''} }
environments: { production: { base_url: "${ADDRESS}", token_env: CAMPAIGNS_TOKEN } }
`,
    });
    const run = async (...argv: string[]) => {
      const way = { wire: wireTo(service), openBranch: remote.open };
      const { code, out, err } = await command(project, argv, undefined, undefined, way);
      expect([code, err]).toEqual([0, '']);
      return out;
    };
    await use({
      state: join(project, '.campaignctl/state/production'),
      remote,
      run,
      async apply(lists) {
        const numbers = Array.from({ length: lists }, (_, at) => at + 1).join(', ');
        await writeFiles(project, { 'spring.yaml': `name: Spring\nleads: { lists: [${numbers}] }\n` });
        await run('apply', '--yes', '--allow', 'unkept-state');
      },
    });
  });
}

const runNames = (table: string) => table.match(/\d{8}T\d{9}-\w+/g) ?? [];

it.each(['file', 'git'] as const)(
  'after 13 applies, ten journals are left, and history shows 13 runs as before: %s',
  (backend) =>
    withProject(backend, async ({ run, apply, state, remote }) => {
      await apply(1);
      const [first = ''] = runNames(await run('history'));
      const shown = await run('history', first);
      for (let lists = 2; lists <= 13; lists += 1) await apply(lists);
      const names =
        backend === 'file'
          ? await readdir(join(state, 'journal'))
          : Object.keys(remote.texts(BRANCH)).flatMap((path) => /^journal\/(.*)/.exec(path)?.[1] ?? []);
      expect(names?.filter((name) => /^\d.*\.jsonl$/.test(name))).toHaveLength(10);
      expect(names).toHaveLength(12);
      expect(runNames(await run('history'))).toHaveLength(13);
      expect(await run('history', first)).toBe(shown);
      expect(await run('plan')).toContain('No changes');
      if (backend === 'file') return;
      // Archiving needs no commit of its own.
      const commits = remote.subjects(BRANCH);
      expect(commits[0]).toBe('Lease released');
      expect(commits.filter((subject) => subject.startsWith('Lease'))).toHaveLength(2 * 13);
    }),
);

/** Fails at the nth change, and from then on. */
function failing(storage: Storage, nth: number): Storage {
  let changes = 0;
  const change =
    <Args extends unknown[], Result>(act: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      changes += 1;
      if (changes >= nth) throw new Error('killed');
      return act(...args);
    };
  return {
    ...storage,
    write: change(storage.write),
    remove: change(storage.remove),
    append: change(storage.append),
  };
}

it('after a crash at any point of archiving, each run is listed once, and older entries are noticed', async () => {
  let isDone = false;
  for (let nth = 1; !isDone; nth += 1)
    await withFolder(async (folder) => {
      const store = () => openStore(folder, ADDRESS);
      const file = join(folder, '7.json');
      await attach(store(), 'run-1', [1]);
      const older = await readFile(file, 'utf8');
      for (const last of [2, 3, 4, 5]) await attach(store(), `run-${last}`, [1, 2, 3, 4, 5].slice(0, last));
      const newest = await readFile(file, 'utf8');
      await archived(store(), 3);
      const runs = await store().runs(ALL);
      const crashing = storeIn(failing(folderStorage(folder), nth), stateUser(ADDRESS));
      await archived(crashing, 1).then(
        () => {
          isDone = true;
        },
        (error: unknown) => expect(error).toEqual(new Error('killed')),
      );
      const expectWhole = async () => {
        expect(withoutBody(await store().runs(ALL))).toEqual(withoutBody(runs));
        await writeFile(file, older);
        expect(await store().readAll()).toMatchObject([{ recorded: { known: false } }]);
        await writeFile(file, newest);
        expect(await store().readAll()).toEqual([entry([1, 2, 3, 4, 5])]);
      };
      await expectWhole();
      await archived(store(), 1);
      await expectWhole();
      expect((await readdir(join(folder, 'journal'))).sort()).toEqual([
        'history.jsonl',
        'run-4.marks.json',
        'run-5.jsonl',
      ]);
    });
});

it('a line of the history that a crash cut is written again', () =>
  withFolder(async (folder) => {
    const store = openStore(folder, ADDRESS);
    for (const last of [1, 2, 3]) await attach(store, `run-${last}`, [last]);
    await archived(store, 2);
    await appendFile(join(folder, 'journal', 'history.jsonl'), '{"version":1,"run":"run-2","envi');
    expect(await store.runs(ALL)).toHaveLength(3);
    await archived(store, 1);
    expect((await store.runs(ALL)).map(({ run }) => run)).toEqual(['run-3', 'run-2', 'run-1']);
  }));

it('archived runs keep what history shows, without the plan and bodies', () =>
  withFolder(async (folder) => {
    const store = openStore(folder, ADDRESS);
    await attach(store, 'run-1', [1]);
    const [run] = await store.runs(ALL);
    await archived(store, 0);
    expect(await store.runs({ limit: 1, prefix: 'run-1' })).toEqual(withoutBody(run ? [run] : []));
    const [line = '', ...others] = (await readFile(join(folder, 'journal/history.jsonl'), 'utf8')).split(
      '\n',
    );
    expect(others).toEqual(['']);
    expect(line).not.toContain('lead_list_id');
    expect(line).not.toContain('"campaigns":[');
  }));

it('the oldest archived runs make room for newer ones where their number is limited', () =>
  withFolder(async (folder) => {
    const store = openStore(folder, ADDRESS);
    for (const last of [1, 2, 3, 4, 5]) await attach(store, `run-${last}`, [last]);
    await store.archive({ journals: 2, runs: 2 });
    expect((await store.runs(ALL)).map(({ run }) => run)).toEqual(['run-5', 'run-4', 'run-3', 'run-2']);
  }));

it('journals of runs with open requests are not archived', () =>
  withFolder(async (folder) => {
    const store = openStore(folder, ADDRESS);
    await attach(store, 'run-1', [1]);
    const closed = join(folder, 'journal', 'run-1.jsonl');
    const lines = (await readFile(closed, 'utf8')).split('\n').filter((line) => !line.includes('reconciled'));
    await rm(closed);
    await writeFile(join(folder, 'journal', 'run-1.open.jsonl'), lines.join('\n'));
    await attach(store, 'run-2', [1, 2]);
    await archived(store, 0);
    expect((await readdir(join(folder, 'journal'))).sort()).toEqual([
      'history.jsonl',
      'run-1.open.jsonl',
      'run-2.marks.json',
    ]);
    expect(await store.pending()).toHaveLength(1);
  }));

it('a run that may have lost its lock archives nothing more', () =>
  withFolder(async (folder) => {
    const store = openStore(folder, ADDRESS);
    for (const last of [1, 2]) await attach(store, `run-${last}`, [last]);
    const lost = () => {
      throw new Error('lost');
    };
    await expect(store.under({ check: lost, keep: null }).archive({ journals: 0, runs: 99 })).rejects.toThrow(
      'lost',
    );
    expect((await readdir(join(folder, 'journal'))).sort()).toEqual(['run-1.jsonl', 'run-2.jsonl']);
  }));

it.each([
  ['run-1.marks.json', '{"version":1}', (store: Store) => store.readAll()],
  ['history.jsonl', '{"version":1}\n', (store: Store) => store.runs(ALL)],
])('a damaged %s is an error that names it', (name, text, read) =>
  withFolder(async (folder) => {
    const store = openStore(folder, ADDRESS);
    await attach(store, 'run-1', [1]);
    await archived(store, 0);
    const file = join(folder, 'journal', name);
    await writeFile(file, text);
    expect(await failureOf(read(store))).toMatchObject({
      code: 'state-corrupt',
      message: expect.stringContaining(file),
    });
  }),
);
