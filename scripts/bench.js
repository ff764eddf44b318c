// Prints the program's time and memory, and the ratio to a minimal implementation in the same run. Asserts nothing.
//   npm run bench                           1,000 campaigns, in about three minutes
//   npm run bench -- --campaigns 10000      a different number; from 20,000 on, only plans: the service already has the campaigns
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { edit, writeProject } from '../bench/project.js';

/** For the rounds with network latency: milliseconds per response, and a number of campaigns that shows the effect of latency. */
const AWAY = { latency: 30, campaigns: 400 };
/** Number of campaigns applied without latency. */
const NEAR = 300;
const TOO_MANY_TO_APPLY = 20_000;
const CONNECTIONS = 8;

const { values } = parseArgs({ options: { campaigns: { type: 'string', default: '1000' } } });
const count = Number(values.campaigns);
const [program, sender, parser, peakTeller] = [
  '../dist/campaignctl.cjs',
  '../bench/floor.js',
  '../bench/parse.js',
  '../bench/peak.cjs',
].map((file) => fileURLToPath(new URL(file, import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const service = await startService();
const [{ url, token }] = await once(service, 'message');
const requestsFile = join(folder, 'requests.json');
const many = projectOf(count);
const thousands = count.toLocaleString('en');
const rounds = count > 2000 ? 1 : 3;

try {
  row(['', 'goal', 'ratio', 'program', 'floor', 'requests', 'memory']);
  startUp();
  checking();
  if (count >= TOO_MANY_TO_APPLY) await planning();
  else {
    await applying(projectOf(Math.min(NEAR, count)), { latency: 0, rounds, goal: 2.2 });
    await replanning(many, { latency: 0, rounds, goal: 2.6 });
    const away = projectOf(AWAY.campaigns);
    await applying(away, { latency: AWAY.latency, rounds: 1, goal: 1.08 });
    await replanning(away, { latency: AWAY.latency, rounds: 3, goal: 1.1 });
  }
} finally {
  service.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function startService() {
  const entry = fileURLToPath(new URL('../bench/service.ts', import.meta.url));
  const outfile = join(folder, 'service.mjs');
  await build({ entryPoints: [entry], outfile, bundle: true, format: 'esm', platform: 'node' });
  return fork(outfile);
}

function projectOf(number) {
  const at = join(folder, String(number));
  writeProject(at, { count: number, url });
  return { at, number };
}

function startUp() {
  const { at } = projectOf(1);
  const pairs = (args) => pairsOf(11, () => [run([program, ...args], at), run(['-e', '0'], at)]);
  show('--version × node -e 0', 1.3, pairs(['--version']));
  show('validate of one manifest × node -e 0', 2.5, pairs(['validate', 'campaigns/000001.yaml']));
}

function checking() {
  const pairs = pairsOf(count > 2000 ? 1 : 5, () => [
    run([program, 'validate'], many.at),
    run([parser], many.at),
  ]);
  show(`validate of ${thousands} × a loop of yaml over them`, 2, pairs);
}

async function applying({ at, number }, { latency, rounds, goal }) {
  const pairs = [];
  for (let round = 0; round < rounds; round++) {
    await empty(at, latency);
    const applied = await noted(at, ['apply', '--yes']);
    await ask({ latency, campaigns: 0 });
    pairs.push([applied, replay(applied)]);
  }
  show(`apply of ${number} new campaigns${within(latency)} × the requests`, goal, pairs);
}

/** Plans applied campaigns: first unchanged, then with two changed manifests. */
async function replanning({ at, number }, { latency, rounds, goal }) {
  const [plan, changed] = [[], []];
  await empty(at, latency);
  run([program, 'apply', '--yes', '--quiet', '--parallelism', String(CONNECTIONS)], at);
  for (let round = 0; round < rounds; round++) {
    plan.push(await planned(at, ['plan']));
    changed.push(await plannedAfterEdit(at));
  }
  show(`plan of ${number} campaigns${within(latency)} × the requests`, goal, plan);
  show(
    `plan --refresh changed, 2 of ${number} changed${within(latency)} × the requests`,
    `${Math.ceil(number / 100)} + 6 r.`,
    changed,
  );
}

function within(latency) {
  return latency === 0 ? '' : `, ${latency} ms an answer`;
}

/** Empties the workspace and deletes the project's state. */
async function empty(at, latency) {
  rmSync(join(at, '.campaignctl'), { recursive: true, force: true });
  await ask({ latency, campaigns: 0 });
}

/** Applies first, so that only the two edited manifests differ. Reverts the edits afterwards. */
async function plannedAfterEdit(at) {
  const numbers = [1, 2];
  run([program, 'apply', '--yes', '--quiet', '--parallelism', String(CONNECTIONS)], at);
  edit(at, numbers, 150);
  const pair = await planned(at, ['plan', '--refresh', 'changed']);
  edit(at, numbers);
  return pair;
}

/** Plans campaigns that match their manifests but are not in the state. */
async function planning() {
  await ask({ latency: 0, campaigns: count });
  show(`plan of ${count} campaigns × the requests`, 2.6, [await planned(many.at, ['plan'])]);
}

async function planned(at, args) {
  const recorded = await noted(at, args);
  return [recorded, replay(recorded)];
}

async function noted(at, args) {
  await ask('forget');
  const ran = run(
    ['--require', peakTeller, program, ...args, '--quiet', '--parallelism', String(CONNECTIONS)],
    at,
  );
  return { ...ran, requests: await ask('requests') };
}

/** Sends the same requests over the same number of connections. */
function replay({ requests }) {
  writeFileSync(requestsFile, JSON.stringify(requests));
  return run([sender, url, requestsFile, String(CONNECTIONS)], folder);
}

async function ask(message) {
  service.send(message);
  const [answer] = await once(service, 'message');
  return answer;
}

/** Runs Node. Returns seconds, and peak memory in MiB if the process reports it. */
function run(args, cwd) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, BENCH_TOKEN: token };
  const began = performance.now();
  const ended = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 30 });
  const seconds = (performance.now() - began) / 1000;
  if (ended.status !== 0)
    throw new Error(
      `${args.join(' ')} ended with ${ended.status}: ${ended.stderr.slice(0, 2000)}${ended.stdout.slice(0, 2000)}`,
    );
  const [, peak] = /peak (\d+)/.exec(ended.stderr) ?? [];
  return { seconds, memory: peak === undefined ? null : Math.round(Number(peak) / 1024) };
}

function pairsOf(number, measure) {
  return Array.from({ length: number }, measure);
}

/**
 * Each pair is a run of the program and one of its floor. The median of their ratios is not affected if the machine's speed
 * drifts.
 */
function show(what, goal, pairs) {
  const [program, floor] = [pairs.map(([run]) => run), pairs.map(([, run]) => run)];
  const ratio = median(pairs.map(([run, bare]) => run.seconds / bare.seconds));
  const seconds = (runs) => `${median(runs.map((run) => run.seconds)).toFixed(2)} s`;
  const requests = program[0].requests?.length.toLocaleString('en') ?? '';
  const memory =
    program[0].memory === undefined || program[0].memory === null
      ? ''
      : `${Math.max(...program.map((run) => run.memory))} MiB`;
  row([what, `${goal}`, ratio.toFixed(2), seconds(program), seconds(floor), requests, memory]);
}

function row([what, ...cells]) {
  console.log(what.padEnd(74) + cells.map((cell) => cell.padStart(10)).join(''));
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
