import { readFileSync } from 'node:fs';
import { createServer as createProxy } from 'node:http';
import { createServer, connect as dial } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { listen, type Reply } from '../service/loopback.js';
import { command, writeFiles } from '../support/command.js';
import { folder } from '../support/folder.js';
import { listenOn } from '../support/listen.js';
import { startService, TOKEN } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';
import { oneLine } from '../support/texts.js';

const MANIFEST = `name: Spring installers
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
status: paused
`;

/** Runs command lines in a project whose only environment, staging, has these lines. */
async function projectWith(environment: string, env: Record<string, string> = { STAGING_TOKEN: TOKEN }) {
  const root = folder({
    'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  staging:\n${environment}`,
    'campaigns/spring.yaml': MANIFEST,
  });
  return { root, run: (line: string, more = {}) => command(root, line.split(' '), env, undefined, more) };
}

const at = (url: string, more = '') => `    base_url: ${url}\n    token_env: STAGING_TOKEN\n${more}`;

const closedPort = async () => {
  const { url, close } = await listenOn(createServer());
  await close();
  return url;
};
const serving = async (reply: Reply) => {
  const server = await listen(() => reply);
  onTestFinished(() => server.close());
  return server.url;
};

describe('an error of the service names the URL, the environment and the variable of the token', () => {
  test.each([
    ['401', () => serving({ status: 401, json: { message: 'Unauthenticated.' } }), 'no-access'],
    ['403', () => serving({ status: 403, json: { message: 'Forbidden' } }), 'no-access'],
    ['405', () => serving({ status: 405, json: { message: 'No' } }), 'service-refused'],
    ['a redirect', () => serving({ status: 302, headers: { location: '/login' } }), 'redirected'],
    ['a web page', () => serving({ text: '<!doctype html><title>Sign in</title>' }), 'web-page'],
    ['a server error', () => serving({ status: 500, json: { message: 'Oops' } }), 'service-unreadable'],
    ['no listener', closedPort, 'service-unreadable'],
    ['no TLS', async () => (await closedPort()).replace('http:', 'https:'), 'service-unreadable'],
    ['no such host', async () => 'https://campaigns.invalid', 'service-unreadable'],
  ])('%s', async (_, start, code) => {
    vi.stubEnv('no_proxy', '*');
    onTestFinished(() => void vi.unstubAllEnvs());
    const url = await start();
    const { run } = await projectWith(at(`${url}/tenant`));
    const { code: exit, out, err } = await run('plan');
    const text = oneLine(err);
    expect([exit, out]).toEqual([1, '']);
    expect(text).toContain(`[${code}]`);
    expect(text).toContain(`GET ${url}/tenant/api/campaigns`);
    expect(text).toContain('nvironment staging');
    expect(text).toContain('STAGING_TOKEN');
    expect(err).not.toContain(TOKEN);
  });

  test('JSON of another service', async () => {
    const url = await serving({ json: { hello: 'world' } });
    const { run } = await projectWith(at(url));
    expect(oneLine((await run('plan')).err)).toContain(
      `Environment staging uses base_url ${url} and the token in STAGING_TOKEN. [unreadable-answer]`,
    );
  });
});

test('a token that begins with "Bearer" is refused before anything is sent', async () => {
  const server = await listen(() => ({ json: [] }));
  onTestFinished(() => server.close());
  for (const prefix of ['Bearer ', 'bearer  ', 'Authorization: Bearer ']) {
    const { run } = await projectWith(at(server.url), { STAGING_TOKEN: `${prefix}${TOKEN}` });
    const { code, err } = await run('plan');
    expect(code).toBe(1);
    expect(oneLine(err)).toContain(
      'The token in STAGING_TOKEN begins with "Bearer". Nothing was sent. → Store only the part after "Bearer " in STAGING_TOKEN: campaignctl writes the word itself.',
    );
    expect(err).not.toContain(TOKEN);
  }
  expect(server.arrived).toEqual([]);
});

describe('plain http to another machine', () => {
  const URL = 'http://send.internal:8080';

  /** Every host is the service. */
  async function start(lines = '    insecure_http: true\n') {
    const service = await startService(shaped({}), { campaigns: [], templates: [] });
    onTestFinished(() => service.close());
    const { port } = new globalThis.URL(service.url);
    const targets: string[] = [];
    const proxy = createProxy((request, response) => {
      targets.push(`${request.method} ${request.url}`);
      response.writeHead(500).end();
    });
    proxy.on('connect', (request, socket, head) => {
      targets.push(`CONNECT ${request.url}`);
      const upstream = dial(Number(port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.write(head);
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [upstream, socket]) end.on('error', () => undefined);
    });
    const { url, close } = await listenOn(proxy);
    onTestFinished(() => close());
    vi.stubEnv('http_proxy', url);
    vi.stubEnv('no_proxy', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    return { ...(await projectWith(at(URL, lines))), service, targets };
  }

  test('is an error that names the key', async () => {
    const { run, targets } = await start('');
    const { code, err } = await run('plan');
    expect(code).toBe(1);
    expect(oneLine(err)).toContain(
      '→ Write https://. Only loopback addresses (localhost, 127.0.0.1, [::1]) may use http://. For a stand-in in a container network, add insecure_http: true to the environment.',
    );
    expect(targets).toEqual([]);
  });

  test('works with insecure_http: true, and every head says so', async () => {
    const { run, targets } = await start();
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return 'no';
    };
    const heads = [
      (await run('plan')).out,
      (await run('plan --format markdown')).out,
      (await run('plan --format html')).out,
      (await run('list')).out,
      (await run('list --format markdown')).out,
      (await run('pause --all --unmanaged --yes')).out,
      (await run('import --all')).out,
      (await run('apply', { ask })).out,
      asked.join(''),
    ];
    for (const head of heads) expect(oneLine(head)).toContain(`${URL}, insecure http`);
    expect(new Set(targets)).toEqual(new Set(['CONNECT send.internal:8080']));
    for (const line of ['plan', 'list'])
      expect(JSON.parse((await run(`${line} --json`)).out)).toMatchObject({
        base_url: URL,
        insecure_http: true,
      });
  });

  test.each([
    ['https', 'https://send.example.com'],
    ['a loopback address', 'http://127.0.0.1:8080'],
  ])('insecure_http has no effect on %s', async (_, url) => {
    const service = await startService(shaped({}), { campaigns: [], templates: [] });
    onTestFinished(() => service.close());
    const { run } = await projectWith(at(url, '    insecure_http: true\n'));
    const { wireTo } = await import('../support/service/wire.js');
    const { out } = await run('plan --json', { wire: wireTo(service, url) });
    expect(JSON.parse(out)).toMatchObject({ environment: 'staging', base_url: url });
    expect(out).not.toContain('insecure');
  });

  test('does not allow other schemes', async () => {
    const { run } = await projectWith(at('ftp://send.internal', '    insecure_http: true\n'));
    const { code, err } = await run('plan');
    expect(code).toBe(1);
    expect(err).toContain('begins with ftp://');
    expect(err).not.toContain('add insecure_http');
  });

  test('an origin in CAMPAIGNCTL_ORIGINS may use it, but http does not stand for https', async () => {
    const { root, service, targets } = await start();
    const plan = (origins: string) =>
      command(root, ['plan'], { STAGING_TOKEN: TOKEN, CAMPAIGNCTL_ORIGINS: origins });
    expect((await plan('https://send.internal:8080')).err).toContain('origin-not-allowed');
    expect([service.requests, targets]).toEqual([[], []]);
    expect((await plan(`https://send.example.com ${URL}`)).code).toBe(0);
  });

  test('after a move, the state can be taken over from such an address', async () => {
    const { root, run } = await start();
    expect((await run('apply --yes')).code).toBe(0);
    const moved = readFileSync(join(root, 'campaignctl.yaml'), 'utf8').replace(
      URL,
      'https://send.example.com',
    );
    await writeFiles(root, { 'campaignctl.yaml': moved });
    const { code, err } = await run(`state rebase --yes --from ${URL}`);
    expect([code, err]).toEqual([0, expect.any(String)]);
  });
});
