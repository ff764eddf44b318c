import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type Conversation, putComment } from '../../src/platform/comment.js';
import { openGithub, openGitlab } from '../../src/platform/hosts.js';
import { badGateway, cut, hang, reset } from '../service/loopback.js';
import { failureOf } from '../support/failure.js';
import { recordWaits } from '../support/waits.js';
import * as github from './fake-github.js';
import * as gitlab from './fake-gitlab.js';

const MARKER = '<!-- campaignctl:production -->';
const LIST = '/repos/acme/mailings/issues/12/comments';
const NOTES = '/api/v4/projects/77/merge_requests/5/notes';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** Puts a comment without real waits; `slept` contains the waits. */
async function put(
  server: github.FakeGithub | gitlab.FakeGitlab,
  text: string,
  create = true,
  { waits } = recordWaits(),
) {
  open.push(server);
  const slept: number[] = [];
  const sleep = async (ms: number) => void slept.push(ms);
  const options = { trace: null, timeout: 300, sleep, waits };
  const conversation =
    'api' in server
      ? openGitlab({ api: server.api, project: '77', number: 5 }, { ...options, token: gitlab.TOKEN })
      : openGithub(
          { api: server.url, project: 'acme/mailings', number: 12 },
          { ...options, token: github.TOKEN },
        );
  open.push(conversation);
  const wanted = { marker: MARKER, render: (limit: number) => text.slice(0, limit), create };
  return { ...(await putComment(conversation, wanted, sleep)), slept };
}

function remark(id: number, body: string, user: github.Remark['user'] = github.ROBOT): github.Remark {
  return { id, body, user };
}

function chatter(count: number): github.Remark[] {
  return Array.from({ length: count }, (_, at) => remark(at + 1, `Looks good ${at}`, github.STRANGER));
}

const bodies = ({ remarks }: github.FakeGithub) => remarks.map(({ body }) => body);

describe('a comment on GitHub', () => {
  it('is created once, then unchanged, then updated', async () => {
    const server = await github.fakeGithub();
    const url = 'https://code.example.com/acme/mailings/pull/12#9000000000';
    expect(await put(server, '1 to change')).toEqual({ kind: 'created', url, slept: [] });
    expect(await put(server, '1 to change')).toEqual({ kind: 'unchanged', url, slept: [] });
    expect(await put(server, '2 to change')).toEqual({ kind: 'updated', url, slept: [] });
    expect(bodies(server)).toEqual([`${MARKER}\n2 to change`]);
    expect(server.calls()).toEqual([
      `GET ${LIST}`,
      `POST ${LIST}`,
      `GET ${LIST}`,
      'POST /graphql',
      `GET ${LIST}`,
      'POST /graphql',
      'PATCH /repos/acme/mailings/issues/comments/9000000000',
    ]);
  });

  it('is found on the third page', async () => {
    const server = await github.fakeGithub([...chatter(230), remark(500, `${MARKER}\nold`)]);
    expect(await put(server, 'new')).toMatchObject({ kind: 'updated' });
    expect(server.remarks).toHaveLength(231);
    expect(server.remarks.at(-1)?.body).toBe(`${MARKER}\nnew`);
  });

  it('is not the one of another environment, nor one that quotes the marker further down', async () => {
    const others = [
      remark(1, '<!-- campaignctl:production:shop -->\nshop'),
      remark(2, '<!-- campaignctl:production-eu -->\neu'),
      remark(3, `see ${MARKER}`),
    ];
    const server = await github.fakeGithub([...others]);
    expect(await put(server, 'new')).toMatchObject({ kind: 'created' });
    expect(bodies(server)).toEqual([...others.map(({ body }) => body), `${MARKER}\nnew`]);
  });

  it('is never the one of another author, even if it begins with the marker', async () => {
    const theirs = remark(1, `${MARKER}\nnothing to see`, github.STRANGER);
    const server = await github.fakeGithub([
      theirs,
      remark(2, `${MARKER}\nold`, { login: 'other[bot]', type: 'Bot' }),
    ]);
    expect(await put(server, 'new')).toMatchObject({ kind: 'created' });
    expect(bodies(server)).toEqual([`${MARKER}\nnothing to see`, `${MARKER}\nold`, `${MARKER}\nnew`]);
  });

  it('is by an app if the platform does not name the account, and never by another author', async () => {
    const server = await github.fakeGithub(
      [remark(1, `${MARKER}\ntheirs`, github.STRANGER), remark(2, `${MARKER}\nours`)],
      { viewer: null },
    );
    expect(await put(server, 'new')).toMatchObject({ kind: 'updated' });
    expect(bodies(server)).toEqual([`${MARKER}\ntheirs`, `${MARKER}\nnew`]);
  });

  it('is not created without changes, but an existing one is updated', async () => {
    const server = await github.fakeGithub();
    expect(await put(server, 'No changes.', false)).toEqual({ kind: 'none', url: null, slept: [] });
    expect(server.calls()).toEqual([`GET ${LIST}`]);
    server.remarks.push(remark(1, `${MARKER}\n1 to change`));
    expect(await put(server, 'No changes.', false)).toMatchObject({ kind: 'updated' });
    expect(bodies(server)).toEqual([`${MARKER}\nNo changes.`]);
  });

  it('counts as unchanged if only line endings and trailing white space differ', async () => {
    const server = await github.fakeGithub([remark(1, `${MARKER}\r\na\r\nb`)]);
    expect(await put(server, 'a\nb\n')).toMatchObject({ kind: 'unchanged' });
  });

  it('gives bots no commands: no line begins with a slash', async () => {
    const server = await github.fakeGithub();
    await put(server, '/merge\nsee a/b\n/close now');
    expect(bodies(server)).toEqual([`${MARKER}\n /merge\nsee a/b\n /close now`]);
  });
});

it('begins with its marker and contains no commands, whatever its text', async () => {
  const text = fc.array(fc.constantFrom('/', '\n', '\r', '/merge\n', 'a ', '`', '\u2028'), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(text, async (parts) => {
      const bodies: string[] = [];
      const conversation: Conversation = {
        title: 'pull request 12',
        find: async () => null,
        create: async (body) => {
          bodies.push(body);
          return { url: null };
        },
        update: async () => null,
        close: async () => {},
      };
      const render = (room: number) => parts.join('').slice(0, room);
      const { kind } = await putComment(conversation, { marker: MARKER, render, create: true });
      expect([kind, bodies.length]).toEqual(['created', 1]);
      expect(bodies[0]?.startsWith(`${MARKER}\n`)).toBe(true);
      expect(bodies[0]).not.toMatch(/^\//m);
    }),
  );
});

describe('a lost response to a comment', () => {
  const faults = { reset, cut, hang, 'bad gateway': badGateway };

  it.each(Object.entries(faults))(
    'after it was created (%s): the comment is found, and not created twice',
    async (_, fault) => {
      const server = await github.fakeGithub([], { afterwards: () => fault });
      expect(await put(server, 'new')).toMatchObject({ kind: 'created', slept: [2000] });
      expect(bodies(server)).toEqual([`${MARKER}\nnew`]);
      expect(server.calls().filter((call) => call === `POST ${LIST}`)).toHaveLength(1);
    },
  );

  it.each(Object.entries(faults))(
    'before it was created (%s): the comment is sent again',
    async (_, fault) => {
      let remaining = 1;
      const instead = ({ method, path }: { method: string; path: string }) =>
        method === 'POST' && path === LIST && remaining-- > 0 ? fault : null;
      const server = await github.fakeGithub([], { instead });
      expect(await put(server, 'new')).toMatchObject({ kind: 'created', slept: [2000] });
      expect(bodies(server)).toEqual([`${MARKER}\nnew`]);
    },
  );

  it('to an update: the comment is read before it is sent again', async () => {
    const server = await github.fakeGithub([remark(1, `${MARKER}\nold`)], { afterwards: () => reset });
    expect(await put(server, 'new')).toMatchObject({ kind: 'updated', slept: [2000] });
    expect(server.calls().filter((call) => call.startsWith('PATCH'))).toHaveLength(1);
  });

  it('twice: the comment is reported as in doubt', async () => {
    const instead = ({ method, path }: { method: string; path: string }) =>
      method === 'POST' && path === LIST ? reset : null;
    const server = await github.fakeGithub([], { instead });
    const error = await failureOf(put(server, 'new'));
    expect(error).toMatchObject({
      code: 'comment-in-doubt',
      message: expect.stringMatching(/ 12 of acme\/mailings .* 2 times /),
    });
    expect(server.calls().filter((call) => call === `POST ${LIST}`)).toHaveLength(2);
  });
});

describe('a comment that is too large', () => {
  it('is shortened to the limit of GitHub', async () => {
    const server = await github.fakeGithub();
    await put(server, 'x'.repeat(200_000));
    expect(server.remarks[0]?.body).toHaveLength(65_536);
  });

  it('fits even if lines begin with a slash', async () => {
    const server = await github.fakeGithub();
    await put(server, '/\n'.repeat(40_000));
    expect(server.remarks[0]?.body).toHaveLength(65_536);
  });

  it.each([
    { status: 413, text: '<html>Request Entity Too Large</html>' },
    { status: 400, json: { message: { note: ['is too long (maximum is 1000000 characters)'] } } },
  ])('is an error if the platform refuses it', async (refusal) => {
    const server = await gitlab.fakeGitlab([], ({ method }) => (method === 'POST' ? refusal : null));
    expect(await failureOf(put(server, 'x'))).toMatchObject({ code: 'comment-refused' });
  });
});

describe('a platform that refuses', () => {
  const refused = (status: number, message: string, headers: Record<string, string> = {}) => ({
    status,
    headers,
    json: { message },
  });

  it.each([
    [
      'GET',
      refused(404, 'Not Found'),
      /with status 404: "Not Found"\.$/,
      /GITHUB_REPOSITORY.*pull-requests: write/,
    ],
    [
      'POST',
      refused(403, 'Resource not accessible by integration'),
      /with status 403: "Resource/,
      /pull-requests: write/,
    ],
    ['GET', refused(401, 'Bad credentials'), /with status 401/, /Replace the token in GITHUB_TOKEN/],
    ['GET', refused(403, 'limit', { 'x-ratelimit-remaining': '0' }), /with status 403/, /limiting requests/],
    [
      'POST',
      refused(422, 'Validation Failed'),
      /with status 422: "Validation Failed"/,
      /plan file is complete/,
    ],
    [
      'GET',
      { status: 301, headers: { location: 'http://127.0.0.1:1/' } },
      /with status 301/,
      /does not follow redirects/,
    ],
    ['GET', badGateway, /with status 502 \(tried 3 times\)/, /Run this command again/],
    ['GET', hang, /did not respond to GET \S+: timed out \(tried 3 times\)\.$/, /Run this command again/],
    ['GET', { text: 'no' }, /answered GET http:\S+ with an unreadable response\.$/, /plan file is complete/],
    [
      'GET',
      { headers: { server: 'nginx' }, text: '<html><title>Sign in</title>' },
      /answered GET http:\/\/127\.0\.0\.1:\d+\/repos\S+ with status 200: a web page \(title "Sign in", server nginx\)\.$/,
      /Check GITHUB_API_URL.*plan file is complete/,
    ],
    [
      'GET',
      { status: 403, text: '<!doctype html><title>Blocked</title>' },
      /with status 403: a web page \(title "Blocked"\)\.$/,
      /Check GITHUB_API_URL.*pull-requests: write/,
    ],
    ['GET', { json: {} }, /expected a list/, /does not treat an unreadable response as empty/],
  ])('to %s: %o', async (method, reply, message, hint) => {
    const server = await github.fakeGithub([], {
      instead: (request) => (request.method === method ? reply : null),
    });
    const error = await failureOf(put(server, 'new'));
    expect(error).toMatchObject({
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
    expect(server.remarks).toEqual([]);
  });

  it.each([
    [401, /Replace the token in GITLAB_TOKEN/],
    [403, /api scope/],
    [404, /api scope/],
  ])('on GitLab with %i: the scope is named', async (status, hint) => {
    const server = await gitlab.fakeGitlab([], () => refused(status, 'no'));
    expect(await failureOf(put(server, 'new'))).toMatchObject({ hint: expect.stringMatching(hint) });
  });

  it('temporarily: the read is retried', async () => {
    const replies = [badGateway, refused(429, 'slow down')];
    const server = await github.fakeGithub([], { instead: () => replies.shift() ?? null });
    const watched = recordWaits();
    expect(await put(server, 'new', true, watched)).toMatchObject({ kind: 'created', slept: [1000, 2000] });
    const request = `GET ${server.url}${LIST}?per_page=100&page=1`;
    const retry = { kind: 'retry', request, maxTries: 3 };
    expect(watched.of('retry')).toMatchObject([
      { wait: { ...retry, fault: 'status 502', tries: 1 }, length: { most: 1000 } },
      { wait: { ...retry, fault: 'status 429', tries: 2 }, length: { most: 2000 } },
    ]);
    const answers = watched.of('answer');
    expect(answers.map(({ wait }) => wait)).toMatchObject([
      { request, isLast: false },
      { request, isLast: false },
      { request, isLast: true },
      { request: `POST ${server.url}${LIST}`, isLast: true },
    ]);
    expect(watched.seen.every(({ lasted }) => lasted !== null)).toBe(true);
  });

  it('is reported with the requested URL', async () => {
    const server = await github.fakeGithub([remark(1, `${MARKER}\nold`)], {
      instead: ({ path }) => (path === '/graphql' ? refused(403, 'no') : null),
    });
    const { message } = await failureOf(put(server, 'new'));
    expect(message).toContain(`GitHub answered POST ${server.url}/graphql with status 403: "no".`);
  });

  it('is never quoted with the token', async () => {
    const reply = refused(403, `no access with ${github.TOKEN}`);
    const server = await github.fakeGithub([], { instead: () => reply });
    expect((await failureOf(put(server, 'new'))).message).toContain('"no access with [token]"');
  });
});

describe('a note on GitLab', () => {
  it('is created once, then unchanged, then updated, whatever others write', async () => {
    const theirs = { id: 1, body: `${MARKER}\nmine now`, author: { id: 41 } };
    const talk = Array.from({ length: 120 }, (_, at) => ({ id: at + 2, body: 'ok', author: { id: 41 } }));
    const server = await gitlab.fakeGitlab([theirs, ...talk]);
    expect(await put(server, '1 to change\n')).toMatchObject({ kind: 'created' });
    expect(await put(server, '1 to change\n')).toMatchObject({ kind: 'unchanged' });
    expect(await put(server, '/merge\n')).toMatchObject({ kind: 'updated' });
    expect(server.notes).toHaveLength(122);
    expect([server.notes[0], server.notes.at(-1)?.body]).toEqual([theirs, `${MARKER}\n /merge`]);
    expect(server.calls().filter((call) => !call.startsWith('GET'))).toEqual([
      `POST ${NOTES}`,
      `PUT ${NOTES}/122`,
    ]);
  });
});
