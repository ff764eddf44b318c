/** A program meets the gate of the command line: what is not allowed throws, and nothing was sent. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import { type ProjectOptions, TABLES } from '../../src/operations/choices.js';
import { type OpenProject, openProject } from '../../src/operations/project.js';
import { startSandbox } from '../../src/sandbox/index.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { renderPlanMarkdown } from '../../src/view/plan-markdown.js';
import { renderPlanText } from '../../src/view/plan-text.js';
import { fakeClock } from '../support/clock.js';
import { writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { startService, type TestService, TOKEN } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';

const services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

const MANIFEST = `name: Spring installers
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps: [{ email_subject: A question, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }]
leads: { ids: [7] }
status: running
`;

async function opened(
  use: (project: OpenProject, scene: { service: TestService; folder: string }) => Promise<void>,
  options: ProjectOptions = {},
  lines = '',
): Promise<void> {
  const service = await startService(shaped({}), { campaigns: [], templates: [] });
  services.push(service);
  await withFolder(async (folder) => {
    const address = `base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN`;
    await writeFiles(folder, {
      'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\ndefault_environment: production\nenvironments:\n  staging: { ${address} }\n  production: { ${address}${lines} }\n`,
      'campaigns/spring.yaml': MANIFEST,
    });
    const variables = { CAMPAIGNS_TOKEN: TOKEN };
    await use(await openProject({ cwd: folder, variables, ...options }), { service, folder });
  });
  expect(service.violations).toEqual([]);
}

const USAGE = { code: 'usage', exitCode: 1 };
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      return { code: error.code, exitCode: error.exitCode };
    },
  );

it('launches nothing that is not allowed, and then what is', () =>
  opened(async (project, { service }) => {
    expect(await refusal(project.apply())).toEqual({ code: 'launch', exitCode: 3 });
    expect(service.writes()).toEqual([]);
    const planned = await project.plan();
    expect(planned.summary).toMatchObject({ create: 1, launch: 1 });
    expect(service.writes()).toEqual([]);
    const { result } = await project.apply({ allow: ['launch'] });
    expect(result).toBe('done');
    expect(service.store.campaigns.map(({ name, status }) => [name, status])).toEqual([
      ['Spring installers', 'active'],
    ]);
    expect((await project.plan()).summary).toMatchObject({ unchanged: 1, requests: 0 });
    expect(await project.history()).toHaveLength(1);
  }));

it('applies what was applied to the required environment only', () =>
  opened(
    async (project, { service }) => {
      const found = await refusal(project.apply({ allow: ['launch'] }));
      expect(found?.exitCode).toBe(3);
      expect(service.writes()).toEqual([]);
    },
    {},
    ', require_applied: staging',
  ));

it('waits for the lock that another apply holds, and sends nothing', () =>
  opened(async (project, { service, folder }) => {
    const { acquireLock } = await import('../../src/state/lock.js');
    const signal = new AbortController().signal;
    const state = `${folder}/.campaignctl/state/production`;
    const lock = await acquireLock({ folder: state, who: 'ann@host', timeout: 0, waiting() {}, signal });
    expect(await refusal(project.apply({ allow: ['launch'], lockTimeout: 0 }))).toEqual({
      code: 'locked',
      exitCode: 1,
    });
    lock.release();
    expect(service.writes()).toEqual([]);
  }));

it('applies a saved plan as it is, or not at all', () =>
  opened(async (project, { service, folder }) => {
    await project.plan({ out: 'plan.json', hold: ['launch'] });
    expect(await refusal(project.apply({ plan: 'plan.json', targets: ['Spring installers'] }))).toEqual({
      code: 'usage',
      exitCode: 1,
    });
    await writeFiles(folder, { 'campaigns/spring.yaml': MANIFEST.replace('A question', 'Another') });
    expect(await refusal(project.apply({ plan: 'plan.json' }))).toEqual({
      code: 'plan-manifests-changed',
      exitCode: 3,
    });
    await writeFiles(folder, { 'campaigns/spring.yaml': MANIFEST });
    expect(service.writes()).toEqual([]);
    expect((await project.apply({ plan: 'plan.json' })).result).toBe('done');
    expect(service.store.campaigns.map(({ status }) => status)).toEqual(['draft']);
  }));

it('stops before anything is sent when its signal is aborted', () => {
  const controller = new AbortController();
  return opened(
    async (project, { service }) => {
      controller.abort();
      expect(await refusal(project.apply({ allow: ['launch'] }))).toEqual({
        code: 'interrupted',
        exitCode: 130,
      });
      expect(service.writes()).toEqual([]);
    },
    { signal: controller.signal },
  );
});

it('tells findings and differences without a service', () =>
  opened(async (project, { service, folder }) => {
    expect((await project.validate()).filter(({ severity }) => severity === 'error')).toEqual([]);
    expect((await project.compare('staging', 'production')).summary).toMatchObject({ campaigns: 1, same: 1 });
    await writeFiles(folder, { 'campaigns/spring.yaml': MANIFEST.replace('running', 'sending') });
    expect((await project.validate({ env: 'staging' })).map(({ line }) => line)).toEqual([7]);
    expect(await refusal(project.plan())).toEqual({ code: 'invalid-manifests', exitCode: 1 });
    expect(service.requests).toEqual([]);
  }));

it('knows the names of the whole project, whatever is asked for', () =>
  opened(async (project, { service, folder }) => {
    await writeFiles(folder, { 'campaigns/z.yaml': 'name: Spring installers\nstatus: paused\n' });
    const asked = { files: [`${folder}/campaigns/z.yaml`] };
    expect((await project.validate(asked)).map(({ code, file }) => [code, file])).toEqual([
      ['shared-workspace', 'campaignctl.yaml'],
      ['duplicate-name', 'campaigns/z.yaml'],
    ]);
    expect(await refusal(project.apply(asked))).toEqual({ code: 'invalid-manifests', exitCode: 1 });
    expect(service.requests).toEqual([]);
  }));

it('imports what the service has, and nothing twice; a plan right after is empty', () =>
  opened(async (project, { service, folder }) => {
    await project.apply({ allow: ['launch'] });
    await rm(`${folder}/campaigns/spring.yaml`);
    await rm(`${folder}/.campaignctl`, { recursive: true });
    const before = service.writes().length;
    expect(await refusal(project.import({}))).toEqual({ code: 'usage', exitCode: 1 });
    expect(await refusal(project.import({ all: true, names: ['101'] }))).toEqual({
      code: 'usage',
      exitCode: 1,
    });
    const shown = await project.import({ all: true, dryRun: true });
    expect(
      shown.campaigns.map(({ manifest, text }) => [manifest, text.includes('name: Spring installers')]),
    ).toEqual([['campaigns/spring-installers.yaml', true]]);
    expect(await readdir(`${folder}/campaigns`)).toEqual([]);
    const made = await project.import({ names: ['Spring installers'] });
    expect(made).toMatchObject({
      dry_run: false,
      campaigns: [{ manifest: 'campaigns/spring-installers.yaml' }],
    });
    expect((await project.plan()).summary).toMatchObject({ unchanged: 1, requests: 0 });
    expect(await refusal(project.import({ names: ['Spring installers'] }))).toMatchObject({
      code: 'already-managed',
    });
    expect(service.writes()).toHaveLength(before);
  }));

it('takes over what was changed outside campaignctl', () =>
  opened(async (project, { service, folder }) => {
    await project.apply({ allow: ['launch'] });
    Object.assign(service.store.campaigns[0] ?? {}, { status: 'paused' });
    const before = service.writes().length;
    const { written, campaigns } = await project.updateManifests({ names: ['Spring installers'] });
    expect([written, campaigns.map(({ in_sync }) => in_sync)]).toEqual([true, [true]]);
    expect(await readFile(`${folder}/campaigns/spring.yaml`, 'utf8')).toBe(
      MANIFEST.replace('running', 'paused'),
    );
    expect((await project.plan()).summary).toMatchObject({ unchanged: 1 });
    expect(service.writes()).toHaveLength(before);
  }));

it('goes by the clock and the store of the program', () => {
  const fake = fakeClock();
  class Watch {
    now = () => fake.now();
    elapsed = () => fake.elapsed();
    random = () => fake.random();
    sleep(ms: number, signal?: AbortSignal) {
      return this.elapsed() < 0 ? Promise.resolve() : fake.sleep(ms, signal);
    }
  }
  const clock = new Watch();
  const kept = new Map<string, string[]>();
  const store: ProjectOptions['store'] = (files, environment) => ({
    ...files,
    async save(entry) {
      kept.set(environment, [...(kept.get(environment) ?? []), entry.name]);
      await files.save(entry);
    },
  });
  return opened(
    async (project) => {
      expect((await project.apply({ allow: ['launch'] })).result).toBe('done');
      expect(new Set(kept.get('production'))).toEqual(new Set(['Spring installers']));
      const [run] = await project.history();
      expect(run?.at.slice(0, 13)).toBe(new Date(clock.now()).toISOString().slice(0, 13));
    },
    { clock, store },
  );
});

it('goes on where an onlooker fails', () => {
  const lines: string[] = [];
  const log = (line: string) => {
    lines.push(line);
    throw new Error('not to be read');
  };
  return opened(
    async (project) => {
      const onEvent = () => {
        throw new Error('no more events');
      };
      expect((await project.apply({ allow: ['launch'], onEvent })).result).toBe('done');
      expect(lines).toEqual(['! onEvent failed: no more events. The run goes on without it.']);
    },
    { log },
  );
});

it('refuses a key that a method does not know, and a value that is unset, empty or of another kind', () =>
  opened(async (project, { service, folder }) => {
    const methods = {
      ...project,
      openProject: (given: ProjectOptions) =>
        openProject('cwd' in given ? given : Object.assign(given, { cwd: folder })),
    };
    const call = (method: keyof typeof TABLES, given: object): Promise<unknown> =>
      method === 'compare'
        ? methods.compare('staging', 'production', given)
        : (methods[method] as (given: object) => Promise<unknown>)(given);
    for (const [method, table] of Object.entries(TABLES) as [keyof typeof TABLES, object][]) {
      for (const given of [null, [], '', 7, true] as unknown[] as object[]) {
        const told = `${method} ${JSON.stringify(given)}`;
        const refused = method === 'openProject' ? openProject(given) : call(method, given);
        expect(await refusal(refused), told).toEqual({ code: 'usage', exitCode: 1 });
      }
      for (const key of [...Object.keys(table), 'target', 'constructor', 'toString']) {
        const taken = Object.hasOwn(table, key);
        for (const value of taken
          ? [undefined, null, '', [], [''], [7], new Array(1), -1, 0.5, 'yes', {}]
          : ['x']) {
          const kind = taken ? Reflect.get(table, key) : null;
          const isFine =
            (kind === 'text' && value === 'yes') ||
            (kind === 'variables' && value !== null && typeof value === 'object') ||
            ((kind === 'hold' || kind === 'hazards') && Array.isArray(value) && value.length === 0);
          if (isFine) continue;
          const told = `${method} ${key} ${JSON.stringify(value)}`;
          const hidden = Object.create(null, { [key]: { value } });
          for (const from of [{ [key]: value }, Object.create({ [key]: value }), ...(taken ? [hidden] : [])])
            expect(await refusal(call(method, from)), told).toEqual({ code: 'usage', exitCode: 1 });
        }
      }
    }
    const { compare } = project as unknown as Record<'compare', (...given: unknown[]) => Promise<unknown>>;
    for (const name of [undefined, null, '', 7, [], {}]) {
      expect(await refusal(compare(name, 'production')), String(name)).toEqual(USAGE);
      expect(await refusal(compare('staging', name)), String(name)).toEqual(USAGE);
    }
    expect(service.requests).toEqual([]);
  }));

it('refuses to show or to serve what it cannot, and says why', async () => {
  for (const render of [renderPlanText, renderPlanMarkdown, renderPlanHtml] as ((plan: unknown) => string)[])
    for (const plan of [undefined, null, 'plan', [], {}])
      expect(await refusal(Promise.resolve(plan).then(render))).toEqual(USAGE);
  const start = startSandbox as (options?: unknown) => Promise<unknown>;
  const wrong = [undefined, null, {}, { profile: 'toString', file: null }, { profile: 'reported', file: '' }];
  for (const options of wrong) expect(await refusal(start(options))).toEqual(USAGE);
});

it('has ended with everything where a store throws: nothing is sent behind the lock', () => {
  const mark = { begun: () => {} };
  const begun = new Promise<void>((resolve) => Object.assign(mark, { begun: resolve }));
  let ended = false;
  const store: ProjectOptions['store'] = (files) => ({
    ...files,
    async save({ name }) {
      if (name === 'Spring installers')
        return begun.then(() => Promise.reject(new Error('the disk is gone')));
      mark.begun();
      await new Promise((resolve) => setTimeout(resolve, 50));
      ended = true;
    },
  });
  return opened(
    async (project, { folder }) => {
      await writeFiles(folder, { 'campaigns/autumn.yaml': MANIFEST.replace('Spring installers', 'Autumn') });
      await expect(project.apply({ hold: ['launch'] })).rejects.toThrow('the disk is gone');
      expect(ended).toBe(true);
    },
    { store },
  );
});

it('gives a program nothing that writes to the service but apply', async () => {
  expect(Object.keys(await import('../../src/index.js')).sort()).toEqual([
    'Failure',
    'openProject',
    'plain',
    'renderPlanHtml',
    'renderPlanMarkdown',
    'renderPlanText',
    'startSandbox',
  ]);
  await opened(async (project, { service, folder }) => {
    expect(Object.keys(project).sort()).toEqual(
      Object.keys(TABLES)
        .filter((name) => name !== 'openProject')
        .sort(),
    );
    const { apply, ...others } = project;
    expect((await apply({ hold: ['launch'] })).result).toBe('done');
    await rm(`${folder}/campaigns/spring.yaml`);
    const before = service.writes().length;
    await others.import({ all: true });
    await others.updateManifests({ all: true });
    await others.plan({ out: 'plan.json' });
    await others.validate();
    await others.compare('staging', 'production');
    await others.history();
    expect(service.writes()).toHaveLength(before);
  });
});
