import type { Hazard } from '../model/environment.js';
import { usage } from '../model/failure.js';
import type { ApplyEvent, ApplyResult, Comparison, Plan, Run } from '../model/outputs.js';
import type { LocatedFinding } from '../model/problem.js';
import { compareEnvironments } from '../plan/index.js';
import { loadCampaigns, readProject, selectEnvironment } from '../project/index.js';
import { openStore } from '../state/index.js';
import { applyProject } from './apply.js';
import { withReader } from './connect.js';
import { readPlanFile, savePlanAs } from './plan-file.js';
import { refreshProject } from './run.js';
import { openPlace, openSession, type SessionFlags, stopOnErrors } from './session.js';
import { interruptOf, type World } from './world.js';

/** Which project, and what a program sees of its work. Everything may be left out. */
export interface ProjectOptions {
  /** The folder that the project is looked for from, upward, and that files are relative to; default: the working directory. */
  cwd?: string;
  /** The project file. */
  config?: string;
  /** Tokens are read from here; default: the environment of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Takes warnings and waits, one line each; default: none of it is kept. */
  log?(line: string): void;
  /** The clock for forecasts, in milliseconds since 1970. */
  now?(): number;
  /** Before the first request is sent, an abort rejects with exit code 130; after it, requests in flight end and are recorded. */
  signal?: AbortSignal;
}

/** Which campaigns of which environment. Left out: the default environment, every manifest, launches too. */
export interface Choice {
  env?: string;
  files?: string[];
  targets?: string[];
  hold?: 'launch'[];
  parallelism?: number;
}

/** As the options of `campaignctl apply`. `plan`: a file that `plan` saved; it holds which campaigns it is of. */
export interface ApplyChoice extends Choice {
  plan?: string;
  allow?: Hazard[];
  requireApplied?: string;
  /** Seconds to wait for another apply; default: 30. */
  lockTimeout?: number;
  onEvent?(event: ApplyEvent): void;
}

/**
 * A project as the command line has it, with the same gate: what is not allowed throws a `Failure` that says why, and
 * nothing was sent. Every method reads the project anew.
 */
export interface OpenProject {
  /** Errors and warnings of the manifests, for one environment or for all. */
  validate(choice?: Pick<Choice, 'env' | 'files'>): Promise<LocatedFinding[]>;
  /** Reads the service and plans. `out`: saves the plan in this file, for `apply`. Cannot write to the service. */
  plan(choice?: Choice & { out?: string }): Promise<Plan>;
  /** Plans, refuses or sends, reads back. `result` is `done` or `incomplete`. */
  apply(choice?: ApplyChoice): Promise<ApplyResult>;
  /** How the manifests differ between two environments. Reads no service. */
  compare(from: string, to: string, choice?: Pick<Choice, 'files'>): Promise<Comparison>;
  /** The runs that sent something, newest first. */
  history(choice?: { env?: string; limit?: number }): Promise<Run[]>;
}

/** Opens the project of a folder. Failure where there is none, or its file is wrong. */
export async function openProject(options: ProjectOptions = {}): Promise<OpenProject> {
  const world = worldOf(options);
  const interrupt = interruptOf(options.signal ?? new AbortController().signal);
  const config = options.config ?? null;
  await readProject({ cwd: world.cwd, config });
  const flagsOf = ({ env, files = [], targets = [], hold = [], parallelism }: Choice): SessionFlags => ({
    config,
    env: env ?? null,
    debug: false,
    files,
    target: targets,
    hold,
    parallelism: parallelism ?? null,
  });
  return {
    async validate({ env, files = [] } = {}) {
      const project = await readProject({ cwd: world.cwd, config });
      const environments =
        env === undefined ? Object.values(project.environments) : [selectEnvironment(project, env)];
      return (await loadCampaigns(project, { environments, files, cwd: world.cwd })).findings;
    },
    async plan(choice = {}) {
      const session = await openSession(flagsOf(choice), world);
      return withReader(session, async (reader) => {
        const { signal, guard } = interrupt;
        const made = await guard(refreshProject(session, reader, signal));
        if (choice.out !== undefined) await savePlanAs(choice.out, made, session);
        return made.plan;
      });
    },
    async apply(choice = {}) {
      const { plan: file, allow = [], requireApplied = null, lockTimeout = 30, onEvent = () => {} } = choice;
      if (file !== undefined && (choice.files ?? choice.targets ?? choice.hold) !== undefined)
        throw usage('A saved plan is applied as it is.', 'Leave out files, targets and hold.');
      const saved = file === undefined ? null : readPlanFile(file, world);
      const session = await openSession(flagsOf(choice), world, await saved);
      const request = { session, saved: await saved, allow, requireApplied, lockTimeout };
      const still = { planned() {}, review() {}, confirm: null, sending() {} };
      const { result } = await applyProject(request, { ...still, emit: onEvent }, interrupt);
      return result;
    },
    async compare(from, to, { files = [] } = {}) {
      const project = await readProject({ cwd: world.cwd, config });
      const environments = [selectEnvironment(project, from), selectEnvironment(project, to)] as const;
      const { campaigns, findings } = await loadCampaigns(project, { environments, files, cwd: world.cwd });
      stopOnErrors(findings, 'Correct them first.');
      const [left, right] = environments;
      return compareEnvironments(
        { environment: left, campaigns: campaigns[left.name] ?? [] },
        { environment: right, campaigns: campaigns[right.name] ?? [] },
      );
    },
    async history({ env, limit = 20 } = {}) {
      const { folder } = await openPlace({ config, env: env ?? null, debug: false }, world);
      return openStore(folder).runs({ limit, prefix: '' });
    },
  };
}

function worldOf({ cwd, env, log, now }: ProjectOptions): World {
  return {
    cwd: cwd ?? process.cwd(),
    env: env ?? process.env,
    now: now ?? Date.now,
    err: (text) => {
      for (const line of text.split('\n')) if (line.trim() !== '') log?.(line);
    },
  };
}
