/**
 * argv → command → exit code. Everything that is slow to load is loaded when it is needed: `--version` loads nothing.
 */
import { version } from './version.js';

const argv = process.argv.slice(2);

// A reader that closes the pipe early (`| head`) is no error of ours.
process.stdout.on('error', dropQuietly);
process.stderr.on('error', dropQuietly);

if (argv.length === 1 && argv[0] === '--version') {
  process.stdout.write(`${version}\n`);
} else {
  const { run } = await import('./program.js');
  process.exitCode = await run(argv);
}

/** What nobody reads is dropped; the command itself goes on to its end, and to its own exit code. */
function dropQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
