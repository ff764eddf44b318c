import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { listen, type Reply } from '../service/loopback.js';
import { command } from '../support/command.js';
import { folder } from '../support/folder.js';
import { listenOn } from '../support/listen.js';
import { TOKEN } from '../support/service/service.js';

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

const wordsOf = (text: string) => text.replace(/\s+/g, ' ');
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
    const text = wordsOf(err);
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
    expect(wordsOf((await run('plan')).err)).toContain(
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
    expect(wordsOf(err)).toContain(
      'The token in STAGING_TOKEN begins with "Bearer". Nothing was sent. → Store only the part after "Bearer " in STAGING_TOKEN: campaignctl writes the word itself.',
    );
    expect(err).not.toContain(TOKEN);
  }
  expect(server.arrived).toEqual([]);
});
