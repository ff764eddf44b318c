import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { promisify } from 'node:util';
import type { RunHead } from '../model/run.js';
import type { Shell } from './shell.js';
import { version } from './version.js';

/** Who does something, when, from which commit: for the journal and for plan files. */
export async function describeRun(root: string, { env }: Shell): Promise<Omit<RunHead, 'environment'>> {
  const at = new Date().toISOString();
  const run = `${at.slice(0, 19).replace(/[-:]/g, '')}-${randomBytes(3).toString('hex')}`;
  return { run, at, who: whoIs(env), commit: await commitOf(root), tool: version };
}

/** The person behind a pipeline where it tells one, else the user of this machine. */
export function whoIs(env: Shell['env']): string {
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

/** The commit of the project's folder, with `-dirty` where files differ from it; null outside of git. */
async function commitOf(root: string): Promise<string | null> {
  const asked = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  try {
    const { stdout } = await promisify(execFile)('git', asked, { cwd: root, timeout: 5_000 });
    return /^[0-9a-f]{40}(-dirty)?$/.exec(stdout.trim())?.[0] ?? null;
  } catch {
    return null;
  }
}
