import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Options } from 'yargs';
import { DEFAULTS, LOCK_TIMEOUT } from '../model/environment.js';
import { type ExitCode, type Failure, usage } from '../model/failure.js';
import { type CommandReport, REFRESH_MODES } from '../model/outputs.js';
import { renderJson } from '../view/terminal.js';
import { COLOURS, type Shell } from './shell.js';

/**
 * An option or a positional: how yargs takes and explains it, and what a command gets of it. `title`: what messages call it.
 * `shorthands`: flags that stand for one of its values, as `--json` for `--format json`. `completes`: what a shell offers for it.
 */
export interface Option<T> {
  yargs: YargsOptions;
  shorthands?: Readonly<Record<string, string>>;
  completes?: Completes;
  read(given: unknown, title: string): T;
}

/** What the value of an option names, or the words themselves. `entries`: campaigns of the state. */
export type Completes = 'environments' | 'campaigns' | 'entries' | 'runs' | 'codes' | readonly string[];

/** What yargs takes of both, options and positionals. */
type YargsOptions = Omit<Options, 'type'> & { type?: 'boolean' | 'string' | 'number' };

/** Options by their name in code: `lockTimeout` is `--lock-timeout`. */
export type OptionTable = Record<string, Option<unknown>>;

/** What stands on a command line, by the names of options and positionals as they are written. */
export type Parsed = Readonly<Record<string, unknown>>;

type OptionValues<Table extends OptionTable> = { [Name in keyof Table]: ReturnType<Table[Name]['read']> };

/** Options of every command. */
export const COMMON = {
  chdir: text('Work in this folder: files, folders and the project file are looked for there', {
    alias: 'C',
  }),
  config: text('Project file; default: the nearest campaignctl.yaml, here or above', { alias: 'c' }),
  env: naming(
    'environments',
    text('Environment of the project file; default: $CAMPAIGNCTL_ENV', { alias: 'e' }),
  ),
  color: {
    ...choice(COLOURS, 'auto', 'Use colour; auto: on a terminal, unless NO_COLOR is set'),
    shorthands: { 'no-color': 'never' },
  },
  quiet: flag('Print results and errors only', { alias: 'q' }),
  debug: flag('Print a line for each request to stderr; never a token or a body'),
  help: flag('Show help', { alias: 'h' }),
  version: flag('Show version number', { alias: 'V' }),
};
/** Of help and version no command needs to know: a text is printed in its place. */
export type CommonFlags = Omit<OptionValues<typeof COMMON>, 'help' | 'version'>;

/** What a command gets: the values of its own options and positionals, and those of every command. */
export type Flags<Table extends OptionTable> = CommonFlags & OptionValues<Table>;

/** A command: what it takes, and what it does. `start` reads the flags, and fails where one is wrong. */
export interface Command {
  positionals: OptionTable;
  options: OptionTable;
  examples: readonly [line: string, text: string][];
  start(parsed: Parsed): { flags: CommonFlags; run(shell: Shell): Promise<ExitCode> };
}

/** A command from its options and the function that takes their values. */
export function defineCommand<Positionals extends OptionTable, Own extends OptionTable>(definition: {
  positionals: Positionals;
  options: Own;
  examples: Command['examples'];
  run(flags: Flags<Positionals & Own>, shell: Shell): Promise<ExitCode>;
}): Command & Pick<typeof definition, 'run'> {
  const { positionals, options, run } = definition;
  return {
    ...definition,
    start(parsed) {
      const common = read(COMMON, parsed, optionTitle);
      const words = read(positionals, parsed, (name) => `The argument ${name}`);
      const flags = { ...common, ...words, ...read(options, parsed, optionTitle) };
      return { flags: common, run: (shell) => run(flags, inFolder(shell, common)) };
    },
  };
}

/** Prints what a command did, once: the facts for programs, or the text for people. */
export type Report = (facts: CommandReport, text: string) => void;

/**
 * A command whose result is a few facts. With --format json they are all that stdout holds: what else the command says to people
 * goes to stderr.
 */
export function defineReport<Positionals extends OptionTable, Own extends OptionTable>(definition: {
  positionals: Positionals;
  options: Own;
  examples: Command['examples'];
  run(flags: Flags<Positionals & Own>, shell: Shell, report: Report): Promise<ExitCode>;
}): Command {
  const { options, run } = definition;
  return defineCommand({
    ...definition,
    options: { ...options, format },
    run(flags, shell) {
      // The values of its own options are among them: the compiler cannot tell with a table of any options.
      const own = flags as Flags<Positionals & Own>;
      if (flags.format === 'text') return run(own, shell, (_, text) => shell.out(text));
      const quiet = { ...shell, out: shell.err, onOut: shell.onErr };
      return run(own, quiet, (facts) => shell.out(renderJson(facts)));
    },
  });
}

const optionTitle = (name: string) => `--${name}`;

function inFolder(shell: Shell, { chdir }: CommonFlags): Shell {
  if (chdir === null) return shell;
  const cwd = resolve(shell.cwd, chdir);
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return { ...shell, cwd };
  throw usage(`There is no folder ${chdir} (--chdir).`, 'Name one that is there.');
}

function read<Table extends OptionTable>(
  table: Table,
  parsed: Parsed,
  titleOf: (name: string) => string,
): OptionValues<Table> {
  const values = Object.entries(table).map(([name, option]) => {
    const written = writtenName(name);
    return [name, option.read(parsed[written], titleOf(written))];
  });
  // Object.fromEntries forgets which name has which type.
  return Object.fromEntries(values) as OptionValues<Table>;
}

/** `lockTimeout` → `lock-timeout`. */
function writtenName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A flag that stands for a value of an option, all as they are written. */
interface Shorthand {
  flag: string;
  option: string;
  value: string;
}

export function shorthandsOf(table: OptionTable): Shorthand[] {
  return Object.entries(table).flatMap(([name, { shorthands = {} }]) =>
    Object.entries(shorthands).map(([flag, value]) => ({ flag, option: writtenName(name), value })),
  );
}

/** A table as yargs takes it, by the names of options as they are written, shorthands included. */
export function yargsOptions(table: OptionTable): Record<string, YargsOptions> {
  const rows = Object.entries(table).flatMap(([name, option]) => [
    [writtenName(name), option.yargs] as const,
    ...shorthandsOf({ [name]: option }).map(({ flag, option, value }) => {
      const yargs = { type: 'boolean', describe: `The same as --${option} ${value}` } as const;
      return [flag, yargs] as const;
    }),
  ]);
  return Object.fromEntries(rows);
}

export function flag(describe: string, more: YargsOptions = {}): Option<boolean> {
  return { yargs: { type: 'boolean', describe, ...more }, read: (given) => given === true };
}

export function text(describe: string, more: YargsOptions = {}): Option<string | null> {
  return {
    yargs: { type: 'string', describe, ...more },
    read: (given, title) => (given === undefined ? null : String(once(given, title))),
  };
}

export function texts(describe: string, more: YargsOptions = {}): Option<string[]> {
  return { yargs: { type: 'string', array: true, describe, ...more }, read: all };
}

/** One of some words; `standard` where none is given. */
export function choice<const Word extends string, Standard extends Word | null>(
  words: readonly Word[],
  standard: Standard,
  describe: string,
): Option<Word | Standard> {
  const more = standard === null ? {} : { default: standard };
  return {
    yargs: { choices: words, describe, ...more },
    read: (given, title) => (given === undefined ? standard : oneOf(words, once(given, title), title)),
  };
}

/** The same option, whose value names something that a shell can offer. */
export function naming<T>(completes: Completes, option: Option<T>): Option<T> {
  return { ...option, completes };
}

/** Several of some words, each in an option of its own or all in one, with commas between them. */
export function choices<const Word extends string>(words: readonly Word[], describe: string): Option<Word[]> {
  return {
    yargs: { choices: words, array: true, describe },
    read: (given, title) =>
      all(given)
        .flatMap((list) => partsOf(list, title))
        .map((word) => oneOf(words, word, title)),
  };
}

/** Texts that may hold commas themselves: a new one starts where `comma` matches. */
export function listed(given: unknown, comma: RegExp): string[] {
  return all(given).flatMap((list) => list.split(comma));
}

/** What stands between commas. An empty part is refused: `launch,$MORE` without a MORE is a slip. */
function partsOf(list: string, title: string): string[] {
  const parts = list.split(',').map((part) => part.trim());
  if (parts.includes('')) throw withoutValue(`A part of ${title}`);
  return parts;
}

/** Refuses what is empty. */
export function withoutValue(title: string): Failure {
  return usage(
    `${title} is given without a value.`,
    'Most likely, a variable is not set. Give a value, or leave it out.',
  );
}

function oneOf<Word extends string>(words: readonly Word[], given: unknown, title: string): Word {
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  const known = words.map((word) => `"${word}"`).join(', ');
  throw usage(`${title} does not take "${given}".`, `It takes: ${known}.`);
}

/** How a result is printed. */
export function formats<const Word extends string, Standard extends Word>(
  words: readonly Word[],
  standard: Standard,
  describe = 'Output format',
): Option<Word | Standard> {
  const { yargs, read } = choice(words, standard, describe);
  const shorthands = words.some((word) => word === 'json') ? { json: 'json' } : {};
  return { yargs: { ...yargs, alias: 'f' }, shorthands, read };
}

/** A whole number; `standard` where none is given. yargs itself would make NaN or 0 of what is none: it takes a text. */
export function whole<Standard extends number | null>(
  least: number,
  standard: Standard,
  describe: string,
): Option<number | Standard> {
  const more = standard === null ? {} : { default: standard };
  return {
    yargs: { type: 'number', describe, ...more },
    read(given, title) {
      const value = once(given, title);
      if (value === undefined) return standard;
      const number = Number(value);
      if (/^\d+$/.test(String(value)) && Number.isSafeInteger(number) && number >= least) return number;
      throw usage(
        `${title} takes a whole number from ${least}, not "${value}".`,
        `For example: ${title} ${standard ?? Math.max(4, least)}.`,
      );
    },
  };
}

/** A positional. Without `standard` it may not be left out. */
export function argument(describe: string, standard?: string): Option<string> {
  const more = standard === undefined ? { demandOption: true } : { default: standard };
  return { yargs: { type: 'string', describe, ...more }, read: (given) => String(given ?? standard) };
}

/** How the words of a command are written: `compare <from> <to> [files..]`. */
export function usageOf(name: string, positionals: OptionTable): string {
  const places = Object.entries(yargsOptions(positionals)).map(([place, { demandOption, array }]) => {
    const written = array ? `${place}..` : place;
    return demandOption ? ` <${written}>` : ` [${written}]`;
  });
  return `${name}${places.join('')}`;
}

function once(given: unknown, title: string): unknown {
  if (Array.isArray(given)) throw usage(`${title} is given more than once.`, 'Give it once.');
  return given;
}

function all(given: unknown): string[] {
  return given === undefined ? [] : [given].flat().map(String);
}

/** Ends the help of options of which one can hold several values. */
export const SEVERAL = 'repeatable, or with commas';

// What several commands take.

export const files = texts('Manifests or folders to read instead of those of the project file');
export const planFile = argument('Plan file, or folder of plans, that plan --out wrote');
export const format = formats(['text', 'json'], 'text');
export const viewFormat = formats(['text', 'json', 'markdown'], 'text');
export const target = naming(
  'campaigns',
  texts(`Only campaigns with this name, such as "Spring*"; ${SEVERAL}`, { alias: 't' }),
);
export const refresh = choice(
  REFRESH_MODES,
  null,
  'Which campaigns to read; changed: only those of which manifests, the list or the state show a change since they were last read back. Default: all',
);
export const hold = choices(['launch'], 'Leave launches out');
export const parallelism = whole(
  1,
  null,
  `How many requests may be under way at once; default: limits.parallelism of the environment, else ${DEFAULTS.limits.parallelism}`,
);
export const lockTimeout = whole(0, LOCK_TIMEOUT, 'Seconds to wait for another apply; 0: do not wait');
export const events = text('Write each event of the run to this file, one JSON object per line');
/** Options of the commands that can take several projects. */
export const projects = {
  recursive: flag('Every project below the working directory; one that fails does not stop the others'),
  shard: text('With --recursive: part I of N of the projects, such as 2/8'),
};
export const detailedExitcode = (two: string) => flag(`Exit with code 2 if ${two}`);
export const yes = flag('Do not ask for confirmation', { alias: 'y' });

export const full = flag('Show bodies and new campaigns in full on the terminal');

/** How a plan can be shown. */
const PLAN_FORMATS = ['text', 'json', 'markdown', 'html'] as const;
export type PlanFormat = (typeof PLAN_FORMATS)[number];

/** One more view of the same plan, in a file. */
export interface Output {
  format: PlanFormat;
  file: string;
}

/** Options of the commands that show a plan. */
export const planOutputs = {
  format: formats(PLAN_FORMATS, 'text'),
  output: {
    yargs: texts(`FORMAT=FILE: write the plan to a file as well; ${SEVERAL}`).yargs,
    read: (given: unknown) => listed(given, /,(?=[a-z]+=|$)/).map(parseOutput),
  },
  limit: whole(
    2_000,
    60_000,
    'Maximum length of the Markdown in characters; a comment on GitHub holds 65536',
  ),
  summaryFile: text("Append Markdown to this file, such as a job's summary"),
  full,
};
export type OutputFlags = OptionValues<typeof planOutputs>;

/** `markdown=plan.md` → a view and where it goes. */
function parseOutput(written: string): Output {
  const [, name, file] = /^([^=]*)=(.*)$/s.exec(written) ?? [];
  const format = PLAN_FORMATS.find((known) => known === name);
  if (format !== undefined && file) return { format, file };
  throw usage(
    `--output takes FORMAT=FILE, not "${written}".`,
    `${written === '' || name === '' || file === '' ? 'Most likely, a variable is not set. ' : ''}For example: --output markdown=plan.md. Formats: ${PLAN_FORMATS.join(', ')}.`,
  );
}

/** What a command is asked for, of one project or of several. */
export interface ManyFlags extends CommonFlags, OptionValues<typeof projects> {
  files?: string[];
  target?: string[];
  events?: string | null;
}

/** Whether a command takes several projects. Options that mean one of them are refused. */
export function isRecursive({ recursive, shard, ...flags }: ManyFlags): boolean {
  const meant = (['config', 'target', 'events'] as const).filter(
    (name) => [flags[name] ?? []].flat().length > 0,
  );
  const one = [...(flags.files ?? []), ...meant.map((name) => `--${name}`)];
  if (!recursive && shard !== null)
    throw usage('--shard takes a part of several projects.', 'Give --recursive as well.');
  if (recursive && one.length > 0)
    throw usage(
      `--recursive takes whole projects; it does not go with ${one.join(', ')}.`,
      'Leave it out, or run the command in the folder of one project.',
    );
  return recursive;
}
