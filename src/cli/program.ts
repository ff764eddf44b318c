import { nearest } from '../manifest/errors.js';
import { EXIT, type ExitCode, Failure, messageOf, usage } from '../model/failure.js';
import { version } from '../operations/version.js';
import { checkNames, checkValues, HELP, parseLine, placeWords, readLine } from './arguments.js';
import { COMMANDS, everyOption } from './commands.js';
import { commandHint } from './habits.js';
import { COMMON, type Command } from './options.js';
import { COLOURS, processShell, type Streams } from './shell.js';

/** What a command line asks for: a text that is only to be printed (help), or a command to run. */
export type Invocation =
  | { kind: 'printed'; text: string }
  | ({ kind: 'command' } & ReturnType<Command['start']>);

/** Runs one command line. Never throws and never exits: the exit code is the answer. */
export async function run(argv: readonly string[], streams: Streams = process): Promise<ExitCode> {
  try {
    const shell = processShell({ color: 'auto', quiet: false }, streams);
    const invocation = await parseArguments(argv, shell.onOut.width);
    if (invocation.kind === 'command') return await invocation.run(processShell(invocation.flags, streams));
    shell.out(invocation.text.endsWith('\n') ? invocation.text : `${invocation.text}\n`);
    return EXIT.ok;
  } catch (error) {
    return await tell(error, argv, streams);
  }
}

/** Says why a command failed: on stderr for people, and on stdout in place of the result for programs that asked for JSON. */
async function tell(error: unknown, argv: readonly string[], streams: Streams): Promise<ExitCode> {
  const { options } = parseLine(argv, await everyOption());
  const color = COLOURS.find((one) => one === options.color) ?? 'auto';
  const { out, onErr } = processShell({ color, quiet: false }, streams);
  const { printable, renderJson } = await import('../view/terminal.js');
  const { renderFailureText, toFailureReport } = await import('../view/problems.js');
  const failure = error instanceof Failure ? error : internal(error);
  const say = (text: string) => streams.stderr.write(printable(text));
  say(renderFailureText(failure, onErr));
  if (failure !== error && options.debug === true) say(`${error instanceof Error ? error.stack : error}\n`);
  if ([options.format].flat().includes('json')) out(renderJson(toFailureReport(failure)));
  return failure.exitCode;
}

function internal(error: unknown): Failure {
  return new Failure({
    code: 'internal',
    message: `campaignctl failed: ${messageOf(error)}`,
    hint: 'This is a bug in campaignctl. Please report it with the output of --debug.',
  });
}

/** Parses a command line. Throws a Failure for bad usage. Nothing is run. */
export async function parseArguments(argv: readonly string[], width: number): Promise<Invocation> {
  if (argv[0] === '--get-completions') {
    const { completionOf } = await import('./completion.js');
    return { kind: 'command', ...completionOf(argv.slice(1)) };
  }
  const chosen = await chooseCommand(argv);
  const table = { ...COMMON, ...chosen?.options };
  const line = readLine(argv, table);
  const { words, options } = line;
  const asksHelp = options.help || words[0] === HELP_COMMAND || argv.length === 0;
  if (chosen === null && !asksHelp && !options.version) throw usage('A command is missing.', HELP);
  checkNames(line, table, chosen);
  if (options.version) return { kind: 'printed', text: version };
  if (chosen === null || asksHelp) {
    const { renderHelp } = await import('./help.js');
    return { kind: 'printed', text: await renderHelp(chosen, width) };
  }
  checkValues(line);
  // The first word is the command.
  const placed = placeWords(words.slice(1), chosen);
  return { kind: 'command', ...chosen.start({ ...options, ...placed }) };
}

/** Before the name of a command it stands for --help behind it. */
const HELP_COMMAND = 'help';

/**
 * The command of a line: its first word. Options may stand before that, its own as well (`--yes apply`): only the options of all
 * commands tell which of them take the next word as a value.
 */
async function chooseCommand(argv: readonly string[]) {
  let { words, options } = readLine(argv, COMMON);
  if (argv[0]?.startsWith('-') && Object.keys(options).some((name) => !Object.hasOwn(COMMON, name))) {
    const every = await everyOption();
    const line = readLine(argv, every);
    checkNames(line, every, null);
    ({ words } = line);
  }
  const [name, more] = words[0] === HELP_COMMAND ? words.slice(1) : words;
  if (name === undefined) return null;
  const hint = commandHint(`${name} ${more}`);
  if (hint !== null) throw usage(`There is no command "${name} ${more}".`, hint);
  const row = COMMANDS.find((one) => one.name === name);
  if (row !== undefined) return { ...row, ...(await row.load()).command };
  const near = nearest(name, [HELP_COMMAND, ...COMMANDS.map((one) => one.name)]);
  const similar = near === null ? HELP : `Did you mean ${near}?`;
  throw usage(`There is no command "${name}".`, commandHint(name) ?? similar);
}
