import Parser from 'yargs-parser';
import { nearest } from '../manifest/errors.js';
import { type Failure, usage } from '../model/failure.js';
import { type Command, type OptionTable, type Parsed, usageOf, yargsOptions } from './options.js';

/** A command line: its words, and the values of its options by their names as they are written. */
interface Line {
  words: readonly string[];
  options: Parsed;
}

/** Reads a command line as yargs does: flags as true or false, other options as texts, the unknown ones too. */
export function readLine(argv: readonly string[], table: OptionTable): Line {
  checkFlags(argv, table);
  const known = Object.entries(yargsOptions(table));
  const named = (isFlag: boolean) =>
    known.filter(([, { type }]) => (type === 'boolean') === isFlag).map(([name]) => name);
  const aliases = known.flatMap(([name, { alias }]) => (alias === undefined ? [] : [[name, alias]]));
  const read = Parser([...argv], {
    boolean: named(true),
    string: named(false),
    alias: Object.fromEntries(aliases),
    configuration: {
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'populate--': true,
      'strip-aliased': true,
    },
  });
  // What follows `--` is words, whatever they begin with.
  const { _: words, '--': more = [], ...options } = read;
  return { words: [...words, ...more].map(String), options };
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

/** Refuses what is unknown, negated and no flag, or without a value: `--env "$STAGE"` without a STAGE would mean another one. */
export function checkOptions(options: Parsed, table: OptionTable, chosen: Chosen): void {
  const known = new Map(Object.entries(yargsOptions(table)));
  for (const [name, given] of Object.entries(options)) {
    const values = [given].flat();
    const option = known.get(name);
    if (option === undefined || (option.type !== 'boolean' && values.includes(false)))
      throw unknownOption(values.includes(false) ? `no-${name}` : name, [...known.keys()], chosen);
    if (values.includes('')) throw withoutValue(`--${name}`);
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

function withoutValue(title: string): Failure {
  return usage(
    `${title} is given without a value.`,
    'A variable that is not set is the likely cause. Give a value, or leave it out.',
  );
}

export const HELP = 'campaignctl --help shows commands and options.';
const helpOf = (name: string) => `campaignctl help ${name} shows the arguments and options of ${name}.`;

function unknownOption(name: string, known: readonly string[], chosen: Chosen): Failure {
  const written = name.length === 1 ? `-${name}` : `--${name}`;
  if (chosen === null) return usage(`Without a command there is no option ${written}.`, HELP);
  const usageLine = usageOf(chosen.name, chosen.positionals);
  const near = nearest(name.replace(/^no-/, ''), known);
  const isWord = Object.hasOwn(yargsOptions(chosen.positionals), name);
  if (isWord)
    return usage(`Unknown option ${written}.`, `Write it without a name: campaignctl ${usageLine}.`);
  return usage(
    `Unknown option ${written}.`,
    near === null || name === `no-${near}` ? helpOf(chosen.name) : `Did you mean --${near}?`,
  );
}
