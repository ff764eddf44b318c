import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseLine } from '../../src/cli/parser.js';
import { run, runCommand } from '../../src/cli/program.js';
import { processShell, type Shell } from '../../src/cli/shell.js';
import { Failure } from '../../src/model/failure.js';
import { type Clock, systemClock } from '../../src/service/clock.js';
import { renderFailureText } from '../../src/view/problems.js';
import { fakeClock } from './clock.js';
import { TOKEN } from './service/service.js';

export interface Ended {
  code: number;
  out: string;
  err: string;
}

type Line = ReturnType<typeof parseLine>;

const lines = new Map<string, Line>();
const WIDTH = 100;

/** Parses the same line only once. */
function parsed(argv: readonly string[], width: number): Line {
  const key = JSON.stringify([argv, width]);
  const line = lines.get(key) ?? parseLine(argv, width);
  lines.set(key, line);
  return line;
}

/** Time of commands, unless a test sets it. */
const NOW = Date.UTC(2026, 2, 2, 6);

interface Surroundings
  extends Partial<Pick<Shell, 'ask' | 'onInterrupt'>>,
    Pick<Shell, 'wire' | 'openBranch'> {
  width?: number;
  /** True if the streams are a terminal. */
  isTTY?: boolean;
  clock?: Clock;
  /** Receives everything that is written, in order. */
  seen?: ((text: string) => void) | undefined;
}

/**
 * Runs a command line in this process; by default, without a terminal or interrupts. Rethrows errors other than failures.
 */
export async function command(
  folder: string,
  argv: readonly string[],
  env: Record<string, string> = { CAMPAIGNS_TOKEN: TOKEN },
  now: () => number = () => NOW,
  {
    ask = null,
    onInterrupt = () => {},
    width = WIDTH,
    isTTY = false,
    clock = commandClock(),
    seen,
    ...way
  }: Surroundings = {},
): Promise<Ended> {
  const { ended, streams } = capture({ width, isTTY, seen });
  const shell = {
    ...processShell({ color: 'never', quiet: false }, streams, clock),
    ...{ cwd: folder, env, now, ask, onInterrupt, clock, ...way },
  };
  try {
    const line = parsed(argv, width);
    if ('text' in line) return { ...ended, out: line.text };
    ended.code = await runCommand(line, shell);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    ended.code = error.exitCode;
    shell.err(renderFailureText(error, shell.onErr));
  }
  return ended;
}

/** Does not wait, but uses the machine's dates. Git really takes time, so timers also end after their real time. */
function commandClock(): Clock {
  const clock = fakeClock();
  return {
    ...clock,
    now: Date.now,
    after(ms, task) {
      const run = () => {
        cancel();
        task();
      };
      const cancels = [clock, systemClock].map((each) => each.after(ms, run));
      const cancel = () => {
        for (const each of cancels) each();
      };
      return cancel;
    },
  };
}

/** Runs the program's entry point in the working directory of this process. */
export async function runProgram(argv: readonly string[]): Promise<Ended> {
  const { ended, streams } = capture();
  return Object.assign(ended, { code: await run(argv, streams) });
}

function capture({ width = WIDTH, isTTY = false, seen }: Surroundings = {}) {
  const ended: Ended = { code: 0, out: '', err: '' };
  const streamOf = (name: 'out' | 'err') => ({
    write: (text: string) => {
      ended[name] += text;
      seen?.(text);
    },
    isTTY,
    columns: width,
  });
  return { ended, streams: { stdout: streamOf('out'), stderr: streamOf('err') } };
}

export async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
