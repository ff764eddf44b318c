import type { Options } from 'yargs';
import { nearest } from '../manifest/nearest.js';
import { type Allowed, HAZARD_NAMES, isAllowed } from '../model/approvals.js';
import { DEFAULTS, LOCK_TIMEOUT } from '../model/environment.js';
import { usage } from '../model/failure.js';
import { parseGlob } from '../model/glob.js';
import { type Hold, isHold } from '../model/hold.js';
import { REFRESH_MODES } from '../model/outputs.js';

interface Option<T> extends YargsOptions {
  read(parsed: unknown, title: string): T;
}

/** `completes`: what completion offers as values, besides `choices`. */
type YargsOptions = Omit<Options, 'type'> & { type?: 'boolean' | 'string'; completes?: Completes };

/**
 * `target`: campaigns, excluded ones with `!`. `imported`: campaigns that have a manifest, with --update. `recorded`:
 * campaigns of the state.
 */
export type Completes =
  | ('environment' | 'campaign' | 'target' | 'imported' | 'recorded' | 'run')
  | ('hazard' | 'hold' | 'code' | 'file' | 'folder');

/** Options by their names in code: `lockTimeout` for `--lock-timeout`. */
export type OptionTable = Record<string, Option<unknown>>;
export type Values<Table extends OptionTable> = { [Name in keyof Table]: ReturnType<Table[Name]['read']> };

export function flag(describe: string, more: YargsOptions = {}): Option<boolean> {
  return { type: 'boolean', describe, ...more, read: (parsed) => parsed === true };
}

export function text(describe: string, more: YargsOptions = {}): Option<string | null> {
  const read = (parsed: unknown) => (parsed === undefined ? null : String(parsed));
  return { type: 'string', requiresArg: true, describe, ...more, read };
}

export function argument(describe: string, more: YargsOptions = {}): Option<string> {
  return { type: 'string', describe, ...more, read: String };
}

export function texts<Word extends string = string>(
  describe: string,
  more: YargsOptions = {},
): Option<Word[]> {
  const read = (parsed: unknown) => (parsed as Word[] | undefined) ?? [];
  return { type: 'string', array: true, requiresArg: true, describe, ...more, read };
}

/** `standard` is not passed to yargs, because a yargs default would conflict with other options. */
export function choice<const Word extends string, Standard extends Word | null>(
  words: readonly Word[],
  standard: Standard,
  describe: string,
  more: YargsOptions = {},
): Option<Word | Standard> {
  const read = (parsed: unknown) => (parsed as Word | undefined) ?? standard;
  const shown = standard === null ? {} : { defaultDescription: standard };
  return { choices: words, requiresArg: true, describe, ...shown, ...more, read };
}

/** yargs parses `abc` as NaN, and an empty string as 0. */
export function whole<Standard extends number | null>(
  least: number,
  standard: Standard,
  describe: string,
  most = Number.MAX_SAFE_INTEGER,
): Option<number | Standard> {
  const read = (parsed: unknown, title: string) => {
    if (parsed === undefined) return standard;
    const number = Number(parsed);
    if (/^\d+$/.test(String(parsed)) && number >= least && number <= most) return number;
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    throw usage(
      `${title} needs a whole number ${range}, not "${parsed}".`,
      `For example: ${title} ${standard ?? Math.max(4, least)}.`,
    );
  };
  const shown = standard === null ? {} : { defaultDescription: String(standard) };
  return { requiresArg: true, describe, ...shown, read };
}

export function yargsOptions(table: OptionTable): OptionTable {
  return Object.fromEntries(Object.entries(table).map(([name, option]) => [writtenName(name), option]));
}

/** `lockTimeout` → `lock-timeout`. */
export function writtenName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export const COMMON = {
  chdir: text('Run as if started in this folder', {
    alias: 'C',
    completes: 'folder',
  }),
  config: text('Project file; default: the nearest campaignctl.yaml, in this folder or a parent folder', {
    alias: 'c',
    completes: 'file',
  }),
  env: text('Environment, or a pattern such as "*-staging"; default: $CAMPAIGNCTL_ENV', {
    alias: 'e',
    completes: 'environment',
  }),
  color: choice(
    ['auto', 'always', 'never'],
    'auto',
    'Use colour; auto: on a terminal, unless NO_COLOR is set',
  ),
  quiet: flag('Print only results and errors', { alias: 'q' }),
  debug: flag('Print one line per request to stderr, without tokens or bodies'),
};
/** yargs adds `help` and `version` itself. */
export const GLOBAL = {
  ...COMMON,
  help: flag('Show help', { alias: 'h' }),
  version: flag('Show version number', { alias: 'V' }),
};

export type CommonFlags = Values<typeof COMMON>;

export const files = texts('Manifests or folders; default: those of the project file', {
  completes: 'file',
});
export const planFile = argument('Plan file or folder of plans, written by plan --out', {
  completes: 'file',
});
export const format = <const Word extends string, Standard extends Word>(
  words: readonly Word[],
  standard: Standard,
  describe = 'Output format',
) => choice(words, standard, describe, { alias: 'f' });
export const json = flag('The same as --format json', { conflicts: 'format' });
export const target = texts(
  'Only campaigns that match this name or pattern, such as "Spring*"; "!Spring*" excludes; repeat for several',
  { alias: 't', completes: 'target' },
);
export const refresh = choice(
  REFRESH_MODES,
  null,
  'Campaigns to read; changed: only those that may have changed since an apply or import last read them. Default: all',
);
export const requireApplied = text(
  'Refuse campaigns that were not applied to this environment with the same content; default: require_applied of the environment',
  { completes: 'environment' },
);
const heldLaunches = texts(
  'Send everything but launches (launch); launch="Fair *" leaves out those of matching names; repeat for several',
  { completes: 'hold' },
);
export const hold: Option<Hold[]> = {
  ...heldLaunches,
  read: (parsed, title) =>
    heldLaunches.read(parsed, title).map((text) => {
      if (isHold(text)) return text;
      throw usage(
        `"${text}" cannot be held.`,
        'Write --hold launch, or --hold launch="NAME" for one campaign.',
      );
    }),
};
export const parallelism = whole(
  1,
  null,
  `Maximum number of concurrent requests; default: limits.parallelism of the environment, otherwise ${DEFAULTS.limits.parallelism}`,
);
export const lockTimeout = whole(0, LOCK_TIMEOUT, 'Seconds to wait for another apply; 0: do not wait');
export const projects = {
  recursive: flag(
    'Run in every project below the working directory; a failure in one does not stop the others',
  ),
  shard: text('With --recursive: only part I of N of the projects, such as 2/8'),
};
export const detailedExitcode = (two: string) => flag(`Exit with code 2 if ${two}`);
export const yes = flag('Do not ask for confirmation', { alias: 'y' });

const allowed = texts(
  `Accept a hazard in the plan (${HAZARD_NAMES.join(', ')}); launch="Acme *" accepts it for matching names; repeat for several`,
  { completes: 'hazard' },
);
export const allow: Option<Allowed[]> = {
  ...allowed,
  read: (parsed, title) =>
    allowed.read(parsed, title).map((text) => {
      if (isAllowed(text)) return text;
      const parts = text.split(/[\s,]+/);
      if (parts.length > 1 && parts.every(isAllowed))
        throw usage(
          `"${text}" is not a hazard.`,
          `Repeat --allow for each: ${parts.map((part) => `--allow ${part}`).join(' ')}.`,
        );
      const near = nearest(text, HAZARD_NAMES);
      throw usage(
        `"${text}" is not a hazard.`,
        near === null ? `Choose one of: ${HAZARD_NAMES.join(', ')}.` : `Did you mean ${near}?`,
      );
    }),
};

export const PLAN_FORMATS = ['text', 'json', 'markdown', 'html'] as const;

export const planViews = {
  format: format(PLAN_FORMATS, 'text'),
  json,
  full: flag('Show everything in full: bodies, new campaigns, lead ids'),
};
export type ViewFlags = Values<typeof planViews>;

export interface ManyFlags extends CommonFlags, Values<typeof projects> {
  files?: string[];
  target?: string[];
  allow?: Allowed[];
  hold?: Hold[];
}

/** True if several projects or environments are chosen. Refuses options that need a single one. */
export function isRecursive(flags: ManyFlags, { env }: { env: NodeJS.ProcessEnv }): boolean {
  const { recursive, shard, config, files = [], target = [] } = flags;
  const isMany = recursive || parseGlob(flags.env ?? env.CAMPAIGNCTL_ENV ?? '') !== null;
  if (!isMany && shard !== null)
    throw usage('--shard needs --recursive or several environments.', 'Add --recursive.');
  const single = [
    ...files,
    ...(config === null ? [] : ['--config']),
    ...(target.length === 0 ? [] : ['--target']),
  ];
  if (isMany && single.length > 0)
    throw usage(
      `${recursive ? '--recursive applies to whole projects' : 'A pattern in --env selects all campaigns of the matching environments'}; it cannot be combined with ${single.join(', ')}.`,
      `Remove ${single.join(', ')}, or run the command for a single project and environment.`,
    );
  return isMany;
}
