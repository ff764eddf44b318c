/** argv → command → exit code. What is slow to load is loaded when it is needed: `--version` loads nothing. */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../operations/version.js';

const argv = process.argv.slice(2);

let lost: string | null = null;
process.on('exit', tellWhatWasLost);

if (argv.length === 1 && argv[0] === '--version') tellVersion();
else void start();

/** Without a stream: to open one takes longer than all the rest. */
function tellVersion(): void {
  try {
    writeSync(1, `${version}\n`);
  } catch (error) {
    noteLost(error as NodeJS.ErrnoException);
  }
}

/** A reader that closes the pipe early (`| head`) is no error of ours; the command itself goes on to its end. */
function noteLost({ code, message }: NodeJS.ErrnoException): void {
  if (code !== 'EPIPE') lost = message;
}

async function start(): Promise<void> {
  process.stdout.on('error', noteLost);
  process.stderr.on('error', () => undefined);
  const { openChunks } = await import('./loader.js');
  const { load } = openChunks(join(__dirname, 'chunks'), require);
  const { run } = load('program') as typeof import('./program.js');
  process.exitCode = await run(argv);
}

/** A result that could not be written (a full disk) is a failure, unless something was sent: what became of that is told. */
function tellWhatWasLost(): void {
  if (lost === null) return;
  if ((process.exitCode ?? 0) === 0 && argv[0] !== 'apply') process.exitCode = 1;
  try {
    writeSync(2, `✗ error: The result could not be written: ${lost}.\n`);
  } catch {
    // stderr is gone as well.
  }
}
