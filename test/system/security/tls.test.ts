import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { connect as dial } from 'node:net';
import { join } from 'node:path';
import { createServer as createSecureServer } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openProjectOn } from '../../../src/operations/library.js';
import { fakeClock } from '../../support/clock.js';
import { failureOf } from '../../support/failure.js';
import { folder } from '../../support/folder.js';
import { listenOn } from '../../support/listen.js';
import { startProgram, type Variables } from '../../support/program.js';
import { TOKEN } from '../../support/service/service.js';
import { AUTHORITY, SERVER } from '../../support/tls.js';

const WARNING = /NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect/g;

/** A service behind TLS without campaigns. `tokens`: the headers that it got. */
async function startService(options: { cert: string; key: string } = SERVER) {
  const tokens: (string | undefined)[] = [];
  const server = createServer(options, (request, response) => {
    tokens.push(request.headers.authorization);
    response.end('{"data":[],"meta":{"last_page":1,"total":0}}');
  });
  const { port, close } = await listenOn(server);
  onTestFinished(close);
  return { port, tokens };
}

/** A proxy that connects every host to this port. */
async function startProxy(port: number, secure: boolean): Promise<string> {
  const proxy = createProxy();
  proxy.on('connect', (_, socket) => {
    const service = dial(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    socket.on('error', () => service.destroy());
    service.on('error', () => socket.destroy());
    service.pipe(socket).pipe(service);
  });
  const outer = secure
    ? createSecureServer(SERVER, (socket) => void proxy.emit('connection', socket))
    : proxy;
  const { port: own, close } = await listenOn(outer);
  onTestFinished(close);
  return `${secure ? 'https' : 'http'}://localhost:${own}`;
}

/** A project whose service is at this address. */
function projectAt(base_url: string): string {
  return folder({
    'authority.pem': AUTHORITY,
    'campaignctl.yaml': `version: 1
manifests: [campaigns/*.yaml]
environments:
  production: { base_url: "${base_url}", token_env: CAMPAIGNS_TOKEN }
`,
    'campaigns/spring.yaml': 'name: Spring\n',
  });
}

/** Runs `campaignctl plan` in a project whose service is at this address. */
async function plan(base_url: string, variables: Variables) {
  const root = projectAt(base_url);
  const { NODE_EXTRA_CA_CERTS: file, ...others } = variables;
  const authority = file === undefined ? {} : { NODE_EXTRA_CA_CERTS: join(root, file) };
  const { code, err } = await startProgram(root, ['plan'], { ...others, ...authority }).ended;
  return { code, err: err.replace(/\s+/g, ' ') };
}

/** Shortens the waits between attempts. */
const FASTER = { FASTER: '10', NOW: String(Date.now()), JUMP: '0' };
const IGNORED = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
const TRUSTED = { NODE_EXTRA_CA_CERTS: 'authority.pem' };
/** Each way to the service: the address and the variables that lead there. */
const WAYS: Record<string, (port: number) => Promise<[url: string, variables: Variables]>> = {
  directly: async (port) => [`https://localhost:${port}`, {}],
  'without a proxy for this host': async (port) => [
    `https://127.0.0.1:${port}`,
    { HTTPS_PROXY: 'http://localhost:1', NO_PROXY: '*' },
  ],
  'through a proxy': async (port) => [
    'https://send.example.com',
    { HTTPS_PROXY: await startProxy(port, false) },
  ],
  'through a proxy behind TLS': async (port) => [
    'https://send.example.com',
    { HTTPS_PROXY: await startProxy(port, true) },
  ],
};

describe.each(Object.entries(WAYS))('%s', (_, lead) => {
  test('a service whose certificate cannot be verified gets no token, whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
    const { port, tokens } = await startService();
    const [url, variables] = await lead(port);
    const { code, err } = await plan(url, { ...variables, ...IGNORED, ...FASTER });
    expect({ code, tokens }).toEqual({ code: 1, tokens: [] });
    expect(err).toContain('does not trust the certificate authority');
    expect(err).toContain('(tried once)');
    expect(err.match(WARNING)).toHaveLength(1);
    expect(err).not.toContain('Warning:');
  });

  test('the library gives it no token either, and changes nothing in its process', async () => {
    const { port, tokens } = await startService();
    const [url, variables] = await lead(port);
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const [name, value] of Object.entries({ ...variables, ...IGNORED })) vi.stubEnv(name, value);
    const lines: string[] = [];
    const project = await openProjectOn(fakeClock(), {
      cwd: projectAt(url),
      variables: { CAMPAIGNS_TOKEN: TOKEN },
      log: (line) => lines.push(line),
    });
    expect(await failureOf(project.plan())).toMatchObject({ code: 'service-unreadable' });
    expect(tokens).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(WARNING)]);
    expect(process.env.NODE_TLS_REJECT_UNAUTHORIZED).toBe('0');
  });

  test('NODE_EXTRA_CA_CERTS makes it trusted', async () => {
    const { port, tokens } = await startService();
    const [url, variables] = await lead(port);
    expect(await plan(url, { ...variables, ...TRUSTED })).toEqual({ code: 0, err: '' });
    expect(tokens.length).toBeGreaterThan(0);
    const warned = await plan(url, { ...variables, ...TRUSTED, ...IGNORED });
    expect([warned.code, warned.err.match(WARNING)?.length]).toEqual([0, 1]);
  });
});

test('a certificate for another host is refused through a proxy, too', async () => {
  const { port, tokens } = await startService();
  const variables = { HTTPS_PROXY: await startProxy(port, false), ...TRUSTED, ...IGNORED, ...FASTER };
  const { code, err } = await plan('https://other.example.com', variables);
  expect({ code, tokens }).toEqual({ code: 1, tokens: [] });
  expect(err).toContain('the certificate is not valid (ERR_TLS_CERT_ALTNAME_INVALID)');
  expect(err).toContain('(tried once)');
});

test('other values have no warning, because Node ignores them, too', async () => {
  const { port } = await startService();
  const { err } = await plan(`https://localhost:${port}`, { ...TRUSTED, NODE_TLS_REJECT_UNAUTHORIZED: '1' });
  expect(err).toBe('');
});
