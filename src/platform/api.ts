import { setTimeout as wait } from 'node:timers/promises';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { Failure } from '../model/failure.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Written } from './conversation.js';
import { type Platform, refusal } from './refusal.js';

/** What a request came to. `reason` is set, and `status` 0, where there was no complete answer. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  reason: string | null;
}

export interface ApiOptions {
  platform: Platform;
  /** Base URL: https, or http to this machine. */
  url: string;
  token: string;
  headers: Record<string, string>;
  /** Told each request, without token or body. */
  trace: ((line: string) => void) | null;
  /** Milliseconds; a request that takes longer is given up. */
  timeout?: number;
  sleep?: (ms: number) => Promise<unknown>;
}

/** Paths begin after the base URL, or with `//` for one from the root of its host. */
export interface Api {
  /** Reads, up to three times where that may help; `query` makes it a POST that only asks. Failure for any other answer than 200. */
  read(path: string, query?: JsonObject): Promise<{ value: Json; more: boolean }>;
  /** Sends once. Failure where the platform refuses. */
  write(
    method: 'POST' | 'PATCH' | 'PUT',
    path: string,
    body: JsonObject,
  ): Promise<Written & { value?: Json }>;
  sleep(ms: number): Promise<unknown>;
  close(): Promise<void>;
}

const TIMEOUT = 20_000;
const MOST_TRIES = 3;
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Opens a platform's API. The token goes to this origin only: redirects are not followed. */
export function openApi(options: ApiOptions): Api {
  const { platform, token, trace, timeout = TIMEOUT, sleep = wait } = options;
  const base = parseBase(options.url);
  const dispatcher = openDispatcher(base);
  const at = (path: string) => (path.startsWith('//') ? base.origin + path.slice(1) : base.href + path);

  async function once(method: Dispatcher.HttpMethod, path: string, body: JsonObject | null): Promise<Answer> {
    const answer = await attempt({
      url: at(path),
      dispatcher,
      method,
      headers: {
        'user-agent': 'campaignctl',
        ...options.headers,
        ...(body === null ? {} : { 'content-type': 'application/json' }),
      },
      body: body === null ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(timeout),
    });
    trace?.(`${method} ${path} ${answer.reason ?? answer.status}\n`);
    return answer;
  }

  return {
    async read(path, query) {
      for (let tries = 1; ; tries += 1) {
        const answer = await once(query === undefined ? 'GET' : 'POST', path, query ?? null);
        const value = answer.status === 200 ? parse(answer.text) : undefined;
        if (value !== undefined) return { value, more: isMore(answer) };
        if (!isPassing(answer) || tries === MOST_TRIES) {
          throw refusal({ platform, token, answer, tries, request: `${query ? 'POST' : 'GET'} ${path}` });
        }
        await sleep(asked(answer) ?? FIRST_WAIT * 2 ** (tries - 1));
      }
    },
    async write(method, path, body) {
      const answer = await once(method, path, body);
      if (answer.status === 200 || answer.status === 201) {
        return { kind: 'done', url: null, value: parse(answer.text) ?? null };
      }
      if (answer.reason !== null) return { kind: 'in-doubt', reason: answer.reason };
      if (answer.status >= 500) return { kind: 'in-doubt', reason: `status ${answer.status}` };
      if (isTooLarge(answer)) return { kind: 'too-large' };
      throw refusal({ platform, token, answer, tries: 1, request: `${method} ${path}` });
    },
    sleep,
    close: () => dispatcher.destroy(),
  };
}

interface Attempt {
  url: string;
  dispatcher: Dispatcher;
  method: Dispatcher.HttpMethod;
  headers: Record<string, string>;
  body: string | null;
  signal: AbortSignal;
}

async function attempt({ url, ...options }: Attempt): Promise<Answer> {
  try {
    const { statusCode, headers, body } = await request(url, options);
    return { status: statusCode, headers, text: await body.text(), reason: null };
  } catch (error) {
    return { status: 0, headers: {}, text: '', reason: reasonOf(error) };
  }
}

// The message of an error is not used: it may repeat what was sent.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'network error';
  if (error.name === 'TimeoutError') return 'not in time';
  return `network error ${'code' in error && typeof error.code === 'string' ? error.code : error.name}`;
}

function openDispatcher(base: Base): Dispatcher {
  const options = { connections: 2, connect: { timeout: 10_000 }, maxResponseSize: MAX_BYTES };
  if (base.loopback) return new Agent(options);
  try {
    return new EnvHttpProxyAgent(options);
  } catch {
    // The cause is left out: a proxy URL may hold a password.
    throw new Failure({
      code: 'invalid-proxy',
      message: 'The proxy of the environment variables cannot be used.',
      hint: 'Check HTTPS_PROXY and HTTP_PROXY: a proxy is written as http://host:port.',
    });
  }
}

interface Base {
  origin: string;
  /** Without a slash at its end. */
  href: string;
  loopback: boolean;
}

function parseBase(text: string): Base {
  const url = URL.canParse(text) ? new URL(text) : null;
  const loopback = url !== null && /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(url.hostname);
  const open = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback);
  if (url !== null && open && `${url.username}${url.password}${url.search}${url.hash}` === '') {
    return { origin: url.origin, href: url.origin + url.pathname.replace(/\/+$/, ''), loopback };
  }
  throw new Failure({
    code: 'invalid-base-url',
    message: 'The URL of the platform cannot be used: the token would not be safe with it.',
    hint: 'GITHUB_API_URL and CI_API_V4_URL have to be https, without user name, password or query.',
  });
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Another page follows. Only that is read from the link, never where it leads to. */
function isMore({ headers }: Answer): boolean {
  return /rel="?next"?/.test(String(headers.link ?? ''));
}

/** May be over in a moment: no answer, a fault of the platform, a limit. */
function isPassing(answer: Answer): boolean {
  const { status, reason } = answer;
  return reason !== null || status >= 500 || status === 429 || (status === 403 && asked(answer) !== null);
}

/** Milliseconds that the platform asks to wait, as far as a pipeline can; null where it asks nothing. */
function asked({ headers }: Answer): number | null {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return seconds > 0 ? Math.min(seconds * 1000, LONGEST_WAIT) : null;
}

function isTooLarge({ status, text }: Answer): boolean {
  return status === 413 || ((status === 400 || status === 422) && /too (long|large|big)/i.test(text));
}
