import yargs, { type Argv } from 'yargs';
import { nearest } from '../manifest/errors.js';
import { Failure, usage } from '../model/failure.js';
import { version } from '../operations/version.js';
import { COMMANDS, type Command, type CommandName } from './commands.js';
import { commandHint, optionHint } from './habits.js';
import { COMMON, flag, type OptionTable, withoutValue } from './options.js';

/** A command with its values, or a text such as the help. */
export type CommandLine = { name: CommandName; values: object } | { text: string };

type Words = readonly string[];
type Parsed = Readonly<Record<string, unknown>>;

/** Failure for bad usage. */
export function parseLine(argv: Words, width: number): CommandLine {
  const asksHelp = argv.length === 0 || argv[0] === 'help';
  const line = asksHelp ? [...argv.slice(1), '--help'] : [...argv];
  if (line[0] !== '--get-yargs-completions') refuseEmptyWords(line);
  let text = '';
  let chosen: CommandLine | null = null;
  const parser = openParser(width, (name, parsed) => {
    chosen = { name, values: valuesOf(name, parsed, line) };
  });
  parser.fail((message, error) => {
    throw error instanceof Failure ? error : refusal(message, line);
  });
  parser.parseSync(line, {}, (_error, _parsed, output) => {
    text = output;
  });
  return chosen ?? { text };
}

function openParser(width: number, record: (name: CommandName, parsed: Parsed) => void): Argv {
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
    .help('help', 'Show help')
    .alias('help', 'h')
    .version('version', 'Show version number', version)
    .alias('version', 'V')
    .group([...Object.keys(yargsOptions(COMMON)), 'help', 'version'], 'Common options:')
    .example('campaignctl init shop && cd shop', 'a project that plans and applies as it is')
    .example('campaignctl plan --env production', 'what would change, and nothing else')
    .example('campaignctl apply --env production --allow launch', 'send it, launches included')
    .epilogue(
      'To stop campaigns at once: campaignctl pause NAME, or --all.\nMessages end with a code in brackets: campaignctl explain CODE.\n\nExit codes: 0 done or nothing to do · 1 error, nothing sent · 2 changes pending · 3 refused, nothing sent · 4 incomplete · 130 interrupted',
    );
  for (const [name, { command, describe, ...row }] of commandRows()) {
    const builder = (args: Argv) => {
      for (const [place, option] of Object.entries(row.positionals)) args.positional(place, option);
      for (const [example, text] of row.examples) args.example(example, text);
      return args.usage(`campaignctl ${command}\n\n${describe}.`).options(yargsOptions(row.options));
    };
    parser.command({ command, describe, builder, handler: (parsed) => record(name, parsed) });
  }
  return parser.completion('completion', 'Print a completion script for bash, zsh or fish, as $SHELL says');
}

/** Replaces messages of yargs. */
const WORDING = {
  'Positionals:': 'Arguments:',
  'Not enough arguments following: %s': 'The option %s is given without a value.',
  'Arguments %s and %s are mutually exclusive': '--%s and --%s do not go together.',
  'Invalid values:': 'A value is not known:',
  'Argument: %s, Given: %s, Choices: %s': '%s does not take %s. It takes: %s.',
  'Did you mean %s?': 'There is no such command. Did you mean %s?',
};

/** By name in code. */
function valuesOf(name: CommandName, parsed: Parsed, line: Words): object {
  const { positionals, options }: Command = COMMANDS[name];
  const table = { ...COMMON, ...options };
  refuseEarlyOptions(name, line);
  refuseFlagValues(line, { ...table, help: flag('', { alias: 'h' }), version: flag('', { alias: 'V' }) });
  for (const place of Object.keys(positionals))
    if (line.some((word) => word === `--${place}` || word.startsWith(`--${place}=`)))
      throw usage(
        `Unknown option --${place}.`,
        `Write it without a name: campaignctl ${COMMANDS[name].command}.`,
      );
  const short = {
    ...(parsed.json === true ? { format: 'json' } : {}),
    ...(parsed['no-color'] === true ? { color: 'never' } : {}),
  };
  const titled = (rows: OptionTable, values: Parsed, titleOf: (written: string) => string) =>
    Object.entries(rows).map(([key, { read }]) => {
      const [value, title] = [values[writtenName(key)], titleOf(writtenName(key))];
      if ([value].flat().includes('')) throw withoutValue(title);
      return [key, read(value, title)];
    });
  return Object.fromEntries([
    ...titled(table, { ...parsed, ...short }, (option) => `--${option}`),
    ...titled(positionals, withDashed(positionals, parsed), (place) => `The argument ${place}`),
  ]);
}

/** yargs drops words behind `--`: `apply -- FILE` would apply all files. */
function withDashed(positionals: OptionTable, parsed: Parsed): Parsed {
  const dashed = [parsed['--'] ?? []].flat();
  const last = Object.keys(positionals).at(-1);
  if (dashed.length === 0) return parsed;
  if (last === undefined || positionals[last]?.array !== true)
    throw usage(`Unknown argument ${dashed[0]}.`, HELP);
  return { ...parsed, [last]: [parsed[last] ?? [], dashed].flat() };
}

/** An empty word is usually an unset variable. yargs drops `-`, `--_` and `--$0`, and reads `-chdir` as `-h`. */
function refuseEmptyWords(line: Words): void {
  const at = line.findIndex((word) => /^(?:-[^=]*=)?\s*$/.test(word));
  if (at !== -1) throw withoutValue(titleOf(line[at]) ?? titleOf(line[at - 1]) ?? 'An argument');
  const lost = line.find((word) => /^-(?:$|-?(?:_|\$0)(?:=|$)|[^-=]+[hV]|[hV][^-=])/.test(word));
  if (lost !== undefined) throw unknownOption(titleOf(lost) ?? lost, undefined, HELP);
}

/** An option without its value. */
function titleOf(word = ''): string | null {
  return /^--?[^=-][^=]*/.exec(word)?.[0] ?? null;
}

/** yargs reads `--yes apply forget NAME` as `forget --yes NAME`. */
function refuseEarlyOptions(name: CommandName, line: Words): void {
  const common = Object.entries(yargsOptions(COMMON)).flatMap(([long, { alias }]) => [
    `--${long}`,
    `-${alias}`,
  ]);
  const early = line.slice(0, line.indexOf(name)).flatMap((word) => titleOf(word) ?? []);
  const option = early.find((title) => !common.includes(title));
  if (option !== undefined)
    throw usage(`${option} precedes the command.`, `Write it behind: campaignctl ${name} ${option}.`);
}

/** yargs reads `--dry-run=yes` as false. */
function refuseFlagValues(line: Words, table: OptionTable): void {
  const flags = Object.entries(yargsOptions(table)).filter(([, { type }]) => type === 'boolean');
  for (const word of line) {
    const [, dashes, written, value] = /^(--?)([^=]+)=(.*)$/s.exec(word) ?? [];
    const name = flags.find(([long, { alias }]) =>
      dashes === '--' ? written === long : written?.at(-1) === alias,
    )?.[0];
    if (written === undefined || name === undefined || value === 'true' || value === 'false') continue;
    throw usage(`--${name} takes true or false, not "${value}".`, `Write --${name} alone, or leave it out.`);
  }
}

const HELP = 'campaignctl --help shows commands and options.';

/** A Failure with a hint, from a message of yargs. */
function refusal(message: string, line: Words): Failure {
  const [word = '', next = ''] = line.filter((part) => !part.startsWith('-'));
  const command = commandRows().find(([name]) => name === word)?.[1];
  for (const words of [`${word} ${next}`, ...(command === undefined ? [word] : [])]) {
    const hint = commandHint(words);
    if (hint !== null) return usage(`There is no command "${words}".`, hint);
  }
  const help = command === undefined ? HELP : `campaignctl ${word} --help shows its arguments and options.`;
  if (command !== undefined && message.startsWith('Not enough non-option'))
    return usage(`An argument is missing: campaignctl ${command.command}.`, help);
  const [, unknown] = /^Unknown arguments?: ([^,]+)/.exec(message) ?? [];
  if (unknown !== undefined) {
    const titles = line.flatMap((part) => titleOf(part) ?? []);
    const option =
      titles.find((title) => title.replace(/^--?/, '') === unknown) ??
      // yargs reads `-out` as `-o -u -t`.
      titles.find((title) => /^-[^-]/.test(title) && title.includes(unknown));
    if (option !== undefined) return unknownOption(option, command, help);
    return usage(`Unknown ${command === undefined ? 'command' : 'argument'} ${unknown}.`, help);
  }
  const text = message.replace(/\n\s*/g, ' ');
  return usage(text, /""|without a value/.test(text) ? 'Most likely, a variable is not set.' : help);
}

function unknownOption(option: string, command: Command | undefined, help: string): Failure {
  const word = option.replace(/^--?/, '');
  const known = Object.keys(
    yargsOptions({ ...COMMON, ...command?.options, help: flag(''), version: flag('') }),
  );
  const near = nearest(word, known) ?? nearest(word.replace(/^no-/, ''), known);
  return usage(
    `Unknown option ${option}.`,
    optionHint(word) ?? (near === null ? help : `Did you mean --${near}?`),
  );
}

function commandRows(): [CommandName, Command][] {
  return Object.entries(COMMANDS) as [CommandName, Command][];
}

export function yargsOptions(table: OptionTable): OptionTable {
  return Object.fromEntries(Object.entries(table).map(([name, option]) => [writtenName(name), option]));
}

/** `lockTimeout` → `lock-timeout`. */
function writtenName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
