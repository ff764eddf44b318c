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
/** By `--name` and `-letter`. A name means the same in every command. */
const OPTIONS = new Map(
  [GLOBAL, ...ROWS.map(([, { options }]) => options)].flatMap((table: OptionTable) =>
    Object.entries(yargsOptions(table)).flatMap(([name, { type, alias }]) =>
      [`--${name}`, `-${alias}`].map((title) => [title, { name, isFlag: type === 'boolean' }] as const),
    ),
  ),
);

/** Returns a command, or text such as the help. */
export function parseLine(argv: Words, width: number): Invocation | { text: string } {
  const asksHelp = argv.length === 0 || argv[0] === 'help';
  const line = asksHelp ? [...argv.slice(1), '--help'] : [...argv];
  if (line[0] !== '--get-yargs-completions') checkWords(line);
  let text = '';
  const parser = openParser(width, (name, parsed) => {
    throw new Chosen({ name, values: valuesOf(name, parsed) });
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
      'To stop campaigns immediately, run campaignctl pause NAME, or pause --all for the managed ones; add --unmanaged for every campaign.\nMessages end with a code in brackets: see campaignctl explain CODE.\n\nExit codes: 0 done or nothing to do · 1 error, nothing sent · 2 changes pending · 3 refused, nothing sent · 4 incomplete · 130 interrupted',
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
  'Arguments %s and %s are mutually exclusive': '--%s and --%s cannot be combined.',
  'Invalid values:': 'Unknown value:',
  'Argument: %s, Given: %s, Choices: %s': '%s cannot be %s. Choose one of: %s.',
  'Did you mean %s?': 'There is no such command. Did you mean %s?',
};

function valuesOf(name: CommandName, parsed: Parsed): CommonFlags {
  const { positionals, options }: Command = COMMANDS[name];
  const values = { ...parsed, ...dashed(positionals, parsed) };
  const entries = Object.entries({ ...COMMON, ...options, ...positionals }).map(([key, option]) => {
    const value = values[writtenName(key)];
    const title = key in positionals ? `The argument ${key}` : `--${writtenName(key)}`;
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

/** Refuses words that yargs would drop or misread: an option without its value could widen what is applied. */
function checkWords(line: Words): void {
  let command: string | null = null;
  let waiting: string | null = null;
  for (const [at, word] of line.entries()) {
    // An empty word usually comes from an unset variable.
    if (word.trim() === '' || (waiting !== null && word.startsWith('-')))
      throw withoutValue(waiting ?? 'An argument');
    if (word === '--' || line.slice(0, at).includes('--')) continue;
    if (waiting !== null) waiting = null;
    else if (word.startsWith('-')) waiting = checkOption(word, command, line);
    else command ??= word;
  }
  if (waiting !== null) throw withoutValue(waiting);
}

/** Returns the option if the next word is its value. yargs parses `-chdir` as `-h`, `--dry-run=yes` as false. */
function checkOption(word: string, command: string | null, line: Words): string | null {
  const [, dashes, name = '', value] = /^(--?)([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const titles = dashes === '--' ? [`--${name}`] : Array.from(name, (letter) => `-${letter}`);
  const options = titles.flatMap((title) => OPTIONS.get(title) ?? []);
  const row = commandNamed(command);
  const known = Object.keys(yargsOptions({ ...GLOBAL, ...row?.options }));
  // yargs refuses an unknown command.
  const isChecked = command === null || row !== undefined;
  const stranger = options.find((option) => isChecked && !known.includes(option.name));
  if (stranger !== undefined && command === null)
    throw usage(`--${stranger.name} comes before the command.`, 'Write it after the command.');
  const title = titles.at(-1);
  if (title === undefined || stranger !== undefined || options.length < titles.length)
    throw unknownOption(`${dashes}${name}`, line);
  const open = options.findIndex(({ isFlag }) => !isFlag);
  if (open === -1 && value !== undefined && !/^(true|false)$/.test(value))
    throw usage(`${title} takes true or false, not "${value}".`, `Write ${title} alone, or leave it out.`);
  const isLast = open === -1 || open === titles.length - 1;
  if (!isLast || value?.trim() === '') throw withoutValue(title);
  return open === -1 || value !== undefined ? null : title;
}

function withoutValue(title: string): Failure {
  return usage(
    `${title} needs a value.`,
    'Most likely, a variable is not set. Add a value, or remove the option.',
  );
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
  if (unknown === undefined) return usage(message.replace(/\n\s*/g, ' '), help);
  return usage(
    `Unknown ${name === undefined ? 'command' : 'argument'} ${unknown}.`,
    hintFor(unknown) ?? help,
  );
}

function unknownOption(option: string, line: Words): Failure {
  const name = commandIn(line);
  const word = option.replace(/^--?/, '');
  const known = Object.keys(yargsOptions({ ...GLOBAL, ...commandNamed(name)?.options }));
  const near = nearest(word.replace(/^no-/, ''), known);
  return usage(
    `Unknown option ${option}.`,
    hintFor(word) ?? (near === null ? helpFor(name) : `Did you mean --${near}?`),
  );
}

function commandIn(line: Words): CommandName | undefined {
  return line.find((word): word is CommandName => Object.hasOwn(COMMANDS, word));
}

function commandNamed(name: string | null | undefined): Command | undefined {
  return ROWS.find(([known]) => known === name)?.[1];
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
