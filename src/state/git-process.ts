import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeFolder, writeAtomic } from '../files/atomic.js';
import { refused } from './failure.js';
import { broken, noGit } from './git-failures.js';

/** How long a git command may take, in milliseconds. */
const TIMEOUT = 60_000;
/** How git says that another git is at work in the same folder. What the remote says of itself begins otherwise. */
export const BUSY = /^(?!remote:).*(\.lock': File exists|shallow file has changed|cannot lock ref)/m;
/** How long that is waited for, in milliseconds. */
const BUSY_FOR = 10_000;
/** Configuration that reaches a remote: credentials, proxies, rewritten URLs. */
const REACH = /^(http|https|credential|url|ssh|core\.(sshcommand|askpass|gitproxy)|protocol)\b/;

export interface Ran {
  code: number | null;
  out: Buffer;
  err: string;
}

export interface GitOptions {
  /** A folder inside the repository of the project; also where a relative path of a remote starts. */
  root: string;
  /** Where the repository of its own is made. It is safe to delete. */
  folder: string;
  /** The name of a remote of the project's repository, or a URL or path. */
  remote: string;
  /** Variables that git does not get: the tokens of services. */
  secrets: readonly string[];
}

export type Git = ReturnType<typeof openGit>;

/** The installed git, in a repository of its own that takes from the project's what reaches a remote. */
export function openGit({ root, folder, remote, secrets }: GitOptions) {
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
  let ready: Promise<string> | null = null;

  /** Asks the repository of the project, which stays as it is. */
  function around(args: readonly string[]): Promise<Ran> {
    return execute(args, { cwd: root, env: base }, '');
  }

  async function run(args: readonly string[], input: Buffer | string = ''): Promise<Ran> {
    ready ??= prepare();
    const parameters = await ready;
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
    const [listed, format] = await Promise.all([
      around(['config', '--includes', '--local', '--null', '--list']),
      around(['rev-parse', '--show-object-format']),
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
    // Its ids are as long as those of the project's, and so of its remote.
    const ids = format.code === 0 ? [`--object-format=${format.out.toString('utf8').trim()}`] : [];
    const init = () => runWith(parameters, ['init', '--quiet', '--bare', '--template=', ...ids]);
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
    // A state that is kept in git of its own accord is kept without it.
    await writeAtomic(join(folder, '.gitignore'), '*\n').catch(refused(folder));
    return parameters;
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
    around,
    async remove() {
      ready = null;
      await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(refused(folder));
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
