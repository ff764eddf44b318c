// Demonstrates validate, plan and apply on a copy of examples/quickstart in the sandbox, which sends no email. Exits with 1
// as soon as a command returns an unexpected exit code.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../dist/campaignctl.cjs', import.meta.url));
const EXAMPLE = fileURLToPath(new URL('../examples/quickstart', import.meta.url));
const MANIFEST = 'campaigns/spring-installers.yaml';

// A process that writes to a pipe does not know the terminal's width, so the output is limited to 80 columns.
const WIDTH = 'data:text/javascript,process.stdout.columns=process.stderr.columns=80';

const folder = mkdtempSync(join(tmpdir(), 'campaignctl-demo-'));
try {
  cpSync(EXAMPLE, folder, { recursive: true });
  play();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function play() {
  say(
    'This demo runs on the plainest service: the sandbox, showing only the documented fields, and no status.',
  );
  say('One campaign as YAML. Is it valid? This needs no service.');
  run('campaignctl validate');

  say('The service does not have it yet. What would apply do? plan sends nothing.');
  run('campaignctl plan --detailed-exitcode', 2);

  say('A launch needs approval. Without it, apply sends nothing at all. This error is expected:');
  run('campaignctl apply --yes', 3, { planAgain: false });

  say('With approval, apply sends each step once and in order, reads back, and launches.');
  run('campaignctl apply --yes --allow launch', 0, { planAgain: false });

  say('Plan again: no changes. The warning is expected, here and below: this service shows no status.');
  run('campaignctl plan --detailed-exitcode');

  say(`Change one number in ${MANIFEST}.`);
  edit('max_emails_per_day: 200', 'max_emails_per_day: 150');
  run('campaignctl plan --detailed-exitcode', 2);

  say('apply sends exactly this, and reads it back.');
  run('campaignctl apply --yes', 0, { planAgain: false });

  console.log('Shown: validate, plan, refusal, apply with launch, nothing twice, one change.');
}

function say(text) {
  console.log(`# ${text}`);
}

/** `planAgain`: also shows the plan that apply prints first. */
function run(line, expected = 0, { planAgain = true } = {}) {
  console.log(`$ ${line}`);
  const { CAMPAIGNCTL_ENV, ...env } = process.env;
  const colour = process.stdout.isTTY && !env.NO_COLOR ? { FORCE_COLOR: '1' } : {};
  const words = line.split(' ').slice(1);
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--import', WIDTH, PROGRAM, ...words], {
    cwd: folder,
    env: { ...env, ...colour },
    encoding: 'utf8',
  });
  const shown = planAgain ? [stdout, stderr] : ['… (the same plan)', afterPlan(stdout), stderr];
  const parts = shown.map((text) => text.trimEnd()).filter((text) => text !== '');
  console.log(`${parts.join('\n\n')}\n`);
  if (status === expected) return;
  throw new Error(`This should have ended with exit code ${expected}; it ended with ${status}.`);
}

/** The part of apply's output that follows the plan; empty if nothing was applied. */
function afterPlan(output) {
  const lines = output.split('\n');
  const start = lines.findIndex((line) => line.includes('Apply to '));
  return start < 0 ? '' : lines.slice(start).join('\n');
}

function edit(from, to) {
  const path = join(folder, MANIFEST);
  const text = readFileSync(path, 'utf8');
  if (!text.includes(from)) throw new Error(`${MANIFEST} does not hold "${from}".`);
  writeFileSync(path, text.replace(from, to));
}
