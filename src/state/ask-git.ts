/** What git says about the project's own repository. */
import { relative } from 'node:path';
import { hasCode } from '../files/atomic.js';
import { errorMessage } from '../model/failure.js';
import { reasonIn } from './git-failures.js';
import { execute } from './git-process.js';

/** In milliseconds, for one question. */
export const TIMEOUT = 5_000;

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

/** `out`: `null` if git cannot say; `why` is then the reason. */
export type GitAnswer = { out: string } | { out: null; why: string };

/**
 * Asks git about the repository of a folder. `words`: a command that only reads, and that applies no filters to files.
 * Fetches nothing, and runs no program that the repository configures.
 */
export async function askGit(root: string, words: readonly string[], input = ''): Promise<GitAnswer> {
  const needed = NEEDED.map((name) => [name, process.env[name]]);
  // Git before 2.45 ignores GIT_NO_LAZY_FETCH.
  const fixed = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: '', GIT_OPTIONAL_LOCKS: '0' };
  const options = { cwd: root, env: { ...Object.fromEntries(needed), ...fixed }, timeout: TIMEOUT };
  try {
    const { code, out, err } = await execute([...SAFE, ...words], options, input);
    if (code === 0) return { out: out.toString('utf8') };
    return { out: null, why: reasonIn(err) ?? `it ended with code ${code}` };
  } catch (error) {
    return { out: null, why: hasCode(error, 'ENOENT') ? 'it is not installed' : errorMessage(error) };
  }
}

/** `tracked`: `null` if git cannot say; `why` is then the reason. */
export type Tracking = { tracked: boolean } | { tracked: null; why: string };

/** Asks git whether it tracks files in the folder, a real path below `repository`. */
export async function findTracking(repository: string, folder: string): Promise<Tracking> {
  const path = relative(repository, folder) || '.';
  const answer = await askGit(repository, ['--literal-pathspecs', 'ls-files', '--', path]);
  return answer.out === null ? { tracked: null, why: answer.why } : { tracked: answer.out !== '' };
}
