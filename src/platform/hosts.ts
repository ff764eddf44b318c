import { Failure } from '../model/failure.js';
import { isObject, type Json } from '../model/json.js';
import { type ApiOptions, type ApiWrite, eachRow, openApi } from './api.js';
import type { Conversation } from './comment.js';

/** The pull or merge request that a comment belongs to, by its number. */
export interface CommentPlace {
  api: string;
  project: string;
  number: number;
}

type HostOptions = Omit<ApiOptions, 'platform' | 'url' | 'headers'>;

type Variables = Readonly<Record<string, string | undefined>>;

const GITHUB_API = 'https://api.github.com';
/** Longer comments are refused. */
const GITHUB_LIMIT = 65_536;
const GITLAB_LIMIT = 1_000_000;

/** The comments of a pull request on GitHub, or on a GitHub Enterprise Server (`api` ends with `/api/v3`). */
export function openGithub({ api: url, project, number }: CommentPlace, options: HostOptions): Conversation {
  const api = openApi({
    ...options,
    platform: 'GitHub',
    url,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${options.token}`,
      'x-github-api-version': '2022-11-28',
    },
  });
  const list = `/repos/${project}/issues/${number}/comments`;
  const graph = `/${new URL(url).pathname.replace(/\/+$/, '').replace(/\/v3$/, '')}/graphql`;

  /**
   * The login behind the token; null where it is not told. Asked in GraphQL: `GET /user` refuses the tokens of apps, and so
   * that of every workflow.
   */
  async function whoAmI(): Promise<string | null> {
    const { value } = await api.read(graph, { query: 'query { viewer { login } }' });
    const data = isObject(value) && isObject(value.data) ? value.data : {};
    return isObject(data.viewer) ? textOrNull(data.viewer.login) : null;
  }

  return {
    title: `pull request ${number} of ${project}`,
    limit: GITHUB_LIMIT,
    async find(marker) {
      let me: string | null | undefined;
      for await (const { id, body, user, html_url } of eachRow(api, list)) {
        if (typeof id !== 'number' || typeof body !== 'string' || !body.startsWith(marker)) continue;
        if (me === undefined) me = await whoAmI();
        // A token without a login belongs to an app: the comment of a person is not ours.
        const isMine = isObject(user) && (me === null ? user.type === 'Bot' : user.login === me);
        if (isMine) return { id, body, url: textOrNull(html_url) };
      }
      return null;
    },
    create: async (body) => located(await api.write('POST', list, { body })),
    update: async (id, body) =>
      located(await api.write('PATCH', `/repos/${project}/issues/comments/${id}`, { body })),
    close: () => api.close(),
  };
}

/** The notes of a merge request on GitLab; `api` ends with `/api/v4`. */
export function openGitlab({ api: url, project, number }: CommentPlace, options: HostOptions): Conversation {
  const headers = { accept: 'application/json', 'private-token': options.token };
  const api = openApi({ ...options, platform: 'GitLab', url, headers });
  const list = `/projects/${encodeURIComponent(project)}/merge_requests/${number}/notes`;
  return {
    title: `merge request ${number} of project ${project}`,
    limit: GITLAB_LIMIT,
    async find(marker) {
      let me: Json | undefined;
      for await (const { id, body, author } of eachRow(api, list, '&sort=asc&order_by=created_at')) {
        if (typeof id !== 'number' || typeof body !== 'string' || !body.startsWith(marker)) continue;
        if (me === undefined) {
          const { value } = await api.read('/user');
          me = isObject(value) && typeof value.id === 'number' ? value.id : null;
        }
        if (me !== null && isObject(author) && author.id === me) return { id, body, url: null };
      }
      return null;
    },
    create: async (body) => located(await api.write('POST', list, { body })),
    update: async (id, body) => located(await api.write('PUT', `${list}/${id}`, { body })),
    close: () => api.close(),
  };
}

/** GitLab does not tell where a note is to be seen. */
function located(written: ApiWrite<Json>): ApiWrite<string | null> {
  if (written.kind !== 'done') return written;
  return { kind: 'done', answer: isObject(written.answer) ? textOrNull(written.answer.html_url) : null };
}

function textOrNull(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** The pull request of a workflow's run, unless `number` says another. `event` is the text of the file that `GITHUB_EVENT_PATH` names. */
export function githubPlace(env: Variables, event: string | null, number: number | null): CommentPlace {
  const project = env.GITHUB_REPOSITORY ?? '';
  if (!/^[\w.-]+\/[\w.-]+$/.test(project))
    throw nowhere('GITHUB_REPOSITORY does not name a repository.', 'Set it to owner/name.');
  const told = number ?? pullRequestOf(event);
  if (told !== null) return { api: env.GITHUB_API_URL || GITHUB_API, project, number: told };
  throw nowhere(
    `This run belongs to no pull request${env.GITHUB_EVENT_NAME ? `: the event is ${env.GITHUB_EVENT_NAME}` : ''}.`,
    'Run this in a workflow on pull_request, or name the pull request with --pr N.',
  );
}

/** The merge request of a pipeline, unless `number` says another. In a pipeline of a fork it belongs to the project that it is to be merged into. */
export function gitlabPlace(env: Variables, number: number | null): CommentPlace {
  const api = env.CI_API_V4_URL ?? '';
  const project = env.CI_MERGE_REQUEST_PROJECT_ID || env.CI_PROJECT_ID || '';
  if (api === '' || project === '')
    throw nowhere(
      'CI_API_V4_URL and CI_PROJECT_ID do not name a project.',
      'GitLab sets both in a pipeline; elsewhere set them yourself.',
    );
  const told = number ?? positive(Number(env.CI_MERGE_REQUEST_IID || Number.NaN));
  if (told !== null) return { api, project, number: told };
  throw nowhere(
    'This pipeline belongs to no merge request.',
    'Run the job in merge request pipelines (rules: if: $CI_PIPELINE_SOURCE == "merge_request_event"), or name the merge request with --mr N.',
  );
}

/** Of events on a pull request, and of comments on one. */
function pullRequestOf(event: string | null): number | null {
  let value: Json = null;
  try {
    value = JSON.parse(event ?? '') as Json;
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const { pull_request: pull, issue } = value;
  if (isObject(pull)) return positive(pull.number);
  return isObject(issue) && isObject(issue.pull_request) ? positive(issue.number) : null;
}

function positive(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

function nowhere(message: string, hint: string): Failure {
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
      ? 'GITLAB_TOKEN is not set, and the token of the job (CI_JOB_TOKEN) cannot write notes.'
      : 'GITLAB_TOKEN is not set.',
    hint: 'Create a project access token with the scope api and the role Reporter, and store it in a masked variable GITLAB_TOKEN.',
  });
}

function sendable(name: string, value: string | undefined, told: { missing: string; hint: string }): string {
  const token = value?.trim() ?? '';
  if (token === '') throw new Failure({ code: 'no-token', message: told.missing, hint: told.hint });
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new Failure({
    code: 'invalid-token',
    message: `${name} cannot be sent: it holds spaces, line breaks or other unusual characters.`,
    hint: 'Check how the secret was copied.',
  });
}
