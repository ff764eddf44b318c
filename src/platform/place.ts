import { Failure } from '../model/failure.js';
import { isObject, type Json } from '../model/json.js';
import type { Place } from './conversation.js';

type Variables = Readonly<Record<string, string | undefined>>;

const GITHUB = 'https://api.github.com';

/** The pull request of a workflow's run, unless `number` says another. `event` is the text of the file that `GITHUB_EVENT_PATH` names. */
export function githubPlace(env: Variables, event: string | null, number: number | null): Place {
  const project = env.GITHUB_REPOSITORY ?? '';
  if (!/^[\w.-]+\/[\w.-]+$/.test(project)) {
    throw nowhere('GITHUB_REPOSITORY does not name a repository.', 'Set it to owner/name.');
  }
  const told = number ?? pullRequestOf(event);
  if (told === null) {
    throw nowhere(
      `This belongs to no pull request${env.GITHUB_EVENT_NAME ? `: the event is ${env.GITHUB_EVENT_NAME}` : ''}.`,
      'Run this in a workflow on pull_request, or name the pull request with --pr N.',
    );
  }
  return { api: env.GITHUB_API_URL || GITHUB, project, number: told };
}

/** The merge request of a pipeline, unless `number` says another. In a pipeline of a fork it belongs to the project that it is to be merged into. */
export function gitlabPlace(env: Variables, number: number | null): Place {
  const api = env.CI_API_V4_URL ?? '';
  const project = env.CI_MERGE_REQUEST_PROJECT_ID || env.CI_PROJECT_ID || '';
  if (api === '' || project === '') {
    throw nowhere(
      'CI_API_V4_URL and CI_PROJECT_ID do not say which project.',
      'GitLab sets both in a pipeline; elsewhere set them yourself.',
    );
  }
  const told = number ?? whole(Number(env.CI_MERGE_REQUEST_IID || Number.NaN));
  if (told === null) {
    throw nowhere(
      'This pipeline belongs to no merge request.',
      'Run the job in merge request pipelines (rules: if: $CI_PIPELINE_SOURCE == "merge_request_event"), or name the merge request with --mr N.',
    );
  }
  return { api, project, number: told };
}

export function githubToken(env: Variables): string {
  return sendable('GITHUB_TOKEN', env.GITHUB_TOKEN || env.GH_TOKEN, {
    missing: 'GITHUB_TOKEN (or GH_TOKEN) is not set.',
    hint: 'In a workflow give the step github.token as GITHUB_TOKEN, and the job permissions: pull-requests: write.',
  });
}

export function gitlabToken(env: Variables): string {
  return sendable('GITLAB_TOKEN', env.GITLAB_TOKEN, {
    missing: env.CI_JOB_TOKEN
      ? 'GITLAB_TOKEN is not set, and the token of the job (CI_JOB_TOKEN) may not write notes.'
      : 'GITLAB_TOKEN is not set.',
    hint: 'Make a project access token with the scope api and the role Reporter, and keep it as a masked variable GITLAB_TOKEN.',
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
  if (isObject(pull)) return whole(pull.number);
  return isObject(issue) && isObject(issue.pull_request) ? whole(issue.number) : null;
}

function whole(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

function nowhere(message: string, hint: string): Failure {
  return new Failure({ code: 'no-pull-request', message, hint });
}
