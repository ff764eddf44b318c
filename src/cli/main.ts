import module from 'node:module';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { EXIT } from '../model/failure.js';

const { version } = manifest;
const argv = process.argv.slice(2);
let lostOutput: string | null = null;

// A reader that closes the pipe early (`| head`) is not an error.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') lostOutput ??= message;
});
process.stderr.on('error', () => {});

process.on('exit', (code) => {
  if (lostOutput === null) return;
  // The exit code of an apply is kept, because it reports what was sent.
  if (!argv.includes('apply') && (code === EXIT.ok || code === EXIT.pending)) process.exitCode = EXIT.error;
  process.stderr.write(`✗ error: Cannot write the result: ${lostOutput}.\n`);
});

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) process.stdout.write(`${version}\n`);
else void start();

async function start(): Promise<void> {
  // `enableCompileCache` was added in Node 22.1.
  (module as { enableCompileCache?(): void }).enableCompileCache?.();
  const { run } = require(join(__dirname, 'chunks', 'program.js')) as typeof import('./program.js');
  process.exitCode = await run(argv);
}
