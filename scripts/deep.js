// Runs randomized tests with many cases: `node scripts/deep.js 20000 trust/slips`. TRUST_CASES overrides the number.
import { spawnSync } from 'node:child_process';

const [cases, ...tests] = process.argv.slice(2);
const projects = ['--project', 'unit', '--project', 'system'];
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...tests];
const env = { TRUST_CASES: cases, ...process.env };
process.exitCode = spawnSync(process.execPath, vitest, { stdio: 'inherit', env }).status ?? 1;
