// Prints how long the program takes as ratios to bare floors, measured in this run on this machine. Asserts nothing.
//   npm run bench            1,000 campaigns
//   npm run bench -- 10000   another number
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeProject } from '../bench/project.js';

const CONNECTIONS = 8;
const count = Number(process.argv[2] ?? 1000);
const program = fileURLToPath(new URL('../dist/campaignctl.cjs', import.meta.url));
const floor = fileURLToPath(new URL('../bench/floor.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const service = await startService();
const [{ url, token }] = await once(service, 'message');
let peak = 0;

try {
  startUp();
  await many();
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

/** Start-up against an empty Node process. */
function startUp() {
  const one = join(folder, 'one');
  writeProject(one, { count: 1, url });
  const bare = () => run(['-e', '0'], one);
  report('--version / node -e 0', () => run([program, '--version'], one), bare, 11);
  report(
    'validate of one manifest / node -e 0',
    () => run([program, 'validate', 'campaigns/000001.yaml'], one),
    bare,
    11,
  );
}

/** Applying and planning many campaigns against the same requests with bare undici. */
async function many() {
  const project = join(folder, 'many');
  writeProject(project, { count, url });
  const args = ['--parallelism', String(CONNECTIONS)];
  const requests = join(folder, 'requests.json');
  const replay = () => run([floor, url, requests, String(CONNECTIONS)], project);
  const ratios = { apply: [], plan: [] };
  let memory = 0;
  for (let round = 0; round < (count > 2000 ? 1 : 3); round++) {
    await ask('empty');
    rmSync(join(project, '.campaignctl'), { recursive: true, force: true });
    const apply = await noted(requests, () => run([program, 'apply', '--yes', '--quiet', ...args], project));
    await ask('empty');
    ratios.apply.push(apply / replay());
    await ask('empty');
    rmSync(join(project, '.campaignctl'), { recursive: true, force: true });
    run([program, 'apply', '--yes', '--quiet', ...args], project);
    const plan = await noted(requests, () => run([program, 'plan', '--quiet', ...args], project));
    memory = Math.max(memory, peak);
    ratios.plan.push(plan / replay());
  }
  line(`apply of ${count} new campaigns / the same requests`, median(ratios.apply));
  line(`plan of ${count} campaigns / the same requests`, median(ratios.plan));
  console.log(`${'peak memory of that plan'.padEnd(60)} ${Math.round(memory / 1024)} MiB`);
}

async function noted(file, action) {
  await ask('forget');
  const seconds = action();
  writeFileSync(file, JSON.stringify(await ask('requests')));
  return seconds;
}

async function ask(message) {
  service.send(message);
  const [answer] = await once(service, 'message');
  return answer;
}

/** Runs Node with these arguments and gives the seconds it took. */
function run(args, cwd) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, BENCH_TOKEN: token };
  const began = performance.now();
  const hook = `--import=data:text/javascript,${encodeURIComponent("process.on('exit',()=>process.stderr.write('\\npeak '+process.resourceUsage().maxRSS))")}`;
  const measured = args[0] === program && args[1] !== '--version' && args[1] !== 'validate';
  const ended = spawnSync(process.execPath, measured ? [hook, ...args] : args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  const seconds = (performance.now() - began) / 1000;
  if (ended.status !== 0)
    throw new Error(
      `${args.join(' ')} ended with ${ended.status}: ${ended.stderr.slice(0, 2000)}${ended.stdout.slice(0, 2000)}`,
    );
  peak = Number(/peak (\d+)/.exec(ended.stderr)?.[1] ?? 0);
  return seconds;
}

/** The median of A/B over pairs, so that a machine whose speed drifts does not matter. */
function report(name, a, b, rounds) {
  line(name, median(Array.from({ length: rounds }, () => a() / b())));
}

function line(name, ratio) {
  console.log(`${name.padEnd(60)} ${ratio.toFixed(2)} ×`);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
