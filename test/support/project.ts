/** A project in a temporary folder with a separate service, and the commands that run in it. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Plan, PlanProblem } from '../../src/model/outputs.js';
import type { Store as State } from '../../src/state/store.js';
import type { Remote } from './branch.js';
import { command, type Ended, writeFiles } from './command.js';
import { withFolder } from './folder.js';
import { startProgram, type Variables } from './program.js';
import { startService, type TestService } from './service/service.js';
import { type Shape, shaped } from './service/shape.js';
import type { Store, StoredCampaign } from './service/store.js';
import { wireTo } from './service/wire.js';
import { openStore } from './state.js';

export const SCHEDULE =
  'schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }\n';

/** A project file with the environment production. `environment`: more of its keys, indented, then keys of the project. */
export function projectFile(environment = ''): string {
  return `version: 1
manifests: [campaigns/**/*.yaml]
environments:
  production:
    base_url: "{url}"
    token_env: CAMPAIGNS_TOKEN
${environment}`;
}

export interface ProjectOptions extends Partial<Store> {
  shape?: Partial<Shape>;
  /** Passed to `projectFile`. */
  environment?: string;
  /** The project's files. `{url}` is replaced with the service's address. */
  files?: Record<string, string>;
  variables?: Record<string, string>;
  /** Keeps the state of commands in this process on its branches, without git. */
  remote?: Pick<Remote, 'open'>;
}

export interface Project {
  folder: string;
  service: TestService;
  /** The service's shape. Changes apply from the next response. */
  shape: Shape;
  /** Runs a command line, split at spaces. `more`: further words, not split. */
  run(line: string, ...more: string[]): Promise<Ended>;
  /** Runs a command line that must exit with this code. */
  exits(code: number, line: string, ...more: string[]): Promise<Ended>;
  plan(line?: string, ...more: string[]): Promise<Plan>;
  /** All problems of a plan; those of campaigns come last. */
  problems(line?: string): Promise<PlanProblem[]>;
  /** Runs the built program in a process. */
  program(line: string, env?: Variables): Promise<Ended>;
  /** `null` deletes the file. */
  write(files: Record<string, string | null>): Promise<void>;
  read(file: string): Promise<string>;
  /** Replaces a text. Fails if the file does not contain it. */
  edit(file: string, from: string, to: string): Promise<void>;
  /** Method and path of each write since the last call. */
  sent(): string[];
  /** The service's campaign with this name or id. */
  live(key: string | number): StoredCampaign;
  /** Statuses in the service, by campaign name. */
  statuses(): Record<string, string>;
  state(): State;
}

/** Fails if the service receives a request that the API does not describe. */
export async function withService<Result>(
  { shape = {}, campaigns = [], templates = [] }: Pick<ProjectOptions, 'shape' | keyof Store>,
  use: (service: TestService, shape: Shape) => Promise<Result>,
): Promise<Result> {
  const answers = shaped(shape);
  const service = await startService(answers, { campaigns, templates });
  try {
    const result = await use(service, answers);
    expect(service.violations).toEqual([]);
    return result;
  } finally {
    await service.close();
  }
}

export async function withProject<Result>(
  options: ProjectOptions,
  use: (project: Project) => Promise<Result>,
): Promise<Result> {
  const files = { 'campaignctl.yaml': projectFile(options.environment), ...options.files };
  return withService(options, (service, shape) =>
    withFolder(async (folder) => {
      const project = projectIn(folder, service, { ...options, shape });
      await project.write(files);
      return use(project);
    }),
  );
}

function projectIn(
  folder: string,
  service: TestService,
  { shape, variables, remote }: Pick<ProjectOptions, 'variables' | 'remote'> & { shape: Shape },
): Project {
  let seen = 0;
  /** Bypasses the network if the project file names only this service. */
  const wired = async () => {
    const text = variables === undefined ? await read('campaignctl.yaml').catch(() => '') : '';
    const urls = new Set(text.match(/https?:[^\s"',}]+/g));
    const isAlone = urls.size === 1 && urls.has(service.url) && !text.includes('sandbox');
    return isAlone ? { wire: wireTo(service, service.url) } : {};
  };
  const run: Project['run'] = async (line, ...more) =>
    command(folder, [...line.split(' ').filter((word) => word !== ''), ...more], variables, undefined, {
      ...(await wired()),
      ...(remote && { openBranch: remote.open }),
    });
  const plan: Project['plan'] = async (line = '', ...more) => {
    const { out, err } = await run(`plan --json ${line}`, ...more);
    expect(out, err).not.toBe('');
    return JSON.parse(out) as Plan;
  };
  const read = (file: string) => readFile(join(folder, file), 'utf8');
  const write: Project['write'] = async (files) => {
    for (const [file, text] of Object.entries(files))
      if (text === null) await rm(join(folder, file), { recursive: true });
      else await writeFiles(folder, { [file]: text.replaceAll('{url}', service.url) });
  };
  return {
    folder,
    service,
    shape,
    run,
    async exits(code, line, ...more) {
      const ended = await run(line, ...more);
      expect(ended.code, `${line}\n${ended.out}${ended.err}`).toBe(code);
      return ended;
    },
    plan,
    async problems(line) {
      const { problems, campaigns } = await plan(line);
      return [...problems, ...campaigns.flatMap((campaign) => campaign.problems)];
    },
    program: (line, env) => startProgram(folder, line.split(' '), env).ended,
    write,
    read,
    async edit(file, from, to) {
      const text = await read(file);
      expect(text).toContain(from);
      await write({ [file]: text.replace(from, () => to) });
    },
    sent() {
      const writes = service.writes().map(({ method, path }) => `${method} ${path}`);
      const since = writes.slice(seen);
      seen = writes.length;
      return since;
    },
    live(key) {
      const campaign = service.store.campaigns.find(({ id, name }) => id === key || name === key);
      if (campaign === undefined) throw new Error(`The service has no campaign ${key}.`);
      return campaign;
    },
    statuses: () => Object.fromEntries(service.store.campaigns.map(({ name, status }) => [name, status])),
    state: () => openStore(join(folder, '.campaignctl/state/production'), service.url),
  };
}
