import yargs, { type Argv } from 'yargs';
import { nearest } from '../manifest/errors.js';
import { Failure, usage } from '../model/failure.js';
import { version } from '../operations/version.js';
import { COMMANDS, type Command, type CommandName } from './commands.js';
import { hintFor } from './hints.js';
import { COMMON, type CommonFlags, flag, type OptionTable } from './options.js';

export interface Invocation {
  name: CommandName;
  values: CommonFlags;
}

type Words = readonly string[];
type Parsed = Readonly<Record<string, unknown>>;

const ROWS = Object.entries(COMMANDS) as [CommandName, Command][];

/** yargs adds `help` and `version` itself. */
const GLOBAL = { ...COMMON, help: flag('', { alias: 'h' }), version: flag('', { alias: 'V' }) };
const ALL = [GLOBAL, ...ROWS.map(([, { options }]) => options)].flatMap((table: OptionTable) =>
  Object.entries(yargsOptions(table)),
);
const SHORT = ALL.flatMap(([, { alias }]) => alias ?? []);
const FLAGS = ALL.filter(([, { type }]) => type === 'boolean').flatMap(([name, { alias }]) => [name, alias]);
/** Options that may precede the command. */
const EARLY = Object.entries(yargsOptions(GLOBAL)).flatMap(([name, { alias }]) => [`--${name}`, `-${alias}`]);

/** Returns a command, or text such as the help. */
export function parseLine(argv: Words, width: number): Invocation | { text: string } {
  const asksHelp = argv.length === 0 || argv[0] === 'help';
  const line = asksHelp ? [...argv.slice(1), '--help'] : [...argv];
  if (line[0] !== '--get-yargs-completions') checkWords(line);
  let text = '';
  const parser = openParser(width, (name, parsed) => {
    throw new Chosen({ name, values: valuesOf(name, parsed, line) });
  });
  parser.fail((message, error) => {
    throw error instanceof Failure ? error : refusal(message, line);
  });
  try {
    parser.parseSync(line, {}, (_error, _parsed, output) => {
      text = output;
    });
  } catch (error) {
    if (error instanceof Chosen) return error.invocation;
    throw error;
  }
  return { text };
}

/** Ends the parser. If a handler returns, yargs renders the help of the command, which takes longer than all its parsing. */
class Chosen extends Error {
  readonly invocation: Invocation;

  constructor(invocation: Invocation) {
    super();
    this.invocation = invocation;
  }
}

function openParser(width: number, choose: (name: CommandName, parsed: Parsed) => never): Argv {
  const parser = yargs()
    .scriptName('campaignctl')
    .locale('en')
    .updateStrings(WORDING)
    .wrap(Math.min(width, 100))
    .exitProcess(false)
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'populate--': true,
    })
    .strict()
    .recommendCommands()
    .demandCommand(1, 'A command is missing.')
    .usage(
      'campaignctl <command>\n\nEmail outreach campaigns as code: plan, review and apply YAML manifests.',
    )
    .options(yargsOptions(COMMON))
    .version(version)
    .alias({ help: 'h', version: 'V' })
    .group(Object.keys(yargsOptions(GLOBAL)), 'Common options:')
    .example('campaignctl init shop && cd shop', 'a new project, ready to plan and apply')
    .example('campaignctl plan --env production', 'show what would change')
    .example('campaignctl apply --env production --allow launch', 'send the changes, including launches')
    .epilogue(
      'To stop campaigns at once, run campaignctl pause NAME, or pause --all for the managed ones; add --unmanaged for every campaign.\nMessages end with a code in brackets: see campaignctl explain CODE.\n\nExit codes: 0 done or nothing to do · 1 error, nothing sent · 2 changes pending · 3 refused, nothing sent · 4 incomplete · 130 interrupted',
    );
  for (const [name, { command, describe, ...row }] of ROWS) {
    const builder = (args: Argv) => {
      for (const [place, option] of Object.entries(row.positionals)) args.positional(place, option);
      for (const [example, text] of row.examples) args.example(`campaignctl ${example}`, text);
      return args.usage(`campaignctl ${command}\n\n${describe}.`).options(yargsOptions(row.options));
    };
    parser.command({ command, describe, builder, handler: (parsed) => choose(name, parsed) });
  }
  return parser.completion(
    'completion',
    'Print a completion script for your shell ($SHELL): bash, zsh or fish',
  );
}

const WORDING = {
  'Positionals:': 'Arguments:',
  'Not enough arguments following: %s': 'The option %s needs a value.',
  'Arguments %s and %s are mutually exclusive': '--%s and --%s cannot be combined.',
  'Invalid values:': 'Unknown value:',
  'Argument: %s, Given: %s, Choices: %s': '%s cannot be %s. Choose one of: %s.',
  'Did you mean %s?': 'There is no such command. Did you mean %s?',
};

function valuesOf(name: CommandName, parsed: Parsed, line: Words): CommonFlags {
  const { command, positionals, options }: Command = COMMANDS[name];
  // yargs parses `--yes apply forget NAME` as `forget --yes NAME`.
  const early = line.slice(0, line.indexOf(name)).map(titleOf);
  const misplaced = early.find((title) => title !== null && !EARLY.includes(title));
  if (misplaced)
    throw usage(
      `${misplaced} comes before the command.`,
      `Write it after the command: campaignctl ${name} ${misplaced}.`,
    );
  const named = Object.keys(positionals).find((place) => line.some((word) => titleOf(word) === `--${place}`));
  if (named !== undefined)
    throw usage(`Unknown option --${named}.`, `Write only the value: campaignctl ${command}.`);
  const values = { ...parsed, ...dashed(positionals, parsed) };
  const entries = Object.entries({ ...COMMON, ...options, ...positionals }).map(([key, option]) => {
    const value = values[writtenName(key)];
    const title = key in positionals ? `The argument ${key}` : `--${writtenName(key)}`;
    // yargs parses `-eq` as `--env '' --quiet`.
    if ([value].flat().includes('')) throw withoutValue(title);
    if (Array.isArray(value) && !option.array)
      throw usage(`${title} appears more than once.`, 'Use it once.');
    return [key, option.read(value, title)];
  });
  const read = Object.fromEntries(entries) as CommonFlags;
  return parsed.json === true ? Object.assign(read, { format: 'json' }) : read;
}

/** yargs drops words after `--`: `apply -- FILE` would apply all files. */
function dashed(positionals: OptionTable, parsed: Parsed): Parsed {
  const words = [parsed['--'] ?? []].flat();
  const last = Object.keys(positionals).at(-1);
  if (words.length === 0) return {};
  if (last === undefined || positionals[last]?.array !== true)
    throw usage(`Unknown argument ${words[0]}.`, HELP);
  return { [last]: [parsed[last] ?? [], words].flat() };
}

/** Refuses words that yargs would drop or misread. An empty word usually comes from an unset variable. */
function checkWords(line: Words): void {
  for (const [at, word] of line.entries()) {
    if (/^(?:-[^=]*=)?\s*$/.test(word))
      throw withoutValue(titleOf(word) ?? titleOf(line[at - 1]) ?? 'An argument');
    if (line.slice(0, at).includes('--')) continue;
    const [, dashes, name = '', value] = /^(--?)([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    const letters = dashes === '-' ? [...name] : [];
    // yargs drops `-`, `--_` and `--$0`, and parses `-chdir` as `-h`.
    if (word === '-' || /^--(_|\$0)(=|$)/.test(word) || letters.some((letter) => !SHORT.includes(letter)))
      throw unknownOption(titleOf(word) ?? word, line);
    // yargs parses `--dry-run=yes` as false.
    if (value !== undefined && FLAGS.includes(letters.at(-1) ?? name) && !/^(true|false)$/.test(value))
      throw usage(
        `${titleOf(word)} takes true or false, not "${value}".`,
        `Write ${titleOf(word)} alone, or leave it out.`,
      );
  }
}

function withoutValue(title: string): Failure {
  return usage(
    `${title} needs a value.`,
    'Most likely, a variable is not set. Add a value, or remove the option.',
  );
}

function titleOf(word = ''): string | null {
  return /^--?[^=-][^=]*/.exec(word)?.[0] ?? null;
}

const HELP = 'campaignctl --help shows commands and options.';

function refusal(message: string, line: Words): Failure {
  const name = commandIn(line);
  const help = helpFor(name);
  const foreign = name === undefined ? line.find((word) => hintFor(word) !== null) : undefined;
  if (foreign !== undefined) return usage(`Unknown command ${foreign}.`, hintFor(foreign) ?? help);
  if (name !== undefined && message.startsWith('Not enough non-option'))
    return usage(`An argument is missing: campaignctl ${COMMANDS[name].command}.`, help);
  const [, unknown] = /^Unknown arguments?: ([^,]+)/.exec(message) ?? [];
  if (unknown === undefined) {
    const isEmpty = /""|without a value/.test(message);
    return usage(message.replace(/\n\s*/g, ' '), isEmpty ? 'Most likely, a variable is not set.' : help);
  }
  const option = line.map(titleOf).find((title) => title?.replace(/^--?/, '') === unknown);
  if (option) return unknownOption(option, line);
  const kind = name === undefined ? 'command' : 'argument';
  return usage(`Unknown ${kind} ${unknown}.`, hintFor(unknown) ?? help);
}

function unknownOption(option: string, line: Words): Failure {
  const name = commandIn(line);
  const word = option.replace(/^--?/, '');
  const command: Command | undefined = name && COMMANDS[name];
  const known = Object.keys(yargsOptions({ ...GLOBAL, ...command?.options }));
  const near = nearest(word.replace(/^no-/, ''), known);
  return usage(
    `Unknown option ${option}.`,
    hintFor(word) ?? (near === null ? helpFor(name) : `Did you mean --${near}?`),
  );
}

function commandIn(line: Words): CommandName | undefined {
  return line.find((word): word is CommandName => Object.hasOwn(COMMANDS, word));
}

function helpFor(name: CommandName | undefined): string {
  return name === undefined ? HELP : `campaignctl ${name} --help shows its arguments and options.`;
}

export function yargsOptions(table: OptionTable): OptionTable {
  return Object.fromEntries(Object.entries(table).map(([name, option]) => [writtenName(name), option]));
}

/** `lockTimeout` → `lock-timeout`. */
function writtenName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
