import { EXIT, Failure, usage } from '../model/failure.js';
import { type Interrupt, systemClock, toInterrupt, type World } from '../operations/world.js';
import { coloured, plain, printable, type TextOptions, visible } from '../view/terminal.js';
import type { CommonFlags } from './options.js';
import { openProgressLine, type ProgressLine } from './progress.js';

/**
 * `out` writes results, `fail` errors, and `err` everything else, which `--quiet` hides. They escape text for pipeline logs;
 * `annotate` does not. `ask`: `null` if there is no terminal. `clearProgress`: removes the line that `report` wrote.
 * `onInterrupt`: registers a handler for the first Ctrl-C or SIGTERM. `SOURCE_DATE_EPOCH` fixes `now`.
 */
export interface Shell extends World {
  out(text: string): void;
  fail(text: string): void;
  annotate(commands: string): void;
  onOut: TextOptions;
  onErr: TextOptions;
  /** True if stdout is a terminal. */
  isOutTerminal: boolean;
  clearProgress(): void;
  ask: ((question: string, signal: AbortSignal) => Promise<string>) | null;
  onInterrupt(stop: () => void): void;
}

/** `columns`: set only on a terminal. */
interface OutStream {
  write(text: string): unknown;
  readonly isTTY: boolean;
  readonly columns: number | undefined;
}

export interface Streams {
  stdout: OutStream;
  stderr: OutStream;
}

const NARROWEST = 60;

export function processShell(
  flags: Pick<CommonFlags, 'color' | 'quiet'>,
  { stdout, stderr }: Streams = process,
  clock: World['clock'] = systemClock,
): Shell {
  const { env } = process;
  const optionsFor = (output: OutStream): TextOptions => ({
    paint: wantsColour(output, flags.color) ? coloured : plain,
    width: Math.max(NARROWEST, output.columns ?? (Number(env.COLUMNS) || 100)),
    keepsNames: output.columns === undefined && !Number(env.COLUMNS),
  });
  const progress: ProgressLine | null =
    stderr.isTTY && !flags.quiet
      ? openProgressLine((line) => stderr.write(`\r\u001b[K${printable(line)}`), {
          width: () => Math.max(NARROWEST, stderr.columns ?? NARROWEST),
          clock,
        })
      : null;
  const clearProgress = () => progress?.clear();
  const fail = (text: string) => {
    const print = () => stderr.write(printable(text));
    if (progress === null) print();
    else progress.above(print);
  };
  return {
    cwd: process.cwd(),
    env,
    out(text) {
      clearProgress();
      stdout.write(printable(text));
    },
    fail,
    err: flags.quiet ? () => {} : fail,
    annotate: (commands) => stdout.write(visible(commands)),
    onOut: optionsFor(stdout),
    onErr: optionsFor(stderr),
    isOutTerminal: stdout.isTTY,
    ...(progress && { report: progress.report }),
    clearProgress,
    get ask() {
      if (!process.stdin.isTTY || !stderr.isTTY) return null;
      return (question: string, signal: AbortSignal) => {
        clearProgress();
        return ask(question, signal);
      };
    },
    now: () => fixedTime(env.SOURCE_DATE_EPOCH) ?? clock.now(),
    clock,
    onInterrupt: (stop) => onInterrupt(stop, stderr),
  };
}

/** `null`: not fixed. Seconds with 12 or more digits are in fact milliseconds. */
function fixedTime(seconds: string | undefined): number | null {
  if (!seconds) return null;
  if (!/^\d{1,11}$/.test(seconds))
    throw usage(
      `The variable SOURCE_DATE_EPOCH is "${seconds}", which is not a time in whole seconds since 1970.`,
      'Set it to seconds, as date +%s prints them, or unset it to forecast from now.',
    );
  return Number(seconds) * 1000;
}

/** The flag takes precedence, then NO_COLOR, FORCE_COLOR and the terminal. */
function wantsColour({ isTTY }: OutStream, flag: CommonFlags['color']): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (flag !== 'auto') return flag === 'always';
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0';
  return isTTY && TERM !== 'dumb';
}

/**
 * Ctrl-C interrupts the command. The end of input counts as an empty reply. Aborting `signal` closes the prompt, so that
 * the process can exit.
 */
async function ask(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const end = () => {
    process.stderr.write('\n');
    terminal.close();
  };
  signal.addEventListener('abort', end, { once: true });
  return new Promise((resolve) => {
    // Windows ends a process that signals itself, even if the process handles the signal.
    terminal.on('SIGINT', () => process.emit('SIGINT') || process.kill(process.pid, 'SIGINT'));
    terminal.on('close', () => {
      signal.removeEventListener('abort', end);
      resolve('');
    });
    terminal.question(printable(question), (answer) => {
      resolve(answer);
      terminal.close();
    });
  });
}

const STOPPED =
  'Stopped immediately. Requests in flight may still take effect; the next plan or apply will check.';

/** The first signal requests a stop; the second stops the process immediately. */
function onInterrupt(stop: () => void, stderr: OutStream): void {
  let asked = false;
  const handle = () => {
    if (asked) {
      stderr.write(`\n${STOPPED}\n`);
      process.exit(130);
    }
    asked = true;
    stop();
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
}

export function tellStop({ err }: Shell, signal: AbortSignal): void {
  const tell = () =>
    err(
      '\nStopping: campaignctl finishes and records the requests in flight. Press Ctrl-C again to stop immediately.\n',
    );
  signal.addEventListener('abort', tell, { once: true });
}

export function watchInterrupts(shell: Shell): Interrupt {
  const controller = new AbortController();
  shell.onInterrupt(() => controller.abort());
  return toInterrupt(controller.signal);
}

/** Fails unless the reply is "yes". `kept`: what was then not done, such as "nothing was sent". */
export async function confirm(
  { ask }: Shell,
  question: string,
  { signal, kept }: { signal: AbortSignal; kept: string },
): Promise<void> {
  const answer = ask === null ? null : await ask(question, signal);
  if (answer?.trim() === 'yes') return;
  const problem =
    answer === null
      ? {
          message: `There is no terminal for the confirmation prompt, so ${kept}.`,
          hint: 'Pass --yes to skip the question.',
        }
      : { message: `Not confirmed, so ${kept}.`, hint: 'Answer "yes" to continue.' };
  throw new Failure({ code: 'not-confirmed', ...problem }, { exitCode: EXIT.refused });
}
