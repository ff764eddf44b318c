import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../model/failure.js';
import { isObject, type Json, type JsonObject, parseJson, textOrNull } from '../model/json.js';
import { type Api, type ApiOptions, eachRow, openApi } from './api.js';

interface Comment {
  id: number;
  body: string;
  url: string | null;
}

/** The comments on one pull or merge request. Methods throw a Failure if the platform refuses a request. */
export interface Conversation {
  /** Its name in messages, such as `pull request 12 of acme/mailings`. */
  title: string;
  /** Finds the oldest comment by this account that begins with the marker. */
  find(marker: string): Promise<Comment | null>;
  /** Returns `null` if there was no response; the comment may have been written. */
  create(body: string): Promise<Written | null>;
  update(id: number, body: string): Promise<Written | null>;
  close(): Promise<void>;
}

type Written = Pick<Comment, 'url'>;

interface WantedComment {
  marker: string;
  render(limit: number): string;
  create: boolean;
}

/** `none`: there was no comment, and none was to be created. */
export interface CommentResult {
  kind: 'created' | 'updated' | 'unchanged' | 'none';
  url: string | null;
}

/** Maximum number of characters on GitHub. GitLab accepts more, but proxies in front of it may not. */
const LIMIT = 65_536;
/** Milliseconds after which the list should show a new comment. */
const LOOK_AFTER = 2_000;
const MAX_TRIES = 2;

/**
 * Creates or updates the comment with this marker, unless it is up to date. If a response is lost, looks for the comment
 * before sending it again. Fails if the comment is refused or cannot be confirmed.
 */
export async function putComment(
  conversation: Conversation,
  { marker, render, create }: WantedComment,
  sleep: (ms: number) => Promise<unknown> = wait,
): Promise<CommentResult> {
  // GitLab and bots execute lines that begin with a slash.
  const text = render(LIMIT - marker.length - 1).replace(/^\//gm, ' /');
  const body = `${marker}\n${text}`.slice(0, LIMIT);
  let sent: 'created' | 'updated' | null = null;
  for (let tries = 0; ; tries += 1) {
    const comment = await conversation.find(marker);
    if (comment !== null && isSame(comment.body, body))
      return { kind: sent ?? 'unchanged', url: comment.url };
    if (comment === null && !create) return { kind: 'none', url: null };
    if (tries === MAX_TRIES)
      throw new Failure({
        code: 'comment-in-doubt',
        message: `The comment on ${conversation.title} was sent ${MAX_TRIES} times without a response, and the platform does not show it.`,
        hint: 'The plan file is complete. Run this command again later: it looks for the comment before it writes one.',
      });
    const written =
      comment === null ? await conversation.create(body) : await conversation.update(comment.id, body);
    sent = comment === null ? 'created' : 'updated';
    if (written !== null) return { kind: sent, url: written.url };
    await sleep(LOOK_AFTER);
  }
}

/** Platforms trim white space and change line endings. */
function isSame(live: string, desired: string): boolean {
  const plain = (text: string) => text.replaceAll('\r\n', '\n').trimEnd();
  return plain(live) === plain(desired);
}

interface CommentPlace {
  api: string;
  project: string;
  number: number;
}

type HostOptions = Omit<ApiOptions, 'platform' | 'url' | 'headers'>;

type Variables = Readonly<Record<string, string | undefined>>;

const GITHUB_API = 'https://api.github.com';

interface Host extends Pick<ApiOptions, 'platform' | 'url' | 'headers'> {
  title: string;
  list: string;
  query: string;
  update: { method: 'PATCH' | 'PUT'; folder: string };
  /** The account to which the token belongs; `null` if hidden. */
  readMe(api: Api): Promise<Json>;
  isMine(row: JsonObject, me: Json): boolean;
}

/** For GitHub Enterprise Server, `api` ends with `/api/v3`. */
export function openGithub({ api: url, project, number }: CommentPlace, options: HostOptions): Conversation {
  return openConversation(
    {
      platform: 'GitHub',
      url,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${options.token}`,
        'x-github-api-version': '2022-11-28',
      },
      title: `pull request ${number} of ${project}`,
      list: `/repos/${project}/issues/${number}/comments`,
      query: '',
      update: { method: 'PATCH', folder: `/repos/${project}/issues/comments` },
      // `GET /user` refuses workflow tokens.
      async readMe(api) {
        const graph = `/${new URL(url).pathname.replace(/\/+$/, '').replace(/\/v3$/, '')}/graphql`;
        const answer = objectIn(await api.read(graph, { query: 'query { viewer { login } }' }));
        return objectIn(objectIn(answer.data).viewer).login ?? null;
      },
      // A token without a login belongs to an app, so only comments by bots can be its own.
      isMine: ({ user }, me) => (me === null ? objectIn(user).type === 'Bot' : objectIn(user).login === me),
    },
    options,
  );
}

/** `api` ends with `/api/v4`. */
export function openGitlab({ api: url, project, number }: CommentPlace, options: HostOptions): Conversation {
  const list = `/projects/${encodeURIComponent(project)}/merge_requests/${number}/notes`;
  return openConversation(
    {
      platform: 'GitLab',
      url,
      headers: { accept: 'application/json', 'private-token': options.token },
      title: `merge request ${number} of project ${project}`,
      list,
      query: '&sort=asc&order_by=created_at',
      update: { method: 'PUT', folder: list },
      readMe: async (api) => objectIn(await api.read('/user')).id ?? null,
      isMine: ({ author }, me) => me !== null && objectIn(author).id === me,
    },
    options,
  );
}

function openConversation(host: Host, options: HostOptions): Conversation {
  const { platform, url, headers, title, list, query, update } = host;
  const api = openApi({ ...options, platform, url, headers });
  return {
    title,
    async find(marker) {
      let me: Json | undefined;
      for await (const row of eachRow(api, list, query)) {
        const { id, body, html_url } = row;
        if (typeof id !== 'number' || typeof body !== 'string' || !body.startsWith(marker)) continue;
        if (me === undefined) me = await host.readMe(api);
        if (host.isMine(row, me)) return { id, body, url: textOrNull(html_url) };
      }
      return null;
    },
    create: async (body) => located(await api.write('POST', list, { body })),
    update: async (id, body) => located(await api.write(update.method, `${update.folder}/${id}`, { body })),
    close: () => api.close(),
  };
}

function objectIn(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function located(written: { answer: Json } | null): Written | null {
  return written && { url: textOrNull(objectIn(written.answer).html_url) };
}

/** `event`: contents of the file at `GITHUB_EVENT_PATH`. */
export function githubPlace(env: Variables, event: string | null, number: number | null): CommentPlace {
  const project = env.GITHUB_REPOSITORY ?? '';
  if (!/^[\w.-]+\/[\w.-]+$/.test(project))
    throw noPullRequest('GITHUB_REPOSITORY is not set to a repository.', 'Set it to owner/name.');
  const pullRequest = number ?? pullRequestIn(event);
  if (pullRequest !== null) return { api: env.GITHUB_API_URL || GITHUB_API, project, number: pullRequest };
  throw noPullRequest(
    `This run does not belong to a pull request${env.GITHUB_EVENT_NAME ? `: the event is ${env.GITHUB_EVENT_NAME}` : ''}.`,
    'Run this in a workflow on pull_request, or specify the pull request with --number N.',
  );
}

/** A merge request from a fork belongs to its target project. */
export function gitlabPlace(env: Variables, number: number | null): CommentPlace {
  const api = env.CI_API_V4_URL ?? '';
  const project = env.CI_MERGE_REQUEST_PROJECT_ID || env.CI_PROJECT_ID || '';
  if (api === '' || project === '')
    throw noPullRequest(
      'CI_API_V4_URL or CI_PROJECT_ID is not set.',
      'GitLab sets both in a pipeline; elsewhere, set them yourself.',
    );
  const mergeRequest = number ?? positive(Number(env.CI_MERGE_REQUEST_IID || Number.NaN));
  if (mergeRequest !== null) return { api, project, number: mergeRequest };
  throw noPullRequest(
    'This pipeline does not belong to a merge request.',
    'Run the job in merge request pipelines (rules: if: $CI_PIPELINE_SOURCE == "merge_request_event"), or specify the merge request with --number N.',
  );
}

function pullRequestIn(event: string | null): number | null {
  const { pull_request: pull, issue } = objectIn(parseJson(event ?? ''));
  if (isObject(pull)) return positive(pull.number);
  return isObject(issue) && isObject(issue.pull_request) ? positive(issue.number) : null;
}

function positive(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

function noPullRequest(message: string, hint: string): Failure {
  return new Failure({ code: 'no-pull-request', message, hint });
}

export function githubToken(env: Variables): string {
  return sendable('GITHUB_TOKEN', env.GITHUB_TOKEN || env.GH_TOKEN, {
    missing: 'GITHUB_TOKEN (or GH_TOKEN) is not set.',
    hint: 'In a workflow, pass github.token to the step as GITHUB_TOKEN and give the job "permissions: pull-requests: write".',
  });
}

export function gitlabToken(env: Variables): string {
  return sendable('GITLAB_TOKEN', env.GITLAB_TOKEN, {
    missing: env.CI_JOB_TOKEN
      ? 'GITLAB_TOKEN is not set, and the job token (CI_JOB_TOKEN) cannot write notes.'
      : 'GITLAB_TOKEN is not set.',
    hint: 'Create a project access token with the api scope and the Reporter role, and store it in a masked variable called GITLAB_TOKEN.',
  });
}

function sendable(
  name: string,
  value: string | undefined,
  { missing, hint }: { missing: string; hint: string },
): string {
  const token = value?.trim() ?? '';
  if (token === '') throw new Failure({ code: 'no-token', message: missing, hint });
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new Failure({
    code: 'invalid-token',
    message: `${name} cannot be sent: it contains spaces, line breaks or characters that are not ASCII.`,
    hint: 'Store the token again, without spaces or line breaks.',
  });
}
