import { setTimeout as wait } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { parseAddress } from '../model/address.js';
import { Failure, UnreadableAnswer } from '../model/failure.js';
import { isObject, type Json, type JsonObject, parseJson } from '../model/json.js';
import { createMask } from '../model/mask.js';
import { awaiting, NO_WAITS, type Waits } from '../model/waits.js';
import { createQuote } from '../service/mask.js';
import { describeWebPage, findWebPage } from '../service/web-page.js';
import { openDispatcher } from '../service/wire.js';

export type Platform = 'GitHub' | 'GitLab';

/** If there was no complete response, `reason` is set and `status` is 0. */
interface ApiAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  reason: string | null;
}

export interface ApiOptions {
  platform: Platform;
  url: string;
  token: string;
  headers: Record<string, string>;
  trace: ((line: string) => void) | null;
  /** In milliseconds. */
  timeout?: number;
  sleep?: (ms: number) => Promise<unknown>;
  waits?: Waits;
}

/** Paths are relative to the base URL or, with `//`, to the root of its host. */
export interface Api {
  /** Tries up to three times. With `query`, sends a POST. Fails unless the status is 200. */
  read(path: string, query?: JsonObject): Promise<Json>;
  /** Sends once. Returns `null` if the request may have arrived, and fails if it was refused. */
  write(method: 'POST' | 'PATCH' | 'PUT', path: string, body: JsonObject): Promise<{ answer: Json } | null>;
  close(): Promise<void>;
}

const VARIABLES = { GitHub: 'GITHUB_API_URL', GitLab: 'CI_API_V4_URL' };
const TIMEOUT = 20_000;
const MAX_TRIES = 3;
const FIRST_WAIT = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;
const PER_PAGE = 100;
const MAX_PAGES = 200;

/** The token is sent only to this origin, so redirects are not followed. */
export function openApi(options: ApiOptions): Api {
  const { platform, trace, timeout = TIMEOUT, sleep = wait, waits = NO_WAITS } = options;
  const { origin, prefix, isLoopback } = parseAddress(VARIABLES[platform], options.url);
  const dispatcher = openDispatcher(isLoopback, { connections: 2, maxResponseSize: MAX_BYTES });

  const pathOf = (path: string) => (path.startsWith('//') ? path.slice(1) : prefix + path);
  const nameOf = (method: string, path: string) => `${method} ${origin}${pathOf(path)}`;

  async function send(method: Dispatcher.HttpMethod, path: string, isLast: boolean, body?: JsonObject) {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const work = attempt(dispatcher, {
      origin,
      method,
      path: pathOf(path),
      headers: { 'user-agent': 'campaignctl', ...options.headers, ...type },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(timeout),
    });
    const awaited = { kind: 'answer', request: nameOf(method, path), isLast } as const;
    const answer = await awaiting(waits, awaited, { work, most: timeout });
    trace?.(`${method} ${path.replace(/^\/\//, '/')} ${answer.reason ?? answer.status}\n`);
    return { ...answer, request: nameOf(method, path) };
  }

  return {
    async read(path, query) {
      const method = query === undefined ? 'GET' : 'POST';
      const began = performance.now();
      for (let tries = 1; ; tries += 1) {
        const answer = await send(method, path, tries === MAX_TRIES, query);
        const value = answer.status === 200 ? parseJson(answer.text) : undefined;
        if (value !== undefined) return value;
        if (!isPassing(answer) || tries === MAX_TRIES) throw refusal(options, answer, tries);
        const fault = answer.reason ?? `status ${answer.status}`;
        const retry = { request: nameOf(method, path), fault, tries, maxTries: MAX_TRIES };
        const most = FIRST_WAIT * 2 ** (tries - 1);
        const length = { most, isCertain: true, before: performance.now() - began };
        await awaiting(waits, { kind: 'retry', ...retry }, { work: sleep(most), ...length });
      }
    },
    async write(method, path, body) {
      const answer = await send(method, path, true, body);
      const { status, reason, text } = answer;
      if (status === 200 || status === 201) return { answer: parseJson(text) ?? null };
      if (reason !== null || status >= 500) return null;
      throw refusal(options, answer, 1);
    },
    close: () => dispatcher.destroy(),
  };
}

/** Yields the oldest rows first, until a page is empty. */
export async function* eachRow(api: Api, path: string, query = ''): AsyncGenerator<JsonObject> {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const value = await api.read(`${path}?per_page=${PER_PAGE}&page=${page}${query}`);
    // If the page were treated as empty, a second comment would be created.
    if (!Array.isArray(value)) throw new UnreadableAnswer(`GET ${path}`, 'expected a list', typeof value);
    if (value.length === 0) return;
    yield* value.filter(isObject);
  }
}

async function attempt(dispatcher: Dispatcher, options: Dispatcher.RequestOptions): Promise<ApiAnswer> {
  try {
    const { statusCode, headers, body } = await dispatcher.request(options);
    return { status: statusCode, headers, text: await body.text(), reason: null };
  } catch (error) {
    return { status: 0, headers: {}, text: '', reason: describeError(error) };
  }
}

// Omits the error's message, which may repeat the request.
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'network error';
  if (error.name === 'TimeoutError') return 'timed out';
  return `network error ${'code' in error && typeof error.code === 'string' ? error.code : error.name}`;
}

function isPassing({ status, reason }: ApiAnswer): boolean {
  return reason !== null || status >= 500 || status === 429;
}

/** Names the missing permission or setting, never the token. `request`: method and URL. */
function refusal(
  { platform, token }: ApiOptions,
  answer: ApiAnswer & { request: string },
  tries: number,
): Failure {
  const times = tries === 1 ? '' : ` (tried ${tries} times)`;
  const { status, headers, reason, text, request } = answer;
  const page = status < 500 ? findWebPage({ headers, bytes: Buffer.from(text) }) : null;
  const words =
    page === null ? wordsIn(text, token) : `: ${describeWebPage(page, createQuote(createMask(token)))}`;
  const content = status === 200 && page === null ? 'an unreadable response' : `status ${status}${words}`;
  const elsewhere =
    page === null ? '' : `Check ${VARIABLES[platform]}: the API does not answer with web pages. `;
  const fact =
    reason === null
      ? `${platform} answered ${request} with ${content}`
      : `${platform} did not respond to ${request}: ${reason}`;
  return new Failure({
    code: 'comment-refused',
    message: `The comment was not written: ${fact}${times}.`,
    hint: `${elsewhere}${hintFor(platform, answer)}`,
  });
}

function wordsIn(text: string, token: string): string {
  const value = parseJson(text) ?? null;
  const error = isObject(value) ? (value.message ?? value.error ?? null) : null;
  if (error === null) return '';
  const words = createMask(token)(typeof error === 'string' ? error : JSON.stringify(error));
  return `: "${words.length > 200 ? `${words.slice(0, 200)}…` : words}"`;
}

const HINTS = {
  GitHub: {
    token: 'Replace the token in GITHUB_TOKEN (or GH_TOKEN): it is wrong or has expired.',
    permission:
      'Give the job the permission pull-requests: write. In a workflow on pull_request, the token for a pull request from a fork cannot have it.',
    where: 'Check GITHUB_REPOSITORY and the number of the pull request.',
  },
  GitLab: {
    token: 'Replace the token in GITLAB_TOKEN: it is wrong, has expired, or is a job token.',
    permission: 'Give GITLAB_TOKEN the api scope and at least the Reporter role in the project.',
    where: 'Check the project and the number of the merge request.',
  },
};

function hintFor(platform: Platform, { status, headers, reason }: ApiAnswer): string {
  const { token, permission, where } = HINTS[platform];
  const isLimited =
    status === 429 || headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0';
  if (isLimited && status !== 404)
    return 'The platform is limiting requests. The plan file is complete. Run this command again later.';
  if (status === 401) return token;
  if (status === 403) return permission;
  // Platforms also respond with 404 to hide resources that a token may not see.
  if (status === 404)
    return `${where} The platform also responds with 404 if a permission is missing. ${permission}`;
  if (status >= 300 && status < 400)
    return 'campaignctl does not follow redirects, to protect the token. Check the URL of the API, and whether the project has moved.';
  if (status >= 500 || reason !== null)
    return 'The plan file is complete; only the comment is missing. Run this command again.';
  return 'The plan file is complete; only the comment is missing.';
}
