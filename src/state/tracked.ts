import { relative } from 'node:path';
import { hasCode } from '../files/atomic.js';
import { errorMessage } from '../model/failure.js';
import { reasonIn } from './git-failures.js';
import { execute } from './git-process.js';

/** In milliseconds. */
const TIMEOUT = 5_000;

/** Variables that git needs. Others may contain secrets, or name another repository. */
const NEEDED = [
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'USERPROFILE', 'SYSTEMROOT'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'],
];

const SAFE = [
  'core.fsmonitor=false',
  'safe.bareRepository=explicit',
  // In a container, the repository often belongs to a different user.
  'safe.directory=*',
].flatMap((setting) => ['-c', setting]);

/** `tracked`: `null` if git cannot say; `why` is then the reason. */
export type Tracking = { tracked: boolean } | { tracked: null; why: string };

/**
 * Asks git whether it tracks files in the folder, a real path below `repository`. Fetches nothing, and runs no program that
 * the repository configures.
 */
export async function findTracking(repository: string, folder: string): Promise<Tracking> {
  const needed = NEEDED.map((name) => [name, process.env[name]]);
  // Git before 2.45 ignores GIT_NO_LAZY_FETCH.
  const env = { ...Object.fromEntries(needed), GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: '' };
  const path = relative(repository, folder) || '.';
  const args = [...SAFE, '--literal-pathspecs', 'ls-files', '--', path];
  try {
    const { code, out, err } = await execute(args, { cwd: repository, env, timeout: TIMEOUT });
    if (code === 0) return { tracked: out.length > 0 };
    return { tracked: null, why: (reasonIn(err) ?? `it ended with code ${code}`).replace(/^fatal: /, '') };
  } catch (error) {
    const why = hasCode(error, 'ENOENT') ? 'it is not installed' : errorMessage(error);
    return { tracked: null, why };
  }
}
