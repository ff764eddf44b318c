import yargs, { type Argv } from 'yargs';
import { nearest } from '../manifest/errors.js';
import { EXIT, type ExitCode, Failure, usage } from '../model/failure.js';
import { version } from '../operations/version.js';
import type { TextOptions } from '../view/terminal.js';
import { COMMANDS } from './commands.js';
import { COMMON, type Command, type OptionTable, type Parsed, yargsOptions } from './options.js';
import { processShell } from './shell.js';
import { type OutStream, openStreams } from './streams.js';

/** What a command line asks for: a text that is only to be printed (help, completion), or a command to run. */
export type Invocation =
  | { kind: 'printed'; text: string }
  | ({ kind: 'command' } & ReturnType<Command['start']>);

/** Runs one command line. Never throws and never exits: the exit code is the answer. */
export async function run(argv: readonly string[], streams = openStreams(argv)): Promise<ExitCode> {
  let shell = processShell({ color: null, quiet: false }, streams);
  let debug = argv.includes('--debug');
  try {
    const invocation = await parseArguments(argv, shell.onOut.width);
    if (invocation.kind === 'printed') {
      shell.out(invocation.text.endsWith('\n') ? invocation.text : `${invocation.text}\n`);
      return EXIT.ok;
    }
    debug = invocation.flags.debug;
    shell = processShell(invocation.flags, streams);
    return await invocation.run(shell);
  } catch (error) {
    return await explain(error, shell.onErr, { debug, stderr: streams.stderr });
  }
}

async function explain(
  error: unknown,
  options: TextOptions,
  { debug, stderr }: { debug: boolean; stderr: OutStream },
): Promise<ExitCode> {
  const { printable } = await import('../view/terminal.js');
  const say = (text: string) => stderr.write(printable(text));
  if (error instanceof Failure) {
    const { renderFailureText } = await import('../view/problems.js');
    say(renderFailureText(error, options));
    return error.exitCode;
  }
  const detail = error instanceof Error ? error : new Error(String(error));
  say(`✗ internal error: ${detail.message}\n`);
  say('  → This is a bug in campaignctl. Please report it with the output of --debug.\n');
  if (debug) say(`${detail.stack ?? ''}\n`);
  return EXIT.error;
}

/** Parses a command line. Throws a Failure for bad usage. Nothing is run. */
export async function parseArguments(argv: readonly string[], width: number): Promise<Invocation> {
  if (argv[0] === '--get-completions') {
    return { kind: 'printed', text: (await completeWords(argv.slice(1))).join('\n') };
  }
  if (argv[0] === 'help') return parseArguments([...argv.slice(1), '--help'], width);
  const at = await findCommand(argv);
  const entry = COMMANDS.find(({ name }) => name === argv[at]) ?? null;
  if (entry === null && argv[at] !== undefined) throw unknownCommand(argv[at]);
  const chosen = entry === null ? null : { ...entry, command: await entry.load() };
  const given = argv.filter((_, index) => index !== at);
  const options = yargsOptions({ ...COMMON, ...chosen?.command.options });
  let parsed: Parsed | null = null;
  const parser = parserOf(chosen, Math.min(width, 100), (values) => {
    parsed = values;
  })
    .middleware((values) => refuseEmpty(values, given, options), true)
    .fail((message, error) => {
      throw error?.name === 'YError' || !error
        ? reworded(message ?? error.message, given, { chosen, options })
        : error;
    });
  refuseUnclear(given, { ...options, help: FLAG, version: FLAG }, chosen);
  let printed = '';
  parser.parse(markWords(given), {}, (_error: unknown, _args: unknown, output: string) => {
    printed = output;
  });
  if (chosen !== null && parsed !== null) return { kind: 'command', ...chosen.command.start(parsed) };
  return { kind: 'printed', text: printed || (await parser.getHelp()) };
}

/**
 * Where the command stands: the first word that is no option and no value of one. It may follow its own options (`--yes apply`), else
 * it is the first that may be one, which then tells what it does not know.
 */
async function findCommand(argv: readonly string[]): Promise<number> {
  let maybe = -1;
  for (const [at, word] of argv.entries()) {
    const before = argv[at - 1];
    if (word.startsWith('-')) continue;
    if (!takesValue(before, COMMON)) return at;
    const own = await COMMANDS.find(({ name }) => name === word)?.load();
    if (own === undefined || Object.hasOwn(COMMON, nameOf(before ?? '') ?? '')) continue;
    if (!takesValue(before, own.options)) return at;
    if (maybe === -1) maybe = at;
  }
  return maybe;
}

/** yargs takes the word after an option for its value, unless it knows it for a flag. */
function takesValue(option: string | undefined, table: OptionTable): boolean {
  if (option === undefined || !option.startsWith('-') || /^--no-|=/.test(option)) return false;
  const name = option.replace(/^-+/, '');
  const known = Object.entries(yargsOptions(table)).find(
    ([long, { alias }]) => name === long || name === alias,
  );
  return !['help', 'version'].includes(name) && known?.[1].type !== 'boolean';
}

type Chosen = Omit<(typeof COMMANDS)[number], 'load'> & { command: Command };

/** A parser of one command, or of none: then it has the names of all, for the help. */
function parserOf(chosen: Chosen | null, width: number, run: (parsed: Parsed) => void): Argv {
  const parser = yargs()
    .scriptName('campaignctl')
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-positional-numbers': false,
    })
    .locale('en')
    .updateStrings({ 'Positionals:': 'Arguments:' })
    .wrap(width)
    .version(version)
    .help()
    .strict()
    .exitProcess(false);
  return (chosen === null ? withCommands(parser) : withCommand(parser, chosen, run))
    .options(yargsOptions(COMMON))
    .group([...Object.keys(COMMON), 'help', 'version'], 'Common options:');
}

function withCommands(parser: Argv): Argv {
  for (const { usage, describe } of COMMANDS) parser.command(usage, describe);
  return parser
    .usage(
      'campaignctl <command>\n\nEmail outreach campaigns as code: plan, review and apply YAML manifests.',
    )
    .demandCommand(0)
    .example('campaignctl init shop && cd shop', 'a project that plans and applies as it is')
    .example('campaignctl plan --env production', 'what would change, and nothing else')
    .example('campaignctl apply --env production --allow launch', 'send it, launches included')
    .epilogue(
      'Exit codes: 0 done or nothing to do · 1 error, nothing sent · 2 changes pending · 3 refused, nothing sent · 4 incomplete · 130 interrupted',
    );
}

/** The command is the default one of yargs, which lays out the help of any other at each run. */
function withCommand(
  parser: Argv,
  { usage, describe, command, name }: Chosen,
  run: (parsed: Parsed) => void,
): Argv {
  const options = yargsOptions(command.options);
  const positionals = yargsOptions(command.positionals);
  const builder = (args: Argv) => {
    for (const [name, more] of Object.entries(positionals))
      args.positional(name, { ...more, coerce: withoutMarks });
    return args;
  };
  for (const [line, text] of command.examples) parser.example(line, text);
  return parser
    .usage(`campaignctl ${usage}\n\n${describe}.`)
    .command(usage.replace(name, '$0'), false, builder, run)
    .options(options)
    .group(Object.keys(positionals), 'Arguments:')
    .group(Object.keys(options), 'Options:');
}

/** No command line can hold this character. */
const MARK = '\0';

/** What follows `--` is words, whatever they begin with. yargs would leave them out of the positionals, without a word. */
function markWords(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  if (end === -1) return [...argv];
  return [...argv.slice(0, end), ...argv.slice(end + 1).map((word) => `${MARK}${word}`)];
}

function withoutMarks<T>(given: T): T | string | string[] {
  if (Array.isArray(given)) return given.flatMap(withoutMarks);
  return typeof given === 'string' ? given.replaceAll(MARK, '') : given;
}

/**
 * An option or a word without a value is refused, whichever it is and wherever it stands: `--env "$STAGE"` without a STAGE would mean
 * another one, and `-- "$FILE"` without a FILE all of them.
 */
function refuseEmpty(parsed: Parsed, argv: readonly string[], options: object): void {
  const lacks = (name: string) => (value: unknown) =>
    withoutMarks(value) === '' || (name in options && String(value).startsWith(MARK));
  const name = Object.keys(parsed).find((key) => [parsed[key]].flat().some(lacks(key)));
  if (name !== undefined) throw withoutValue(name, argv);
}

const FLAG = { type: 'boolean' } as const;

/**
 * yargs takes every word but "true" for false: `--dry-run=yes` would send, as would `--dry-run="$DRY"` without a DRY. And it takes
 * "false" for the value of `--no-target`. A positional it takes as an option too, and then the command does not get it.
 */
function refuseUnclear(
  argv: readonly string[],
  options: ReturnType<typeof yargsOptions>,
  chosen: Chosen | null,
): void {
  const positionals = yargsOptions(chosen?.command.positionals ?? {});
  const end = argv.indexOf('--');
  for (const word of end === -1 ? argv : argv.slice(0, end)) {
    if (word.startsWith('-') && Object.hasOwn(positionals, nameOf(word) ?? ''))
      throw usage(`Unknown option ${word}.`, `Write it without a name: campaignctl ${chosen?.usage}.`);
    const opposite = /^--no-(.+)$/s.exec(word)?.[1];
    if (opposite !== undefined && options[opposite]?.type !== 'boolean')
      throw usage(`Unknown option ${word}.`, 'Only flags that take no value have an opposite.');
    const [, long, short, value = ''] = /^(?:--([^=]+)|-[^-=]*([^-=]))=(.*)$/s.exec(word) ?? [];
    const [name, { type }] = Object.entries(options).find(
      ([known, { alias }]) => known === long || (short !== undefined && alias === short),
    ) ?? ['', {}];
    if (type !== 'boolean' || value === 'true' || value === 'false') continue;
    if (value === '') throw withoutValue(name, [`--${name}`]);
    throw usage(`--${name} takes true or false, not "${value}".`, `Write --${name} alone, or leave it out.`);
  }
}

function withoutValue(name: string, argv: readonly string[]): Failure {
  const option = argv.some((word) => word.startsWith('-') && nameOf(word) === name);
  return usage(
    `${option ? `--${name}` : name === '_' ? 'An argument' : `The argument ${name}`} is given without a value.`,
    'A variable that is not set is the likely cause. Give a value, or leave it out.',
  );
}

/** The name of an option as it is written. */
function nameOf(word: string): string | undefined {
  return word.replace(/^-+/, '').split('=', 1)[0];
}

const HELP = 'campaignctl --help shows commands and options.';

function unknownCommand(word: string): Failure {
  const near = nearest(
    word,
    COMMANDS.map(({ name }) => name),
  );
  return usage(`There is no command "${word}".`, near === null ? HELP : `Did you mean ${near}?`);
}

/** What yargs says, as this program says things: one sentence, with the nearest thing that exists. */
function reworded(
  told: string,
  argv: readonly string[],
  { chosen, options }: { chosen: Chosen | null; options: object },
): Failure {
  const said = told.trim().replaceAll(MARK, '');
  const help =
    chosen === null
      ? HELP
      : `campaignctl help ${chosen.name} shows the arguments and options of ${chosen.name}.`;
  const unknown = /^Unknown (?:argument|command)s?: ([^,]+)/.exec(said)?.[1];
  if (unknown !== undefined) {
    const near = nearest(unknown.replace(/^no-/, ''), [...Object.keys(options), 'help', 'version']);
    const written = argv.find((word) => nameOf(word) === unknown) ?? unknown;
    const kind = written.startsWith('-') ? 'option' : 'argument';
    return usage(
      chosen === null ? `Without a command there is no ${kind} ${written}.` : `Unknown ${kind} ${written}.`,
      near === null ? help : `Did you mean --${near}?`,
    );
  }
  const lacking = /^Not enough arguments following: (.+)$/.exec(said)?.[1];
  if (lacking !== undefined) return withoutValue(lacking, argv);
  const choice = /Argument: ([^,]+), Given: (.+), Choices: (.+)$/s.exec(said);
  if (choice) {
    const isArgument = Object.hasOwn(yargsOptions(chosen?.command.positionals ?? {}), choice[1] ?? '');
    const taker = isArgument ? `The argument ${choice[1]}` : `--${choice[1]}`;
    return usage(`${taker} does not take ${choice[2]}.`, `It takes: ${choice[3]}.`);
  }
  if (said.startsWith('Not enough non-option arguments') && chosen !== null)
    return usage(`An argument is missing: campaignctl ${chosen.usage}.`, help);
  return usage(said.endsWith('.') ? said : `${said}.`, help);
}

/**
 * The words that may stand where the last of `words` stands (after the program's name): commands, options, or the
 * choices of the option before. Nothing where a file is meant: the shell completes those itself.
 */
async function completeWords(words: readonly string[]): Promise<string[]> {
  const current = words.at(-1) ?? '';
  const entry = COMMANDS.find(({ name }) => words.slice(0, -1).includes(name));
  const own = entry === undefined ? {} : (await entry.load()).options;
  const options = yargsOptions({ ...own, ...COMMON });
  const before = options[(words.at(-2) ?? '').replace(/^--/, '')];
  const offered =
    before?.choices !== undefined
      ? before.choices.map(String)
      : current.startsWith('-')
        ? [...Object.keys(options), 'help'].map((name) => `--${name}`)
        : entry === undefined
          ? COMMANDS.map(({ name }) => name)
          : [];
  return offered.filter((word) => word.startsWith(current));
}
