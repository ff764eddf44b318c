import { afterEach, expect, test } from 'vitest';
import { withReader } from '../../src/operations/connect.js';
import { listProjects, runProjects } from '../../src/operations/projects.js';
import { openPlace } from '../../src/operations/session.js';
import type { World } from '../../src/operations/world.js';
import type { Pacer } from '../../src/service/index.js';
import { folder } from '../project/folder.js';
import { startService, type TestService, TOKEN } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';

const services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

const project = (url: string, token: string) =>
  `version: 1\nmanifests: ["*.yaml"]\nenvironments:\n  live: { base_url: "${url}", token_env: ${token} }\n`;

test('requests of several projects to one origin go through one pacer, those to another through another', async () => {
  const service = await startService(shaped({}), { campaigns: [], templates: [] });
  services.push(service);
  const cwd = folder({
    'a/campaignctl.yaml': project(service.url, 'ONE_TOKEN'),
    'b/campaignctl.yaml': project(`${service.url}/`, 'TWO_TOKEN'),
    'c/campaignctl.yaml': project('http://127.0.0.1:1', 'THREE_TOKEN'),
  });
  const env = { ONE_TOKEN: TOKEN, TWO_TOKEN: TOKEN, THREE_TOKEN: 'another-token-1' };
  const world: World = { cwd, env, now: () => 0, err: () => {} };
  const units = await listProjects({ env: null, whole: false }, world);
  const origins = units.map(({ target }) => new URL(target?.base_url ?? '').origin);
  const pacers: (Pacer | undefined)[] = [];
  let paced = 0;
  const set = { units, all: units, parallelism: null };
  await runProjects(set, world, new AbortController().signal, async (unit, { pacerOf, tokens }) => {
    expect(tokens).toEqual(['ONE_TOKEN', 'TWO_TOKEN', 'THREE_TOKEN']);
    const at = units.indexOf(unit);
    const pacer = pacerOf?.(origins[at] ?? '');
    pacers[at] = pacer;
    if (at === 2 || pacer === undefined) return { code: 0, result: null };
    const counted: Pacer = {
      ...pacer,
      run(task, turn) {
        paced += 1;
        return pacer.run(task, turn);
      },
    };
    const own = { ...world, cwd: unit.root, pacerOf: () => counted };
    const place = await openPlace({ config: null, env: null, debug: false }, own);
    await withReader({ ...place, campaigns: [] }, (reader) => reader.campaigns());
    return { code: 0, result: null };
  });
  expect(pacers[0]).toBeDefined();
  expect(pacers[1]).toBe(pacers[0]);
  expect(pacers[2]).not.toBe(pacers[0]);
  expect([paced, service.requests.length]).toEqual([paced, paced]);
  expect(paced).toBeGreaterThanOrEqual(2);
});

test('after an interrupt no project begins', async () => {
  const cwd = folder({ 'a/campaignctl.yaml': project('http://127.0.0.1:1', 'ONE_TOKEN') });
  const world: World = { cwd, env: {}, now: () => 0, err: () => {} };
  const units = await listProjects({ env: null, whole: false }, world);
  const runs = await runProjects({ units, all: units, parallelism: null }, world, AbortSignal.abort(), () => {
    throw new Error('It began.');
  });
  expect(runs.map(({ exit_code, failure }) => [exit_code, failure?.code])).toEqual([[130, 'interrupted']]);
});

test('a campaign that two projects have in one workspace is worked on in neither', async () => {
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
  const runs = await run({ cwd, env, now: () => 0, err: () => {} });
  const codes = runs.map(({ failure }) => failure?.code);
  expect(codes).toEqual(['duplicate-name', 'duplicate-name', undefined, undefined]);
  expect(runs[1]?.failure?.message).toBe(
    'a/spring.yaml (live), b/other.yaml#2 (live) are manifests of one campaign, "Spring": the same service, token and name. Nothing was sent.',
  );
});

test('validate tells campaigns that two projects have in one workspace, in whichever environment', async () => {
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
    const runs = await run({ cwd, env, now: () => 0, err: () => {} }, true);
    const codes = runs.map(({ failure }) => failure?.code);
    expect(codes).toEqual(['duplicate-name', 'duplicate-name', undefined, undefined]);
    expect(runs[0]?.failure?.message).toContain('a/spring.yaml (live), b/spring.yaml (live) are');
  }
});

async function run(world: World, whole = false) {
  const units = await listProjects({ env: null, whole }, world);
  const work = async () => ({ code: 0, result: null }) as const;
  return runProjects({ units, all: units, parallelism: null }, world, new AbortController().signal, work);
}
