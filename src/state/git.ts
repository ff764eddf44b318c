import type { Failure } from '../model/failure.js';
import { HEAD, isStatePath } from './file-names.js';
import { broken, DENIED, FULL, refusedPush, unreachable } from './git-failures.js';
import { type Git, type GitOptions, openGit } from './git-process.js';

export interface Branch {
  /** `null` if the branch does not exist. Fails with `state-unreachable`. */
  fetch(): Promise<string | null>;
  files(commit: string): Promise<Map<string, Buffer>>;
  describe(commit: string): Promise<{ parent: string | null; committed: string }>;
  /** A change of `null` removes the file. After a `failure`, only the branch shows whether the commit arrived. */
  push(
    parent: string | null,
    changes: ReadonlyMap<string, Buffer | string | null>,
    message: string,
  ): Promise<{ commit: string; failure: Failure | null }>;
  close(): Promise<void>;
}

export interface BranchOptions extends GitOptions {
  branch: string;
  environment: string;
}

const TIP = 'refs/campaignctl/tip';
const FETCH = ['--quiet', '--no-tags', '--depth=1', '--no-write-fetch-head', '--refmap='];

export function openBranch(options: BranchOptions): Branch {
  const { remote, branch, environment } = options;
  const git = openGit(options);
  const name = branchName(branch, environment);

  return {
    async fetch() {
      const { code, err } = await git.run(['fetch', ...FETCH, '--', remote, `+refs/heads/${name}:${TIP}`]);
      if (code === 0) return (await git.text(['rev-parse', '--verify', TIP])).trim();
      if (FULL.test(err)) throw broken(err);
      if (!/couldn't find remote ref/i.test(err)) throw unreachable(remote, err, 'read the state from');
      return null;
    },
    files: (commit) => filesIn(git, commit),
    async describe(commit) {
      // `show` would hide the parent of the commit at which a shallow fetch ends.
      const text = await git.text(['cat-file', 'commit', commit]);
      const [, parent = null] = /^tree .*\nparent (.*)\n/.exec(text) ?? [];
      const [, seconds] = /^committer .* (\d+) [+-]\d+$/m.exec(text) ?? [];
      return { parent, committed: new Date(1000 * Number(seconds)).toISOString() };
    },
    async push(parent, changes, message) {
      const { out } = await git.ok(
        ['fast-import', '--quiet', '--force'],
        buildCommit(parent, changes, message),
      );
      const commit = out.toString('latin1').trim();
      const flags = ['--quiet', '--porcelain', '--no-verify', '--recurse-submodules=no'];
      const pushed = await git.run(['push', ...flags, '--', remote, `${commit}:refs/heads/${name}`]);
      if (pushed.code === 0) return { commit, failure: null };
      const answer = pushed.out.toString('utf8');
      const isRefused = /^!/m.test(answer) || DENIED.test(pushed.err);
      const failure = isRefused
        ? refusedPush({ remote, branch: name }, answer, pushed.err)
        : unreachable(remote, pushed.err, 'push the state to');
      return { commit, failure };
    },
    close: () => git.close(),
  };
}

/** Other branches can be large. */
const isOwnPath = (path: string) => path === HEAD || isStatePath(path);

/** The files of a commit, by path. */
async function filesIn(
  git: Git,
  commit: string,
  isWanted: (path: string) => boolean = () => true,
): Promise<Map<string, Buffer>> {
  const listed = await git.text(['ls-tree', '-r', '-z', commit]);
  const blobs = listed.split('\0').flatMap((line) => {
    const [, id, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    return id === undefined || path === undefined || !isWanted(path) ? [] : [{ id, path }];
  });
  const { out } = await git.ok(['cat-file', '--batch'], blobs.map(({ id }) => `${id}\n`).join(''));
  const contents = parseBlobs(out);
  return new Map(blobs.map(({ path }, at) => [path, contents[at] ?? Buffer.alloc(0)]));
}

/** An aborted `signal` ends the commands of git. */
export interface BranchesOptions extends GitOptions {
  signal?: AbortSignal | undefined;
}

/**
 * The state files of branches of a remote, by branch. `choose` selects some of the names of all branches. Fails with
 * `state-unreachable`.
 */
export async function readBranches(
  { signal, ...options }: BranchesOptions,
  choose: (branches: readonly string[]) => readonly string[],
): Promise<Map<string, Map<string, Buffer>>> {
  const { remote } = options;
  const git = openGit(options);
  signal?.addEventListener('abort', () => void git.close(), { once: true });
  const ask = async (args: readonly string[]) => {
    const { code, out, err } = await git.run(args);
    if (code !== 0) throw unreachable(remote, err, 'read the states from');
    return out.toString('utf8');
  };
  try {
    const heads = await ask(['ls-remote', '--quiet', '--heads', '--', remote]);
    const names = heads.split('\n').flatMap((line) => /\trefs\/heads\/(.+)$/.exec(line)?.[1] ?? []);
    const wanted = choose(names);
    if (wanted.length === 0) return new Map();
    const refOf = (at: number) => `refs/campaignctl/found/${at}`;
    const pairs = wanted.map((name, at) => `+refs/heads/${name}:${refOf(at)}`);
    await ask(['fetch', ...FETCH, '--', remote, ...pairs]);
    const read = wanted.map(async (name, at) => [name, await filesIn(git, refOf(at), isOwnPath)] as const);
    return new Map(await Promise.all(read));
  } finally {
    await git.close();
  }
}

/** The branch of an environment's state. */
export function branchName(branch: string, environment: string): string {
  return `${branch}/${escaped(environment)}`;
}

function buildCommit(
  parent: string | null,
  changes: ReadonlyMap<string, Buffer | string | null>,
  message: string,
): Buffer {
  const parts: (Buffer | string)[] = [];
  const data = (content: Buffer | string) =>
    parts.push(`data ${Buffer.byteLength(content)}\n`, content, '\n');
  parts.push('commit refs/campaignctl/next\nmark :1\n');
  parts.push(`committer campaignctl <campaignctl@localhost> ${Math.floor(Date.now() / 1000)} +0000\n`);
  data(message);
  if (parent !== null) parts.push(`from ${parent}\n`);
  for (const [path, content] of changes) {
    const name = JSON.stringify(path);
    if (content === null) parts.push(`D ${name}\n`);
    else {
      parts.push(`M 100644 inline ${name}\n`);
      data(content);
    }
  }
  parts.push('get-mark :1\n');
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

/** Escapes so that different names stay different. Git refuses a final `.` or `.lock`. */
function escaped(part: string): string {
  return part.replace(/[^A-Za-z0-9_-]/g, (sign) => `%${sign.codePointAt(0)?.toString(16)}=`);
}

/** Parses `cat-file --batch`: "<id> blob <size>", content, line feed. */
function parseBlobs(out: Buffer): Buffer[] {
  const blobs: Buffer[] = [];
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf('\n', at);
    const size = Number(out.toString('latin1', at, end).split(' ')[2]);
    blobs.push(out.subarray(end + 1, end + 1 + size));
    at = end + 2 + size;
  }
  return blobs;
}
