import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SandboxOptions, State } from '../../src/sandbox/index.js';
import { officeHours, send, setUp, withSandbox } from './service.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  file = join(folder, 'deep', 'sandbox.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const stateOf = (options: Partial<SandboxOptions> = {}): Promise<State> =>
  withSandbox({ profile: 'reported', file, ...options }, async (sandbox) => sandbox.state());

/** One write of each kind, and a launch that is still on its way. */
async function writeEverything(): Promise<State> {
  return withSandbox({ profile: 'reported', file, launchDelayReads: 5 }, async (sandbox) => {
    await setUp(sandbox);
    await send(sandbox, 'POST /api/campaigns', { name: 'Sommer – Süd' });
    await send(sandbox, 'POST /api/campaigns/2/create-schedule-from-template', { schedule_id: 2 });
    await send(sandbox, 'PATCH /api/campaigns/1/update', { reputation_building: true });
    await send(sandbox, 'POST /api/campaigns/1/leads/attach-lead-list', { lead_list_id: 42 });
    await send(sandbox, 'POST /api/campaigns/1/leads/attach-leads', { lead_ids: [1002, 1001] });
    await send(sandbox, 'PATCH /api/campaigns/2/pause');
    await send(sandbox, 'PATCH /api/campaigns/1/resume');
    await send(sandbox, 'GET /api/campaigns/1');
    return sandbox.state();
  });
}

describe('what was answered is kept', () => {
  test('a sandbox that starts again has everything, in either character, and writes on', async () => {
    const before = await writeEverything();
    expect(before.campaigns).toMatchObject([
      { status: 'queued', queuedReads: 4, revision: 7 },
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

  test('a write is in the file before its answer goes out', async () => {
    await withSandbox({ profile: 'documented', file }, async (sandbox) => {
      await send(sandbox, 'POST /api/campaigns', { name: 'Spring' });
      expect(readFileSync(file, 'utf8').split('\n')).toEqual([
        '{"file":"campaignctl sandbox","version":1}',
        '{"n":1,"event":{"type":"campaign-created","name":"Spring"}}',
        '',
      ]);
    });
  });
});

describe('after a crash', () => {
  test('a torn last line is cut off, at whatever byte, and the next write takes its place', async () => {
    await withSandbox({ profile: 'documented', file }, async (sandbox) => {
      await send(sandbox, 'POST /api/campaigns', { name: 'Spring' });
      await send(sandbox, 'POST /api/campaigns', { name: 'Süd' });
    });
    const whole = readFileSync(file);
    const last = whole.lastIndexOf('\n', whole.length - 2) + 1;
    for (let cut = last; cut < whole.length; cut += 1) {
      writeFileSync(file, whole.subarray(0, cut));
      expect((await stateOf()).campaigns.map(({ name }) => name)).toEqual(['Spring']);
      expect(readFileSync(file)).toEqual(whole.subarray(0, last));
    }
    await withSandbox({ profile: 'documented', file }, async (sandbox) => {
      await send(sandbox, 'POST /api/campaigns', { name: 'Süd' });
    });
    expect(readFileSync(file)).toEqual(whole);
  });

  test('a torn first line is a new file', async () => {
    await stateOf();
    const header = readFileSync(file);
    writeFileSync(file, header.subarray(0, 9));
    expect((await stateOf()).campaigns).toEqual([]);
    expect(readFileSync(file)).toEqual(header);
  });

  test.each([
    ['cut', (line: string) => line.slice(0, 20)],
    ['left out', () => null],
    ['no event', () => '{"n":2}'],
    ['an event of an unknown kind', () => '{"n":2,"event":{"type":"deleted","campaign":1}}'],
    ['an event of an unknown campaign', () => '{"n":2,"event":{"type":"paused","campaign":9}}'],
    ['text of another kind', () => 'oops'],
  ])(
    'a line in the middle that is %s is an error that names file and line, and nothing is changed',
    async (_, damage) => {
      await writeEverything();
      const lines = readFileSync(file, 'utf8').split('\n');
      const damaged = lines.flatMap((line, index) => (index === 2 ? (damage(line) ?? []) : line)).join('\n');
      writeFileSync(file, damaged);
      await expect(stateOf()).rejects.toMatchObject({
        name: 'Failure',
        code: 'sandbox-file-corrupt',
        message: `The sandbox's data in ${file} cannot be read: line 3 is damaged.`,
      });
      expect(readFileSync(file, 'utf8')).toBe(damaged);
    },
  );

  test('bytes that are no text are damage too', async () => {
    await writeEverything();
    const bytes = readFileSync(file);
    bytes[bytes.indexOf('ü')] = 0xff;
    writeFileSync(file, bytes);
    await expect(stateOf()).rejects.toMatchObject({ code: 'sandbox-file-corrupt' });
  });
});

describe('files that are not its own', () => {
  test('a file of something else is left alone', async () => {
    file = join(folder, 'notes.txt');
    writeFileSync(file, 'remember the milk');
    await expect(stateOf()).rejects.toMatchObject({ name: 'Failure', code: 'sandbox-file-foreign' });
    expect(readFileSync(file, 'utf8')).toBe('remember the milk');
  });

  test('a place where nothing can be kept is an error', async () => {
    writeFileSync(join(folder, 'deep'), '');
    await expect(stateOf()).rejects.toMatchObject({ name: 'Failure', code: 'sandbox-file-unusable' });
  });

  test('a file that something else writes to is not written to any more', async () => {
    await withSandbox({ profile: 'documented', file }, async (first) => {
      await send(first, 'POST /api/campaigns', { name: 'Spring' });
      await withSandbox({ profile: 'documented', file }, async (second) => {
        await send(second, 'POST /api/campaigns', { name: 'Summer' });
      });
      const answer = await send(first, 'POST /api/campaigns', { name: 'Autumn' });
      expect(answer.status).toBe(500);
      expect((answer.body as { message: string }).message).toContain('Run one sandbox at a time');
      expect(first.state().campaigns.map(({ name }) => name)).toEqual(['Spring']);
    });
    expect((await stateOf()).campaigns.map(({ name }) => name)).toEqual(['Spring', 'Summer']);
  });

  test('two lines with one number are damage', async () => {
    await withSandbox({ profile: 'documented', file }, async (sandbox) => {
      await send(sandbox, 'POST /api/campaigns', { name: 'Spring' });
    });
    appendFileSync(file, '{"n":1,"event":{"type":"campaign-created","name":"Summer"}}\n');
    await expect(stateOf()).rejects.toMatchObject({ code: 'sandbox-file-corrupt' });
  });
});
