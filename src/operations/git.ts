import { execFile } from 'node:child_process';

/** Variables that git needs. Others may contain secrets. */
const NEEDED = [
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'USERPROFILE', 'SYSTEMROOT'],
  ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'],
];

/** In a container, the project often belongs to another user. */
const SETTINGS = ['safe.directory=*', 'core.fsmonitor=false', 'safe.bareRepository=explicit'];

/** In milliseconds. */
const TIMEOUT = 5_000;
/** In bytes. */
const LONGEST = 256 * 1024 * 1024;

/**
 * Asks git about a repository. `words`: a command that only reads, and that applies no filters to files. Fetches nothing,
 * and runs no program that the repository configures. Returns `null` if git fails or does not answer within five seconds.
 */
export function askGit(root: string, words: readonly string[], input = ''): Promise<string | null> {
  const needed = NEEDED.map((name) => [name, process.env[name]]);
  // Git before 2.45 ignores GIT_NO_LAZY_FETCH.
  const fixed = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: '', GIT_OPTIONAL_LOCKS: '0' };
  const options = {
    cwd: root,
    timeout: TIMEOUT,
    maxBuffer: LONGEST,
    env: { ...Object.fromEntries(needed), ...fixed },
  };
  const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
  return new Promise((resolve) => {
    const child = execFile('git', [...settings, ...words], options, (error, stdout) => {
      resolve(error === null ? stdout : null);
    });
    // Git may exit before it has read everything.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
