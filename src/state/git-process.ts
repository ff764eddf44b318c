import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { maskAddresses } from '../model/mask.js';
import { NO_WAITS, type Waits } from '../model/waits.js';
import { broken, noGit } from './git-failures.js';

/** In milliseconds. */
const TIMEOUT = 60_000;
/** Configuration needed to reach a remote: credentials, proxies, URLs. */
const REACH = /^(http|https|credential|url|ssh|core\.(sshcommand|askpass|gitproxy)|protocol)\b/;

export interface Ran {
  code: number | null;
  out: Buffer;
  err: string;
}

export interface GitOptions {
  /** Folder in the project's repository; base of relative remotes. */
  root: string;
  remote: string;
  /** Environment variables that are hidden from git. */
  secrets: readonly string[];
  waits?: Waits;
}

interface Surroundings {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

export type Git = ReturnType<typeof openGit>;

/** Runs the installed git in a temporary repository, with the project's configuration for its remote. */
export function openGit({ root, remote, secrets, waits = NO_WAITS }: GitOptions) {
  // Credentials may come from the environment.
  const { env } = process;
  const clean = Object.fromEntries(
    Object.entries(env).filter(
      ([name]) =>
        !secrets.includes(name) &&
        !/^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|COMMON_DIR|PREFIX)$/.test(name),
    ),
  );
  const base = { ...clean, LC_ALL: 'C', GIT_TERMINAL_PROMPT: env.GIT_TERMINAL_PROMPT ?? '0' };
  const settings = [...SAFE, ...noMirror(remote)].flatMap((setting) => ['-c', setting]);
  const setting: GitSetting = { root, remote, env, base, settings };
  let ready: Promise<PreparedGit> | null = null;
  let stopping = new AbortController();

  async function run(args: readonly string[], input: Buffer | string = ''): Promise<Ran> {
    const [command = ''] = args;
    const wait = { command, remote: REMOTE.includes(command) ? maskAddresses(remote) : null };
    const end = waits.begin({ kind: 'git', ...wait }, { most: TIMEOUT });
    try {
      ready ??= prepare(setting, stopping.signal);
      const { folder, parameters, hidden } = await ready;
      const ran = await runIn(setting, { folder, parameters, signal: stopping.signal }, args, input);
      return { ...ran, err: hidden.reduce((text, secret) => text.replaceAll(secret, '***'), ran.err) };
    } finally {
      end();
    }
  }

  async function ok(args: readonly string[], input?: Buffer | string): Promise<Ran> {
    const ran = await run(args, input);
    if (ran.code !== 0) throw broken(ran.err);
    return ran;
  }

  return {
    run,
    ok,
    text: async (args: readonly string[]) => (await ok(args)).out.toString('utf8'),
    /** Ends running commands and deletes the temporary repository; the next command creates a new one. */
    async close() {
      stopping.abort();
      stopping = new AbortController();
      const prepared = await ready?.catch(() => null);
      ready = null;
      const folder = prepared?.folder;
      if (folder !== undefined)
        await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    },
  };
}

interface GitSetting {
  root: string;
  remote: string;
  env: NodeJS.ProcessEnv;
  base: Record<string, string | undefined>;
  settings: readonly string[];
}

/** `hidden`: credentials that messages must not contain. */
interface PreparedGit {
  folder: string;
  parameters: string;
  hidden: readonly string[];
}

function runIn(
  { root, base, settings }: GitSetting,
  { folder, parameters, signal }: { folder: string; parameters: string; signal: AbortSignal },
  args: readonly string[],
  input: Buffer | string = '',
): Promise<Ran> {
  const env = { ...base, GIT_CONFIG_PARAMETERS: parameters };
  return runGit(['--git-dir', folder, ...settings, ...args], { cwd: root, env, signal }, input);
}

/** Creates the temporary repository. */
async function prepare(setting: GitSetting, signal: AbortSignal): Promise<PreparedGit> {
  const { root, remote, env, base } = setting;
  const around = (args: readonly string[]) => runGit(args, { cwd: root, env: base, signal });
  const [listed, format, folder] = await Promise.all([
    around(['config', '--includes', '--local', '--null', '--list']),
    around(['rev-parse', '--show-object-format']),
    mkdtemp(join(tmpdir(), 'campaignctl-')),
  ]);
  const lines = listed.code === 0 ? listed.out.toString('utf8').split('\0') : [];
  const taken = lines.flatMap((line) => {
    const [key = '', ...value] = line.split('\n');
    // With the settings of a partial clone, git would fetch each file separately.
    const isRemote = key.startsWith(`remote.${remote}.`) && !NOT_TAKEN.test(key);
    return isRemote || REACH.test(key) ? [{ key, value: value.join('\n') }] : [];
  });
  const quotes = taken.map(({ key, value }) => quoted(`${key}=${value}`));
  const parameters = [env.GIT_CONFIG_PARAMETERS ?? '', ...quotes].filter((part) => part !== '').join(' ');
  // Uses the object format of the project's repository, which the remote shares.
  const ids = format.code === 0 ? [`--object-format=${format.out.toString('utf8').trim()}`] : [];
  const init = ['init', '--quiet', '--bare', '--template=', ...ids];
  const created = await runIn(setting, { folder, parameters, signal }, init);
  if (created.code !== 0) throw broken(created.err);
  return { folder, parameters, hidden: credentialsIn(env, taken) };
}

/** Commands that reach the remote. */
const REMOTE = ['fetch', 'ls-remote', 'push'];

function runGit(...call: Parameters<typeof execute>): Promise<Ran> {
  return execute(...call).catch((error: Error) => {
    throw noGit(error);
  });
}

const NOT_TAKEN = /\.(fetch|promisor|partialclonefilter)$/;

/** Credentials that a host may echo but that messages must not contain. */
function credentialsIn(env: NodeJS.ProcessEnv, config: readonly { key: string; value: string }[]): string[] {
  const values = [
    ...Object.entries(env).flatMap(([name, value = '']) =>
      /TOKEN|SECRET|PASSWORD|^GIT_CONFIG_VALUE_/i.test(name) ? [value] : [],
    ),
    ...config.flatMap(({ key, value }) => (/extraheader$/.test(key) ? [value] : [])),
  ];
  return values.flatMap((value) => value.split(/\s+/)).filter((word) => word.length >= 12);
}

/** These take precedence over the configuration of the user and of the project. */
const SAFE = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'fastimport.unpackLimit=1000',
  'push.gpgSign=false',
  // An empty value clears the list. Not every host accepts options.
  'push.pushOption=',
];

/** Pushes to a mirror would be forced and include every branch. A URL that contains `=` cannot be part of a key. */
function noMirror(remote: string): string[] {
  return remote.includes('=') ? [] : [`remote.${remote}.mirror=false`];
}

function quoted(text: string): string {
  return `'${text.replace(/['!]/g, (sign) => `'\\${sign}'`)}'`;
}

/** `timeout`: in milliseconds. Rejects with the system's error if git cannot be started, or after an abort. */
export function execute(
  args: readonly string[],
  { timeout = TIMEOUT, ...options }: Surroundings & { timeout?: number; signal?: AbortSignal },
  input: Buffer | string = '',
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, { ...options, killSignal: 'SIGKILL' });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    const ended = (code: number | null) => {
      clearTimeout(timer);
      resolve({ code, out: Buffer.concat(out), err: Buffer.concat(err).toString('utf8') });
    };
    // Processes started by git may keep its pipes open.
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      err.push(Buffer.from(`\nno answer within ${timeout / 1000} s`));
      ended(null);
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    }, timeout);
    child.stdout.on('data', (part: Buffer) => out.push(part));
    child.stderr.on('data', (part: Buffer) => err.push(part));
    // git may exit before it has read everything.
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    });
    child.on('close', ended);
    child.stdin.end(input);
  });
}
