import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { devNull, hostname, userInfo } from 'node:os';
import { promisify } from 'node:util';
import { EXIT, Failure } from '../model/failure.js';
import type { RunHead } from '../model/run.js';
import type { OtherApply } from '../plan/index.js';
import { systemClock } from '../service/index.js';
import type { Backend, Held, Lease } from '../state/index.js';
import { visibleLine } from '../view/index.js';
import type { ProjectPlace } from './place.js';
import { version } from './version.js';
import type { World } from './world.js';

/** The person, time and commit of a run, for the journal and for plan files. */
export async function describeRun(
  root: string,
  { env, clock = systemClock, commit = commitOf }: World,
): Promise<Omit<RunHead, 'environment'>> {
  const at = new Date(clock.now()).toISOString();
  const run = `${at.slice(0, 23).replace(/[-:.]/g, '')}-${randomBytes(3).toString('hex')}`;
  return { run, at, who: whoIs(env), commit: await commit(root), tool: version };
}

/** The person behind a pipeline where it tells one, else the user of this machine. */
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
 * Does work while no other process changes the state of the environment. `seconds`: how long to wait for one that does. `unkept`: what
 * became of the work where its state could not be kept; left out: a Failure.
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

/** Reports a lock that cannot be removed; the work before it stays done. */
function tellLeft(error: unknown, world: World): void {
  if (!(error instanceof Failure)) throw error;
  world.err(`! The lock could not be removed. ${error.message} ${error.hint}\n`);
}

/** Another process that may hold the lock of this environment; null: none that is not known to be dead. */
export async function applyAtWork(
  backend: Backend,
  { clock = systemClock }: World,
): Promise<OtherApply | null> {
  const held = await backend.held();
  if (held === null || held.own || held.alive === false) return null;
  const { holder, alive, lease } = held;
  const renewed = lease === null ? '' : `, lease of ${lease.seconds} s renewed at ${lease.renewed}`;
  // Its clock may be another one: by far, and only the next apply finds out, which watches the branch.
  const isLeased = lease !== null && Math.abs(clock.now() - Date.parse(lease.renewed)) < 1000 * lease.seconds;
  return { holder: `${holderWords(holder)}${renewed}`, certain: alive === true || isLeased };
}

function holderWords({ who, pid, host, at }: Held['holder']): string {
  return visibleLine(`${who}, process ${pid} on ${host}, since ${at}`);
}

/**
 * The commit of the project's folder, with `-dirty` where tracked files differ from it; null outside of git. The repository may be
 * anyone's: no program that it names is run, nothing is fetched for it, its submodules are left alone, and git knows no token.
 */
export async function commitOf(root: string): Promise<string | null> {
  try {
    const listed = await git(root, ['config', '--list', '--show-scope', '--name-only', '--null']);
    // Pairs of scope and key. Filters of the repository itself are programs that would run on changed files.
    const words = listed.split('\0');
    const own = words.filter(
      (key, at) => /^(filter|lfs\.extension)\./.test(key) && /^(local|worktree)$/.test(words[at - 1] ?? ''),
    );
    const [head, changed] = await Promise.all([
      git(root, ['rev-parse', '--verify', 'HEAD']),
      git(
        root,
        ['status', '--porcelain', '--untracked-files=no', '--ignore-submodules=all', '--no-renames'],
        own,
      ),
    ]);
    const commit = /^[0-9a-f]{40}$/.exec(head.trim())?.[0] ?? null;
    return commit === null || changed === '' ? commit : `${commit}-dirty`;
  } catch {
    return null;
  }
}

/** Disables programs that the configuration of a repository could make git run. */
const HARMLESS = ['core.fsmonitor=false', `core.hooksPath=${devNull}`, 'safe.bareRepository=explicit'];

/** Variables by which git finds itself, the user's configuration and the repository. All others may hold a secret. */
const NEEDED = [
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'USERPROFILE', 'SYSTEMROOT'],
  ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'],
];

/** Runs git in a folder, which may hold any repository. `off`: keys of its configuration that count as empty. */
export async function git(
  root: string,
  asked: readonly string[],
  off: readonly string[] = [],
): Promise<string> {
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(NEEDED.map((name) => [name, process.env[name]])),
    GIT_OPTIONAL_LOCKS: '0',
    // The configuration says where a partial clone fetches what it lacks, and by which program. git before 2.45 knows the second only.
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
