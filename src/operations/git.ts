import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { promisify } from 'node:util';

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

/** What the configuration of a repository may have git run: none of it is needed to ask for a commit. */
const HARMLESS = ['core.fsmonitor=false', `core.hooksPath=${devNull}`, 'safe.bareRepository=explicit'];

/** What git needs to find itself, the configuration of its user and the repository. Everything else may hold a secret. */
const NEEDED = [
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'USERPROFILE', 'SYSTEMROOT'],
  ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'],
];

/** Runs git in a folder, which may hold any repository. `off`: keys of its configuration that count as empty. */
async function git(root: string, asked: readonly string[], off: readonly string[] = []): Promise<string> {
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
