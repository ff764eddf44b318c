import { Failure } from '../model/failure.js';
import { isObject, type Json, parseJson } from '../model/json.js';

export interface CommentPlace {
  api: string;
  project: string;
  number: number;
}

type Variables = Readonly<Record<string, string | undefined>>;

const GITHUB_API = 'https://api.github.com';

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
  const value = parseJson(event ?? '');
  const { pull_request: pull, issue } = isObject(value) ? value : {};
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
