import Parser from 'yargs-parser';
import { nearest } from '../manifest/errors.js';
import { type Failure, usage } from '../model/failure.js';
import { optionHint } from './habits.js';
import {
  type Command,
  type OptionTable,
  type Parsed,
  shorthandsOf,
  usageOf,
  withoutValue,
  yargsOptions,
} from './options.js';

/** A command line as it was given, its words, and the values of its options by their names as they are written. */
interface Line {
  argv: readonly string[];
  words: readonly string[];
  options: Parsed;
}

/** Reads a command line as yargs does: flags as true or false, other options as texts, the unknown ones too. */
export function readLine(argv: readonly string[], table: OptionTable): Line {
  checkFlags(argv, table);
  return parseLine(argv, table);
}

/** The same of a line that may be wrong: flags may have any value. */
export function parseLine(argv: readonly string[], table: OptionTable): Line {
  const known = Object.entries(yargsOptions(table));
  const aliases = known.flatMap(([name, { alias }]) => (alias === undefined ? [] : [[name, alias]]));
  // What follows `--` is words, whatever they begin with.
  const {
    _: words,
    '--': more = [],
    ...options
  } = parse(argv, table, { alias: Object.fromEntries(aliases) });
  return { argv, words: [...words, ...more].map(String), options: withoutShorthands(options, table) };
}

/** The names of options as they are written. `grouped`: `-qy` is `-q -y`, else one option, as Terraform has it. */
function writtenNames(argv: readonly string[], table: OptionTable, grouped: boolean): string[] {
  const {
    _,
    '--': more,
    ...options
  } = parse(argv, table, { configuration: { 'short-option-groups': grouped } });
  return Object.keys(options);
}

function parse(
  argv: readonly string[],
  table: OptionTable,
  { configuration = {}, alias = {} }: Parser.Options,
) {
  const known = Object.entries(yargsOptions(table));
  const named = (isFlag: boolean) =>
    known.filter(([, { type }]) => (type === 'boolean') === isFlag).map(([name]) => name);
  return Parser([...argv], {
    boolean: named(true),
    string: named(false),
    alias,
    configuration: {
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'populate--': true,
      'strip-aliased': true,
      ...configuration,
    },
  });
}

/** Each shorthand as the value that it stands for, beside what is given in full. */
function withoutShorthands(options: Record<string, unknown>, table: OptionTable): Record<string, unknown> {
  const left = { ...options };
  for (const { flag, option, value } of shorthandsOf(table)) {
    if (left[flag] === true) left[option] = option in left ? [left[option], value].flat() : value;
    delete left[flag];
  }
  return left;
}

/** A flag is given alone, or as true or false. yargs takes any other word for false: `--dry-run=yes` would send. */
function checkFlags(argv: readonly string[], table: OptionTable): void {
  const flags = Object.entries(yargsOptions(table)).filter(([, { type }]) => type === 'boolean');
  const end = argv.indexOf('--');
  for (const word of end === -1 ? argv : argv.slice(0, end)) {
    const [, dashes, written, value = ''] = /^(--?)([^=]+)=(.*)$/s.exec(word) ?? [];
    const name = flags.find(([long, { alias }]) =>
      dashes === '--' ? written === long : alias !== undefined && alias === written?.at(-1),
    )?.[0];
    if (name === undefined || value === 'true' || value === 'false') continue;
    if (value === '') throw withoutValue(`--${name}`);
    throw usage(`--${name} takes true or false, not "${value}".`, `Write --${name} alone, or leave it out.`);
  }
}

/** A command, or null where none is given. */
type Chosen = (Pick<Command, 'positionals'> & { name: string }) | null;

/** Refuses what is unknown. */
export function checkNames({ argv, options }: Line, table: OptionTable, chosen: Chosen): void {
  const known = Object.keys(yargsOptions(table));
  // Of `-e=` yargs makes an option more, `-=`: the value of the one before is refused then.
  const unknown = Object.keys(options).find((name) => !known.includes(name) && name !== '=');
  if (unknown === undefined) return;
  const letters = writtenNames(argv, table, true);
  const long = writtenNames(argv, table, false).find((name) => !letters.includes(name));
  throw long === undefined
    ? unknownOption(unknown, known, chosen)
    : usage(
        `Unknown option -${long}.`,
        known.includes(long)
          ? `Write it with two hyphens: --${long}.`
          : (optionHint(long) ?? (chosen === null ? HELP : helpOf(chosen.name))),
      );
}

/** Refuses what is left without a value: `--env "$STAGE"` without a STAGE would mean another one. */
export function checkValues({ options }: Line): void {
  for (const [name, given] of Object.entries(options)) {
    // A short option takes even the `--` behind it.
    const isEmpty = [given].flat().some((value) => value === '' || value === '--');
    if (isEmpty) throw withoutValue(`--${name}`);
  }
}

/** The words of a command by the names of its positionals. An empty one is refused: `-- "$FILE"` without a FILE would mean all of them. */
export function placeWords(words: readonly string[], { name, positionals }: NonNullable<Chosen>): Parsed {
  const placed: Record<string, unknown> = {};
  const left = [...words];
  for (const [place, { array, demandOption }] of Object.entries(yargsOptions(positionals))) {
    const taken = left.splice(0, array ? left.length : 1);
    if (taken.includes('')) throw withoutValue(`The argument ${place}`);
    if (taken.length === 0 && demandOption)
      throw usage(`An argument is missing: campaignctl ${usageOf(name, positionals)}.`, helpOf(name));
    placed[place] = array ? taken : taken[0];
  }
  if (left.includes('')) throw withoutValue('An argument');
  if (left[0] !== undefined) throw usage(`Unknown argument ${left[0]}.`, helpOf(name));
  return placed;
}

export const HELP = 'campaignctl --help shows commands and options.';
const helpOf = (name: string) => `campaignctl help ${name} shows the arguments and options of ${name}.`;

function unknownOption(name: string, known: readonly string[], chosen: Chosen): Failure {
  const written = name.length === 1 ? `-${name}` : `--${name}`;
  const hint = optionHint(name);
  const near = nearest(name, known) ?? nearest(name.replace(/^no-/, ''), known);
  const help = chosen === null ? HELP : helpOf(chosen.name);
  if (chosen !== null && Object.hasOwn(yargsOptions(chosen.positionals), name))
    return usage(
      `Unknown option ${written}.`,
      `Write it without a name: campaignctl ${usageOf(chosen.name, chosen.positionals)}.`,
    );
  const similar = near === null || name === `no-${near}` ? help : `Did you mean --${near}?`;
  return usage(`Unknown option ${written}.`, hint ?? similar);
}
