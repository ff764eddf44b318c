/** Runs the built program as a process. `npm test` builds it first. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Ended } from './command.js';
import { TOKEN } from './service/service.js';

/** A line of a stack trace: `    at open (file.js:12:5)`. */
export const STACK_LINE = /^\s+at .*:\d+:\d+\)?$/m;

export const PROGRAM = fileURLToPath(new URL('../../dist/campaignctl.cjs', import.meta.url));
const FASTER = new URL('./faster.js', import.meta.url).href;

/** A process in a separate process group, which includes the git processes that it starts. */
export interface Started {
  pid: number;
  kill(name: NodeJS.Signals): void;
  /** The code is -1 if a signal ended it. */
  ended: Promise<Ended>;
}

export type Variables = Record<string, string | undefined>;

/** Runs the program with a minimal environment and the token, without a terminal. `FASTER` in `env` speeds up its clock. */
export function startProgram(cwd: string, argv: readonly string[], env: Variables = {}): Started {
  const speed = env.FASTER === undefined ? [] : ['--import', FASTER];
  return start([process.execPath, ...speed, PROGRAM, ...argv], { cwd, env });
}

/** Runs a line of bash, in which `program` runs the program. */
export function startLine(cwd: string, line: string): Started {
  const program = `program() { "${process.execPath}" "${PROGRAM}" "$@"; }`;
  return start(['bash', '--norc', '-c', `${program}; ${line}`], { cwd });
}

function start([file = '', ...argv]: string[], { cwd, env = {} }: { cwd: string; env?: Variables }): Started {
  const bare = { PATH: process.env.PATH, HOME: cwd, CAMPAIGNS_TOKEN: TOKEN };
  const child = spawn(file, argv, { cwd, env: { ...bare, ...env }, detached: true });
  child.stdin.end();
  return { pid: child.pid ?? 0, kill: (name) => void child.kill(name), ended: endOf(child) };
}

function endOf(child: ChildProcess): Promise<Ended> {
  let [out, err] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (more) => {
    out += more;
  });
  child.stderr?.setEncoding('utf8').on('data', (more) => {
    err += more;
  });
  return new Promise<Ended>((resolve) => {
    const end = () => resolve({ code: child.exitCode ?? -1, out, err });
    child.on('close', end);
    // A git process that outlives the program keeps its pipes open.
    child.on('exit', () => setTimeout(end, 2_000).unref());
  }).then((ended) => {
    expect(ended.err + ended.out, 'no stack trace').not.toMatch(STACK_LINE);
    expect(ended.err + ended.out, 'no token').not.toContain(TOKEN);
    return ended;
  });
}
