import { createServer } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { openChannel } from '../../src/service/channel.js';
import { openReader } from '../../src/service/index.js';
import { resolveLink } from '../../src/service/paging.js';
import { failureOf } from '../support/failure.js';
import { listenOn } from '../support/listen.js';
import { connect, options, type Reply, serve, TOKEN } from './loopback.js';

async function start(reply: Reply) {
  const server = await serve(() => reply);
  return server;
}

describe('a base URL', () => {
  test.each([
    'http://send.example.com',
    'http://127.0.0.1.example.com',
    'http://10.0.0.1',
    'ftp://127.0.0.1',
    'https://user:password@send.example.com',
    'https://send.example.com/?a=1',
    'https://send.example.com/#a',
    ' https://send.example.com',
    'https:\\\\send.example.com',
    'send.example.com',
    '',
  ])('is refused: %s', (baseUrl) => {
    expect(() => openReader(options(baseUrl))).toThrow(
      expect.objectContaining({ code: 'invalid-base-url', exitCode: 1 }),
    );
  });

  test.each(['https://send.example.com', 'http://localhost:8080', 'http://[::1]:8080/', 'http://127.8.9.1'])(
    'is accepted: %s',
    async (baseUrl) => {
      await openReader(options(baseUrl)).close();
    },
  );

  test('may contain a path', async () => {
    const server = await start({ json: { data: { id: 53 } } });
    const writer = connect(`${server.url}/tenant/one/`);
    const read = await writer.read('campaign', 53);
    await writer.send({ method: 'POST', path: '/api/campaigns', body: { name: 'Spring' } });
    expect(server.arrived.map(({ path }) => path)).toEqual([
      '/tenant/one/api/campaigns/53',
      '/tenant/one/api/campaigns',
    ]);
    expect(read).toMatchObject({ is: 'shown', endpoint: 'GET /tenant/one/api/campaigns/53' });
  });
});

test.each([
  '',
  ' secret',
  'secret\n',
  'sec\r\nret',
  'sécrét€',
  'sec\u0000ret',
  'Bearer secret',
  'bearer',
  '"secret"',
  "'secret'",
  '“secret”',
])('the token %j is refused unseen', (token) => {
  try {
    openReader(options('https://send.example.com', { token }));
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid-token' });
    if (token !== '') expect(String(error)).not.toContain(token);
    return;
  }
  throw new Error('it was accepted');
});

describe('the token goes nowhere else', () => {
  test('not along a redirect', async () => {
    const other = await start({ json: {} });
    const server = await start({
      status: 302,
      headers: { location: `${other.url}/api/campaigns?x=${TOKEN}` },
    });
    const writer = connect(server.url);
    const failure = await failureOf(writer.read('campaign', 5));
    expect(failure).toMatchObject({ code: 'redirected' });
    expect(failure.message).toContain(` GET ${server.url}/api/campaigns/5 `);
    expect(await writer.send({ method: 'POST', path: '/api/campaigns', body: {} })).toMatchObject({
      kind: 'in_doubt',
    });
    expect(other.arrived).toEqual([]);
    expect(server.arrived.length).toBe(2);
  });

  test.each(['links', 'header', 'protocol-relative', 'userinfo'])(
    'not along a next link to another origin: %s',
    async (kind) => {
      const other = await start({ json: [] });
      const links: Record<string, string> = {
        links: `${other.url}/api/campaigns?page=2`,
        header: `${other.url}/api/campaigns?page=2`,
        'protocol-relative': `//${new URL(other.url).host}/api/campaigns?page=2`,
        userinfo: 'http://me:pw@127.0.0.1:1/api/campaigns?page=2',
      };
      const link = links[kind] ?? '';
      const rows = [{ id: 1, name: 'Spring' }];
      const server = await start(
        kind === 'header'
          ? { json: rows, headers: { link: `<${link}>; rel="next"` } }
          : { json: { data: rows, links: { next: link } } },
      );
      const reader = connect(server.url);
      const failure = await failureOf(reader.campaigns());
      expect(failure).toMatchObject({ code: 'foreign-link' });
      expect(other.arrived).toEqual([]);
      expect(server.arrived.length).toBe(1);
    },
  );

  test('not to a proxy, which only opens a tunnel; loopback is reached directly', async () => {
    const heard: string[] = [];
    const proxy = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        heard.push(data.toString());
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
      });
    });
    const { url: address } = await listenOn(proxy);
    vi.stubEnv('https_proxy', address);
    vi.stubEnv('http_proxy', address);
    vi.stubEnv('no_proxy', '');
    const server = await start({ json: { data: { id: 5 } } });
    const far = connect('https://send.example.com');
    const near = connect(server.url);
    expect(await near.read('campaign', 5)).toMatchObject({ is: 'shown' });
    expect(await far.send({ method: 'POST', path: '/api/campaigns', body: {} })).toEqual({
      kind: 'unsent',
      message: expect.stringMatching(/: the proxy in HTTPS_PROXY refused .*\(tried 5 times\) \(environment /),
    });
    expect(heard.length).toBe(5);
    expect(heard.join()).toContain('CONNECT send.example.com:443');
    expect(heard.join()).not.toContain(TOKEN);
    vi.unstubAllEnvs();
    proxy.close();
  });

  test('but a service behind TLS may link to itself with http', async () => {
    const channel = openChannel(options('https://send.example.com'));
    const resolve = (link: string) => resolveLink(channel, link, '/api/campaigns?page=1');
    expect(resolve('http://send.example.com/api/campaigns?page=2')).toBe('/api/campaigns?page=2');
    expect(() => resolve('http://send.example.com:8080/api/campaigns?page=2')).toThrow(
      'does not follow the link',
    );
    expect(() => resolve('https://me:pw@send.example.com/api/campaigns?page=2')).toThrow(
      'does not follow the link',
    );
    expect(() => resolve('http://example.com/api/campaigns?page=2')).toThrow('does not follow the link');
    await channel.close();
  });

  test.each([
    ['in a refusal', { status: 401, json: { message: `${TOKEN} is unknown` } }],
    ['in HTML', { status: 502, text: `<p>${TOKEN}</p>` }],
    ['in a field', { json: { data: [{ id: TOKEN, name: 'x' }] } }],
    ['in a link', { json: { data: [{ id: 1, name: 'x' }], next: `https://send.example.com/?t=${TOKEN}` } }],
    ['in a refused write', { status: 422, json: { message: `${TOKEN}`, errors: { [TOKEN]: [TOKEN] } } }],
    ['in a path', { json: { data: [{ id: 1, name: 'x' }], next: `/api/campaigns?t=${TOKEN}` } }],
    ['escaped', { status: 500, text: `{"message":"\\u0073${TOKEN.slice(1)}"}` }],
    ['escaped, not in the message', { status: 500, text: `{"x":"\\u0073${TOKEN.slice(1)}"}` }],
  ] as [string, Reply][])('and is not repeated, even if the service repeats it %s', async (_, reply) => {
    const server = await start(reply);
    const traced: string[] = [];
    const writer = connect(server.url, { trace: (line) => traced.push(line) });
    const { message, stack = '' } = await failureOf(writer.campaigns());
    const sent = await writer.send({ method: 'POST', path: '/api/campaigns', body: { name: 'x' } });
    expect(traced.length).toBeGreaterThan(0);
    for (const text of [message, stack, JSON.stringify(sent), traced.join('\n')]) {
      expect(text).not.toContain(TOKEN);
    }
  });
});

describe('the token in an answer is masked in content and messages', () => {
  const token = '12|se/cr"et\\-7f3aZ';
  const unicode = Array.from(token, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
  const spellings: [string, string][] = [
    ['plainly', JSON.stringify(token).slice(1, -1)],
    ['as PHP writes it', JSON.stringify(token).slice(1, -1).replaceAll('/', '\\/')],
    ['in escapes', unicode],
    ['in escapes with capitals', unicode.replace(/u00../g, (code) => `u${code.slice(1).toUpperCase()}`)],
    ['with one escape', JSON.stringify(token).slice(1, -1).replace('2', '\\u0032')],
    ['as part of a URL', encodeURIComponent(token)],
    ['in entities of HTML', Array.from(token, (word) => `&#x${word.charCodeAt(0).toString(16)};`).join('')],
    ['in some entities', token.replace(/[^\w]/g, (item) => `&#${item.charCodeAt(0)};`)],
  ];
  async function answering(text: string, status = 200) {
    const server = await start({ status, text });
    return connect(server.url, { token });
  }

  test.each(spellings)('written %s', async (_, written) => {
    const reader = await answering(`[{"id":1,"name":"Hi ${written}!","status":"${written}${written}"}]`);
    expect(await reader.campaigns()).toEqual([
      { id: 1, name: 'Hi [token]!', status: '[token][token]', total_leads: null, updated_at: null },
    ]);

    const writer = await answering(
      `{"data":{"id":5,"${written}":[{"name":"${written}"}],"n":1.5,"no":null}}`,
    );
    const masked = { id: 5, '[token]': [{ name: '[token]' }], n: 1.5, no: null };
    const shown = await writer.read('campaign', 5);
    expect(shown).toMatchObject({ value: { settings: { is: 'unreadable' } } });
    expect(JSON.stringify(shown)).not.toContain(token);
    expect(await writer.send({ method: 'POST', path: '/api/campaigns', body: {} })).toEqual({
      kind: 'accepted',
      status: 200,
      body: { data: masked },
    });

    const refusing = await answering(`{"message":"Not for ${written}"}`, 422);
    expect(await refusing.send({ method: 'POST', path: '/api/campaigns', body: {} })).toEqual({
      kind: 'refused',
      status: 422,
      message: expect.stringMatching(/^Not for \[token\] \(POST \/api\/campaigns, environment production, /),
    });

    const broken = await answering(`not JSON: ${written}`, 400);
    expect((await failureOf(broken.campaigns())).message).toContain('not JSON: [token]');

    const page = await answering(`<title>For ${written}</title>`);
    expect((await failureOf(page.campaigns())).message).toContain('title "For [token]"');
  });

  test.each([
    ['plain', (text: string) => text],
    ['encoded', encodeURIComponent],
  ])('in the header Location: %s', async (_, spell) => {
    const plain = '12|secret-7f3aZ';
    const server = await start({ status: 302, headers: { location: `/login?t=${spell(plain)}` } });
    const reader = connect(server.url, { token: plain });
    expect((await failureOf(reader.campaigns())).message).toContain('a redirect to /login?t=[token] (status');
  });

  test('but a token short enough to occur in ordinary words is masked only in messages', async () => {
    const server = await start({ json: { data: { id: 5, name: 'Spring' } } });
    const reader = connect(server.url, { token: 'Spring' });
    expect(await reader.read('campaign', 5)).toMatchObject({ value: { name: { value: 'Spring' } } });
  });

  test('and text that only looks like an escape of it is not changed', async () => {
    const text = '{"id":5,"name":"\\nsecret-token","x":"\\\\u006esecret-token"}';
    const server = await start({ text });
    const writer = connect(server.url, { token: 'nsecret-token' });
    expect(await writer.send({ method: 'POST', path: '/api/campaigns', body: {} })).toMatchObject({
      body: { name: '\nsecret-token', x: '[token]' },
    });
  });
});

test('the trace contains only method, path and outcome', async () => {
  let count = 0;
  const server = await serve(() => {
    count += 1;
    return count === 1 ? (response) => void response.destroy() : { json: { id: 5, name: 'Secret name' } };
  });
  const traced: string[] = [];
  const writer = connect(server.url, { trace: (line) => traced.push(line) });
  await writer.read('campaign', 5);
  await writer.send({ method: 'PATCH', path: '/api/campaigns/5/pause', body: null });
  expect(traced).toEqual([
    expect.stringMatching(/^GET \/api\/campaigns\/5 lost: .* closed /),
    'GET /api/campaigns/5 200',
    'PATCH /api/campaigns/5/pause 200',
  ]);
});
