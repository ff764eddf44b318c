// Prints the program's time, CPU and memory, and the ratios to a minimal implementation of the same work in the same run: a
// loop of `yaml`, and a loop of the least requests possible with undici. Prints a Markdown table. Asserts nothing.
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

/** Milliseconds per response in the rounds with network latency. */
const AWAY = 30;
/** Numbers of campaigns: planned and applied with latency, and applied without. */
const [PLANNED_AWAY, APPLIED_AWAY, APPLIED] = [300, 100, 300];
const TOO_MANY_TO_APPLY = 20_000;
const CONNECTIONS = 8;
/** Runs the rest of its arguments as often as the first one says, then prints the CPU time of the shell and of the commands. */
const TIMES = 'n=$1; shift; while [ $n -gt 0 ]; do "$@" || exit; n=$((n - 1)); done; times >&2';
/** Starts per measurement, because the shell counts in hundredths of a second. */
const STARTS = 10;

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
  row(['', 'goal', 'time ×', 'CPU ×', 'time', 'CPU', 'requests', 'least', 'memory']);
  row(Array(9).fill('---'));
  await startUp();
  checking();
  if (count >= TOO_MANY_TO_APPLY) {
    await ask({ latency: 0, campaigns: count });
    show(`plan of ${thousands}`, 'CPU 1.9', [await planned(many.at)]);
  } else {
    await applying(projectOf(Math.min(APPLIED, count)), 0);
    await replanning(many, { latency: 0, goal: 'CPU 1.9' });
    await applying(projectOf(APPLIED_AWAY), AWAY);
    await replanning(projectOf(PLANNED_AWAY), { latency: AWAY, goal: 'time 1.15' });
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

async function startUp() {
  const { at } = projectOf(1);
  const starts = (what, goal, args) =>
    show(
      `${what} × \`node -e 0\``,
      goal,
      pairsOf(3, () => [run([program, ...args], at, STARTS), run(['-e', '0'], at, STARTS)]),
    );
  starts('`--version`', 'CPU 1.3', ['--version']);
  starts('`validate` of 1', 'CPU 3.2', ['validate']);
  await applied(at, 0);
  starts('`plan` of 1', 'CPU 8', ['plan']);
}

function checking() {
  const pairs = pairsOf(count > 2000 ? 1 : 5, () => [
    run([program, 'validate'], many.at),
    run([parser], many.at),
  ]);
  show(`\`validate\` of ${thousands} × \`yaml\``, 'CPU 2', pairs);
}

async function applying({ at, number }, latency) {
  const pairs = [];
  for (let round = 0; round < rounds; round++) {
    const ran = await applied(at, latency);
    await ask({ latency, campaigns: 0 });
    pairs.push([ran, send(leastOf(ran, true))]);
  }
  show(`\`apply\` of ${number} new${within(latency)} × requests`, '', pairs);
}

/** Plans applied campaigns: first unchanged, then with two changed manifests. */
async function replanning({ at, number }, { latency, goal }) {
  const [plan, changed] = [[], []];
  await applied(at, latency);
  for (let round = 0; round < rounds; round++) {
    plan.push(await planned(at));
    changed.push(await plannedAfterEdit(at));
  }
  show(`\`plan\` of ${number.toLocaleString('en')}${within(latency)} × \`yaml\` and requests`, goal, plan);
  show(
    `\`plan --refresh changed\`, 2 of ${number.toLocaleString('en')}${within(latency)} × requests`,
    '',
    changed,
  );
}

function within(latency) {
  return latency === 0 ? '' : `, ${latency} ms a response`;
}

/** Applies the project in an empty workspace, without a state. */
async function applied(at, latency) {
  rmSync(join(at, '.campaignctl'), { recursive: true, force: true });
  await ask({ latency, campaigns: 0 });
  return noted(at, ['apply', '--yes']);
}

async function planned(at) {
  const ran = await noted(at, ['plan']);
  const [parsed, sent] = [run([parser], at), send(leastOf(ran, false))];
  return [ran, { ...sent, seconds: parsed.seconds + sent.seconds, cpu: parsed.cpu + sent.cpu }];
}

/** Applies first, so that only the two edited manifests differ. Reverts the edits afterwards. */
async function plannedAfterEdit(at) {
  const numbers = [1, 2];
  run([program, 'apply', '--yes', '--quiet', '--parallelism', String(CONNECTIONS)], at);
  edit(at, numbers, 150);
  const ran = await noted(at, ['plan', '--refresh', 'changed']);
  edit(at, numbers);
  return [ran, send(leastOf(ran, true))];
}

async function noted(at, args) {
  await ask('forget');
  const options = ['--quiet', '--parallelism', String(CONNECTIONS)];
  const ran = run(['--require', peakTeller, program, ...args, ...options], at);
  return { ...ran, requests: await ask('requests') };
}

/** Each write, each page of the list, and each campaign's schedule, emails and, with `records`, record once. */
function leastOf({ requests }, records) {
  const isRecord = ([, path]) => /\/campaigns\/\d+$/.test(path);
  const seen = new Set();
  return requests.filter((request) => {
    const [method, path] = request;
    if (method !== 'GET') return true;
    const isNew = !seen.has(path) && (records || !isRecord(request));
    seen.add(path);
    return isNew;
  });
}

function send(requests) {
  writeFileSync(requestsFile, JSON.stringify(requests));
  return { ...run([sender, url, requestsFile, String(CONNECTIONS)], folder), requests };
}

async function ask(message) {
  service.send(message);
  const [answer] = await once(service, 'message');
  return answer;
}

/** Runs Node. Returns elapsed seconds, CPU seconds (user and system) and, with `peakTeller`, peak memory in MiB. */
function run(args, cwd, turns = 1) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, BENCH_TOKEN: token };
  const began = performance.now();
  const options = { cwd, env, encoding: 'utf8', maxBuffer: 1 << 30 };
  const ended = spawnSync('/bin/sh', ['-c', TIMES, 'sh', String(turns), process.execPath, ...args], options);
  const seconds = (performance.now() - began) / 1000 / turns;
  if (ended.status !== 0)
    throw new Error(
      `${args.join(' ')} ended with ${ended.status}: ${ended.stderr.slice(0, 2000)}${ended.stdout.slice(0, 2000)}`,
    );
  const [, minutes, user, more, system] =
    /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/.exec(ended.stderr)?.map(Number) ?? [];
  const [, peak] = /peak (\d+)/.exec(ended.stderr) ?? [];
  return {
    seconds,
    cpu: (60 * (minutes + more) + user + system) / turns,
    memory: peak === undefined ? null : Math.round(Number(peak) / 1024),
  };
}

function pairsOf(number, measure) {
  return Array.from({ length: number }, measure);
}

/**
 * Each pair is a run of the program and one of its floor. The median of their ratios is not affected if the machine's speed
 * drifts.
 */
function show(what, goal, pairs) {
  const ratio = (key) => median(pairs.map(([ran, floor]) => ran[key] / floor[key])).toFixed(2);
  const seconds = (key) => `${median(pairs.map(([ran]) => ran[key])).toFixed(2)} s`;
  const number = ({ requests }) => requests?.length.toLocaleString('en') ?? '';
  const [[ran, floor]] = pairs;
  const memory = ran.memory === null ? '' : `${Math.max(...pairs.map(([{ memory }]) => memory))} MiB`;
  row([
    ...[what, goal, ratio('seconds'), ratio('cpu'), seconds('seconds'), seconds('cpu')],
    ...[number(ran), number(floor), memory],
  ]);
}

function row(cells) {
  console.log(`| ${cells.join(' | ')} |`);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
