import { describe, expect, it } from 'vitest';
import { githubPlace, githubToken, gitlabPlace, gitlabToken } from '../../src/platform/ci.js';
import { openGithub } from '../../src/platform/hosts.js';

const REPOSITORY = { GITHUB_REPOSITORY: 'acme/mailings' };
const PROJECT = { CI_API_V4_URL: 'https://code.example.com/api/v4', CI_PROJECT_ID: '77' };

describe('the pull request of a workflow', () => {
  it.each([
    ['pull_request', { pull_request: { number: 12 } }, 12],
    ['a comment on a pull request', { issue: { number: 12, pull_request: {} } }, 12],
    ['a comment on an issue', { issue: { number: 12 } }, null],
    ['push', { ref: 'refs/heads/main' }, null],
    ['nonsense', { pull_request: { number: '12; rm' } }, null],
  ])('of %s', (_, event, number) => {
    const place = () => githubPlace(REPOSITORY, JSON.stringify(event), null);
    if (number === null) expect(place).toThrow('pull request.');
    else expect(place()).toEqual({ api: 'https://api.github.com', project: 'acme/mailings', number });
  });

  it('is the one on the command line, on the server of the runner', () => {
    const env = { ...REPOSITORY, GITHUB_API_URL: 'https://code.example.com/api/v3' };
    const event = JSON.stringify({ pull_request: { number: 12 } });
    expect(githubPlace(env, event, 7)).toEqual({
      api: env.GITHUB_API_URL,
      project: 'acme/mailings',
      number: 7,
    });
  });

  it.each([null, 'no JSON', '[]'])('is unknown if the event is %s', (event) => {
    expect(() => githubPlace({ ...REPOSITORY, GITHUB_EVENT_NAME: 'push' }, event, null)).toThrow(
      'the event is push.',
    );
  });

  it.each(['', 'acme', 'acme/../x/y', 'acme/mailings?x'])('is in no repository called "%s"', (name) => {
    expect(() => githubPlace({ GITHUB_REPOSITORY: name }, null, 7)).toThrow('GITHUB_REPOSITORY');
  });
});

describe('the merge request of a pipeline', () => {
  it('is in the target project', () => {
    const env = { ...PROJECT, CI_MERGE_REQUEST_PROJECT_ID: '70', CI_MERGE_REQUEST_IID: '5' };
    expect(gitlabPlace(env, null)).toEqual({ api: PROJECT.CI_API_V4_URL, project: '70', number: 5 });
    expect(gitlabPlace(PROJECT, 6)).toEqual({ api: PROJECT.CI_API_V4_URL, project: '77', number: 6 });
  });

  it('is reported as missing', () => {
    expect(() => gitlabPlace(PROJECT, null)).toThrow('merge request.');
    expect(() => gitlabPlace({}, 6)).toThrow('CI_API_V4_URL or CI_PROJECT_ID');
  });
});

describe('the token', () => {
  it('is taken from the variables that pipelines use', () => {
    expect(githubToken({ GITHUB_TOKEN: '', GH_TOKEN: 'b' })).toBe('b');
    expect(githubToken({ GITHUB_TOKEN: 'a', GH_TOKEN: 'b' })).toBe('a');
    expect(gitlabToken({ GITLAB_TOKEN: ' c\n' })).toBe('c');
  });

  it('is reported as missing, with the variables that do not suffice', () => {
    expect(() => githubToken({})).toThrow('GITHUB_TOKEN (or GH_TOKEN)');
    expect(() => gitlabToken({ CI_JOB_TOKEN: 'x' })).toThrow('(CI_JOB_TOKEN) cannot write notes');
  });

  it('is not shown if it cannot be sent', () => {
    expect(() => githubToken({ GITHUB_TOKEN: 'very\nsecret' })).toThrow(
      /^GITHUB_TOKEN cannot be sent: [^v]*$/,
    );
  });

  it.each([
    ['http://code.example.com', 'begins with http://, so the token would be sent unencrypted.'],
    ['https://me:pass@code.example.com', 'contains a user name or password.'],
    ['ftp://localhost', 'begins with ftp://, so the token would be sent unencrypted.'],
    ['code.example.com', 'is not a URL.'],
  ])('does not go to %s', (api, why) => {
    const place = { api, project: 'acme/mailings', number: 12 };
    expect(() => openGithub(place, { token: 'a', trace: null })).toThrow(`GITHUB_API_URL ${why}`);
  });
});
