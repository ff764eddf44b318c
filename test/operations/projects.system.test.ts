import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import {
  type ListOptions,
  listProjects,
  parseShard,
  partOf,
  runProjects,
} from '../../src/operations/projects.js';
import type { World } from '../../src/operations/world.js';
import { systemClock } from '../../src/service/clock.js';
import { folder } from '../support/folder.js';

const project = (url: string, token: string) =>
  `version: 1\nmanifests: ["*.yaml"]\nenvironments:\n  live: { base_url: "${url}", token_env: ${token} }\n`;

test('projects run one after another, and a failure does not stop the others', async () => {
  const file = project('http://127.0.0.1:1', 'ONE_TOKEN');
  const cwd = folder({
    'a/campaignctl.yaml': file,
    'b/campaignctl.yaml': `${file}nope: 1`,
    'c/campaignctl.yaml': file,
  });
  const world: World = { cwd, env: {}, now: () => 0, clock: systemClock, err: () => {} };
  const all = await listProjects({ env: null, whole: false, recursive: true }, world);
  const log: string[] = [];
  const runs = await runProjects({ units: all, all }, world, new AbortController().signal, async (unit) => {
    log.push(`${unit.project} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`${unit.project} ends`);
    if (unit.project === 'a') throw new Failure({ code: 'no-token', message: 'No token.', hint: '' });
    return { code: 4, result: unit.project };
  });
  expect(log).toEqual(['a begins', 'a ends', 'c begins', 'c ends']);
  expect(runs.map(({ exit_code, result, failure }) => [exit_code, result, failure?.code])).toEqual([
    [1, null, 'no-token'],
    [1, null, 'invalid-project'],
    [4, 'c', undefined],
  ]);
});

test('projects are listed by folder and environment', async () => {
  const two = (names: string[]) =>
    `version: 1\nmanifests: ["*.yaml"]\nenvironments:\n${names.map((name) => `  ${name}: { sandbox: {}, manifests: ["*.yaml"] }\n`).join('')}`;
  const cwd = folder({
    'b/campaignctl.yaml': two(['staging', 'production']),
    'a/campaignctl.yaml': two(['live']),
    'a-b/campaignctl.yaml': two(['y', 'x']),
  });
  const units = await listProjects(
    { env: null, whole: false, recursive: true },
    { cwd, env: {}, now: () => 0, clock: systemClock, err: () => {} },
  );
  expect(units.map(({ project: name, environment }) => `${name} ${environment}`)).toEqual([
    'a live',
    'a-b x',
    'a-b y',
    'b production',
    'b staging',
  ]);
});

test('an environment comes after those in which its changes must have been applied', async () => {
  const cwd = folder({
    'a/campaignctl.yaml': `version: 1
manifests: ["*.yaml"]
environments:
  production: { base_url: "http://127.0.0.1:1", token_env: ONE_TOKEN, require_applied: staging }
  preview: { base_url: "http://127.0.0.1:2", token_env: TWO_TOKEN, require_applied: production }
  staging: { base_url: "http://127.0.0.1:3", token_env: THREE_TOKEN }
  zone: { base_url: "http://127.0.0.1:4", token_env: FOUR_TOKEN }
  a-sandbox: { sandbox: {} }
`,
  });
  const list = async (options: Pick<ListOptions, 'env' | 'isOverview'>) => {
    const world = { cwd, env: {}, now: () => 0, clock: systemClock, err: () => {} };
    const units = await listProjects({ ...options, whole: false, recursive: true }, world);
    return units.map(({ environment, failure }) => environment ?? failure?.code);
  };
  const all = ['staging', 'zone', 'production', 'preview'];
  expect(await list({ env: '*' })).toEqual(all);
  expect(await list({ env: null, isOverview: true })).toEqual(all);
  expect(await list({ env: null })).toEqual(['environment-required']);
});

test('after an interrupt, no further project starts', async () => {
  const cwd = folder({ 'a/campaignctl.yaml': project('http://127.0.0.1:1', 'ONE_TOKEN') });
  const world: World = { cwd, env: {}, now: () => 0, clock: systemClock, err: () => {} };
  const units = await listProjects({ env: null, whole: false, recursive: true }, world);
  const runs = await runProjects({ units, all: units }, world, AbortSignal.abort(), () => {
    throw new Error('It began.');
  });
  expect(runs.map(({ exit_code, failure }) => [exit_code, failure?.code])).toEqual([[130, 'interrupted']]);
});

test('a campaign that two projects have in one workspace runs in neither', async () => {
  const file = (token: string) => project('http://127.0.0.1:1', token);
  const cwd = folder({
    'a/campaignctl.yaml': file('ONE_TOKEN'),
    'a/spring.yaml': 'name: Spring\n',
    'b/campaignctl.yaml': file('TWO_TOKEN'),
    'b/other.yaml': 'name: Autumn\n---\nname: Spring\n',
    'c/campaignctl.yaml': file('ONE_TOKEN'),
    'c/summer.yaml': 'name: Summer\n',
    'd/campaignctl.yaml': file('THREE_TOKEN'),
    'd/spring.yaml': 'name: Spring\n',
  });
  const env = { ONE_TOKEN: 'token-of-one', TWO_TOKEN: 'token-of-one', THREE_TOKEN: 'another-token' };
  const runs = await run({ cwd, env, now: () => 0, clock: systemClock, err: () => {} });
  const codes = runs.map(({ failure }) => failure?.code);
  expect(codes).toEqual(['duplicate-name', 'duplicate-name', undefined, undefined]);
  expect(runs[1]?.failure?.message).toMatch(
    /^a\/spring\.yaml \(live\), b\/other\.yaml#2 \(live\) .*"Spring"/,
  );
});

test('a campaign that two environments of a project have in one workspace runs in neither', async () => {
  const second = '  other: { base_url: "http://127.0.0.1:1", token_env: ONE_TOKEN }\n';
  const cwd = folder({
    'campaignctl.yaml': project('http://127.0.0.1:1', 'ONE_TOKEN') + second,
    'spring.yaml': 'name: Spring\n',
  });
  const world: World = {
    cwd,
    env: { CAMPAIGNCTL_ENV: '*' },
    now: () => 0,
    clock: systemClock,
    err: () => {},
  };
  const codes = (await run(world)).map(({ environment, failure }) => [environment, failure?.code]);
  expect(codes).toEqual([
    ['live', 'duplicate-name'],
    ['other', 'duplicate-name'],
  ]);
});

test('validate reports campaigns that two projects have in one workspace, in any environment', async () => {
  const live = project('http://127.0.0.1:1', 'ONE_TOKEN');
  const two = (token: string) =>
    live.replace('  live:', `  staging: { base_url: "http://127.0.0.1:1", token_env: ${token} }\n  live:`);
  const cwd = folder({
    'a/campaignctl.yaml': two('TWO_TOKEN'),
    'a/spring.yaml': 'name: Spring\n',
    'b/campaignctl.yaml': live,
    'b/spring.yaml': 'name: Spring\n',
    'c/campaignctl.yaml': live.replace('ONE', 'THREE'),
    'c/spring.yaml': 'name: Spring\n',
    'd/campaignctl.yaml': live,
    'd/summer.yaml': 'name: Summer\n',
  });
  for (const env of [{}, { ONE_TOKEN: 'one', TWO_TOKEN: 'two' }]) {
    const runs = await run({ cwd, env, now: () => 0, clock: systemClock, err: () => {} }, true);
    const codes = runs.map(({ failure }) => failure?.code);
    expect(codes).toEqual(['duplicate-name', 'duplicate-name', undefined, undefined]);
    expect(runs[0]?.failure?.message).toContain('a/spring.yaml (live), b/spring.yaml (live) describe');
  }
});

async function run(world: World, whole = false) {
  const units = await listProjects({ env: null, whole, recursive: true }, world);
  const work = async () => ({ code: 0, result: null }) as const;
  return runProjects({ units, all: units }, world, new AbortController().signal, work);
}

const units = (count: number) => Array.from({ length: count }, (_, at) => ({ project: `clients/${at}` }));

describe('shards', () => {
  it('are disjoint, together all projects, and of equal size', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 12 }), (count, total) => {
        const all = units(count);
        const parts = Array.from({ length: total }, (_, at) => partOf(all, { index: at + 1, total }));
        expect(new Set(parts.flat())).toEqual(new Set(all));
        expect(parts.flat()).toHaveLength(count);
        const sizes = parts.map((part) => part.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('take every n-th project', () => {
    expect(partOf(units(7), { index: 2, total: 3 }).map(({ project }) => project)).toEqual([
      'clients/1',
      'clients/4',
    ]);
    expect(partOf(units(2), null)).toHaveLength(2);
  });

  it('are written as I/N', () => {
    expect(parseShard('2/8')).toEqual({ index: 2, total: 8 });
    expect(parseShard(null)).toBeNull();
    for (const written of ['0/8', '9/8', '1', '1/2/3', '1.5/2', '-1/2', '1/0', '/', '/4', 'auto', ''])
      expect(() => parseShard(written), written).toThrow(Failure);
  });
});
