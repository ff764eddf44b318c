import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BranchHead } from './files.generated.js';
import { otherRepository } from './git-failures.js';
import type { Git, GitOptions } from './git-process.js';

/** Which repository a project lies in, so that those of two repositories do not share one state. */
export interface RepositoryOptions {
  /** Names of repositories that are one: forks, mirrors, and what it was called before it moved. */
  repositories: readonly string[];
}

/** Clones of clones that are followed to where the first one came from. */
const MOST_CLONES = 5;

export function openRepository(
  { root, remote, repositories }: Pick<GitOptions, 'root' | 'remote'> & RepositoryOptions,
  { around }: Pick<Git, 'around'>,
) {
  let asked: Promise<string | null> | null = null;

  async function said(...args: string[]): Promise<string | null> {
    const { code, out } = await around(args);
    return code === 0 ? out.toString('utf8').replace(/\n$/, '') : null;
  }

  /** The name of the repository behind a URL or path; that of a clone on this machine is that of where it came from. Null: it has none. */
  async function nameOf(url: string): Promise<string | null> {
    let [at, from] = [url, root];
    for (let clones = 0; clones < MOST_CLONES; clones += 1) {
      const path = localPath(at, from);
      if (path === null) return hostedName(at);
      const isBare = await said('-C', path, 'rev-parse', '--is-bare-repository');
      const next = isBare === 'false' ? await said('-C', path, 'remote', 'get-url', 'origin') : null;
      if (next === null) return path;
      [at, from] = [next, path];
    }
    return localPath(at, from) ?? hostedName(at);
  }

  /** The first commit of the branch that is checked out; null: there is none, or a shallow clone does not hold it. */
  async function firstCommit(): Promise<string | null> {
    if ((await said('rev-parse', '--is-shallow-repository')) !== 'false') return null;
    const found = await said('rev-list', '--first-parent', '--max-parents=0', 'HEAD');
    return found || null;
  }

  async function ask(): Promise<string | null> {
    const origin = await said('remote', 'get-url', 'origin');
    return origin === null ? firstCommit() : nameOf(origin);
  }
  const name = () => {
    asked ??= ask();
    return asked;
  };

  return {
    repository: name,
    /** Failure where the branch belongs to a project of another repository. */
    async refuseOtherRepository({ repository: owner }: Pick<BranchHead, 'repository'>): Promise<void> {
      const own = await name();
      if (own === null || owner === undefined || own === owner) return;
      // A repository that keeps the state itself was moved, if it has another name now.
      if (own === (await nameOf((await said('remote', 'get-url', remote)) ?? remote))) return;
      if (repositories.includes(own) && repositories.includes(owner)) return;
      // It had no origin when it wrote first.
      if (/^[0-9a-f]{40,64}$/.test(owner) && owner === (await firstCommit())) return;
      throw otherRepository(owner, own);
    },
  };
}

/** The absolute path that a URL or path of git means; null: it is of another machine. */
function localPath(url: string, from: string): string | null {
  const isFile = /^file:\/\//i.test(url);
  // As git reads it: a colon before the first slash follows a host.
  if (!isFile && (/^[\w+.-]+:\/\//.test(url) || /^[^/]+:/.test(url))) return null;
  try {
    return realpathSync(isFile ? fileURLToPath(url) : resolve(from, url));
  } catch {
    return resolve(from, url);
  }
}

/** Host and path, which HTTP and SSH have in common: no user, password, port, query or fragment. */
function hostedName(url: string): string | null {
  const [, host, rest = ''] = /^(?:[^/]*@)?([^/:@]+):(?!\/\/)(.*)$/s.exec(url) ?? [];
  if (host === undefined && !URL.canParse(url)) return null;
  const { hostname, pathname } = host === undefined ? new URL(url) : { hostname: host, pathname: rest };
  const path = pathname.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  return `${hostname}/${path}`.toLowerCase();
}
