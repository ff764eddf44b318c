import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.js';
import type { SandboxState } from '../../src/sandbox/state.js';
import { officeHours, send, setUp, withSandbox } from './service.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  file = join(folder, 'deep', 'sandbox.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const stateOf = (options: Partial<SandboxOptions> = {}): Promise<SandboxState> =>
  withSandbox({ profile: 'reported', file, ...options }, async (sandbox) => sandbox.state());

/** One write of each kind, and a launch in progress. */
async function writeEverything(): Promise<SandboxState> {
  return withSandbox({ profile: 'reported', file }, async (sandbox) => {
    await setUp(sandbox);
    await send(sandbox, 'POST /api/campaigns', { name: 'Sommer – Süd' });
    await send(sandbox, 'POST /api/campaigns/2/create-schedule-from-template', { schedule_id: 2 });
    await send(sandbox, 'PATCH /api/campaigns/1/update', { reputation_building: true });
    await send(sandbox, 'POST /api/campaigns/1/leads/attach-lead-list', { lead_list_id: 42 });
    await send(sandbox, 'POST /api/campaigns/1/leads/attach-leads', { lead_ids: [1002, 1001] });
    await send(sandbox, 'PATCH /api/campaigns/2/pause');
    await send(sandbox, 'PATCH /api/campaigns/1/resume');
    return sandbox.state();
  });
}

describe('writes with a response are kept', () => {
  test('a restarted sandbox has all data, in either profile, and accepts further writes', async () => {
    const before = await writeEverything();
    expect(before.campaigns).toMatchObject([
      { status: 'queued', queuedReads: 1, revision: 6 },
      { status: 'paused' },
    ]);
    expect(await stateOf()).toEqual(before);
    expect(await stateOf({ profile: 'documented' })).toEqual(before);
    await withSandbox({ profile: 'reported', file }, async (sandbox) => {
      const answer = await send(sandbox, 'POST /api/campaigns', { name: 'Autumn' });
      expect(answer).toMatchObject({ status: 201, body: { data: { id: 3 } } });
    });
    expect((await stateOf()).campaigns.map(({ name }) => name)).toEqual(['Spring', 'Sommer – Süd', 'Autumn']);
  });

  test('reads and refusals leave no trace in the file', async () => {
    await withSandbox({ profile: 'reported', file }, async (sandbox) => {
      await setUp(sandbox);
      const before = readFileSync(file, 'utf8');
      await send(sandbox, 'GET /api/campaigns');
      await send(sandbox, 'GET /api/campaigns/1');
      await send(sandbox, 'POST /api/campaigns', {});
      await send(sandbox, 'POST /api/campaigns/1/schedule', { ...officeHours, save_as_template: true });
      expect(readFileSync(file, 'utf8')).toBe(before);
    });
  });

  test('a write is in the file before its response is sent', async () => {
    await withSandbox({ profile: 'documented', file }, async (sandbox) => {
      await send(sandbox, 'POST /api/campaigns', { name: 'Spring' });
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
        file: 'campaignctl sandbox',
        version: 1,
        state: { campaigns: [{ id: 1, name: 'Spring' }] },
      });
    });
  });

  test('concurrent writes are all kept', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `Campaign ${index}`);
    await withSandbox({ profile: 'documented', file }, async (sandbox) => {
      const answers = await Promise.all(names.map((name) => send(sandbox, 'POST /api/campaigns', { name })));
      expect(new Set(answers.map(({ body }) => (body as { id: number }).id)).size).toBe(200);
    });
    expect((await stateOf()).campaigns.map(({ name }) => name).sort()).toEqual([...names].sort());
  });
});

/** A sandbox in a separate process, which is killed while clients write to it. */
const CHILD = `
import { startSandbox } from './sandbox.mjs';
const sandbox = await startSandbox({ profile: 'documented', file: process.argv[2] });
process.stdout.write(sandbox.url);
`;

describe('after a crash', () => {
  test('every write with a response is kept, whenever the process was killed', {
    timeout: 60_000,
  }, async () => {
    const entry = fileURLToPath(new URL('../../src/sandbox/index.ts', import.meta.url));
    const outfile = join(folder, 'sandbox.mjs');
    buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm' });
    writeFileSync(join(folder, 'child.mjs'), CHILD);
    const answered: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      const child = spawn(process.execPath, [join(folder, 'child.mjs'), file]);
      const [url] = await once(child.stdout, 'data');
      const writes = Array.from({ length: 40 }, async (_, index) => {
        const name = `${round}/${index}`;
        await send({ url: String(url) }, 'POST /api/campaigns', { name });
        answered.push(name);
        if (answered.length % 11 === 1 + round) child.kill('SIGKILL');
      });
      await Promise.all([once(child, 'exit'), Promise.allSettled(writes)]);
      const kept = (await stateOf()).campaigns.map(({ name }) => name);
      expect(new Set(kept).size).toBe(kept.length);
      expect(kept).toEqual(expect.arrayContaining(answered));
    }
    expect(answered.length).toBeGreaterThan(0);
  });

  test('files that a killed process left behind are ignored', async () => {
    const before = await writeEverything();
    writeFileSync(`${file}.6f9619ff-8b86-d011-b42d-00cf4fc964ff.tmp`, '{"file":"campaignctl sandbox","ver');
    expect(await stateOf()).toEqual(before);
  });

  test('an empty file is a new sandbox', async () => {
    file = join(folder, 'empty.json');
    writeFileSync(file, '');
    expect((await stateOf()).campaigns).toEqual([]);
  });
});

describe('a damaged file', () => {
  const change = (text: string, from: string | RegExp, to: string) => {
    expect(text).toMatch(from);
    return text.replace(from, to);
  };

  test.each<[string, (text: string) => string]>([
    ['cut', (text) => text.slice(0, text.length / 2)],
    ['cut by one character', (text) => text.slice(0, -2)],
    ['without its state', (text) => change(text, /"state":.*\}/, '"state":null}')],
    ['of another version', (text) => change(text, '"version":1', '"version":2')],
    ['longer than it was', (text) => `${text}{"n":2}\n`],
  ])('that is %s is an error that names it, and nothing is changed', async (_, damage) => {
    await writeEverything();
    writeFileSync(file, damage(readFileSync(file, 'utf8')));
    const damaged = readFileSync(file);
    await expect(stateOf()).rejects.toMatchObject({
      name: 'Failure',
      code: 'sandbox-file-unusable',
      message: expect.stringContaining(` ${file} `),
    });
    expect(readFileSync(file)).toEqual(damaged);
  });

  test('is detected wherever it was cut', async () => {
    await withSandbox({ profile: 'documented', file }, async (sandbox) => {
      await send(sandbox, 'POST /api/campaigns', { name: 'Süd' });
    });
    const whole = readFileSync(file);
    for (let cut = 1; cut < whole.length - 1; cut += 7) {
      writeFileSync(file, whole.subarray(0, cut));
      await expect(stateOf(), `cut at ${cut}`).rejects.toMatchObject({
        message: expect.stringContaining(file),
      });
    }
    writeFileSync(file, whole);
    expect((await stateOf()).campaigns.map(({ name }) => name)).toEqual(['Süd']);
  });
});

describe('files of other programs', () => {
  test('a foreign file is not changed', async () => {
    file = join(folder, 'notes.txt');
    writeFileSync(file, 'remember the milk');
    await expect(stateOf()).rejects.toMatchObject({ name: 'Failure', code: 'sandbox-file-unusable' });
    expect(readFileSync(file, 'utf8')).toBe('remember the milk');
  });

  test('a path that cannot be written is an error', async () => {
    writeFileSync(join(folder, 'deep'), '');
    await expect(stateOf()).rejects.toMatchObject({ name: 'Failure', code: 'sandbox-file-unusable' });
  });

  test('a file that another program modifies is no longer written', async () => {
    await withSandbox({ profile: 'documented', file }, async (first) => {
      await send(first, 'POST /api/campaigns', { name: 'Spring' });
      await withSandbox({ profile: 'documented', file }, async (second) => {
        await send(second, 'POST /api/campaigns', { name: 'Summer' });
      });
      const answer = await send(first, 'POST /api/campaigns', { name: 'Autumn' });
      expect(answer.status).toBe(500);
      expect((answer.body as { message: string }).message).toContain('Only one sandbox at a time');
      expect(first.state().campaigns.map(({ name }) => name)).toEqual(['Spring']);
    });
    expect((await stateOf()).campaigns.map(({ name }) => name)).toEqual(['Spring', 'Summer']);
  });
});
