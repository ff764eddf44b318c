import yargs, { type Argv } from 'yargs';
import { nearest } from '../manifest/words.js';
import { EXIT, type ExitCode, Failure } from '../model/failure.js';
import { COMMANDS, type CommandEntry } from './commands.js';
import { COMMON, type Command, type Parsed, usage, yargsOptions } from './options.js';
import { processShell, type Shell } from './shell.js';
import { version } from './version.js';

/** What a command line asks for: a text that is only to be printed (help, completion), or a command to run. */
export type Invocation =
  | { kind: 'printed'; text: string }
  | ({ kind: 'command' } & ReturnType<Command['start']>);

/** Runs one command line. Never throws and never exits: the exit code is the answer. */
export async function run(argv: readonly string[]): Promise<ExitCode> {
  let shell = processShell({ color: null, quiet: false });
  let debug = argv.includes('--debug');
  try {
    const invocation = await parseArguments(argv, shell.onOut.width);
    if (invocation.kind === 'printed') {
      shell.out(invocation.text.endsWith('\n') ? invocation.text : `${invocation.text}\n`);
      return EXIT.ok;
    }
    debug = invocation.flags.debug;
    shell = processShell(invocation.flags);
    return await invocation.run(shell);
  } catch (error) {
    return await explain(error, shell, debug);
  }
}

async function explain(error: unknown, shell: Shell, debug: boolean): Promise<ExitCode> {
  if (error instanceof Failure) {
    const { renderFailureText } = await import('../view/problems.js');
    const { printable } = await import('../view/terminal.js');
    process.stderr.write(printable(renderFailureText(error, shell.onErr)));
    return error.exitCode;
  }
  const detail = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`✗ internal error: ${detail.message}\n`);
  process.stderr.write(
    '  → This is a mistake in campaignctl. Please report it, with the output of --debug.\n',
  );
  if (debug) process.stderr.write(`${detail.stack ?? ''}\n`);
  return EXIT.error;
}

/** Parses a command line. Throws a Failure for bad usage. Nothing is run: handlers only record what is to be run. */
export async function parseArguments(argv: readonly string[], width: number): Promise<Invocation> {
  if (argv[0] === '--get-completions') {
    return { kind: 'printed', text: (await completeWords(argv.slice(1))).join('\n') };
  }
  const meant: Meant = { options: Object.keys(yargsOptions(COMMON)), start: null };
  const parser = parserOf(argv, Math.min(width, 100), meant);
  let printed = '';
  try {
    await parser.parseAsync(markWords(argv), {}, (_error: unknown, _args: unknown, output: string) => {
      printed = output;
    });
  } catch (error) {
    throw error instanceof Error && error.name === 'YError' ? reworded(error.message, argv, meant) : error;
  }
  if (meant.start !== null) return { kind: 'command', ...meant.start() };
  return { kind: 'printed', text: printed || (await parser.getHelp()) };
}

/** What is known of the command line while it is parsed: the options that may be given, and the command once it is known. */
interface Meant {
  options: string[];
  start: (() => ReturnType<Command['start']>) | null;
}

function parserOf(argv: readonly string[], width: number, meant: Meant): Argv {
  let parser: Argv = yargs()
    .scriptName('campaignctl')
    .usage(
      'campaignctl <command>\n\nEmail outreach campaigns as code: plan, review and apply YAML manifests.',
    )
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-positional-numbers': false,
    })
    .locale('en')
    .wrap(width)
    .version(version)
    .help()
    .group([...Object.keys(COMMON), 'help', 'version'], 'Common options:')
    .strict()
    .demandCommand(0)
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? reworded(message, argv, meant);
    })
    .middleware((parsed) => refuseEmpty(parsed, argv, meant), true)
    .options(yargsOptions(COMMON))
    .example('campaignctl init shop && cd shop', 'a project that plans and applies as it is')
    .example('campaignctl plan --env production', 'what would change, and nothing else')
    .example('campaignctl apply --env production --allow launch', 'send it, launches included')
    .epilogue(
      'Exit codes: 0 done or nothing to do · 1 error, nothing sent · 2 changes pending · 3 refused, nothing sent · 4 incomplete · 130 interrupted',
    );
  for (const entry of COMMANDS) parser = withCommand(parser, entry, meant);
  return parser;
}

function withCommand(parser: Argv, { usage, describe, load }: CommandEntry, meant: Meant): Argv {
  let command: Command;
  return parser.command(
    usage,
    describe,
    async (args) => {
      command = await load();
      const options = yargsOptions(command.options);
      meant.options.push(...Object.keys(options));
      const described = args
        .usage(`campaignctl ${usage}\n\n${describe}.`)
        .options(options)
        .group(Object.keys(options), 'Options:');
      for (const [name, positional] of Object.entries(yargsOptions(command.positionals)))
        described.positional(name, { ...positional, coerce: withoutMarks });
      for (const [line, text] of command.examples) described.example(line, text);
      return described;
    },
    (parsed) => {
      meant.start = () => command.start(parsed);
    },
  );
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

/** An option without a value is refused, whichever it is: `--env "$STAGE"` without a STAGE would mean another one. */
function refuseEmpty(parsed: Parsed, argv: readonly string[], { options }: Meant): void {
  const lacks = (name: string) => (value: unknown) =>
    value === '' || (options.includes(name) && String(value).startsWith(MARK));
  const name = Object.keys(parsed).find((key) => key !== '_' && [parsed[key]].flat().some(lacks(key)));
  if (name !== undefined) throw withoutValue(name, argv);
}

function withoutValue(name: string, argv: readonly string[]): Failure {
  const option = argv.find(
    (word) => word.startsWith('-') && word.replace(/^-+/, '').split('=', 1)[0] === name,
  );
  return usage(
    `${option === undefined ? `The argument ${name}` : `--${name}`} is given without a value.`,
    'A variable that is not set is the likely cause. Give a value, or leave it out.',
  );
}

/** What yargs says, as this program says things: one sentence, with the nearest thing that exists. */
function reworded(told: string, argv: readonly string[], { options }: Meant): Failure {
  const said = told.trim().replaceAll(MARK, '');
  const help = 'campaignctl --help shows commands and options.';
  const names = COMMANDS.map(({ name }) => name);
  const word = commandWord(argv);
  if (word !== undefined && !names.includes(word)) {
    const near = nearest(word, names);
    return usage(`There is no command "${word}".`, near === null ? help : `Did you mean ${near}?`);
  }
  const unknown = /^Unknown (?:argument|command)s?: ([^,]+)/.exec(said)?.[1];
  if (unknown !== undefined) {
    const near = nearest(unknown.replace(/^no-/, ''), [...options, 'help', 'version']);
    const written = argv.find((word) => word.replace(/^-+/, '').split('=', 1)[0] === unknown) ?? unknown;
    return usage(
      `Unknown ${written.startsWith('-') ? 'option' : 'argument'} ${written}.`,
      near === null ? help : `Did you mean --${near}?`,
    );
  }
  const lacking = /^Not enough arguments following: (.+)$/.exec(said)?.[1];
  if (lacking !== undefined) return withoutValue(lacking, argv);
  const choice = /Argument: ([^,]+), Given: (.+), Choices: (.+)$/s.exec(said);
  if (choice) return usage(`--${choice[1]} does not take ${choice[2]}.`, `It takes: ${choice[3]}.`);
  return usage(said.endsWith('.') ? said : `${said}.`, help);
}

/** The first word that is neither an option nor the value of a common one. */
function commandWord(argv: readonly string[]): string | undefined {
  return argv.find(
    (word, index) => !word.startsWith('-') && !/^--(?:config|env)$/.test(argv[index - 1] ?? ''),
  );
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
