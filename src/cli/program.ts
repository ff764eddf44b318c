import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT, type ExitCode, errorMessage, Failure, usage, withoutTokens } from '../model/failure.js';
import { hideTokens, type KnownToken, knownTokens } from '../model/mask.js';
import { warnOfTls } from '../operations/world.js';
import { placedCommands } from '../view/placed.js';
import type { CommandName, Flags } from './commands.js';
import type { CommonFlags } from './options.js';
import { type Invocation, parseLine } from './parser.js';
import { processShell, type Shell, type Streams } from './shell.js';

const MODULES: {
  [Name in CommandName]: () => Promise<{ run(flags: Flags<Name>, shell: Shell): Promise<ExitCode> }>;
} = {
  init: () => import('./commands/init.js'),
  list: () => import('./commands/list.js'),
  validate: () => import('./commands/validate.js'),
  compare: () => import('./commands/compare.js'),
  plan: () => import('./commands/plan.js'),
  apply: () => import('./commands/apply.js'),
  pause: () => import('./commands/pause.js'),
  import: () => import('./commands/import.js'),
  show: () => import('./commands/show.js'),
  preview: () => import('./commands/preview.js'),
  comment: () => import('./commands/comment.js'),
  history: () => import('./commands/history.js'),
  forget: () => import('./commands/forget.js'),
  state: () => import('./commands/state.js'),
  unlock: () => import('./commands/unlock.js'),
  sandbox: () => import('./commands/sandbox.js'),
  explain: () => import('./commands/explain.js'),
  completion: () => import('./commands/completion.js'),
};

/** The first word of the hidden command line of completion scripts: `--complete SHELL LINE [BREAKS]`. */
const COMPLETE = '--complete';

/** Never throws and never exits. */
export async function run(argv: readonly string[], streams: Streams = process): Promise<ExitCode> {
  let shell = processShell({ color: 'auto', quiet: false }, streams);
  if (argv[0] === COMPLETE) {
    const { complete } = await import('./complete.js');
    shell.out(await complete(argv.slice(1), { ...shell, err: () => {} }));
    return EXIT.ok;
  }
  try {
    const line = parseLine(argv, shell.onOut.width);
    if ('text' in line) {
      if (line.text !== '') shell.out(`${line.text.trimEnd()}\n`);
      return EXIT.ok;
    }
    const outer = processShell(line.values, streams);
    shell = withPlace(outer, line);
    warnOfTls(process.env, outer.err);
    // Otherwise, Node warns that it obeys the variable.
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    return await runCommand(line, outer).finally(outer.clearProgress);
  } catch (error) {
    return await report(error, argv, shell);
  }
}

async function report(
  error: unknown,
  argv: readonly string[],
  { out, fail, onErr }: Shell,
): Promise<ExitCode> {
  const { renderJson } = await import('../view/terminal.js');
  const { renderFailureText, toFailureReport } = await import('../view/problems.js');
  const tokens = secretsIn(process.env);
  const failure = withoutTokens(error instanceof Failure ? error : internal(error), tokens);
  fail(renderFailureText(failure, onErr));
  if (!(error instanceof Failure) && argv.includes('--debug'))
    fail(`${hideTokens(error instanceof Error ? (error.stack ?? '') : String(error), tokens)}\n`);
  const asksJson = /^(?:--json|(?:--format|-f)[\n=]json)$/m.test(argv.join('\n'));
  if (asksJson) out(renderJson(toFailureReport(failure)));
  return failure.exitCode;
}

/** Variables that look like secrets, because the project file may be unreadable. */
function secretsIn(env: NodeJS.ProcessEnv): KnownToken[] {
  return knownTokens(
    Object.keys(env).filter((name) => /TOKEN|SECRET|PASSWORD|API_?KEY/i.test(name)),
    env,
  );
}

function internal(error: unknown): Failure {
  return new Failure({
    code: 'internal',
    message: `campaignctl failed: ${errorMessage(error)}`,
    hint: 'This is a bug in campaignctl. Please report it with the output of --debug.',
  });
}

/** Options that not all commands have. */
interface PlacedFlags {
  format: string;
  recursive: boolean;
}

/** Only text that people read gets the folder: pages and comments are read in other folders, and programs read the rest. */
function withPlace<Output extends Pick<Shell, 'out' | 'err' | 'fail'>>(
  shell: Output,
  { name, values }: Invocation,
): Output {
  const { chdir, format = 'text', recursive = false } = values as CommonFlags & Partial<PlacedFlags>;
  const isText = format === 'text' && name !== 'completion' && name !== 'explain';
  if (chdir === null) return shell;
  const placed = (text: string) => placedCommands(text, chdir, { isRecursive: recursive });
  return {
    ...shell,
    ...(isText && { out: (text: string) => shell.out(placed(text)) }),
    err: (text: string) => shell.err(placed(text)),
    fail: (text: string) => shell.fail(placed(text)),
  };
}

export async function runCommand(line: Invocation, shell: Shell): Promise<ExitCode> {
  // Each command's options match the flags of its module.
  const { name, values } = line as { name: 'plan'; values: Flags<'plan'> };
  return (await MODULES[name]()).run(values, inFolder(shell, line));
}

function inFolder(shell: Shell, line: Invocation): Shell {
  const { chdir } = line.values;
  if (chdir === null) return shell;
  const cwd = resolve(shell.cwd, chdir);
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return { ...withPlace(shell, line), cwd };
  throw usage(`There is no folder ${chdir} (--chdir).`, 'Specify an existing folder.');
}
