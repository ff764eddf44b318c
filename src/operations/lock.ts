import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { devNull, hostname, userInfo } from 'node:os';
import { promisify } from 'node:util';
import { EXIT, Failure } from '../model/failure.js';
import type { RunHead } from '../model/run.js';
import type { OtherApply } from '../plan/other-runs.js';
import { systemClock } from '../service/index.js';
import type { Backend, Lease } from '../state/backend.js';
import type { Held } from '../state/lock.js';
import { visibleLine } from '../view/terminal.js';
import type { ProjectPlace } from './place.js';
import { version } from './version.js';
import type { World } from './world.js';

/** User, time and commit of a run. */
export async function describeRun(
  root: string,
  { env, clock = systemClock, commit = commitOf }: World,
): Promise<Omit<RunHead, 'environment'>> {
  const at = new Date(clock.now()).toISOString();
  const run = `${at.slice(0, 23).replace(/[-:.]/g, '')}-${randomBytes(3).toString('hex')}`;
  return { run, at, who: whoIs(env), commit: await commit(root), tool: version };
}

/** From the pipeline if known, else of this machine. */
function whoIs(env: World['env']): string {
  const person = env.GITHUB_ACTOR || env.GITLAB_USER_LOGIN || userName();
  return `${person}@${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

/**
 * Runs `work` under the lock. `seconds`: wait for another process. `unkept`: the result if the state cannot be kept; absent:
 * Failure.
 */
export async function withLock<T>(
  { backend, environment, world }: ProjectPlace,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
  work: (lease: Lease) => Promise<T>,
  unkept?: (done: T, failure: Failure) => T,
): Promise<T> {
  const lease = await backend.acquire({
    who: whoIs(world.env),
    timeout: 1000 * seconds,
    waiting(holder) {
      const text = holderWords(holder);
      world.err(`Waiting up to ${seconds} s for another apply to ${environment.name} (${text}).\n`);
    },
    signal,
  });
  const store = world.store?.(lease.store, environment.name) ?? lease.store;
  const done = await work({ ...lease, store }).catch(async (error: unknown) => {
    await lease.end().catch((second: unknown) => tellLeft(second, world));
    throw error;
  });
  return lease.end().then(
    () => done,
    (error: unknown) => {
      const isUnkept = error instanceof Failure && error.exitCode === EXIT.incomplete;
      if (isUnkept && unkept !== undefined) return unkept(done, error);
      if (isUnkept) throw error;
      tellLeft(error, world);
      return done;
    },
  );
}

/** The work before stays done. */
function tellLeft(error: unknown, world: World): void {
  if (!(error instanceof Failure)) throw error;
  world.err(`! The lock could not be removed. ${error.message} ${error.hint}\n`);
}

/** Another holder that may be alive; `null` if none. */
export async function applyAtWork(
  backend: Backend,
  { clock = systemClock }: World,
): Promise<OtherApply | null> {
  const held = await backend.held();
  if (held === null || held.isOwn || held.alive === false) return null;
  const { holder, alive, lease } = held;
  const renewed = lease === null ? '' : `, lease of ${lease.seconds} s renewed at ${lease.renewed}`;
  // Clocks may differ: only an apply, which watches the branch, knows.
  const isLeased = lease !== null && Math.abs(clock.now() - Date.parse(lease.renewed)) < 1000 * lease.seconds;
  return { holder: `${holderWords(holder)}${renewed}`, certain: alive === true || isLeased };
}

function holderWords({ who, pid, host, at }: Held['holder']): string {
  return visibleLine(`${who}, process ${pid} on ${host}, since ${at}`);
}

/** With `-dirty` if tracked files differ; `null` outside of git. Runs no program that the repository configures. */
export async function commitOf(root: string): Promise<string | null> {
  try {
    const listed = await git(root, ['config', '--list', '--show-scope', '--name-only', '--null']);
    // Filters of the repository would run as programs.
    const words = listed.split('\0');
    const filters = words.filter(
      (key, at) => /^(filter|lfs\.extension)\./.test(key) && /^(local|worktree)$/.test(words[at - 1] ?? ''),
    );
    const [head, changed] = await Promise.all([
      git(root, ['rev-parse', '--verify', 'HEAD']),
      git(
        root,
        ['status', '--porcelain', '--untracked-files=no', '--ignore-submodules=all', '--no-renames'],
        filters,
      ),
    ]);
    const commit = /^[0-9a-f]{40}$/.exec(head.trim())?.[0] ?? null;
    return commit === null || changed === '' ? commit : `${commit}-dirty`;
  } catch {
    return null;
  }
}

/** Disables programs that a repository may configure. */
const HARMLESS = ['core.fsmonitor=false', `core.hooksPath=${devNull}`, 'safe.bareRepository=explicit'];

/** Variables that git needs; others may be secrets. */
const NEEDED = [
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'USERPROFILE', 'SYSTEMROOT'],
  ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'],
];

/** `off`: configuration keys that count as empty. */
export async function git(
  root: string,
  asked: readonly string[],
  off: readonly string[] = [],
): Promise<string> {
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(NEEDED.map((name) => [name, process.env[name]])),
    GIT_OPTIONAL_LOCKS: '0',
    // Prevents fetches of a partial clone; git before 2.45 knows only the second.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: '',
    GIT_CONFIG_COUNT: String(off.length),
  };
  for (const [at, key] of off.entries()) {
    env[`GIT_CONFIG_KEY_${at}`] = key;
    env[`GIT_CONFIG_VALUE_${at}`] = key.endsWith('.required') ? 'false' : '';
  }
  const words = [...HARMLESS.flatMap((pair) => ['-c', pair]), ...asked];
  return (await promisify(execFile)('git', words, { cwd: root, timeout: 5_000, env })).stdout;
}
