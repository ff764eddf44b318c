import { type Allowed, HAZARD_NAMES, isAllowed } from '../model/environment.js';
import { usage } from '../model/failure.js';
import { ownValue } from '../model/json.js';
import { type ApplyEvent, REFRESH_MODES, type RefreshMode } from '../model/outputs.js';
import type { Clock } from '../service/index.js';
import type { Store } from '../state/index.js';

/** Which project, and what a program sees of its work. Everything may be left out. */
export interface ProjectOptions {
  /** The folder that the project is looked for from, upward, and that files are relative to; default: the working directory. */
  cwd?: string;
  /** The project file; default: the nearest campaignctl.yaml. */
  config?: string;
  /** Environment variables: tokens are read from here, and `CAMPAIGNCTL_ENV`; default: those of the process. */
  variables?: Readonly<Record<string, string | undefined>>;
  /** Takes warnings and waits, one line each; default: none of it is kept. What it throws is ignored. */
  log?: (line: string) => void;
  /** The clock of forecasts, waits, retries and journals, for tests; default: that of the machine. */
  clock?: Clock;
  /**
   * The store of an environment; default: `files`, the one in the project's state folder. Whatever it
   * forgets may be sent again. The lock stays in the state folder.
   */
  store?: (files: Store, environment: string) => Store;
  /** Before the first request is sent, an abort rejects with exit code 130; after it, requests in flight end and are recorded. */
  signal?: AbortSignal;
}

/** Which environment. */
export interface EnvironmentChoice {
  /** Its name; default: `CAMPAIGNCTL_ENV`, else the default environment of the project file, else the only one. */
  env?: string;
}

/** Which manifests; default: all of the project. Files and folders are relative to `cwd` of the project's options. */
export interface FileChoice extends EnvironmentChoice {
  files?: string[];
}

/** Which campaigns of which environment. */
export interface Choice extends FileChoice {
  /** Names of campaigns, or patterns with * and ?; default: all. */
  targets?: string[];
  /** Steps to leave out; default: none, so that launches are planned too. */
  hold?: 'launch'[];
  /** Which campaigns are read: all, or only those that may have changed since they were last read back; default: `all`. */
  refresh?: RefreshMode;
  /** Most requests in flight; default: `limits.parallelism` of the environment. */
  parallelism?: number;
}

export interface PlanChoice extends Choice {
  /** Saves the plan in this file, for `apply`. */
  out?: string;
}

export interface ApplyChoice extends Choice {
  /** Applies this plan file or nothing; it holds which campaigns it is of, so that `files`, `targets`, `hold` and `refresh` do not go with it. */
  plan?: string;
  /** Hazards that are accepted, besides those of the project file. */
  allow?: Allowed[];
  /** The environment to which everything has to have been applied before; default: that of the project file, if any. */
  requireApplied?: string;
  /** Seconds to wait for another apply; default: 30. */
  lockTimeout?: number;
  /** Takes each event of the run. If it throws, the run goes on without it. */
  onEvent?: (event: ApplyEvent) => void;
}

export interface CompareChoice {
  files?: string[];
  /** Names of campaigns, or patterns with * and ?; default: all. */
  targets?: string[];
}

/** Runs that a list of them has where no number is asked for. */
export const MOST_RUNS = 20;

export interface HistoryChoice extends EnvironmentChoice {
  /** Most runs; default: `MOST_RUNS`, 20. */
  limit?: number;
}

/** Which live campaigns: give `names` or `all`. */
interface LiveChoice extends EnvironmentChoice {
  /** Their names in the service, or their ids. */
  names?: string[];
  /** Every one: for an import those that no manifest manages, for an update those that one manages. */
  all?: boolean;
  /** Writes nothing; the result tells what would be written. */
  dryRun?: boolean;
  /** Seconds to wait for an apply; default: 30. */
  lockTimeout?: number;
}

export interface ImportChoice extends LiveChoice {
  /** Folder for the manifests; default: that of the project's first pattern. */
  dir?: string;
}

export type UpdateChoice = LiveChoice;

/** The kinds of values. An empty text or list is refused: most likely, a variable is not set. */
const KINDS = {
  text: ['a text that is not empty', isText],
  texts: ['a list of texts, neither of them empty', (value) => isListOf(value, isText) && value.length > 0],
  hazards: [`a list of ${HAZARD_NAMES.join(', ')}`, (value) => isListOf(value, isAllowed)],
  hold: ['a list of launch', (value) => isListOf(value, (one) => one === 'launch')],
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

function isListOf(value: unknown, is: (one: unknown) => boolean): value is unknown[] {
  // `every` passes over holes.
  return Array.isArray(value) && Array.from(value).every(is);
}

/** The keys of a choice, all of them, each with what it takes. */
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
    ...{ cwd: 'text', config: 'text', variables: 'variables', log: 'work', clock: 'clock', store: 'work' },
    signal: 'signal',
  } satisfies KindsOf<ProjectOptions>,
  validate: { ...env, files: 'texts' } satisfies KindsOf<FileChoice>,
  plan: { ...chosen, out: 'text' } satisfies KindsOf<PlanChoice>,
  apply: {
    ...chosen,
    ...{ plan: 'text', allow: 'hazards', requireApplied: 'text', lockTimeout: 'count', onEvent: 'work' },
  } satisfies KindsOf<ApplyChoice>,
  import: { ...live, dir: 'text' } satisfies KindsOf<ImportChoice>,
  updateManifests: { ...live } satisfies KindsOf<UpdateChoice>,
  compare: { files: 'texts', targets: 'texts' } satisfies KindsOf<CompareChoice>,
  history: { ...env, limit: 'positive' } satisfies KindsOf<HistoryChoice>,
};

/**
 * Refuses a key that a method does not know, and a value that is undefined, empty or of another kind, as the command line refuses
 * such options: each would widen what is planned or sent without a word.
 */
export function checkChoice(method: keyof typeof TABLES, given: unknown): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw usage(`${method} takes an object with options.`, 'Nothing was read and nothing was sent.');
  const table: Readonly<Record<string, keyof typeof KINDS>> = TABLES[method];
  // The methods read what is inherited, too, also what no loop shows.
  const keys = new Set(Object.keys(table).filter((key) => key in given));
  for (const key in given) keys.add(key);
  for (const key of keys) {
    const value: unknown = Reflect.get(given, key);
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

/** Refuses what is no name of an environment, in place of which another one would be taken. */
export function checkName(method: keyof typeof TABLES, given: unknown): void {
  if (!isText(given))
    throw usage(`${method} takes the names of environments.`, 'Nothing was read and nothing was sent.');
}
