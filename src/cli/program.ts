import { nearest } from '../manifest/errors.js';
import { EXIT, type ExitCode, Failure, usage } from '../model/failure.js';
import { version } from '../operations/version.js';
import type { TextOptions } from '../view/terminal.js';
import { checkOptions, HELP, placeWords, readLine } from './arguments.js';
import { COMMANDS } from './commands.js';
import { COMMON, type Command, yargsOptions } from './options.js';
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
  const chosen = await chooseCommand(argv);
  const table = { ...COMMON, ...chosen?.options };
  const { words, options } = readLine(argv, table);
  if (options.version) return { kind: 'printed', text: version };
  if (!options.help) checkOptions(options, table, chosen);
  if (options.help || chosen === null) {
    const { renderHelp } = await import('./help.js');
    return { kind: 'printed', text: await renderHelp(chosen, width) };
  }
  // The first word is the command.
  const placed = placeWords(words.slice(1), chosen);
  return { kind: 'command', ...chosen.start({ ...options, ...placed }) };
}

/**
 * The command of a line: its first word. Options may stand before that, its own as well (`--yes apply`): only the options of all
 * commands tell which of them take the next word as a value.
 */
async function chooseCommand(argv: readonly string[]) {
  let { words, options } = readLine(argv, COMMON);
  if (argv[0]?.startsWith('-') && Object.keys(options).some((name) => !Object.hasOwn(COMMON, name))) {
    const all = await Promise.all(COMMANDS.map(async ({ load }) => (await load()).command.options));
    ({ words } = readLine(argv, Object.assign({}, COMMON, ...all)));
  }
  const [name] = words;
  if (name === undefined) return null;
  const row = COMMANDS.find((one) => one.name === name);
  if (row !== undefined) return { ...row, ...(await row.load()).command };
  const names = COMMANDS.map((one) => one.name);
  const near = nearest(name, names);
  throw usage(`There is no command "${name}".`, near === null ? HELP : `Did you mean ${near}?`);
}

/**
 * The words that may stand where the last of `words` stands (after the program's name): commands, options, or the
 * choices of the option before. Nothing where a file is meant: the shell completes those itself.
 */
async function completeWords(words: readonly string[]): Promise<string[]> {
  const current = words.at(-1) ?? '';
  const entry = COMMANDS.find(({ name }) => words.slice(0, -1).includes(name));
  const own = entry === undefined ? {} : (await entry.load()).command.options;
  const options = yargsOptions({ ...own, ...COMMON });
  const before = options[(words.at(-2) ?? '').replace(/^--/, '')];
  const offered =
    before?.choices !== undefined
      ? before.choices.map(String)
      : current.startsWith('-')
        ? Object.keys(options).map((name) => `--${name}`)
        : entry === undefined
          ? COMMANDS.map(({ name }) => name)
          : [];
  return offered.filter((word) => word.startsWith(current));
}
