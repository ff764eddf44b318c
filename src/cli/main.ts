/** argv → command → exit code. What is slow to load is loaded when it is needed: `--version` loads nothing. */
import { join } from 'node:path';
import { version } from '../operations/version.js';
import { openStreams } from './streams.js';

const argv = process.argv.slice(2);
const streams = openStreams(argv);

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) streams.stdout.write(`${version}\n`);
else void start();

async function start(): Promise<void> {
  const { openChunks } = await import('./loader.js');
  const { load } = openChunks(join(__dirname, 'chunks'), require);
  const { run } = load('program') as typeof import('./program.js');
  process.exitCode = await run(argv, streams);
}
