/** The list of campaigns is read while many manifests are parsed, and only where every plan of them would read it. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { type PendingOperations, UNKNOWN_STATE } from '../../../src/model/state.js';
import { beginReading } from '../../../src/operations/early.js';
import { openSession } from '../../../src/operations/session.js';
import { loadCampaigns, readProject } from '../../../src/project/index.js';
import type { Reader } from '../../../src/service/index.js';
import type { Store } from '../../../src/state/index.js';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { draft } from '../../support/service/store.js';

const services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

interface Case {
  count: number;
  manifest?: (number: number) => string;
  args?: string[];
  env?: Record<string, string>;
}

/** A plan of so many manifests: how it ended, and the requests. */
async function plan({ args = [], env, ...project }: Case) {
  return inProject(project, async (folder, service) => {
    const ended = await command(folder, ['plan', ...args], env);
    return { ...ended, requests: requestsOf(service) };
  });
}

function requestsOf({ requests }: TestService): string[] {
  return requests.map(({ method, path }) => `${method} ${path}`);
}

async function inProject<T>(
  { count, manifest = named }: Case,
  use: (folder: string, service: TestService) => Promise<T>,
): Promise<T> {
  const held = manifest === pinned ? count : 60;
  const campaigns = Array.from({ length: held }, (_, at) => draft(200 + at, `Campaign ${at}`));
  const service = await startService({ ...shaped({}), pageSize: 25 }, { campaigns, templates: [] });
  services.push(service);
  const numbers = Array.from({ length: count }, (_, at) => at);
  const files = Object.fromEntries(numbers.map((at) => [`campaigns/${1000 + at}.yaml`, manifest(at)]));
  const project = `version: 1
manifests: [campaigns/*.yaml]
environments: { production: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN } }
`;
  return withFolder(async (folder) => {
    await writeFiles(folder, { ...files, 'campaignctl.yaml': project });
    const result = await use(folder, service);
    expect(service.violations.filter((one) => !one.endsWith('Bearer another'))).toEqual([]);
    return result;
  });
}

const named = (number: number) => `name: Campaign ${number}\n`;
const lastIsWrong = (number: number) => (number < 119 ? named(number) : 'name: 1\n');
const pinned = (number: number) => `${named(number)}id: ${200 + number}\n`;
const LIST = 'GET /api/campaigns';

test('manifests with an error stop a plan as ever; all that was sent read the list', async () => {
  const { code, err, requests } = await plan({ count: 120, manifest: lastIsWrong });
  expect(code).toBe(1);
  expect(err).toContain('campaigns/1119.yaml:1:7');
  expect(err).toContain(
    'The manifests have 1 error.\n  → Correct them first. Nothing was changed in the service.',
  );
  expect(requests.length).toBeLessThanOrEqual(3);
  expect(requests.filter((request) => request !== LIST)).toEqual([]);
});

test('the list is read once, and the plan is the one of a few', async () => {
  const { code, out, requests } = await plan({ count: 120 });
  expect(code).toBe(0);
  expect(out).toContain('60 to create');
  expect(requests).toEqual([LIST, LIST, LIST]);
});

test.each<[string, Case]>([
  ['fewer than a hundred manifests', { count: 99, manifest: (at) => (at < 98 ? named(at) : 'name: 1\n') }],
  ['no token', { count: 120, env: {} }],
])('nothing is read for %s', async (_, given) => {
  const { code, requests } = await plan(given);
  expect([code, requests]).toEqual([1, []]);
});

test('the list is not read where every campaign is pinned', async () => {
  const { code, requests } = await plan({ count: 120, manifest: pinned });
  expect(code).toBe(0);
  expect(requests.length).toBe(120);
  expect(requests.filter((request) => request === LIST)).toEqual([]);
});

test('what is wrong with manifests is said before what is wrong with the service', async () => {
  const { code, err } = await plan({
    count: 120,
    manifest: lastIsWrong,
    env: { CAMPAIGNS_TOKEN: 'another' },
  });
  expect(code).toBe(1);
  expect(err).toContain('The manifests have 1 error.');
  expect(err).not.toContain('token');
});

test('each manifest is told of before the next one is read, however long that takes', () =>
  inProject({ count: 120 }, async (folder) => {
    const project = await readProject({ cwd: folder, config: null });
    const seen: string[] = [];
    await loadCampaigns(project, {
      environments: Object.values(project.environments),
      ...{ files: [], cwd: folder },
      look: (file) => void seen.push(file),
      async parsed() {
        await wait(1);
        seen.push('parsed');
      },
    });
    expect(seen.slice(0, 4)).toEqual(['campaigns/1000.yaml', 'parsed', 'campaigns/1001.yaml', 'parsed']);
    expect(seen.length).toBe(240);
  }));

test('where an earlier run left something open, nothing is read before it is waited for', () =>
  inProject({ count: 120 }, async (folder, service) => {
    const open: PendingOperations = {
      ...{ run: 'r', at: '2026-03-02T06:00:00.000Z', who: 'ann@host', manifest: 'campaigns/1000.yaml' },
      ...{ name: 'Campaign 0', id: 200, spec: '', changes: [], sent: [] },
    };
    const world = {
      cwd: folder,
      env: { CAMPAIGNS_TOKEN: TOKEN },
      now: Date.now,
      err() {},
      store: (files: Store): Store => ({ ...files, pending: async () => [open] }),
    };
    const flags = { config: null, env: null, debug: false };
    const { early } = await openSession(flags, world, null, beginReading);
    await early?.reader;
    expect((await early?.state)?.left).toEqual([open]);
    await wait(100);
    expect(requestsOf(service)).toEqual([]);
    await early?.close();
  }));

test.each([
  ['everything', {}, 1],
  ['targets', { target: ['Nothing'] }, 0],
  ['files', { files: ['campaigns/none.yaml'] }, 0],
])('it is asked for early, or not, for a plan of %s', (_, asked, times) =>
  inProject({ count: 120 }, async (folder) => {
    const world = { cwd: folder, env: {}, now: Date.now, err() {} };
    let begun = 0;
    const begin = () => {
      begun += 1;
      return null;
    };
    await openSession({ config: null, env: null, debug: false, ...asked }, world, null, begin).catch(
      () => {},
    );
    expect(begun).toBe(times);
  }),
);

/** A session of manifests of which the state knows these, with what is read early; nothing is asked for yet. */
function withEarly(
  known: [name: string, id: number][],
  refresh: 'all' | 'changed',
  use: (reader: Reader, service: TestService) => Promise<void>,
) {
  const manifest = (at: number) => `${named(at)}settings: { max_emails_per_day: 50 }\n`;
  return inProject({ count: 120, manifest }, async (folder, service) => {
    const entries = known.map(([name, id]) => ({ id, manifest: 'gone.yaml', name, recorded: UNKNOWN_STATE }));
    const world = {
      ...{ cwd: folder, env: { CAMPAIGNS_TOKEN: TOKEN }, now: Date.now, err() {} },
      store: (files: Store): Store => ({
        ...files,
        read: async () => ({ entries, elsewhere: [], open: [] }),
      }),
    };
    const flags = { ...{ config: null, env: null, debug: false }, refresh };
    const { early } = await openSession(flags, world, null, beginReading);
    const reader = await early?.reader;
    if (reader === undefined) throw new Error('Nothing is read early.');
    await use(reader, service);
    await early?.close();
  });
}

const RECORD = /^GET \/api\/campaigns\/\d+$/;
const recordsOf = (service: TestService) => requestsOf(service).filter((one) => RECORD.test(one));

test('campaigns that the state knows are read ahead, and each once', () =>
  withEarly(
    [
      ['Campaign 7', 207],
      ['Campaign 9', 209],
      ['Left over', 210],
    ],
    'all',
    async (reader, service) => {
      const ahead = ['GET /api/campaigns/207', 'GET /api/campaigns/209'];
      await vi.waitFor(() => expect(recordsOf(service)).toEqual(ahead));
      const bodies = await Promise.all(
        [207, 209, 210].map(async (id) => (await reader.read('campaign', id)).body),
      );
      expect(bodies).toMatchObject(['Campaign 7', 'Campaign 9', 'Campaign 10'].map((name) => ({ name })));
      expect(recordsOf(service)).toEqual([...ahead, 'GET /api/campaigns/210']);
      await reader.read('campaign', 207);
      expect(recordsOf(service).at(-1)).toBe('GET /api/campaigns/207');
    },
  ));

test.each<[string, [string, number][], 'all' | 'changed']>([
  [
    'where two entries have the name',
    [
      ['Campaign 7', 207],
      ['Campaign 7', 208],
    ],
    'all',
  ],
  ['where the state tells what has changed', [['Campaign 7', 207]], 'changed'],
])('nothing is read ahead %s', (_, known, refresh) =>
  withEarly(known, refresh, async (reader, service) => {
    await reader.campaigns();
    await wait(50);
    expect(recordsOf(service)).toEqual([]);
  }),
);

test('a plan of what was applied asks for the same as one of few: each campaign once', () =>
  inProject(
    { count: 120, manifest: (at) => `${named(at)}settings: { max_emails_per_day: 50 }\n` },
    async (folder, service) => {
      const args = ['--allow', 'mass-change,reset-unreadable', '--yes'];
      expect(await command(folder, ['apply', ...args])).toMatchObject({ code: 0 });
      service.requests.length = 0;
      expect((await command(folder, ['plan', '--detailed-exitcode'])).code).toBe(0);
      const requests = requestsOf(service).filter((one) => one !== LIST);
      expect(requests.length).toBe(120);
      expect(new Set(requests).size).toBe(120);
    },
  ));
