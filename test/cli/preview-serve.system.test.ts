import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { FILES, LONG, PROJECT, serving } from '../support/serving.js';

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

function ask(url: string, options: { method?: string; host?: string } = {}): Promise<Answer> {
  const { method = 'GET', host } = options;
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, ...(host && { headers: { host } }) }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more) => {
        text += more;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    asking.on('error', reject).end();
  });
}

test('a preview is served at a secret address of this machine only, and ends at Ctrl-C', async () => {
  const ended = await serving('', async (url) => {
    const { origin, port, pathname, hostname } = new URL(url);
    expect(hostname).toBe('127.0.0.1');
    expect(pathname).toMatch(/^\/[\w-]{32}\/$/);
    const page = await ask(url);
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "frame-ancestors 'none'",
    });
    expect(await ask(url, { host: `localhost:${port}` })).toMatchObject({ status: 200 });
    expect(await ask(url, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect(await ask(`${url}version`)).toMatchObject({ status: 200, text: '1' });
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1.evil.example:${port}`,
      `evil.127.0.0.1:${port}`,
      `127.0.0.1:${port}0`,
      `evil-localhost:${port}`,
    ])
      expect(await ask(url, { host }), host).toMatchObject({ status: 403 });
    for (const method of ['POST', 'PUT', 'OPTIONS', 'DELETE'])
      expect(await ask(url, { method }), method).toMatchObject({ status: 405 });
    for (const path of ['/', '/version', `${pathname}campaignctl.yaml`, `${pathname}../version`, '//', '/%'])
      expect(await ask(origin + path), path).toMatchObject({ status: 404 });
  });
  expect(ended.code).toBe(0);
  expect(ended.err).toContain('Stop it with Ctrl-C.');
});

test('a served preview has another version after each visible change, and only then', async () => {
  await serving('', async (url, folder) => {
    const versionOnceChecked = async () => {
      await pause(250);
      return (await ask(`${url}version`)).text;
    };
    await writeFiles(folder, { 'emails/first.html': LONG, 'campaigns/notes.txt': 'not read' });
    expect(await versionOnceChecked()).toBe('1');
    await writeFiles(folder, { 'emails/first.html': `${LONG}!` });
    expect(await versionOnceChecked()).toBe('2');
    // The same size, within the resolution of some file systems' times.
    await writeFiles(folder, { 'emails/first.html': `${LONG}?` });
    expect(await versionOnceChecked()).toBe('3');
    await rm(join(folder, 'shared/autumn.yaml'));
    expect(await versionOnceChecked()).toBe('4');
    expect((await ask(url)).text).toContain('file-not-found');
    await writeFiles(folder, FILES);
    expect(await versionOnceChecked()).toBe('5');
  });
});

test('a served preview has another version after a change of the file that the project extends, also from broken to valid', async () => {
  const files = {
    ...FILES,
    'campaignctl.yaml': `${PROJECT}extends: agency.yaml\n`,
    'agency.yaml': 'defaults: { custom_variables: [FIRST_NAME, COMPANY] }\n',
  };
  const serve = async (url: string, folder: string) => {
    const after = async (agency: string) => {
      await writeFiles(folder, { 'agency.yaml': agency });
      await pause(250);
      return (await ask(`${url}version`)).text;
    };
    expect(await after('defaults: { custom_variables: [COMPANY] }\n')).toBe('2');
    expect(await after('defaults: {\n')).toBe('3');
    expect(await after('lint: {}\n')).toBe('4');
  };
  await serving('', serve, { files });
});

test('a port in use is refused with an error', async () => {
  await serving('', async (url, folder) => {
    const { port } = new URL(url);
    const { code, err, out } = await command(folder, ['preview', '--serve', '--port', port], {});
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`The preview cannot use port ${port} of 127.0.0.1`);
    expect(err).toContain('[preview-port]');
  });
});

test.each([
  ['--port 4100', '--port needs --serve.'],
  ['--serve --live', 'a served page follows the files'],
  ['--serve --env *', 'choose one environment: campaignctl preview --env NAME --serve.'],
  ['--serve --recursive', 'run it for one project: campaignctl preview -C FOLDER --serve.'],
  ['--serve --leads leads.csv --json', '--serve cannot be combined with --format json.'],
])('preview %s is refused', async (line, message) => {
  await withFolder(async (folder) => {
    await writeFiles(folder, FILES);
    const { code, err } = await command(folder, ['preview', ...line.split(' ')], {});
    expect([code, err.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(message)]);
  });
});

const STEPS = (text: string) =>
  `sequence: { title: S, steps: [{ email_subject: "A", email_body: "${text}", wait_in_days: 1 }] }\n`;

test('a finding stands at its own campaign and email, also among several of a file', async () => {
  const spring = [
    `name: First\n${STEPS('Hi')}`,
    `name: Second\n${STEPS('Hi {first_name}')}`,
    `name: Third\n${STEPS('Hi')}statuz: running\n`,
    `for_each: [{ town: York }, { town: '{Bath' }]\nname: "Fair \${{ town }}"\n${STEPS('Hi ${{ town }}')}`,
  ].join('---\n');
  const serve = async (url: string) => {
    const [head = '', list = ''] = (await ask(url)).text.split('id="list"');
    expect(head).toMatch(/<span class="chip blocked"><a href="#campaign-2">\d errors/);
    expect(list).toContain('id="campaign-2"');
    const parts = list.match(/<h[34]>[^<]*|<strong>[!✗][^[]*<code>\[[\w-]+/g) ?? [];
    expect(parts.slice(2, -1).map((part) => part.replace(/^<h.>|<.*\[/g, ''))).toEqual([
      'campaigns/spring.yaml',
      'unknown-key',
      'First',
      'Email 1',
      'Second',
      'Email 1',
      'variable-case',
      'Fair York',
      'Email 1',
      'Fair {Bath',
      'Email 1',
      'unbalanced-braces',
    ]);
  };
  await serving('', serve, { files: { ...FILES, 'campaigns/spring.yaml': spring } });
});

test('an email that contains a token is not served', async () => {
  const token = 'token-9f8e7d6c5b4a';
  vi.stubEnv('SERVE_TOKEN', token);
  const project = `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: { base_url: "https://send.example.com", token_env: SERVE_TOKEN }\n`;
  const files = { ...FILES, 'campaignctl.yaml': project, 'emails/first.html': `<p>${token}</p>` };
  const serve = async (url: string) => {
    const { text } = await ask(url);
    expect(text).toContain('secret-in-file');
    expect(text).not.toContain(token);
  };
  await serving('', serve, { files, env: { SERVE_TOKEN: token } }).finally(() => vi.unstubAllEnvs());
});
