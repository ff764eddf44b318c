// Everything that has to hold before a change goes in, in the order in which it fails fastest. Stops at the first
// stage that fails and shows what it said. The last line is the count of the tests: `N passed, N failed`.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'campaignctl-check-'));
const results = join(scratch, 'tests.json');
const { FORCE_COLOR, ...env } = process.env;

/** Minutes after which a stage is ended: it hangs. */
const MOST_MINUTES = 20;

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
  for (const [name, ...command] of STAGES) {
    if (await passes(name, command)) continue;
    process.exitCode = 1;
    break;
  }
  const counts = testCounts();
  if (counts !== null) console.log(counts);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The tests take longest: they are followed file by file. */
function vitest() {
  return [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--silent=passed-only',
    '--reporter=json',
    `--outputFile=${results}`,
  ];
}

/** Runs one stage; the output of all but the tests is shown only if it fails. */
async function passes(name, command) {
  const shown = name === 'tests';
  process.stdout.write(shown ? `${name}:\n` : `${name} … `);
  const { status, output } = await run(command, shown);
  console.log(`${shown ? `${name} … ` : ''}${status === 0 ? 'ok' : 'FAILED'}`);
  if (status !== 0) console.log(`\n${output}`);
  return status === 0;
}

/** In a process group of its own, so that a stage that hangs, or leaves something behind, is ended with all it started. */
function run(command, shown) {
  const out = shown ? 'inherit' : 'pipe';
  const child = spawn(process.execPath, command, {
    cwd: root,
    env: { ...env, NO_COLOR: '1' },
    stdio: ['ignore', out, out],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const end = () => endGroup(child.pid);
  const limit = setTimeout(() => {
    output += `Ended: it was not done after ${MOST_MINUTES} minutes.`;
    end();
  }, MOST_MINUTES * 60_000);
  const interrupted = () => {
    end();
    process.exit(130);
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  child.on('exit', () => {
    clearTimeout(limit);
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    end();
  });
  return new Promise((resolve) => {
    child.on('close', (status) => resolve({ status, output }));
  });
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // No process is left.
  }
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
