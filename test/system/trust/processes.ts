/** Runs of `apply` in processes of the built program, with a faster, adjustable clock and signals at any moment. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import type { Plan } from '../../../src/model/outputs.js';
import { writeFiles } from '../../support/command.js';
import { type Started, startProgram } from '../../support/program.js';
import type { Service, TestService } from '../../support/service/service.js';
import { type RunSlip, type Scenario, scenarioOf } from './draws.js';
import { beside, type Ended, type Ran } from './runs.js';
import { filesOf, onlyOf, openScene, type Scene } from './slips.js';

export const SPEED = 50;

/** A signal at a request, before or after its effect, or some milliseconds after the start. */
export const signal = fc.record({
  name: fc.constantFrom('SIGKILL' as const, 'SIGKILL' as const, 'SIGTERM' as const, 'SIGINT' as const),
  twice: fc.boolean(),
  when: fc.oneof(
    fc.record({ request: fc.integer({ min: 1, max: 30 }), effect: fc.boolean() }),
    fc.record({ ms: fc.integer({ min: 0, max: 900 }) }),
  ),
});
export type Signal = typeof signal extends fc.Arbitrary<infer Value> ? Value : never;

/** A scenario whose nth run gets the nth signal. */
export const killed = fc.record({
  drawn: scenarioOf(6),
  signals: fc.array(fc.option(signal, { freq: 2 }), { minLength: 10, maxLength: 10 }),
});

/** A scene whose runs are processes. */
export interface InProcesses extends Scene {
  service: TestService;
  signals: (Signal | null)[];
}

export function openProcesses(
  input: Pick<InProcesses, 'folder' | 'service' | 'signals'> & { drawn: Scenario },
): InProcesses {
  const clock = fastClock(input.drawn);
  return { ...openScene({ ...input, clock }), service: input.service, signals: [...input.signals] };
}

/** The clock of the processes. If nothing lags, it does not wait. */
export function fastClock({ lag }: Pick<Scenario, 'lag'>): Scene['clock'] {
  let shift = Date.UTC(2026, 10, 2, 9, 0, 0);
  const began = performance.now();
  const elapsed = () => (performance.now() - began) * SPEED;
  return {
    elapsed,
    now: () => Math.round(shift + elapsed()),
    jump(ms) {
      shift += ms;
    },
    sleep: (ms) => wait((lag > 0 ? ms : Math.min(ms, 100)) / SPEED),
  };
}

/** Starts the program in a folder with this time. */
export function start(cwd: string, argv: readonly string[], now: number, jump = 0): Started {
  return startProgram(cwd, argv, { FASTER: String(SPEED), NOW: String(now), JUMP: String(jump) });
}

/** Runs `apply` in a checkout with the current files. */
export async function runProcess(slip: RunSlip, scene: InProcesses): Promise<Ran & { signalled: boolean }> {
  const { folder, service, clock } = scene;
  const cwd = join(folder, slip.checkout);
  await clock.sleep(1_000);
  await rm(join(cwd, 'campaigns'), { recursive: true, force: true });
  await writeFiles(cwd, filesOf(scene, service.url));
  const journals = await journalsOf(cwd);
  const first = service.requests.length;
  const jumps = slip.hands.flatMap(({ does }) => (does.do === 'clock' ? [does.by] : []));
  const seen = beside({ slip, scene });
  const only = onlyOf(slip, scene);
  const argv = [
    ...['apply', '--yes', '--lock-timeout', '0'],
    ...slip.allow.flatMap((hazard) => ['--allow', hazard]),
    ...(slip.hold ? ['--hold', 'launch'] : []),
    ...['--refresh', slip.refresh],
    ...(only === null ? [] : slip.only?.by === 'file' ? [`campaigns/${only.file}`] : ['--target', only.name]),
  ];
  const child = start(cwd, argv, clock.now(), jumps[0]);
  const local = scene.drawn.slips.includes(slip) ? (scene.signals.shift() ?? null) : null;
  const struck = strike(local, child, service, first);
  const { code, out, err } = await child.ended;
  clearTimeout(struck.timer);
  await service.left();
  const ran = seen();
  const text = `${out}${err}`;
  const shown = await shownBy(cwd, journals);
  const write = ran.requests.findIndex(({ method }) => method !== 'GET');
  const from = write < 0 ? ran.requests.length : write;
  return { ...ran, shown, printed: text, from, ended: endOf(code, text), signalled: struck.done() };
}

function strike(signal: Signal | null, child: Started, service: Service, first: number) {
  let done = false;
  const kill = () => {
    if (signal === null) return;
    done = true;
    child.kill(signal.name);
    if (signal.twice) setTimeout(() => child.kill(signal.name), 5);
  };
  const when = signal?.when ?? { ms: null };
  if ('request' in when) {
    const number = first + when.request;
    service.actAt(number, kill);
    if (!when.effect) service.answerAt(number, { reset: true, effect: false });
    return { timer: undefined, done: () => done };
  }
  return { timer: when.ms === null ? undefined : setTimeout(kill, when.ms), done: () => done };
}

function endOf(code: number, text: string): Ended {
  switch (code) {
    case -1:
      return { result: 'died', said: 'died' };
    case 0:
      return { result: 'done', said: 'done' };
    case 4:
    case 130:
      return { result: 'incomplete', said: code === 130 ? 'interrupted' : 'incomplete' };
    case 1:
    case 3:
      return { result: 'refused', said: /^error\[?([a-z-]+)/m.exec(text)?.[1] ?? `exit ${code}` };
    default:
      throw new Error(`it ended with ${code}:\n${text}`);
  }
}

async function journalsOf(cwd: string): Promise<string[]> {
  const folder = join(cwd, '.campaignctl/state/production/journal');
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => /^\d.*\.jsonl$/.test(name)).map((name) => join(folder, name));
}

/** The plan that a run journaled before it sent anything, which is the one shown. */
async function shownBy(cwd: string, before: readonly string[]): Promise<Plan | null> {
  const known = new Set(before.map(runOf));
  const file = (await journalsOf(cwd)).find((name) => !known.has(runOf(name)));
  if (file === undefined) return null;
  const lines = (await readFile(file, 'utf8')).split('\n');
  const noted = lines.filter((line) => line.startsWith('{"type":"plan"')).map((line) => JSON.parse(line));
  return noted[0]?.plan ?? null;
}

const runOf = (file: string) => file.replace(/(\.open)?\.jsonl$/, '');
