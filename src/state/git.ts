import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeFolder } from '../files/atomic.js';
import type { Failure } from '../model/failure.js';
import {
  broken,
  DENIED,
  formerFolder,
  noGit,
  otherProject,
  refusedPush,
  unanswered,
  unknownProject,
  unreachable,
} from './git-failures.js';

/**
 * A branch of a remote that holds files, read and moved by the installed git: one commit fetched without its history, one plain
 * push for each commit. It works in a repository of its own, so that the project's is not touched, and takes from the
 * project's configuration what is needed to reach the remote. No hook and no monitor of a repository runs.
 */
export interface Branch {
  /** The folder of the project in its repository, as `clients/acme`; empty at its root. Failure where that is not known for certain. */
  project(): Promise<string>;
  /** The newest commit; null: there is no such branch. Failure `state-unreachable`. */
  fetch(): Promise<string | null>;
  /** Whether a commit that was fetched comes after an earlier one, at most so many commits later. */
  descends(commit: string, earlier: string, steps: number): Promise<boolean>;
  /** The files of a commit that was fetched or pushed: the id of the content of each, by path. */
  list(commit: string): Promise<Map<string, string>>;
  /** Contents by their ids, in this order; a commit is text, too. */
  read(ids: readonly string[]): Promise<Buffer[]>;
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

export interface BranchOptions {
  /** A folder inside the repository of the project; also where a relative path of a remote starts. */
  root: string;
  /** Where the repository of its own is made. It is safe to delete. */
  folder: string;
  /** The name of a remote of the project's repository, or a URL or path. */
  remote: string;
  /** The beginning of the name of the branch. Environment and project follow, so that two never collide. */
  branch: string;
  environment: string;
  /** The name of the project file. */
  projectFile: string;
  /** What the project file says of the folder of the project in its repository, '.' for its root; null: git tells. */
  project: string | null;
  /** Variables that git does not get: the tokens of services. */
  secrets: readonly string[];
}

/** How long a git command may take, in milliseconds. */
const TIMEOUT = 60_000;
/** How git says that another git is at work in the same folder. What the remote says of itself begins otherwise. */
const BUSY = /^(?!remote:).*(\.lock': File exists|shallow file has changed|cannot lock ref)/m;
/** How long that is waited for, in milliseconds. */
const BUSY_FOR = 10_000;
const TIP = 'refs/campaignctl/tip';
/** Configuration that reaches a remote: credentials, proxies, rewritten URLs. */
const REACH = /^(http|https|credential|url|ssh|core\.(sshcommand|askpass|gitproxy)|protocol)\b/;

export function openBranch(options: BranchOptions): Branch {
  const { remote, branch, environment } = options;
  const git = gitIn(options);
  const refName = async () => {
    const project = await git.project();
    const parts = [environment, ...project.split('/').filter((part) => part !== '')];
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
    if (BUSY.test(err)) throw broken(options.folder, err);
    if (!/couldn't find remote ref/i.test(err)) throw unreachable(remote, err);
    await refuseFormer();
    return null;
  }

  /** A project that begins anew beside the state of one whose folder is gone may be that one, in a folder that was renamed. */
  async function refuseFormer(): Promise<void> {
    const isGone = await git.missing();
    if (isGone === null) return;
    const start = `refs/heads/${branch}/${escaped(environment)}`;
    const { code, out, err } = await git.run(['ls-remote', '--', remote, start, `${start}+*`]);
    if (code !== 0) throw unreachable(remote, err);
    const refs = out.toString('utf8').matchAll(/\t(.*)\n/g);
    const folders = Array.from(refs, ([, ref = '']) => unescaped(ref.slice(start.length + 1)));
    const former = folders.filter(isGone);
    if (former.length > 0) throw formerFolder(former, await git.project());
  }

  return {
    project: git.project,
    fetch: () => fetch(1),
    async descends(commit, earlier, steps) {
      // It may have gone on meanwhile.
      await fetch(steps + 50);
      // Where a history is cut off is of no interest: another fetch may have cut it off since, and its commits stay.
      const listed = await git.text(['--shallow-file', '', 'rev-list', `--max-count=${steps + 1}`, commit]);
      return listed.split('\n').includes(earlier);
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

interface Ran {
  code: number | null;
  out: Buffer;
  err: string;
}

/** Git in a repository of its own. */
function gitIn({ root, folder, remote, project: written, projectFile, secrets }: BranchOptions) {
  // Credentials are those of git itself, and may come from there.
  const { env } = process;
  const clean = Object.fromEntries(
    Object.entries(env).filter(
      ([name]) =>
        !secrets.includes(name) &&
        !/^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|COMMON_DIR|PREFIX)$/.test(name),
    ),
  );
  const base = { ...clean, LC_ALL: 'C', GIT_TERMINAL_PROMPT: env.GIT_TERMINAL_PROMPT ?? '0' };
  let ready: Promise<{ parameters: string; prefix: Ran }> | null = null;

  async function run(args: readonly string[], input: Buffer | string = ''): Promise<Ran> {
    ready ??= prepare();
    const { parameters } = await ready;
    const deadline = performance.now() + BUSY_FOR;
    for (;;) {
      const ran = await runWith(parameters, args, input);
      if (ran.code === 0 || !BUSY.test(ran.err) || performance.now() > deadline) return ran;
      await wait(50 + 200 * Math.random());
    }
  }

  function runWith(parameters: string, args: readonly string[], input: Buffer | string = ''): Promise<Ran> {
    const environment = { ...base, GIT_CONFIG_PARAMETERS: parameters };
    return execute(['--git-dir', folder, ...SAFE, ...args], { cwd: root, env: environment }, input);
  }

  /** Makes the repository, and takes from the project's what reaches the remote. */
  async function prepare() {
    const around = { cwd: root, env: base };
    const [listed, prefix] = await Promise.all([
      execute(['config', '--includes', '--local', '--null', '--list'], around, ''),
      execute(['rev-parse', '--is-inside-work-tree', '--show-cdup', '--show-prefix'], around, ''),
    ]);
    // Outside of a repository there is nothing to take.
    const lines = listed.code === 0 ? listed.out.toString('utf8').split('\0') : [];
    const taken = lines.flatMap((line) => {
      const [key = '', ...value] = line.split('\n');
      const isRemote = key.startsWith(`remote.${remote}.`) && !key.endsWith('.fetch');
      return isRemote || REACH.test(key) ? [quoted(`${key}=${value.join('\n')}`)] : [];
    });
    const parameters = [env.GIT_CONFIG_PARAMETERS ?? '', ...taken].filter((part) => part !== '').join(' ');
    await makeFolder(folder);
    const init = () => runWith(parameters, ['init', '--quiet', '--bare', '--template=']);
    let made = await init();
    // Another process may be making it.
    if (made.code !== 0) made = await wait(300).then(init);
    if (made.code !== 0) {
      // What is left of one that was cut short.
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      await makeFolder(folder);
      made = await init();
    }
    if (made.code !== 0) throw broken(folder, made.err);
    return { parameters, prefix };
  }

  /** The way up to the root of the repository, and from there to the project; null: git does not tell. */
  async function around() {
    ready ??= prepare();
    const { code, out, err } = (await ready).prefix;
    const told = code === 0 ? out.toString('utf8') : '';
    const [, up = null, found = null] = /^true\n([./]*)\n(.*?)\/?\n$/s.exec(told) ?? [];
    return { up, found, err };
  }

  async function ok(args: readonly string[], input?: Buffer | string): Promise<Ran> {
    const ran = await run(args, input);
    if (ran.code !== 0) throw broken(folder, ran.err);
    return ran;
  }

  return {
    run,
    ok,
    text: async (args: readonly string[]) => (await ok(args)).out.toString('utf8'),
    async project() {
      const { up, found, err } = await around();
      const named = written === '.' ? '' : written;
      // A name may tell it from others on the remote, or be the folder where it lay before; another project keeps its own.
      const isOther = named !== null && found !== null && named !== found;
      if (isOther && existsSync(join(root, up ?? '', named, projectFile))) throw otherProject(named, found);
      const project = named ?? found;
      if (project === null) throw unknownProject(err);
      return project;
    },
    /** Whether no project lies in a folder of the repository; null where the project file says which one it is, or no folder is known. */
    async missing(): Promise<((folder: string) => boolean) | null> {
      const up = (await around()).up;
      return written !== null || up === null
        ? null
        : (folder) => !existsSync(join(root, up, folder, projectFile));
    },
  };
}

/** No hook and no monitor runs, and nothing is packed in the middle of a run. */
const SAFE = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'fastimport.unpackLimit=1000',
].flatMap((setting) => ['-c', setting]);

/** A part of the name of a branch, so that no two names become the same. */
function escaped(part: string): string {
  return part.replace(/[^A-Za-z0-9_-]/g, (sign) => `%${sign.codePointAt(0)?.toString(16)}.`);
}

/** The folder whose parts a name of a branch ends with. */
function unescaped(name: string): string {
  const parts = name
    .split('+')
    .map((part) =>
      part.replace(/%([0-9a-f]+)\./g, (_, sign) => String.fromCodePoint(Number.parseInt(sign, 16))),
    );
  return parts.join('/');
}

/** As git quotes what it hands on to its own commands. */
function quoted(text: string): string {
  return `'${text.replace(/['!]/g, (sign) => `'\\${sign}'`)}'`;
}

function execute(
  args: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string | undefined>> },
  input: Buffer | string,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, options);
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    const ended = (code: number | null) => {
      clearTimeout(timer);
      resolve({ code, out: Buffer.concat(out), err: Buffer.concat(err).toString('utf8') });
    };
    // What git has started may go on, and hold its pipes open: it is not waited for.
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      err.push(Buffer.from(`\nno answer within ${TIMEOUT / 1000} s`));
      ended(null);
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    }, TIMEOUT);
    child.stdout.on('data', (part: Buffer) => out.push(part));
    child.stderr.on('data', (part: Buffer) => err.push(part));
    // It may end before it has read everything; its code tells.
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(noGit(error));
    });
    child.on('close', ended);
    child.stdin.end(input);
  });
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
