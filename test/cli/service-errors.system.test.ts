/** Whatever answers instead of the API, each command names the URL, the environment, the variable of the token and who answered. */

import type { ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { describe, expect, test } from 'vitest';
import { listen, type Reply } from '../service/loopback.js';
import { command, type Ended, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { listenOn } from '../support/listen.js';
import { SERVER } from '../support/tls.js';

const TOKEN = 'a-token-of-this-test';
const PAGE = { 'content-type': 'text/html' };
const title = (text: string) => `<!doctype html><html><head><title>${text}</title></head></html>`;

/** `says`: parts of the message beside the settings. */
const KINDS: [kind: string, reply: Reply, says: string[]][] = [
  ['a sign-in page', { headers: PAGE, text: title('Sign in') }, ['title "Sign in"', 'not with the API']],
  ['401', { status: 401, json: { message: 'Unauthenticated.' } }, ['401', 'does not accept the token']],
  ['403', { status: 403, json: { message: 'No.' } }, ['403', 'different workspace']],
  [
    '403 as a page',
    { status: 403, headers: { ...PAGE, server: 'cloudflare' }, text: title('Attention') },
    ['title "Attention"', 'server cloudflare'],
  ],
  ['404', { status: 404, json: { message: 'Not Found' } }, ['404', 'Not Found']],
  [
    '404 as a page',
    { status: 404, headers: { ...PAGE, server: 'nginx/1.24' }, text: title('404') },
    ['title "404"', 'server nginx/1.24'],
  ],
  ['a redirect', { status: 302, headers: { location: '/login' } }, ['/login', '302']],
  [
    'a proxy that asks for a sign-in',
    { status: 407, headers: { ...PAGE, via: '1.1 corp' }, text: title('Proxy') },
    ['A proxy', 'via 1.1 corp'],
  ],
  ['a proxy without a page', { status: 407 }, ['A proxy', '407']],
  [
    '502',
    { status: 502, headers: { ...PAGE, via: '1.1 corp' }, text: title('Bad Gateway') },
    ['via 1.1 corp'],
  ],
  [
    '503',
    { status: 503, headers: { ...PAGE, server: 'LB' }, text: title('Busy') },
    ['title "Busy"', 'server LB'],
  ],
  ['500', { status: 500, json: { message: 'Server Error' } }, ['Server Error']],
  ['an empty body', {}, ['empty body']],
  ['no body', { status: 204 }, ['an empty body']],
  ['other JSON', { json: { status: 'ok' } }, ['a list of campaigns is missing', '{"status":"ok"}']],
  ['a word as JSON', { json: 'ok' }, ['a list of campaigns is missing']],
  [
    'text',
    { headers: { 'content-type': 'text/plain', server: 'Apache' }, text: 'It works!' },
    ['It works!', 'Apache'],
  ],
  ['compressed rubbish', { headers: { 'content-encoding': 'gzip' }, text: 'x' }, ['compressed bytes (gzip)']],
  ['a reset', (response: ServerResponse) => void response.socket?.destroy(), ['connection was closed']],
  [
    'a token in a title',
    { headers: { ...PAGE, server: TOKEN }, text: title(TOKEN) },
    ['title "[token]"', 'server [token]'],
  ],
];

const COMMANDS = [
  'plan',
  'plan --drift',
  'apply --yes',
  'list',
  'import --all',
  'import --update Spring',
  'pause Spring --yes',
  'plan --recursive',
  'apply --recursive --yes',
  'list --recursive',
];

async function runAll(url: string, says: readonly string[], lines = COMMANDS): Promise<void> {
  await withFolder(async (folder) => {
    await writeFiles(folder, {
      'campaignctl.yaml': `version: 1
manifests: [c/*.yaml]
environments: { production: { base_url: '${url}', token_env: MY_TOKEN } }
`,
      'c/a.yaml': 'name: Spring\nstatus: paused\n',
    });
    for (const line of lines) {
      const ended = await command(folder, line.split(' '), { MY_TOKEN: TOKEN }, undefined, { width: 10_000 });
      checkEnded(ended, line, [...says, 'production', `GET ${url}/api/campaigns`, 'MY_TOKEN']);
    }
  });
}

function checkEnded({ code, out, err }: Ended, line: string, says: readonly string[]): void {
  const text = `${out}\n${err}`;
  expect(code, line).toBe(line.startsWith('pause') ? 4 : 1);
  for (const part of says) expect(text, line).toContain(part);
  expect(text, line).not.toContain(TOKEN);
  expect(text, line).not.toMatch(/<title|<html/);
}

describe('every command names the settings and who answered', () => {
  test.each(KINDS)('%s', async (_, reply, says) => {
    const server = await listen(() => reply);
    await runAll(server.url, says);
    await server.close();
  });

  test('nothing listens', () => runAll('http://127.0.0.1:9', ['connection refused']));

  // A resolver may take longer than pause waits for a list.
  test('the host does not exist', () =>
    runAll(
      'https://nowhere.invalid',
      ['host name not found'],
      COMMANDS.filter((line) => !line.startsWith('pause')),
    ));

  test('the certificate is of an unknown authority', async () => {
    const { url, close } = await listenOn(createSecureServer(SERVER, (_, response) => response.end('{}')));
    await runAll(url.replace('http:', 'https:'), [
      'does not trust the certificate authority',
      'NODE_EXTRA_CA_CERTS',
    ]);
    await close();
  });

  test('the port speaks no TLS', async () => {
    const server = await listen(() => ({ json: [] }));
    await runAll(server.url.replace('http:', 'https:'), ['TLS error']);
    await server.close();
  });
});
