// Runs all checks that a change must pass, the fastest first. Stops at the first stage that fails, and shows its output.
// The last line counts the tests: `N passed, N failed`.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'campaignctl-check-'));
const { FORCE_COLOR, ...env } = process.env;

/** Minutes after which a stage counts as hung and is killed. */
const MAX_MINUTES = 20;

const STAGES = [
  ['format and lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '.'],
  ['types', 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
  ['unused code', 'node_modules/knip/bin/knip.js'],
  ['build', 'scripts/build.js'],
  // A test detects generated files that are out of date.
  ['tests', ...vitest('tests', 'unit', 'system')],
  ['release tests', ...vitest('release tests', 'release')],
  ['demo', 'scripts/demo.js'],
];

const reports = [];
try {
  for (const [name, ...command] of STAGES) {
    if (isTests(name)) reports.push(reportOf(name));
    if (await passes(name, command)) continue;
    process.exitCode = 1;
    break;
  }
  if (reports.length > 0) console.log(testCounts(reports.map(readReport)));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The default reporter shows progress file by file, because the tests take longest. */
function vitest(name, ...projects) {
  return [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...projects.map((project) => `--project=${project}`),
    '--reporter=default',
    '--silent=passed-only',
    '--reporter=json',
    `--outputFile=${reportOf(name)}`,
  ];
}

function isTests(name) {
  return name.endsWith('tests');
}

function reportOf(name) {
  return join(scratch, `${name}.json`);
}

/** Always shows the output of the tests; that of other stages, only if they fail. */
async function passes(name, command) {
  const shown = isTests(name);
  process.stdout.write(shown ? `${name}:\n` : `${name} … `);
  const { status, output } = await run(command, shown);
  console.log(`${shown ? `${name} … ` : ''}${status === 0 ? 'ok' : 'FAILED'}`);
  if (status !== 0) console.log(`\n${output}`);
  return status === 0;
}

/** Uses a separate process group, so that all processes that a stage started are killed with it. */
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
    output += `Ended: it was not done after ${MAX_MINUTES} minutes.`;
    end();
  }, MAX_MINUTES * 60_000);
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

/** A file that cannot be loaded counts as a failure. */
function testCounts(reports) {
  const broken = reports
    .flatMap(({ testResults }) => testResults)
    .filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0);
  const sum = (count) => reports.reduce((total, report) => total + report[count], 0);
  return `${sum('numPassedTests')} passed, ${sum('numFailedTests') + broken.length} failed`;
}

/** Tests that were ended before they wrote their report count as one failure. */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 1, testResults: [] };
  }
}
