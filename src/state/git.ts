import { createHash, randomUUID } from 'node:crypto';
import type { Failure } from '../model/failure.js';
import type { BranchHead } from './files.generated.js';
import { broken, DENIED, FULL, refusedPush, unanswered, unreachable } from './git-failures.js';
import { BUSY, type GitOptions, openGit } from './git-process.js';
import { type ProjectFolderOptions, projectFolder } from './project-folder.js';
import { openRepository, type RepositoryOptions } from './repository.js';

/**
 * A branch of a remote that holds files, read and moved by the installed git: one commit fetched without its history, one plain
 * push for each commit. It works in a repository of its own, so that the project's is not touched, and takes from the
 * project's configuration what is needed to reach the remote. No hook and no monitor of a repository runs.
 */
export interface Branch {
  /** The folder of the project in its repository, as `clients/acme`; empty at its root. Failure where that is not known for certain. */
  project(): Promise<string>;
  /** The project file in its repository, as `clients/acme/campaignctl.yaml`; null: git does not tell. */
  file(): Promise<string | null>;
  /** What tells this clone from any copy of its files: for a hash, since it names the machine and a path. */
  clone(): Promise<string>;
  /** The name of the repository of the project, the same in its clones; null: git does not tell. */
  repository(): Promise<string | null>;
  /** Failure where the branch belongs to a project of another repository. */
  refuseOtherRepository(head: Pick<BranchHead, 'repository'>): Promise<void>;
  /** The project file whose place this one takes; null: none. Failure where the branch belongs to another one. */
  formerOwner(head: Pick<BranchHead, 'project' | 'owner'>): Promise<string | null>;
  /** The newest commit; null: there is no such branch. Failure `state-unreachable`. */
  fetch(): Promise<string | null>;
  /** Whether a commit that was fetched comes after an earlier one, at most so many commits later. */
  descends(commit: string, earlier: string, steps: number): Promise<boolean>;
  /** An id of the repository: all are as long. */
  anyId(): Promise<string>;
  /** The files of a commit that was fetched or pushed: the id of the content of each, by path. */
  list(commit: string): Promise<Map<string, string>>;
  /** Contents by their ids, in this order; a commit is text, too. */
  read(ids: readonly string[]): Promise<Buffer[]>;
  /** Removes the repository of its own. */
  remove(): Promise<void>;
  /** When a commit was made, by the clock of its machine, in ISO 8601. */
  madeAt(commit: string): Promise<string>;
  /**
   * Commits on top of `parent` and pushes: null as content takes a file away. `failure`: the push was refused, or no answer came; only
   * the branch tells whether it arrived, or may yet.
   */
  push(
    parent: string | null,
    changes: ReadonlyMap<string, Buffer | null>,
    message: string,
  ): Promise<{ commit: string; failure: Failure | null }>;
}

export interface BranchOptions extends GitOptions, ProjectFolderOptions, RepositoryOptions {
  /** The beginning of the name of the branch. Environment and project follow, so that two never collide. */
  branch: string;
  environment: string;
}

const TIP = 'refs/campaignctl/tip';

export function openBranch(options: BranchOptions): Branch {
  const { remote, branch, environment } = options;
  const git = openGit(options);
  const { refuseFormer, ...folder } = projectFolder(options, git);
  const refName = async () => {
    const parts = [environment, ...(await folder.project()).split('/').filter((part) => part !== '')];
    return `refs/heads/${branch}/${parts.map(escaped).join('+')}`;
  };

  async function fetch(depth: number): Promise<string | null> {
    const ref = await refName();
    const flags = ['--quiet', '--no-tags', `--depth=${depth}`, '--no-write-fetch-head', '--refmap='];
    // Another process of this folder may fetch at the same time: what this one found has a name of its own.
    const mine = `${TIP}-${randomUUID()}`;
    const refs = [TIP, mine].map((tip) => `+${ref}:${tip}`);
    const { code, err } = await git.run(['fetch', ...flags, '--', remote, ...refs]);
    if (code === 0) {
      const commit = (await git.text(['rev-parse', '--verify', mine])).trim();
      await git.ok(['update-ref', '-d', mine]);
      return commit;
    }
    if (BUSY.test(err) || FULL.test(err)) throw broken(options.folder, err);
    if (!/couldn't find remote ref/i.test(err)) throw unreachable(remote, err);
    await refuseFormer(kept);
    return null;
  }

  /** The folders of the projects whose state the remote keeps for this environment. */
  async function kept(): Promise<string[]> {
    const start = `refs/heads/${branch}/${escaped(environment)}`;
    const { code, out, err } = await git.run(['ls-remote', '--', remote, start, `${start}+*`]);
    if (code !== 0) throw unreachable(remote, err);
    const refs = out.toString('utf8').matchAll(/\t(.*)\n/g);
    return Array.from(refs, ([, ref = '']) => unescaped(ref.slice(start.length + 1)));
  }

  return {
    ...folder,
    ...openRepository(options, git),
    fetch: () => fetch(1),
    async descends(commit, earlier, steps) {
      // It may have gone on meanwhile.
      await fetch(steps + 50);
      // Where a history is cut off is of no interest: another fetch may have cut it off since, and its commits stay.
      const listed = await git.text(['--shallow-file', '', 'rev-list', `--max-count=${steps + 1}`, commit]);
      return listed.split('\n').includes(earlier);
    },
    anyId: () => git.text(['hash-object', '--stdin']).then((id) => id.trim()),
    async list(commit) {
      const listed = await git.text(['ls-tree', '-r', '-z', commit]);
      return new Map(
        listed.split('\0').flatMap((line) => {
          const [, id, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
          return id === undefined || path === undefined ? [] : [[path, id]];
        }),
      );
    },
    remove: () => git.remove(),
    async madeAt(commit) {
      const text = await git.text(['show', '--no-patch', '--format=%ct', commit]);
      return new Date(1000 * Number(text)).toISOString();
    },
    async read(ids) {
      const { out } = await git.ok(['cat-file', '--batch'], ids.map((id) => `${id}\n`).join(''));
      return blobsOf(out);
    },
    async push(parent, changes, message) {
      const ref = await refName();
      const { out } = await git.ok(['fast-import', '--quiet', '--force'], commitOf(parent, changes, message));
      const commit = out.toString('latin1').trim();
      const {
        code,
        err,
        out: told,
      } = await git.run([
        ...['push', '--quiet', '--porcelain', '--no-verify', '--recurse-submodules=no'],
        ...['--', remote, `${commit}:${ref}`],
      ]);
      if (code === 0) return { commit, failure: null };
      const said = told.toString('utf8');
      const failure =
        /^!/m.test(said) || DENIED.test(err)
          ? refusedPush(remote, ref.slice('refs/heads/'.length), said, err)
          : unanswered(remote, err);
      return { commit, failure };
    },
  };

  /** The stream that makes the commit, and asks for its name. */
  function commitOf(
    parent: string | null,
    changes: ReadonlyMap<string, Buffer | null>,
    message: string,
  ): Buffer {
    const parts: (Buffer | string)[] = [];
    const data = (content: Buffer) => parts.push(`data ${content.length}\n`, content, '\n');
    parts.push(`commit refs/campaignctl/next\nmark :1\n`);
    parts.push(`committer campaignctl <campaignctl@localhost> ${Math.floor(Date.now() / 1000)} +0000\n`);
    data(Buffer.from(message));
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
}

/** A part of the name of a branch: no two become the same, and none ends in `.` or `.lock`, which git refuses. */
function escaped(part: string): string {
  return part.replace(/[^A-Za-z0-9_-]/g, (sign) => `%${sign.codePointAt(0)?.toString(16)}=`);
}

/** The folder whose parts a name of a branch ends with. */
function unescaped(name: string): string {
  const parts = name
    .split('+')
    .map((part) =>
      part.replace(/%([0-9a-f]+)=/g, (_, sign) => String.fromCodePoint(Number.parseInt(sign, 16))),
    );
  return parts.join('/');
}

/** The id that git gives a content, in a repository whose ids look like `like`. */
export function idOf(content: Buffer, like: string | undefined): string {
  const hash = createHash(like?.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** The contents in the answer of `cat-file --batch`: "<id> blob <size>", the content, a line break. */
function blobsOf(out: Buffer): Buffer[] {
  const blobs: Buffer[] = [];
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf('\n', at);
    const size = Number(out.toString('latin1', at, end).split(' ')[2]);
    blobs.push(out.subarray(end + 1, end + 1 + size));
    at = end + 2 + size;
  }
  return blobs;
}
