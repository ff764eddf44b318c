import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { memoryRemote, type Remote } from '../support/branch.js';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { startProgram } from '../support/program.js';
import { git } from '../support/repository.js';
import { openService } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';
import { wireTo } from '../support/service/wire.js';
import { openStore } from '../support/state.js';

/** Moves a state from a folder to a branch. */

interface Place {
  folder: string;
  state: string;
  /** Runs a command. Returns its output or its error. */
  run(...argv: string[]): Promise<string>;
  backend(name: 'file' | 'git'): Promise<void>;
}

/** `states`: keeps states on branches; default: the remote of the clones. */
async function places(
  body: (at: { first: Place; other: Place; remote: string }) => Promise<void>,
  states?: Remote,
): Promise<void> {
  const service = openService(shaped({}), { campaigns: [], templates: [] });
  await withFolder(async (top) => {
    const remote = join(top, 'remote.git');
    git(top, 'init', '-q', '--bare', remote);
    const place = async (name: string): Promise<Place> => {
      const folder = join(top, name);
      git(top, 'clone', '-q', remote, name);
      const backend = (kind: 'file' | 'git') =>
        writeFiles(folder, {
          'campaignctl.yaml': `version: 1
manifests: ["campaigns/*.yaml"]
state: { backend: ${kind}, id: 5f1c20a9be37 }
environments: { production: { base_url: "https://send.example.com", token_env: CAMPAIGNS_TOKEN } }
`,
          'campaigns/spring.yaml': 'name: Spring\nleads: { lists: [7] }\n',
        });
      await backend('file');
      return {
        folder,
        state: join(folder, '.campaignctl/state/production'),
        async run(...argv) {
          const { code, out, err } = await command(folder, argv, undefined, undefined, {
            wire: wireTo(service),
            ...(states && { openBranch: states.open }),
          });
          return `${code} ${out}${err}`.replace(/\s+/g, ' ').trim();
        },
        backend,
      };
    };
    await body({ first: await place('one'), other: await place('other'), remote });
  });
}

const MIGRATE = ['state', 'migrate'] as const;
const NO_CHANGES = /^0 [\s\S]*No changes/;

it('moves completely from a folder to the branch, and can be moved again without harm', () =>
  places(async ({ first, other }) => {
    expect(await first.run('apply', '--yes')).toMatch(/^0 /);
    expect(await first.run(...MIGRATE)).toContain('does not name a branch');
    await first.backend('git');
    expect(await first.run('plan')).toMatch(/^1 [\s\S]*this machine has a state in/);
    expect(await first.run(...MIGRATE)).toMatch(/^0 Moved .*: 3 files\. Nothing was sent\.$/);
    expect(await first.run(...MIGRATE)).toMatch(/^0 .* already .*: 3 files\. Nothing was moved\.$/);
    await other.backend('git');
    for (const { run } of [first, other]) expect(await run('plan')).toMatch(NO_CHANGES);
    expect(await other.run('history')).toMatch(/done/);
  }, memoryRemote()));

it('moves nothing under another id than the folder records', () =>
  places(async ({ first }) => {
    expect(await first.run('apply', '--yes')).toMatch(/^0 /);
    await first.backend('git');
    const file = join(first.folder, 'campaignctl.yaml');
    const text = await readFile(file, 'utf8');
    for (const id of ['', ', id: other']) {
      await writeFile(file, text.replace(', id: 5f1c20a9be37', id));
      expect(await first.run(...MIGRATE)).toMatch(/^1 [\s\S]*project with id 5f1c20a9be37.* state\.id/);
    }
    await first.backend('git');
    expect(await first.run(...MIGRATE)).toMatch(/^0 Moved/);
    expect(await first.run('plan')).toMatch(NO_CHANGES);
  }, memoryRemote()));

it('moves a state that shell steps of a pipeline have stored on a branch', () =>
  places(async ({ first, other, remote }) => {
    git(first.folder, 'init', '-q', '-b', 'campaignctl-state', '.campaignctl/state');
    expect(await first.run('apply', '--yes')).toMatch(/^0 /);
    const kept = join(first.folder, '.campaignctl/state');
    git(kept, 'add', '-A');
    git(kept, 'commit', '-qm', 'State');
    git(kept, 'push', '-q', remote, 'campaignctl-state');

    git(other.folder, 'clone', '-q', '-b', 'campaignctl-state', remote, '.campaignctl/state');
    await other.backend('git');
    expect(await other.run(...MIGRATE)).toMatch(/^0 Moved .* 3 files/);
    await rm(kept, { recursive: true });
    await first.backend('git');
    expect(await first.run('plan')).toMatch(NO_CHANGES);
    expect(git(remote, 'for-each-ref', '--format=%(refname:short)')).toContain('campaignctl-state\n');
  }));

it('moves open journals, and loses nothing from two folders', () =>
  places(async ({ first, other }) => {
    expect(await first.run('apply', '--yes')).toMatch(/^0 /);
    expect(await other.run('apply', '--yes', '--allow', 'repeat-attach')).toMatch(/^0 /);
    await first.backend('git');
    await other.backend('git');

    const [closed = ''] = await readdir(join(first.state, 'journal'));
    const file = join(first.state, 'journal', closed);
    const lines = (await readFile(file, 'utf8')).split('\n');
    const open = lines.filter((line) => /"type":"(run|plan|intent)"/.test(line));
    await writeFile(file.replace('.jsonl', '.open.jsonl'), `${open.join('\n')}\n`);
    await rm(file);

    expect(await first.run(...MIGRATE)).toMatch(/^0 Moved/);
    expect(await other.run(...MIGRATE)).toMatch(/^1 [\s\S]*different versions of \d+\.json/);
    expect(await first.run('plan')).toMatch(/repeat-attach/);
  }, memoryRemote()));

it('moves the archived runs of two folders', () =>
  places(async ({ first, other }) => {
    for (const { run, state, backend } of [first, other]) {
      expect(await run('apply', '--yes', '--allow', 'repeat-attach')).toMatch(/^0 /);
      const store = openStore(state, 'https://send.example.com');
      await store.archive({ journals: 0, runs: 99 });
      await backend('git');
    }
    expect(await first.run(...MIGRATE)).toMatch(/^0 Moved/);
    await rm(join(other.state, '101.json'));
    expect(await other.run(...MIGRATE)).toMatch(/^0 Moved/);
    expect((await first.run('history')).match(/ done/g)).toHaveLength(2);
  }, memoryRemote()));

it('continues a move whose push arrived before the machine died', () =>
  places(async ({ first, remote }) => {
    expect(await first.run('apply', '--yes')).toMatch(/^0 /);
    await first.backend('git');
    // The push arrives, and nothing after it does.
    const hook = join(remote, 'hooks', 'post-receive');
    const down = join(first.folder, 'down');
    await mkdir(join(remote, 'hooks'), { recursive: true });
    await writeFile(
      hook,
      `#!/bin/sh\nread _ new _\ngit show --name-only $new | grep -q '^state.json' || exit 0\nmv '${remote}' '${down}'\nkill -9 $PPID\n`,
      { mode: 0o755 },
    );
    // It retries for half a minute of its clock.
    const fast = { FASTER: '20', NOW: String(Date.now()), JUMP: '0' };
    const ended = await startProgram(first.folder, MIGRATE, fast).ended;
    expect([ended.code, ended.err]).toEqual([4, expect.stringContaining('[state-not-kept]')]);
    await rename(down, remote);
    await rm(hook);
    expect(await first.run('plan')).toMatch(/^1 [\s\S]*this machine has a state in/);
    expect(await first.run(...MIGRATE)).toMatch(/^0 Moved .* 3 files/);
    expect(await first.run('plan')).toMatch(NO_CHANGES);
  }));
