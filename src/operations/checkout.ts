/** What is checked out, and which commits its history includes. */
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { readRegularFile } from '../files/read.js';
import type { CheckoutHistory } from '../model/state.js';
import { awaiting } from '../model/waits.js';
import { findRepository, realPlace } from '../project/files.js';
import type { Project } from '../project/project.js';
import { askGit, TIMEOUT } from '../state/ask-git.js';
import type { ProjectPlace } from './place.js';

/** `isClean`: the commit contains the project's files as they are on disk. */
export interface Checkout {
  commit: string;
  isClean: boolean;
}

/**
 * `files`: the files that the project uses, relative to it. Returns `null` without a repository, or if git cannot say which
 * commit is checked out.
 */
export function readCheckout(
  { project, waits }: Pick<ProjectPlace, 'project' | 'waits'>,
  files: readonly string[] = [],
): Promise<Checkout | null> {
  // Starting git takes longer than a small plan.
  if (findRepository(realPlace(project.root)) === null) return Promise.resolve(null);
  const wait = { kind: 'checkout', question: 'which commit is checked out' } as const;
  return awaiting(waits, wait, { work: askCheckout(project, files), most: 2 * TIMEOUT });
}

async function askCheckout(
  { root, shared, file, extended }: Pick<Project, 'root' | 'shared' | 'file' | 'extended'>,
  files: readonly string[],
): Promise<Checkout | null> {
  const head = await askGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (head.out === null) return null;
  const commit = head.out.trim();
  const configs = [file, ...(extended === null ? [] : [extended.file])];
  const { out: tree } = await askGit(root, ['ls-tree', '-r', '-z', commit, '--', '.', ...configs, ...shared]);
  return { commit, isClean: tree !== null && isUnchanged(root, parseTree(tree), [...configs, ...files]) };
}

interface Blob {
  id: string;
  path: string;
}

function parseTree(listed: string): Blob[] {
  return listed.split('\0').flatMap((line) => {
    const [, id, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    return id === undefined || path === undefined ? [] : [{ id, path }];
  });
}

/** Does not ask git for a status, because that runs programs that the repository configures as filters. */
function isUnchanged(root: string, tree: readonly Blob[], files: readonly string[]): boolean {
  // Systems spell the same name in different Unicode forms.
  const ids = new Map(tree.map(({ id, path }) => [path.normalize(), id]));
  const isSame = (file: string) => {
    const real = realpathSync.native(join(root, file));
    const id = ids.get(relative(root, real).replaceAll(sep, '/').normalize());
    if (id === undefined) return false;
    const content = readRegularFile(real);
    const withLineFeeds = () => Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
    return blobId(content, id.length) === id || blobId(withLineFeeds(), id.length) === id;
  };
  try {
    // A deleted manifest is a change, too.
    const manifests = tree.filter(({ path }) => /\.ya?ml$/i.test(path));
    return files.every(isSame) && manifests.every(({ path }) => existsSync(join(root, path)));
  } catch {
    // A file has just been removed.
    return false;
  }
}

/** `length`: 40 for SHA-1, 64 for SHA-256. */
function blobId(content: Buffer, length: number): string {
  const hash = createHash(length === 40 ? 'sha1' : 'sha256');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}

const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** Maximum number of commits about which git is asked one by one. */
const MAX_SINGLE = 20;

/** Finds out which of these commits are ancestors of `revision`, or are that commit itself. */
export function askHistory(
  { project: { root }, waits }: Pick<ProjectPlace, 'project' | 'waits'>,
  commits: ReadonlySet<string>,
  revision = 'HEAD',
): Promise<CheckoutHistory> {
  const wait = { kind: 'checkout', question: 'which commits the checkout includes' } as const;
  return awaiting(waits, wait, { work: findAncestors(root, commits, revision), most: 4 * TIMEOUT });
}

async function findAncestors(
  root: string,
  commits: ReadonlySet<string>,
  revision: string,
): Promise<CheckoutHistory> {
  const none = { ancestors: new Set<string>(), extent: 'unknown' } as const;
  const about = ['rev-parse', '--is-shallow-repository', `${revision}^{commit}`];
  const [isShallow, head] = linesOf((await askGit(root, about)).out);
  if (head === undefined) return none;
  const extent = isShallow === 'false' ? 'complete' : 'shallow';
  const list = async (words: readonly string[], revisions: readonly string[]) => {
    if (revisions.length === 0) return [];
    const { out } = await askGit(root, ['rev-list', ...words, '--stdin'], `${revisions.join('\n')}\n`);
    return out === null ? null : linesOf(out);
  };
  const asked = [...commits].filter((commit) => COMMIT.test(commit));
  const present = await list(['--no-walk', '--ignore-missing'], asked);
  const others = present && (await list([], [...present, `^${head}`]));
  if (present === null || others === null) return none;
  const isOther = new Set(others);
  // With wrong dates of commits, the list may be too long.
  const doubtful = present.filter((commit) => isOther.has(commit)).slice(0, MAX_SINGLE);
  const isAncestor = async (commit: string) =>
    (await askGit(root, ['merge-base', '--is-ancestor', commit, head])).out === null ? [] : [commit];
  const found = (await Promise.all(doubtful.map(isAncestor))).flat();
  return { ancestors: new Set([...present.filter((commit) => !isOther.has(commit)), ...found]), extent };
}

function linesOf(answer: string | null): string[] {
  return answer?.split('\n').slice(0, -1) ?? [];
}
