// Everything that has to hold before a change goes in, in the order in which it fails fastest. Stops at the first
// stage that fails and shows what it said. The last line is the count of the tests: `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'campaignctl-check-'));
const results = join(scratch, 'tests.json');
const { FORCE_COLOR, ...env } = process.env;

const STAGES = [
  ['format and lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '.'],
  ['types', 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
  ['unused code', 'node_modules/knip/bin/knip.js'],
  ['build', 'scripts/build.js'],
  // Generated files that are out of date are found by a test.
  ['tests', ...vitest()],
  ['demo', 'scripts/demo.js'],
];

try {
  const failed = STAGES.find(([name, ...command]) => !passes(name, command));
  if (failed !== undefined) process.exitCode = 1;
  const counts = testCounts();
  if (counts !== null) console.log(counts);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function vitest() {
  return [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=dot',
    '--reporter=json',
    `--outputFile=${results}`,
  ];
}

/** Runs one stage; its output is shown only if it fails. */
function passes(name, command) {
  process.stdout.write(`${name} … `);
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: root,
    env: { ...env, NO_COLOR: '1' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 28,
  });
  console.log(status === 0 ? 'ok' : 'FAILED');
  if (status !== 0) console.log(`\n${stdout}${stderr}`);
  return status === 0;
}

/** `N passed, N failed`, or null where the tests did not run. A file that cannot be loaded counts as a failure. */
function testCounts() {
  const report = readReport();
  if (report === null) return null;
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  return `${report.numPassedTests} passed, ${report.numFailedTests + broken.length} failed`;
}

function readReport() {
  try {
    return JSON.parse(readFileSync(results, 'utf8'));
  } catch {
    return null;
  }
}
