import { type Allowed, HAZARD_NAMES, isAllowed } from '../model/environment.js';
import { usage } from '../model/failure.js';
import { ownValue } from '../model/json.js';
import { type ApplyEvent, REFRESH_MODES, type RefreshMode } from '../model/outputs.js';
import type { Clock } from '../service/index.js';
import type { Store } from '../state/store.js';

/** Options of `openProject`. */
export interface ProjectOptions {
  /** Base of the search and of relative files; default: the working directory. */
  cwd?: string;
  /** Default: the nearest campaignctl.yaml. */
  config?: string;
  /** For tokens and `CAMPAIGNCTL_ENV`; default: those of the process. */
  variables?: Readonly<Record<string, string | undefined>>;
  /** Receives warnings and waits, a line each. Its errors are ignored. */
  log?: (line: string) => void;
  /** For tests; default: the machine's clock. */
  clock?: Clock;
  /** Wraps the store `files`. What it forgets may be sent again. The lock stays in the state folder. */
  store?: (files: Store, environment: string) => Store;
  /** Before the first request, an abort rejects with exit code 130; later, requests in flight are completed and recorded. */
  signal?: AbortSignal;
}

export interface EnvironmentChoice {
  /** Default: `CAMPAIGNCTL_ENV`, the project's default, or the only one. */
  env?: string;
}

/** Files and folders relative to `cwd`; default: all manifests. */
export interface FileChoice extends EnvironmentChoice {
  files?: string[];
}

export interface Choice extends FileChoice {
  /** Names or patterns with * and ?; default: all. */
  targets?: string[];
  /** Steps to leave out; default: none. */
  hold?: 'launch'[];
  /** Campaigns to read: all, or only those that may have changed; default: `all`. */
  refresh?: RefreshMode;
  /** Requests in flight; default: `limits.parallelism`. */
  parallelism?: number;
}

export interface PlanChoice extends Choice {
  /** File for the plan. */
  out?: string;
}

export interface ApplyChoice extends Choice {
  /** Plan file to apply exactly. Excludes `files`, `targets`, `hold` and `refresh`. */
  plan?: string;
  /** Accepted hazards, besides those of the project file. */
  allow?: Allowed[];
  /** Default: `require_applied` of the project file. */
  requireApplied?: string;
  /** Seconds to wait for another apply; default: 30. */
  lockTimeout?: number;
  /** Receives each event. Its errors are ignored. */
  onEvent?: (event: ApplyEvent) => void;
}

export interface CompareChoice {
  files?: string[];
  /** Names or patterns with * and ?; default: all. */
  targets?: string[];
}

/** Default number of runs. */
export const MOST_RUNS = 20;

export interface HistoryChoice extends EnvironmentChoice {
  /** Default: 20. */
  limit?: number;
}

/** `names` or `all`. */
interface LiveChoice extends EnvironmentChoice {
  /** Names in the service, or ids. */
  names?: string[];
  /** Import: all unmanaged campaigns; update: all managed ones. */
  all?: boolean;
  /** Writes nothing. */
  dryRun?: boolean;
  /** Seconds to wait for an apply; default: 30. */
  lockTimeout?: number;
}

export interface ImportChoice extends LiveChoice {
  /** Default: the folder of the project's first pattern. */
  dir?: string;
}

export type UpdateChoice = LiveChoice;

/** An empty text or list is usually an unset variable. */
const KINDS = {
  text: ['a text that is not empty', isText],
  texts: ['a list of texts, neither of them empty', (value) => isListOf(value, isText) && value.length > 0],
  hazards: [`a list of ${HAZARD_NAMES.join(', ')}`, (value) => isListOf(value, isAllowed)],
  hold: ['a list of launch', (value) => isListOf(value, (step) => step === 'launch')],
  refresh: ['all or changed', (value) => REFRESH_MODES.some((mode) => mode === value)],
  flag: ['true or false', (value) => typeof value === 'boolean'],
  count: ['a whole number from 0', (value) => Number.isSafeInteger(value) && Number(value) >= 0],
  positive: ['a whole number from 1', (value) => Number.isSafeInteger(value) && Number(value) >= 1],
  work: ['a function', (value) => typeof value === 'function'],
  variables: ['an object', (value) => typeof value === 'object' && value !== null],
  clock: [
    'an object with now, elapsed, sleep and random',
    (value) => CLOCK.every((name) => typeof Reflect.get(Object(value), name) === 'function'),
  ],
  signal: ['an AbortSignal', (value) => value instanceof AbortSignal],
} satisfies Record<string, readonly [takes: string, is: (value: unknown) => boolean]>;

const CLOCK = ['now', 'elapsed', 'sleep', 'random'] as const satisfies (keyof Clock)[];

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isListOf(value: unknown, is: (item: unknown) => boolean): value is unknown[] {
  // `every` skips holes.
  return Array.isArray(value) && Array.from(value).every(is);
}

/** Every key of a choice with its kind. */
type KindsOf<Options> = { readonly [Key in keyof Required<Options>]: keyof typeof KINDS };

const env = { env: 'text' } as const;
const chosen = {
  ...env,
  files: 'texts',
  targets: 'texts',
  hold: 'hold',
  refresh: 'refresh',
  parallelism: 'positive',
} as const;
const live = { ...env, names: 'texts', all: 'flag', dryRun: 'flag', lockTimeout: 'count' } as const;

export const TABLES = {
  openProject: {
    cwd: 'text',
    config: 'text',
    variables: 'variables',
    log: 'work',
    clock: 'clock',
    store: 'work',
    signal: 'signal',
  } satisfies KindsOf<ProjectOptions>,
  validate: { ...env, files: 'texts' } satisfies KindsOf<FileChoice>,
  plan: { ...chosen, out: 'text' } satisfies KindsOf<PlanChoice>,
  apply: {
    ...chosen,
    plan: 'text',
    allow: 'hazards',
    requireApplied: 'text',
    lockTimeout: 'count',
    onEvent: 'work',
  } satisfies KindsOf<ApplyChoice>,
  import: { ...live, dir: 'text' } satisfies KindsOf<ImportChoice>,
  updateManifests: { ...live } satisfies KindsOf<UpdateChoice>,
  compare: { files: 'texts', targets: 'texts' } satisfies KindsOf<CompareChoice>,
  history: { ...env, limit: 'positive' } satisfies KindsOf<HistoryChoice>,
};

/** Refuses unknown keys and invalid values: each could widen what is sent. */
export function checkChoice(method: keyof typeof TABLES, choice: unknown): void {
  if (typeof choice !== 'object' || choice === null || Array.isArray(choice))
    throw usage(`${method} takes an object with options.`, 'Nothing was read and nothing was sent.');
  const table: Readonly<Record<string, keyof typeof KINDS>> = TABLES[method];
  // Inherited and non-enumerable keys are read, too.
  const keys = new Set(Object.keys(table).filter((key) => key in choice));
  for (const key in choice) keys.add(key);
  for (const key of keys) {
    const value: unknown = Reflect.get(choice, key);
    const kind = ownValue(table, key);
    if (kind === undefined)
      throw usage(`${method} has no option ${key}.`, `It takes ${Object.keys(table).join(', ')}.`);
    const [takes, is] = KINDS[kind];
    if (is(value)) continue;
    const hint =
      value === undefined || value === ''
        ? 'Most likely, a variable is not set. Give a value, or leave the option out.'
        : 'Nothing was read and nothing was sent.';
    throw usage(`The option ${key} of ${method} takes ${takes}.`, hint);
  }
}

/** Refuses an invalid name, which would select another environment. */
export function checkName(method: keyof typeof TABLES, name: unknown): void {
  if (!isText(name))
    throw usage(`${method} takes the names of environments.`, 'Nothing was read and nothing was sent.');
}
