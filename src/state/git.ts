import { createHash } from 'node:crypto';
import type { Failure } from '../model/failure.js';
import { broken, DENIED, FULL, refusedPush, unanswered, unreachable } from './git-failures.js';
import { type GitOptions, openGit } from './git-process.js';

/** A branch as a store, through the installed git: shallow fetches, plain pushes. */
export interface Branch {
  /** `null` if there is no branch. Failure `state-unreachable`. */
  fetch(): Promise<string | null>;
  /** Blob ids by path. */
  list(commit: string): Promise<Map<string, string>>;
  /** Contents in the order of `ids`; commits are text. */
  read(ids: readonly string[]): Promise<Buffer[]>;
  /** The git id of a content. */
  idOf(content: Buffer): Promise<string>;
  /** Committer date in ISO 8601. */
  madeAt(commit: string): Promise<string>;
  /**
   * Commits on `parent` and pushes; `null` removes a file. `failure`: refused or unanswered, so only the branch tells whether it
   * arrived.
   */
  push(
    parent: string | null,
    changes: ReadonlyMap<string, Buffer | null>,
    message: string,
  ): Promise<{ commit: string; failure: Failure | null }>;
  close(): Promise<void>;
}

export interface BranchOptions extends GitOptions {
  /** Prefix of the branch; the environment follows. */
  branch: string;
  environment: string;
}

const TIP = 'refs/campaignctl/tip';

export function openBranch(options: BranchOptions): Branch {
  const { remote, branch, environment } = options;
  const git = openGit(options);
  const name = `${branch}/${escaped(environment)}`;
  let format: Promise<string> | null = null;

  return {
    async fetch() {
      const flags = ['--quiet', '--no-tags', '--depth=1', '--no-write-fetch-head', '--refmap='];
      const { code, err } = await git.run(['fetch', ...flags, '--', remote, `+refs/heads/${name}:${TIP}`]);
      if (code === 0) return (await git.text(['rev-parse', '--verify', TIP])).trim();
      if (FULL.test(err)) throw broken(err);
      if (!/couldn't find remote ref/i.test(err)) throw unreachable(remote, err);
      return null;
    },
    async list(commit) {
      const listed = await git.text(['ls-tree', '-r', '-z', commit]);
      return new Map(
        listed.split('\0').flatMap((line) => {
          const [, id, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
          return id === undefined || path === undefined ? [] : [[path, id]];
        }),
      );
    },
    async read(ids) {
      const { out } = await git.ok(['cat-file', '--batch'], ids.map((id) => `${id}\n`).join(''));
      return blobsOf(out);
    },
    async idOf(content) {
      format ??= git.text(['rev-parse', '--show-object-format']).then((text) => text.trim());
      const hash = createHash(await format);
      return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
    },
    async madeAt(commit) {
      const text = await git.text(['show', '--no-patch', '--format=%ct', commit]);
      return new Date(1000 * Number(text)).toISOString();
    },
    async push(parent, changes, message) {
      const { out } = await git.ok(['fast-import', '--quiet', '--force'], commitOf(parent, changes, message));
      const commit = out.toString('latin1').trim();
      const pushed = await git.run([
        ...['push', '--quiet', '--porcelain', '--no-verify', '--recurse-submodules=no'],
        ...['--', remote, `${commit}:refs/heads/${name}`],
      ]);
      if (pushed.code === 0) return { commit, failure: null };
      const answer = pushed.out.toString('utf8');
      const isRefused = /^!/m.test(answer) || DENIED.test(pushed.err);
      const failure = isRefused
        ? refusedPush(remote, name, answer, pushed.err)
        : unanswered(remote, pushed.err);
      return { commit, failure };
    },
    close: () => git.close(),
  };
}

/** Input of `fast-import`; asks for the commit's id. */
function commitOf(
  parent: string | null,
  changes: ReadonlyMap<string, Buffer | null>,
  message: string,
): Buffer {
  const parts: (Buffer | string)[] = [];
  const data = (content: Buffer) => parts.push(`data ${content.length}\n`, content, '\n');
  parts.push('commit refs/campaignctl/next\nmark :1\n');
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

/** Escapes injectively, also `.` and `.lock` at the end, which git refuses. */
function escaped(part: string): string {
  return part.replace(/[^A-Za-z0-9_-]/g, (sign) => `%${sign.codePointAt(0)?.toString(16)}=`);
}

/** Parses `cat-file --batch`: "<id> blob <size>", content, line break. */
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
