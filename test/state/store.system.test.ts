import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CREATED_STATE, type RecordedState, type StateEntry, UNKNOWN_STATE } from '../../src/model/state.js';
import { leaseLost } from '../../src/state/lock.js';
import { moment } from '../../src/state/moment.js';
import type { StateUser } from '../../src/state/owner.js';
import type { LeasableStore, Store } from '../../src/state/store.js';
import { failureOf } from '../support/failure.js';
import { withFolder } from '../support/folder.js';
import { deepFreeze } from '../support/freeze.js';
import { step as campaignStep, planOf } from '../support/plans.js';
import { openStore } from '../support/state.js';

const ADDRESS = 'https://send.example.com';

const MEMORY: RecordedState = {
  known: true,
  at_defaults: false,
  attached: { lists: [42, 77], ids: [1001, 1002] },
  doubtful: { lists: [], ids: [7] },
  total_leads: 340,
  attached_at: null,
  applied: { settings: { reputation_building: true, unsubscribe_text: null }, schedule: { template: 3 } },
  sequence: { steps: 3, variants: 1 },
  schedule_seen: true,
  status: 'running',
  has_run: true,
  last: {
    at: '2026-05-12T08:00:00.000Z',
    how: 'apply',
    spec: { name: 'Spring', settings: { plain_text: true } },
  },
  seen: {
    manifest: 'sha256:1',
    environment: 'sha256:2',
    listed: { name: 'Spring', status: 'active', total_leads: 340, updated_at: null },
  },
};
const NAMED = { id: 7, manifest: 'spring.yaml', name: 'Spring installers' };
const record = (id: number, recorded: RecordedState = MEMORY): StateEntry =>
  deepFreeze({ id, manifest: `campaigns/${id}.yaml`, name: `Été ${id} | "Spring"\u2028`, recorded });

/** A store in a temporary folder. */
function stored(use: (store: LeasableStore, folder: string) => Promise<void>): Promise<void> {
  return withFolder((folder) => use(openStore(folder, ADDRESS), folder));
}

describe('the entries of an environment', () => {
  it('come back as they were saved, sorted by id', () =>
    withFolder(async (folder) => {
      const store = openStore(join(folder, 'state', 'production'), ADDRESS);
      const entries = [record(100), record(7, UNKNOWN_STATE), record(20, CREATED_STATE)];
      for (const each of entries) await store.save(each);
      expect(await store.readAll()).toEqual([entries[1], entries[2], entries[0]]);
      expect(await openStore(join(folder, 'state', 'production'), ADDRESS).readAll()).toEqual(
        await store.readAll(),
      );
    }));

  it('are empty if nothing was saved, and reading creates no folder', () =>
    withFolder(async (folder) => {
      expect(await openStore(join(folder, 'production'), ADDRESS).readAll()).toEqual([]);
      expect(await readdir(folder)).toEqual([]);
    }));

  it('are one small file per campaign, named by its id, with lines that merge easily', () =>
    stored(async (store, folder) => {
      await store.save({ ...NAMED, recorded: CREATED_STATE });
      await store.save(record(20));
      expect((await readdir(folder)).sort()).toEqual(['20.json', '7.json', 'state.json']);
      await expect(await readFile(join(folder, '7.json'), 'utf8')).toMatchFileSnapshot('golden/7.txt');
    }));

  it('are replaced by a later save', () =>
    stored(async (store, folder) => {
      await store.save(record(7));
      await store.save(record(7, CREATED_STATE));
      expect(await store.readAll()).toEqual([record(7, CREATED_STATE)]);
      expect((await readdir(folder)).sort()).toEqual(['7.json', 'state.json']);
    }));

  it('can be many, and saved concurrently', () =>
    stored(async (store) => {
      const entries = Array.from({ length: 300 }, (_, index) => record(index + 1));
      await Promise.all(entries.map((item) => store.save(item)));
      expect(await store.readAll()).toEqual(entries);
    }));

  it('of one campaign saved concurrently leave one of them whole', () =>
    stored(async (store, folder) => {
      const recorded = Array.from({ length: 20 }, (_, index) => ({
        ...CREATED_STATE,
        attached: { lists: [], ids: Array.from({ length: 200 - 10 * index }, (_, id) => id + 1) },
      }));
      await Promise.all(recorded.map((recorded) => store.save(record(7, recorded))));
      const [only, ...others] = await store.readAll();
      expect(others).toEqual([]);
      expect(recorded.map((recorded) => record(7, recorded))).toContainEqual(only);
      expect((await readdir(folder)).sort()).toEqual(['7.json', 'state.json']);
    }));

  it('are not affected by leftovers of a crash or by foreign files', () =>
    stored(async (store, folder) => {
      await store.save(record(7));
      await writeFile(join(folder, '7.json.tmp'), '{"version": 1, "id": 7, "man');
      await writeFile(join(folder, '8.json.tmp'), '');
      await writeFile(join(folder, '.gitkeep'), '');
      await writeFile(join(folder, 'notes.json'), '{}');
      expect(await store.readAll()).toEqual([record(7)]);
      await store.save(record(7, CREATED_STATE));
      expect(await store.readAll()).toEqual([record(7, CREATED_STATE)]);
    }));
});

describe('the owner of a state', () => {
  const OTHER = 'https://other.example.com';
  const OWNER = { version: 1, base_url: ADDRESS, project: 'shop', file: 'clients/acme/campaignctl.yaml' };
  const inAcme = { project: 'shop', file: OWNER.file, isPath: true };

  it('is recorded with the first entry or journal, once', () =>
    withFolder(async (folder) => {
      const store = openStore(folder, ADDRESS, inAcme);
      expect(await store.owner()).toBeNull();
      await Promise.all([7, 8].map((id) => store.save(record(id))));
      expect(await store.owner()).toEqual(OWNER);
      expect(JSON.parse(await readFile(join(folder, 'state.json'), 'utf8'))).toEqual(OWNER);
    }));

  it.each<[string, string, string, Partial<StateUser>]>([
    ['service address', 'state-of-other-service', OTHER, inAcme],
    ['project file', 'state-of-other', ADDRESS, { ...inAcme, file: 'clients/beta/campaignctl.yaml' }],
    ['file name outside of a repository', 'state-of-other', ADDRESS, { file: 'b.yaml' }],
    ['project file and service', 'state-of-other', OTHER, { ...inAcme, file: 'campaignctl.yaml' }],
  ])(
    'with a different %s prevents every method from reading and writing until the state is rebased',
    (_, code, url, user) =>
      withFolder(async (folder) => {
        await openStore(folder, ADDRESS, inAcme).save(record(7));
        const store = openStore(folder, url, user);
        for (const use of [
          () => store.readAll(),
          () => store.save(record(8)),
          () => store.remove(7),
          () => store.pending(),
          () => store.closePending([]),
        ])
          expect(await failureOf(use())).toMatchObject({ code, exitCode: 1 });
        expect((await readdir(folder)).sort()).toEqual(['7.json', 'state.json']);
        expect(await store.owner()).toEqual(OWNER);
        await store.rebase();
        expect(await store.readAll()).toEqual([record(7)]);
        await store.save(record(8));
        expect((await failureOf(openStore(folder, ADDRESS, inAcme).readAll())).code).toMatch(
          /^state-of-other/,
        );
      }),
  );

  it('is compared by what both sides know: an id if both have one, and the name of the file outside of a repository', () =>
    withFolder(async (folder) => {
      await openStore(folder, ADDRESS, inAcme).save(record(7));
      const known: Partial<StateUser>[] = [{}, { ...inAcme, project: null }, { project: 'shop' }];
      for (const user of known) {
        const store = openStore(folder, ADDRESS, user);
        expect(await store.readAll()).toEqual([record(7)]);
        await store.rebase();
        expect(await store.owner()).toEqual(OWNER);
      }
      const other = openStore(folder, ADDRESS, { ...inAcme, project: 'globex' });
      expect(await failureOf(other.readAll())).toMatchObject({ code: 'state-of-other' });
    }));

  it('that was recorded outside of a repository does not say which folder it means', () =>
    withFolder(async (folder) => {
      await openStore(folder, ADDRESS).save(record(7));
      const inside = openStore(folder, ADDRESS, { ...inAcme, project: null });
      expect(await failureOf(inside.readAll())).toMatchObject({ code: 'state-of-other' });
      await inside.rebase();
      for (const store of [inside, openStore(folder, ADDRESS)])
        expect(await store.readAll()).toEqual([record(7)]);
    }));

  it.each<[string, string | null, string]>([
    ['is missing', null, 'has entries or journals, but no state.json'],
    [
      'has a different version',
      '{"version":2,"base_url":"https://send.example.com","project":null,"file":"campaignctl.yaml"}',
      '/version must be equal to constant',
    ],
    ['is not JSON', '<<<<<<< HEAD\n', 'it is not JSON'],
    [
      'does not name the project file',
      '{"version":1,"base_url":"https://send.example.com","project":null}',
      "must have required property 'file'",
    ],
  ])('that %s next to entries is an error, and no new address is recorded', (_, text, why) =>
    withFolder(async (folder) => {
      await openStore(folder, ADDRESS).save(record(7));
      const file = join(folder, 'state.json');
      await (text === null ? rm(file) : writeFile(file, text));
      for (const use of [
        () => openStore(folder, ADDRESS).readAll(),
        () => openStore(folder, ADDRESS).save(record(8)),
      ])
        expect(await failureOf(use())).toMatchObject({
          code: 'state-corrupt',
          message: expect.stringContaining(why),
          hint: expect.stringContaining(file),
        });
      expect(await readdir(folder)).not.toContain('8.json');
    }),
  );
});

describe('a run that has lost its lease', () => {
  const check = () => {
    throw leaseLost();
  };
  const texts = async (folder: string) => {
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = found.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    return Promise.all(files.sort().map(async (file) => [file, await readFile(file, 'utf8')]));
  };

  it.each<[string, (store: Store) => Promise<void>]>([
    ['saves no entry', (store) => store.save(record(7, UNKNOWN_STATE))],
    ['removes no entry', (store) => store.remove(7)],
    ['closes no journal', async (store) => store.closePending(await store.pending())],
    ['makes no project the owner', (store) => store.rebase()],
  ])('%s', (_, write) =>
    stored(async (store, folder) => {
      await store.save(record(7));
      const run = { run: 'run-1', at: '2026-03-02T08:00:00Z', who: 'ada', commit: null, tool: '0' };
      const start = { ...run, environment: 'production', plan: planOf([]), specs: {} };
      const journal = await store.begin(start, () => run.at);
      const step = campaignStep('status', { id: 'launch' });
      await journal.intend({ ...NAMED, step, total_leads: null });
      const file = join(folder, 'state.json');
      await writeFile(file, `${await readFile(file, 'utf8')}\n`);
      const before = await texts(folder);
      expect((await failureOf(write(store.under({ check, keep: null })))).code).toBe('lease-lost');
      expect(await texts(folder)).toEqual(before);
      await write(store);
      expect(await texts(folder)).not.toEqual(before);
    }),
  );
});

describe('what was last seen in sync', () => {
  it.each<[string, unknown]>([
    ['is missing', undefined],
    ['has no time', { at: 'yesterday', how: 'apply', spec: { name: 'Spring' } }],
    ['has an unknown origin', { at: '2026-05-12T08:00:00.000Z', how: 'magic', spec: { name: 'Spring' } }],
    ['has an unknown section', { at: '2026-05-12T08:00:00Z', how: 'apply', spec: { name: 'S', leads: [] } }],
  ])('is unknown if it %s: this is not an error, because it decides nothing', (_, last) =>
    withFolder(async (folder) => {
      const file = { version: 1, ...NAMED, ...MEMORY, last };
      await openStore(folder, ADDRESS).save(record(7));
      await writeFile(join(folder, '7.json'), JSON.stringify(file));
      expect(await openStore(folder, ADDRESS).readAll()).toMatchObject([{ id: 7, recorded: { last: null } }]);
    }),
  );
});

describe('a state that cannot be used', () => {
  const valid = (change: object) => JSON.stringify({ version: 1, ...NAMED, ...MEMORY, ...change });

  it.each<[string, string, string]>([
    ['is empty', '', 'it is not JSON'],
    ['is cut', valid({}).slice(0, 80), 'it is not JSON'],
    ['is a list', '[]', 'it must be object'],
    ['has a different version', valid({ version: 2 }), '/version must be equal to constant'],
    ['has no id', valid({ id: null }), '/id must be integer'],
    ['has a name that is not text', valid({ name: 7 }), '/name must be string'],
    [
      'does not record what is attached',
      valid({ attached: undefined }),
      "it must have required property 'attached'",
    ],
    [
      'has ids that are texts',
      valid({ attached: { lists: ['42'], ids: [] } }),
      '/attached/lists/0 must be integer',
    ],
    [
      'has an id that is not an integer',
      valid({ doubtful: { lists: [], ids: [1.5] } }),
      '/doubtful/ids/0 must be integer',
    ],
    ['has a status that is not text', valid({ status: true }), '/status must be string,null'],
    ['belongs to a different campaign', valid({ id: 8 }), 'it belongs to campaign 8'],
  ])('because a file %s is an error with its name and a fix, and never counts as empty', (_, text, why) =>
    withFolder(async (folder) => {
      await openStore(folder, ADDRESS).save(record(9));
      const file = join(folder, '7.json');
      await writeFile(file, text);
      const { code, message, hint, exitCode } = await failureOf(openStore(folder, ADDRESS).readAll());
      expect({ code, message, hint, exitCode }).toEqual({
        code: 'state-corrupt',
        message: expect.stringMatching(new RegExp(` ${file} .* 7: ${why}\\.$`)),
        hint: expect.stringContaining('If you delete it'),
        exitCode: 1,
      });
    }),
  );

  it('because a file is in place of its folder is an error, for reading and for saving', () =>
    withFolder(async (folder) => {
      const place = join(folder, 'production');
      await writeFile(place, '');
      const unusable = { code: 'state-unusable', message: expect.stringContaining(place) };
      const store = openStore(place, ADDRESS);
      expect(await failureOf(store.readAll())).toMatchObject(unusable);
      expect(await failureOf(store.save(record(7)))).toMatchObject(unusable);
      const inside = openStore(join(place, 'eu'), ADDRESS);
      for (const id of [7, 8]) expect(await failureOf(inside.save(record(id)))).toMatchObject(unusable);
    }));

  it('because a folder is in place of an entry is an error that names it', () =>
    stored(async (store, folder) => {
      await store.save(record(8));
      await mkdir(join(folder, '7.json'));
      const named = { message: expect.stringContaining('7.json') };
      expect(await failureOf(store.readAll())).toMatchObject(named);
      expect(await failureOf(store.save(record(7)))).toMatchObject(named);
    }));

  // The superuser may write anywhere.
  it.skipIf(process.getuid?.() === 0)(
    'because its folder is not writable is an error, and the old entry stays',
    () =>
      withFolder(async (folder) => {
        const store = openStore(folder, ADDRESS);
        await store.save(record(7));
        await chmod(folder, 0o500);
        expect(await failureOf(store.save(record(7, CREATED_STATE)))).toMatchObject({
          code: 'state-unusable',
        });
        await chmod(folder, 0o700);
        expect(await store.readAll()).toEqual([record(7)]);
      }),
  );
});

it('the moment of an attachment is kept for ten minutes, only within the same boot', () =>
  withFolder(async (folder) => {
    const now = moment();
    const read = async (then: RecordedState['attached_at']) => {
      const store = openStore(folder, ADDRESS);
      await store.save({ ...record(7), recorded: { ...CREATED_STATE, attached_at: then } });
      return (await store.readAll())[0]?.recorded.attached_at;
    };
    expect(await read(now)).toEqual(now);
    expect(await read({ ...now, uptime: now.uptime - 10 * 60_000 })).toBeNull();
    expect(await read({ ...now, boot: 'another' })).toBeNull();
    expect(await read({ ...now, boot: null })).toBeNull();
  }));
