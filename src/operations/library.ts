import { type Allowed, isAllowed } from '../model/approvals.js';
import { LOCK_TIMEOUT } from '../model/environment.js';
import { UNSET, usage } from '../model/failure.js';
import { type Hold, isHold } from '../model/hold.js';
import { ownValue } from '../model/json.js';
import { type LocatedFinding, type Plan, REFRESH_MODES, type RefreshMode } from '../model/outputs.js';
import type { ApplyResult } from '../model/reports.js';
import { openManifests } from '../project/open-manifests.js';
import { readProject } from '../project/project.js';
import { type Clock, systemClock } from '../service/index.js';
import { applyProject } from './apply.js';
import { planProject, readPlanFile } from './plan.js';
import { openSession, type SessionFlags } from './session.js';
import { validateProject } from './validate.js';
import { toInterrupt, type World, warnOfTls } from './world.js';

/**
 * The library. It throws a `Failure` for everything that the command line refuses. Every method reads the project again.
 */
export interface OpenProject {
  /** Works offline. */
  validate(choice?: FileChoice): Promise<LocatedFinding[]>;
  /** Cannot write to the service. */
  plan(choice?: PlanChoice): Promise<Plan>;
  apply(choice?: ApplyChoice): Promise<ApplyResult>;
}

export function openProject(options: ProjectOptions = {}): Promise<OpenProject> {
  return openProjectOn(systemClock, options);
}

/** @internal */
export async function openProjectOn(clock: Clock, options: ProjectOptions): Promise<OpenProject> {
  checkChoice('openProject', options);
  const world = worldOf(options, clock);
  warnOfTls(process.env, world.err);
  const interrupt = toInterrupt(options.signal ?? new AbortController().signal);
  const { config = null } = options;
  const flagsOf = (choice: Choice): SessionFlags => {
    const { env = null, files = [], targets: target = [], hold = [] } = choice;
    const { refresh = null, requireApplied = null } = choice;
    return { config, env, files, target, hold, refresh, requireApplied, debug: false };
  };
  const read = () => readProject({ cwd: world.cwd, config, env: world.env });
  await read();
  return {
    async validate(choice = {}) {
      checkChoice('validate', choice);
      const { env = null, files = [] } = choice;
      return (await validateProject(openManifests(await read()), { env, files }, world)).findings;
    },
    async plan(choice = {}) {
      checkChoice('plan', choice);
      const session = await interrupt.guard(openSession(flagsOf(choice), world));
      return (await planProject(session, choice.out ?? null, interrupt)).plan;
    },
    async apply(choice = {}) {
      checkChoice('apply', choice);
      const { plan: file, allow = [], lockTimeout = LOCK_TIMEOUT } = choice;
      if (
        file !== undefined &&
        (choice.files ?? choice.targets ?? choice.hold ?? choice.refresh) !== undefined
      )
        throw usage('A saved plan is applied as is.', 'Remove the options files, targets, hold and refresh.');
      const saved = file === undefined ? null : await readPlanFile(file, world);
      const session = await interrupt.guard(openSession(flagsOf(choice), world, saved));
      const request = { session, saved, allow, lockTimeout };
      const listener = { review() {}, confirm: null, sending() {}, emit() {} };
      return (await applyProject(request, listener, interrupt)).result;
    },
  };
}

function worldOf({ cwd, variables, log }: ProjectOptions, clock: Clock): World {
  return {
    cwd: cwd ?? process.cwd(),
    env: variables ?? process.env,
    now: clock.now,
    clock,
    err(text) {
      try {
        for (const line of text.split('\n')) if (line.trim() !== '') log?.(line);
      } catch {
        // An error in a callback must not affect requests.
      }
    },
  };
}

export interface ProjectOptions {
  /** Folder from which to search for the project, and base of relative paths; default: the working directory. */
  cwd?: string;
  /** Default: the nearest campaignctl.yaml. */
  config?: string;
  /** Token variables and `CAMPAIGNCTL_ENV`; default: the process environment. */
  variables?: Readonly<Record<string, string | undefined>>;
  /** Receives warnings and notices of waits, one line at a time. Errors that it throws are ignored. */
  log?: (line: string) => void;
  /**
   * If aborted before the first write, the call rejects with exit code 130. Later, requests in flight are completed and
   * recorded.
   */
  signal?: AbortSignal;
}

/** Files and folders relative to `cwd`; default: all manifests. */
export interface FileChoice {
  /** Default: `CAMPAIGNCTL_ENV`, otherwise the project's default environment or its only one; for `validate`, all of them. */
  env?: string;
  files?: string[];
}

export interface Choice extends FileChoice {
  /** Names, or patterns with * and ?; default: all. */
  targets?: string[];
  /** Launches to leave out: `launch` for all, or `launch=NAME` with a name or pattern; default: none. */
  hold?: Hold[];
  /** Campaigns to read: all, or only those that may have changed; default: `all`. */
  refresh?: RefreshMode;
  /** Default: `require_applied` in the project file. */
  requireApplied?: string;
}

export interface PlanChoice extends Choice {
  out?: string;
}

export interface ApplyChoice extends Choice {
  /** Plan file to apply exactly as it is. Cannot be combined with `files`, `targets`, `hold` or `refresh`. */
  plan?: string;
  /** Approved hazards, in addition to those in the project file. */
  allow?: Allowed[];
  /** Seconds to wait for another apply; default: 30. */
  lockTimeout?: number;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value !== '';

// `every` skips holes in arrays.
const listOf = (is: Check): Check => {
  return (value) => Array.isArray(value) && Array.from<unknown>(value).every(is);
};

const isTexts: Check = (value) => Array.isArray(value) && value.length > 0 && listOf(isText)(value);

const CHOICE = {
  env: isText,
  files: isTexts,
  targets: isTexts,
  hold: listOf(isHold),
  refresh: (value) => REFRESH_MODES.some((mode) => mode === value),
  requireApplied: isText,
} satisfies Record<keyof Choice, Check>;

const OPTIONS: { [method in 'openProject' | keyof OpenProject]: Record<string, Check> } = {
  openProject: {
    cwd: isText,
    config: isText,
    variables: (value) => typeof value === 'object' && value !== null,
    log: (value) => typeof value === 'function',
    signal: (value) => value instanceof AbortSignal,
  } satisfies Record<keyof ProjectOptions, Check>,
  validate: { env: isText, files: isTexts } satisfies Record<keyof FileChoice, Check>,
  plan: { ...CHOICE, out: isText } satisfies Record<keyof PlanChoice, Check>,
  apply: {
    ...CHOICE,
    plan: isText,
    allow: listOf(isAllowed),
    lockTimeout: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  } satisfies Record<keyof ApplyChoice, Check>,
};

/** Refuses unknown keys and unset, empty or invalid values, because each could cause more to be sent. */
function checkChoice(method: keyof typeof OPTIONS, choice: object): void {
  for (const key in choice) {
    const check = ownValue(OPTIONS[method], key);
    if (check === undefined)
      throw usage(
        `${method} has no option ${key}.`,
        `It accepts ${Object.keys(OPTIONS[method]).join(', ')}.`,
      );
    if (check(Reflect.get(choice, key))) continue;
    throw usage(
      `The option ${key} of ${method} is unset, empty or invalid. Nothing was read or sent.`,
      UNSET,
    );
  }
}
