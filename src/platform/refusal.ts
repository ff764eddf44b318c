import { Failure } from '../model/failure.js';
import { isObject, type Json } from '../model/json.js';
import type { Answer } from './api.js';

export type Platform = 'GitHub' | 'GitLab';

interface Refused {
  platform: Platform;
  token: string;
  answer: Answer;
  tries: number;
  /** Method and path. */
  request: string;
}

/** Why there is no comment, and which permission or setting is missing. The token is never in it. */
export function refusal({ platform, token, answer, tries, request }: Refused): Failure {
  const times = tries === 1 ? '' : `, tried ${tries} times`;
  const { status, reason } = answer;
  const said = status === 200 ? 'an answer that cannot be read' : `${status}${quoted(answer.text, token)}`;
  const what =
    reason === null
      ? `${platform} answered ${request} with ${said}`
      : `${platform} gave no answer to ${request} (${reason})`;
  return new Failure({
    code: 'comment-refused',
    message: `The comment is not written: ${what}${times}.`,
    hint: hintFor(platform, answer),
  });
}

/** The platform's own words, where they can be read. */
function quoted(text: string, token: string): string {
  let said: Json | undefined;
  try {
    const value = JSON.parse(text) as Json;
    said = isObject(value) ? (value.message ?? value.error) : undefined;
  } catch {
    return '';
  }
  if (said === undefined || said === null) return '';
  const words = (typeof said === 'string' ? said : JSON.stringify(said)).replaceAll(token, '[token]');
  return `, "${words.length > 200 ? `${words.slice(0, 200)}…` : words}"`;
}

const PERMISSION: Record<Platform, string> = {
  GitHub:
    'Give the job "permissions: pull-requests: write". The token of a pull request from a fork never has it.',
  GitLab: 'GITLAB_TOKEN needs the scope api, and the role Reporter or more in the project.',
};
const WHERE: Record<Platform, string> = {
  GitHub: 'Check GITHUB_REPOSITORY and the number of the pull request.',
  GitLab: 'Check the project and the number of the merge request.',
};
const TOKEN: Record<Platform, string> = {
  GitHub: 'GITHUB_TOKEN (or GH_TOKEN) is not accepted: it is wrong, or has ended.',
  GitLab: 'GITLAB_TOKEN is not accepted: it is wrong, has ended, or is the token of a job.',
};

function hintFor(platform: Platform, { status, headers, reason }: Answer): string {
  const limited =
    status === 429 || headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0';
  if (limited && status !== 404)
    return 'A limit of requests is reached: run this again later. The plan file is whole.';
  if (status === 401) return TOKEN[platform];
  if (status === 403) return PERMISSION[platform];
  // Whoever may not see a thing is told that it is not there.
  if (status === 404)
    return `${WHERE[platform]} A missing permission is answered so as well: ${PERMISSION[platform]}`;
  if (status >= 300 && status < 400)
    return 'Redirects are not followed, since the token would go along: check the URL of the API, and whether the project was moved.';
  if (status >= 500 || reason !== null)
    return 'Run this again: the plan file is whole, only the comment is missing.';
  return 'The plan file is whole, only the comment is missing.';
}
