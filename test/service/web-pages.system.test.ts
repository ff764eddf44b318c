import { describe, expect, test } from 'vitest';
import type { AnswerName } from '../../src/model/answer.js';
import { fakeClock } from '../support/clock.js';
import { failureOf } from '../support/failure.js';
import { connect, type Reply, serve } from './loopback.js';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const signIn = (status = 200, text = '<!doctype html><html><title>Sign in</title>'): Reply => ({
  status,
  headers: HTML,
  text,
});
const url = (answer: AnswerName) =>
  `/api/campaigns/5${{ campaign: '', schedule: '/schedule', sequence: '/sequence-steps' }[answer]}`;

async function start(reply: (count: number) => Reply) {
  const server = await serve((_, count) => reply(count));
  const clock = fakeClock();
  return { server, clock, service: connect(server.url, { clock }) };
}

describe('a web page instead of JSON', () => {
  test.each([200, 201, 203, 206, 400, 401, 402, 403, 404, 405, 410, 422, 500, 501, 520, 530])(
    'is one error after one request: status %i',
    async (status) => {
      const { server, clock, service } = await start(() => signIn(status));
      const failure = await failureOf(service.read('campaign', 5));
      expect(failure).toMatchObject({
        code: 'web-page',
        exitCode: 1,
        message: `GET ${server.url}/api/campaigns/5 answers with a web page (status ${status}, title "Sign in"), not with the API.`,
        hint: `Check base_url of environment production (${server.url}: the part before /api) and the token in CAMPAIGNS_TOKEN.`,
      });
      expect(server.arrived.length).toBe(1);
      expect(clock.slept).toEqual([]);
    },
  );

  test.each([200, 400, 404, 405, 422, 500])(
    'is the only answer that a list needs: status %i',
    async (status) => {
      const { server, service } = await start(() => signIn(status));
      expect(await failureOf(service.campaigns())).toMatchObject({ code: 'web-page' });
      expect(await failureOf(service.templates())).toMatchObject({ code: 'web-page' });
      // With these statuses, the page may refuse only the query.
      const isRefusal = status >= 400 && status < 500;
      const asked = (path: string) => (isRefusal ? [`${path}?page=1`, path] : [`${path}?page=1`]);
      expect(server.arrived.map(({ path }) => path)).toEqual(
        ['/api/campaigns', '/api/campaigns/schedule/templates'].flatMap(asked),
      );
    },
  );

  test.each([
    ['without a content type of HTML', { text: '<html><title>Hi</title>' }, 'title "Hi"'],
    [
      'after a byte order mark and blank lines',
      { text: '\ufeff\r\n\t <!DOCTYPE html><title>Hi</title>' },
      'title "Hi"',
    ],
    ['that does not begin with a tag', { headers: HTML, text: 'Please sign in.' }, 'status 200'],
    ['of an array of types', { headers: { 'content-type': 'Text/HTML' }, text: '[1,' }, 'status 200'],
    ['without a title', { text: '<p>Hi' }, 'status 200'],
    ['with an empty title', { text: '<title> \n </title>' }, 'status 200'],
    [
      'with a title of several lines',
      { text: '<title lang="en">\n  A &amp; B \u0007\n  &quot;C&quot;</title>' },
      'title "A & B <U+0007> "C""',
    ],
    ['with a long title', { text: `<title>${'x'.repeat(9_000)}</title>` }, `title "${'x'.repeat(80)}…"`],
    [
      'in Latin-1',
      (response) => void response.end(Buffer.from('<title>Zugang für alle</title>', 'latin1')),
      'title "Zugang für alle"',
    ],
  ] as [string, Reply, string][])('is recognised %s', async (_, reply, shown) => {
    const { server, service } = await start(() => reply);
    const failure = await failureOf(service.read('campaign', 5));
    expect(failure.code).toBe('web-page');
    expect(failure.message).toContain(`${shown})`);
    expect(server.arrived.length).toBe(1);
  });

  test.each([
    ['JSON that is sent as HTML', { headers: HTML, json: { data: { id: 5, name: '<p>' } } }],
    ['JSON after a byte order mark', { headers: HTML, text: '\ufeff{"id":5}' }],
  ] as [string, Reply][])('is not %s', async (_, reply) => {
    const { service } = await start(() => reply);
    expect(await service.read('campaign', 5)).toMatchObject({ is: 'shown' });
  });

  test('is not an empty body', async () => {
    const { service, server } = await start((count) =>
      count === 1 ? { headers: HTML, text: '' } : { json: { id: 5 } },
    );
    expect(await service.read('campaign', 5)).toMatchObject({ is: 'shown' });
    expect(server.arrived.length).toBe(2);
  });

  test.each([408, 429, 502, 503, 504])('is retried if the status is temporary: %i', async (status) => {
    const { server, service } = await start((count) =>
      count < 3 ? signIn(status) : { json: { id: 5, name: 'Spring' } },
    );
    expect(await service.read('campaign', 5)).toMatchObject({ is: 'shown' });
    expect(server.arrived.length).toBe(3);
  });

  test.each([408, 429, 502, 503, 504])('is described after the last try: %i', async (status) => {
    const { server, service } = await start(() => signIn(status));
    expect(await failureOf(service.read('campaign', 5))).toMatchObject({
      code: 'service-unreadable',
      message: `GET ${server.url}/api/campaigns/5 could not be read (tried ${status === 429 ? 8 : 5} times); last error: status ${status}: a web page (title "Sign in").`,
    });
  });

  test('after a redirect, the target of the redirect is named', async () => {
    const { service } = await start(() => ({
      status: 302,
      headers: { ...HTML, location: '/login' },
      text: '<title>Redirecting</title>',
    }));
    expect(await failureOf(service.read('campaign', 5))).toMatchObject({
      code: 'redirected',
      message: expect.stringContaining('a redirect to /login (status 302)'),
    });
  });

  test.each([
    ['schedule', 404],
    ['sequence', 404],
  ] as const)('means that there is no %s: status %i', async (answer, status) => {
    for (const reply of [
      signIn(status),
      { status, headers: { 'content-type': 'text/plain' }, text: 'None' },
    ]) {
      const { server, service } = await start(() => reply);
      expect(await service.read(answer, 5)).toMatchObject({ is: expect.stringMatching(/^none/) });
      expect(server.arrived.map(({ path }) => path)).toEqual([url(answer)]);
    }
  });

  test('never means that a campaign or a page of a list does not exist', async () => {
    const rows = Array.from({ length: 15 }, (_, at) => ({ id: at + 1, name: `Spring ${at + 1}` }));
    const server = await serve(({ path }) => (path.endsWith('?page=1') ? { json: rows } : signIn(404)));
    const service = connect(server.url);
    expect(await failureOf(service.read('campaign', 5))).toMatchObject({ code: 'web-page' });
    expect(await failureOf(service.campaigns())).toMatchObject({
      code: 'web-page',
      message: expect.stringContaining('/api/campaigns?page=2 '),
    });
  });
});

describe('a web page in response to a write', () => {
  const create = { method: 'POST', path: '/api/campaigns', body: { name: 'Spring' } } as const;
  const settings = (url: string, endpoint = '') =>
    `(${endpoint}environment production, base_url ${url}, token in CAMPAIGNS_TOKEN)`;

  test.each([200, 201, 302, 408, 500, 502])('leaves it in doubt: status %i', async (status) => {
    const { server, service } = await start(() => signIn(status));
    const redirect = status === 302 ? ' (a redirect, which campaignctl does not follow)' : '';
    expect(await service.send(create)).toEqual({
      kind: 'in_doubt',
      message: `the service answered POST /api/campaigns with status ${status}${redirect}: a web page (title "Sign in") ${settings(server.url)}`,
    });
    expect(server.arrived.length).toBe(1);
  });

  test.each([400, 404, 405, 422])('refuses it: status %i', async (status) => {
    const { server, service } = await start(() => signIn(status, '<p>No'));
    const message = `a web page ${settings(server.url, 'POST /api/campaigns, ')}`;
    expect(await service.send(create)).toEqual({ kind: 'refused', status, message });
  });

  test('names the variable of the token if access is refused', async () => {
    const { server, service } = await start(() => signIn(403));
    expect(await service.send(create)).toEqual({
      kind: 'refused',
      status: 403,
      message: `a web page (title "Sign in") (POST /api/campaigns, environment production, base_url ${server.url}, token in CAMPAIGNS_TOKEN)`,
    });
  });

  test('in a check before it, keeps it unsent after one try', async () => {
    const { server, service } = await start(() => signIn());
    const sent = await service.send(create, {
      guard: async (reader) => ((await reader.campaigns()).length > 0 ? 'it exists' : null),
    });
    expect(sent).toMatchObject({
      kind: 'unsent',
      message: expect.stringContaining('answers with a web page'),
    });
    expect(server.arrived.map(({ method }) => method)).toEqual(['GET']);
  });
});

test('an error of the sandbox names neither its random port nor a token', async () => {
  const { server } = await start(() => ({ status: 500, json: { message: 'Oops' } }));
  const service = connect(server.url, { names: { environment: 'sandbox', tokenVariable: null } });
  expect(await failureOf(service.read('campaign', 5))).toMatchObject({
    message: 'GET /api/campaigns/5 could not be read (tried 5 times); last error: status 500: Oops.',
    hint: 'Check the service and the network, then run the command again. Environment sandbox uses the built-in service.',
  });
});

test('a plain text from a proxy names the proxy', async () => {
  const headers = { 'content-type': 'text/plain', via: '1.1 squid' };
  const { server, service } = await start(() => ({ status: 403, headers, text: 'Blocked by policy' }));
  expect(await failureOf(service.read('campaign', 5))).toMatchObject({
    code: 'proxy-refused',
    message: `GET ${server.url}/api/campaigns/5 was refused with status 403: Blocked by policy (via 1.1 squid)`,
    hint: expect.stringContaining('NO_PROXY'),
  });
});
