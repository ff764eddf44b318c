/** The library has the same gate as the command line: without approval, it throws and sends nothing. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { expect, it, test } from 'vitest';
import { processShell } from '../../src/cli/shell.js';
import { Failure } from '../../src/model/failure.js';
import {
  type ApplyChoice,
  type OpenProject,
  openProject,
  type ProjectOptions,
} from '../../src/operations/library.js';
import { describeRun } from '../../src/operations/lock.js';
import { saveStateId } from '../../src/project/edits.js';
import { readProject } from '../../src/project/project.js';
import { startSandbox } from '../../src/sandbox/index.js';
import { systemClock } from '../../src/service/clock.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { renderPlanMarkdown } from '../../src/view/plan-markdown.js';
import { renderPlanText } from '../../src/view/plan-text.js';
import { writeFiles } from '../support/command.js';
import { folder, withFolder } from '../support/folder.js';
import { withProject } from '../support/project.js';
import { type TestService, TOKEN } from '../support/service/service.js';

const MANIFEST = `name: Spring installers
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps: [{ email_subject: A question, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }]
leads: { ids: [7] }
status: running
`;

const opened = (
  use: (project: OpenProject, scene: { service: TestService; folder: string }) => Promise<void>,
  options: ProjectOptions = {},
  lines = '',
) => {
  const address = 'base_url: "{url}", token_env: CAMPAIGNS_TOKEN';
  const text = `version: 1\nmanifests: [campaigns/*.yaml]\ndefault_environment: production\nenvironments:\n  staging: { ${address} }\n  production: { ${address}${lines} }\n`;
  const files = { 'campaignctl.yaml': text, 'campaigns/spring.yaml': MANIFEST };
  return withProject({ files }, async ({ folder, service }) => {
    const variables = { CAMPAIGNS_TOKEN: TOKEN };
    await use(await openProject({ cwd: folder, variables, ...options }), { service, folder });
  });
};

const USAGE = { code: 'usage', exitCode: 1 };
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      return { code: error.code, exitCode: error.exitCode };
    },
  );

it('launches nothing without approval, then what is approved', () =>
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
  }));

it('applies only what was applied to the required environment', () =>
  opened(
    async (project, { service }) => {
      const match = await refusal(project.apply({ allow: ['launch'] }));
      expect(match?.exitCode).toBe(3);
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

it('validates without a service', () =>
  opened(async (project, { service, folder }) => {
    expect((await project.validate()).filter(({ severity }) => severity === 'error')).toEqual([]);
    await writeFiles(folder, { 'campaigns/spring.yaml': MANIFEST.replace('running', 'sending') });
    expect((await project.validate({ env: 'staging' })).map(({ line }) => line)).toEqual([7]);
    expect(await refusal(project.plan())).toEqual({ code: 'invalid-manifests', exitCode: 1 });
    expect(service.requests).toEqual([]);
  }));

it('checks names across the whole project, whatever is selected', () =>
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

it('continues if a callback fails', () => {
  const lines: string[] = [];
  const log = (line: string) => {
    lines.push(line);
    throw new Error('not to be read');
  };
  return opened(
    async (project, { folder }) => {
      await writeFiles(folder, {
        'campaigns/extra.yaml':
          'name: Extra\nsettings: { max_emails_per_day: 5, max_new_leads_per_day: 9 }\n',
        // A file that the pattern nearly matches is a warning.
        'campaigns/other.yml': 'name: Other\n',
      });
      expect((await project.apply({ allow: ['launch'] })).result).toBe('done');
      expect(lines).not.toEqual([]);
    },
    { log },
  );
});

it('refuses to render or serve anything invalid', async () => {
  for (const render of [renderPlanText, renderPlanMarkdown, renderPlanHtml] as ((plan: unknown) => string)[])
    for (const plan of [undefined, null, 'plan', [], {}])
      expect(await refusal(Promise.resolve(plan).then(render))).toEqual(USAGE);
  const start = startSandbox as (options?: unknown) => Promise<unknown>;
  const wrong = [undefined, null, {}, { profile: 'toString', file: null }, { profile: 'reported', file: '' }];
  for (const options of wrong) expect(await refusal(start(options))).toEqual(USAGE);
});

it('offers no method that writes to the service except apply', async () => {
  expect(Object.keys(await import('../../src/index.js')).sort()).toEqual([
    'Failure',
    'openProject',
    'plain',
    'renderPlanHtml',
    'renderPlanMarkdown',
    'renderPlanText',
    'startSandbox',
  ]);
});

const CHOICE = ['env', 'files', 'targets', 'hold', 'refresh'];
const OPTIONS = {
  openProject: ['cwd', 'config', 'variables', 'log', 'signal'],
  validate: ['env', 'files'],
  plan: [...CHOICE, 'out'],
  apply: [...CHOICE, 'plan', 'allow', 'requireApplied', 'lockTimeout'],
};

it('refuses a key that a method does not know, and a value that is unset, empty or of another kind', () =>
  opened(async (project, { service, folder }) => {
    const methods: Record<string, (choice: object) => Promise<unknown>> = {
      ...project,
      openProject: (options) => openProject({ cwd: folder, ...options }),
    };
    const wrong = Object.entries(OPTIONS).flatMap(([method, keys]) => [
      ...['target', 'constructor', 'toString'].map((key) => ({ method, key, value: 'x' as unknown })),
      ...keys.flatMap((key) =>
        [undefined, null, '', -1, 0.5, [''], [7], new Array(1)]
          .filter((value) => key !== 'variables' || !Array.isArray(value))
          .map((value) => ({ method, key, value: value as unknown })),
      ),
      ...keys.filter((key) => ['files', 'targets'].includes(key)).map((key) => ({ method, key, value: [] })),
    ]);
    expect(wrong.length).toBeGreaterThan(170);
    for (const { method, key, value } of wrong) {
      const refused = methods[method]?.({ [key]: value }) ?? Promise.resolve();
      expect(await refusal(refused), `${method} ${key} ${JSON.stringify(value)}`).toEqual(USAGE);
    }
    expect(await refusal(project.apply(Object.create({ targets: [''] })))).toEqual(USAGE);
    expect(service.requests).toEqual([]);
  }));

it.each([
  { refresh: 'some' },
  { hold: ['lunch'] },
  { allow: ['launch='] },
  { allow: 'launch' },
  { targets: 'Spring' },
])('refuses %j', (choice) =>
  opened(async (project, { service }) => {
    expect(await refusal(project.apply(choice as ApplyChoice))).toEqual(USAGE);
    expect(service.requests).toEqual([]);
  }),
);

it('takes one environment and one plan file, not a pattern or a folder', () =>
  opened(async (project, { service, folder }) => {
    const unknown = { code: 'unknown-environment', exitCode: 1 };
    expect(await refusal(project.plan({ env: 'pro*' }))).toEqual(unknown);
    expect(await refusal(project.validate({ env: '*' }))).toEqual(unknown);
    const unusable = { code: 'plan-file-unusable', exitCode: 1 };
    expect(await refusal(project.apply({ plan: folder }))).toEqual(unusable);
    expect(service.requests).toEqual([]);
  }));

/** The tag is another one when a V8 flag has changed. */
const settingsOfProcess = () => ({
  v8: cachedDataVersionTag(),
  cwd: process.cwd(),
  exitCode: process.exitCode,
  env: { ...process.env },
  listeners: process.eventNames().map((name) => [name, process.listenerCount(name)]),
});

test('the library changes nothing of its host process, however many manifests it reads', () =>
  withFolder(async (folder) => {
    const files = Array.from({ length: 5000 }, (_, at) => [`${at}.yaml`, `name: Campaign ${at}\n`]);
    const project = 'version: 1\nmanifests: ["*.yaml"]\nenvironments: { local: { sandbox: {} } }\n';
    await writeFiles(folder, { ...Object.fromEntries(files), 'campaignctl.yaml': project });
    const before = settingsOfProcess();
    const opened = await openProject({ cwd: folder });
    expect(await opened.validate()).toEqual([]);
    expect(settingsOfProcess()).toEqual(before);
  }));

const HEAD = 'version: 1\nmanifests: ["*.yaml"]\n';
const LIVE = 'base_url: "http://127.0.0.1:1", token_env: ONE_TOKEN';
const ENVIRONMENTS = `environments: { live: { ${LIVE} } }\n`;

async function saved(text: string, id = '5f1c20a9be37'): Promise<string> {
  const cwd = folder({ 'campaignctl.yaml': text });
  await saveStateId(await readProject({ cwd, config: null }), 'live', id);
  return readFile(join(cwd, 'campaignctl.yaml'), 'utf8');
}

test.each([
  ['state: { backend: git }\n', 'state: { backend: git, id: 5f1c20a9be37 }\n'],
  [
    '# Shared.\nstate: {backend: git, }  # all\n',
    '# Shared.\nstate: {backend: git, id: 5f1c20a9be37 }  # all\n',
  ],
  [
    'state:\n  backend: git  # shared\n  lease: 60\n',
    'state:\n  backend: git  # shared\n  lease: 60\n  id: 5f1c20a9be37\n',
  ],
])('the id is written next to the backend: %j', async (text, written) => {
  expect(await saved(HEAD + text + ENVIRONMENTS)).toBe(HEAD + written + ENVIRONMENTS);
});

test('the id is written into the environment that has the backend', async () => {
  const text = (state: string) =>
    `${HEAD}state: { lease: 60 }\nenvironments: { live: { ${LIVE}, state: { ${state} } } }\n`;
  expect(await saved(text('backend: git'))).toBe(text('backend: git, id: 5f1c20a9be37'));
});

test.each(['123456789012', '12e456789012'])('an id that looks like a number is quoted: %s', async (id) => {
  expect(await saved(`${HEAD}state: { backend: git }\n${ENVIRONMENTS}`, id)).toContain(`id: "${id}"`);
  expect(await saved(`${HEAD}state:\n  backend: git\n${ENVIRONMENTS}`, id)).toContain(`  id: "${id}"\n`);
});

test('a file to which the id cannot be added is not changed', async () => {
  const text = `${HEAD}state: &shared { backend: git }\n${ENVIRONMENTS.replace(LIVE, `${LIVE}, state: *shared`)}`;
  await expect(saved(text)).rejects.toMatchObject({ code: 'state-of-other' });
});

test('runs sort by time even if several begin within a second', async () => {
  const shell = processShell({ color: 'auto', quiet: true });
  const runs: string[] = [];
  for (let count = 0; count < 8; count += 1) {
    runs.push(describeRun(shell, { command: 'apply', checkout: null }).run);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect([...runs].sort()).toEqual(runs);
});

const CLEAN = { commit: 'ccc', isClean: true };
const CHANGED = { commit: 'ccc', isClean: false };

test.each([
  [{ GITHUB_SHA: 'aaa', CI_COMMIT_SHA: 'bbb' }, null, { commit: 'aaa' }],
  [{ GITHUB_SHA: '', CI_COMMIT_SHA: 'bbb' }, null, { commit: 'bbb' }],
  [{ GITHUB_SHA: 'ccc' }, CLEAN, { commit: 'ccc' }],
  // A job may generate files.
  [{ GITHUB_SHA: 'ccc' }, CHANGED, { commit: 'ccc' }],
  [{ GITHUB_SHA: 'aaa' }, CLEAN, { commit: 'aaa', checkout: 'ccc' }],
  [{ GITHUB_SHA: 'aaa' }, CHANGED, { commit: 'aaa', checkout: 'ccc+' }],
  [{}, CLEAN, { commit: 'ccc' }],
  [{}, CHANGED, { commit: 'ccc+' }],
  [{}, null, { commit: null }],
])(
  "the commit of a run is the pipeline's or the one that is checked out: %j, %j",
  (env, checkout, commits) => {
    const {
      run: _run,
      at: _at,
      who: _who,
      tool: _tool,
      ...rest
    } = describeRun({ env, clock: systemClock }, { command: 'apply', checkout });
    expect(rest).toEqual({ command: 'apply', ...commits });
  },
);
