import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { CHROMIUM, openBrowser, startTrap } from '../support/browser.js';
import { command, type Ended, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { nameOfWindow, overflowing, unfoldAll } from '../support/page-audit.js';
import { hostileMails } from '../view/hostile.js';

const PROJECT = 'version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  sandbox: { sandbox: {} }\n';
const LONG = '<p>Is {COMPANY} ready?</p>\n'.repeat(30);
const FILES = {
  'campaignctl.yaml': PROJECT,
  'campaigns/autumn.yaml': 'name: Autumn\nsequence: { use: ../shared/autumn.yaml }\n',
  'shared/autumn.yaml':
    'title: Autumn\nsteps:\n  - { email_subject: Autumn is near, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }\n',
  'campaigns/spring.yaml': `name: Spring installers
settings: { plain_text: false }
sequence:
  title: Spring
  steps:
    - email_subject: "{FIRST_NAME}, a question"
      email_body_file: ../emails/first.html
      wait_in_days: 3
    - email_subject: Re spring
      email_body: <p>One more thing</p>
      wait_in_days: 4
`,
  'emails/first.html': LONG,
  'campaigns/winter.yaml': 'name: Winter\n',
};

/** Serves the preview in this process until `use` ends. */
async function serving(
  line: string,
  use: (url: string, folder: string) => Promise<void>,
  { files = FILES, env = {} }: { files?: Record<string, string>; env?: Record<string, string> } = {},
): Promise<Ended> {
  let ended: Ended = { code: -1, out: '', err: '' };
  await withFolder(async (folder) => {
    await writeFiles(folder, files);
    let stop = () => {};
    let ready = (_url: string) => {};
    const address = new Promise<string>((resolve) => {
      ready = resolve;
    });
    const words = ['preview', '--serve', ...line.split(' ').filter(Boolean)];
    const running = command(folder, words, env, undefined, {
      onInterrupt: (end) => {
        stop = end;
      },
      seen: (text) => {
        if (text.startsWith('http')) ready(text.trim());
      },
    });
    try {
      const url = await Promise.race([address, running.then(({ err }) => Promise.reject(new Error(err)))]);
      await use(url, folder);
    } finally {
      stop();
      ended = await running;
    }
  });
  return ended;
}

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

describe.skipIf(CHROMIUM === null)('a preview in a real browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  /** Opens the served page, and fails if it asks anything of another origin or reports an error. */
  async function browsing(
    line: string,
    use: (page: Page, at: { url: string; folder: string }) => Promise<void>,
    files: Record<string, string> = FILES,
  ): Promise<void> {
    await serving(
      line,
      async (url, folder) => {
        const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
        const page = await context.newPage();
        const outside: string[] = [];
        // A request that the policy blocks is announced, too, but it fails before it leaves the browser.
        page.on('requestfinished', (asked) => {
          if (!asked.url().startsWith(url) && asked.url() !== 'about:srcdoc') outside.push(asked.url());
        });
        page.on('pageerror', (error) => outside.push(error.message));
        try {
          await page.goto(url);
          await use(page, { url, folder });
          expect(outside).toEqual([]);
        } finally {
          await context.close();
        }
      },
      { files },
    );
  }

  const isIn = (page: Page, text: string) => page.getByText(text).first().waitFor({ timeout: 5_000 });

  it('shows a change of a manifest, a body, a shared piece and the list of manifests', async () => {
    await browsing('', async (page, { folder }) => {
      await page.evaluate('window.name = "not reloaded"');
      await writeFiles(folder, { 'campaigns/winter.yaml': 'name: Deep winter\n' });
      await isIn(page, 'Deep winter');
      await writeFiles(folder, { 'emails/first.html': '<p>Quite another body</p>' });
      await isIn(page, 'Quite another body');
      await writeFiles(folder, {
        'shared/autumn.yaml': FILES['shared/autumn.yaml'].replace('is near', 'has come'),
      });
      await isIn(page, 'Autumn has come');
      await writeFiles(folder, { 'campaigns/fair.yaml': 'name: Fair invitation\n' });
      await isIn(page, 'Fair invitation');
      await rm(join(folder, 'campaigns/fair.yaml'));
      await page.getByText('Fair invitation').first().waitFor({ state: 'detached' });
      expect(await page.evaluate(nameOfWindow)).toBe('not reloaded');
    });
  });

  it('keeps the place, the folds and the chosen lead', async () => {
    await browsing('', async (page, { folder }) => {
      await page.locator('summary', { hasText: 'Autumn' }).click();
      await page.getByRole('radio', { name: 'A lead with long values' }).check();
      const second = page.locator('#campaign-2-2-0');
      await second.evaluate('(element) => element.scrollIntoView({ behavior: "instant" })');
      const topOf = () => second.evaluate('(element) => Math.round(element.getBoundingClientRect().top)');
      const before = await topOf();
      await writeFiles(folder, {
        'emails/first.html': '<p>Short</p>',
        'campaigns/winter.yaml': 'name: Deep winter\n',
      });
      await page.getByRole('link', { name: 'Deep winter' }).waitFor();
      expect(await topOf()).toBe(before);
      expect(await page.locator('details.campaign').first().getAttribute('open')).toBeNull();
      expect(await page.getByRole('radio', { name: 'A lead with long values' }).isChecked()).toBe(true);
    });
  });

  it('shows an error where the email would be, and then the email and the place again', async () => {
    await browsing('', async (page, { folder }) => {
      const second = page.locator('#campaign-2-2-0');
      await second.evaluate('(element) => element.scrollIntoView({ behavior: "instant" })');
      const scrolled = await page.evaluate('Math.round(scrollY)');
      const broken = FILES['campaigns/spring.yaml'].replace('wait_in_days: 4', 'wait_in_dayz: 4');
      await writeFiles(folder, { 'campaigns/spring.yaml': broken });
      const spring = page.locator('details.campaign', { hasText: 'Spring installers' });
      await spring.getByText('campaigns/spring.yaml:11:7').waitFor();
      expect(await spring.locator('pre.excerpt mark').allTextContents()).toContain('wait_in_dayz');
      expect(await second.count()).toBe(0);
      expect(await page.locator('details.campaign h3').allTextContents()).toEqual([
        'Autumn',
        'Spring installers',
        'Winter',
      ]);
      expect(await page.title()).toMatch(/^\d errors?\. Preview: sandbox$/);
      await writeFiles(folder, { 'campaigns/spring.yaml': 'name: [\n' });
      await spring
        .getByText(/campaigns\/spring\.yaml:\d+:\d+/)
        .first()
        .waitFor();
      await writeFiles(folder, { 'campaigns/spring.yaml': FILES['campaigns/spring.yaml'] });
      await second.waitFor();
      expect(await page.evaluate('Math.round(scrollY)')).toBe(scrolled);
      expect(await page.title()).toBe('Preview: sandbox');
    });
  });

  it('shows a lint error above its email, a missing body, and an invalid project file', async () => {
    await browsing('', async (page, { folder }) => {
      await writeFiles(folder, { 'emails/first.html': '<p>Hi {first_name}</p>' });
      await isIn(page, 'is not a variable and would be sent literally');
      expect(await page.locator('#campaign-2-1-0').count()).toBe(1);
      await rm(join(folder, 'emails/first.html'));
      await isIn(page, '[file-not-found]');
      await writeFiles(folder, { 'emails/first.html': '<p>Here again</p>' });
      await isIn(page, 'Here again');
      await writeFiles(folder, { 'campaignctl.yaml': 'version: 1\nmanifest: [x]\n' });
      await isIn(page, 'The project file campaignctl.yaml has');
      await isIn(page, 'Here again');
      await writeFiles(folder, { 'campaignctl.yaml': PROJECT });
      await page.locator('#failure').waitFor({ state: 'detached' });
    });
  });

  it('opens in several tabs, and says when it ended', async () => {
    let seen: Page | null = null;
    const context = await browser.newContext();
    await serving('', async (url, folder) => {
      const pages = await Promise.all(Array.from({ length: 8 }, () => context.newPage()));
      for (const page of pages) await page.goto(url);
      await writeFiles(folder, { 'campaigns/winter.yaml': 'name: Deep winter\n' });
      for (const page of pages) await page.getByRole('link', { name: 'Deep winter' }).waitFor();
      seen = pages[0] ?? null;
    });
    await (seen as Page | null)?.locator('#ended').waitFor();
    await context.close();
  });

  it('goes from lead to lead, stays at the same email, and sees changes of the leads', async () => {
    const csv = 'First name,Company\nAnna,Northlight\nBo,\nCleo,Harbour\n';
    const files = { ...FILES, 'leads.csv': csv };
    const use = async (page: Page, { folder }: { folder: string }) => {
      await isIn(page, 'Anna, a question');
      await page.getByRole('link', { name: 'next lead →', exact: true }).click();
      await isIn(page, 'Bo, a question');
      await isIn(page, 'no COMPANY');
      await page.locator('#row').fill('4');
      await page.locator('#row').press('Enter');
      await isIn(page, 'Cleo, a question');
      await page.getByRole('link', { name: 'next lead without a value' }).click();
      await isIn(page, 'Bo, a question');
      await writeFiles(folder, { 'leads.csv': csv.replace('Bo,', 'Bob,Quay') });
      await isIn(page, 'Bob, a question');
      await isIn(page, 'every lead has all values');
      await writeFiles(folder, { 'leads.csv': 'First name,Company\n"Anna' });
      await isIn(page, 'leads.csv, row 2, column 1: a double quote is never closed.');
    };
    await browsing('--leads leads.csv', use, files);
  });

  it('runs nothing of a hostile email and loads nothing', async () => {
    const trap = await startTrap();
    try {
      const mails = Object.values(hostileMails(trap.url));
      const steps = mails.map((email_body) => ({ email_subject: 'Hi', email_body, wait_in_days: 3 }));
      const manifest = JSON.stringify({ name: 'Hostile', sequence: { title: 'T', steps } });
      await browsing(
        '',
        async (page, { folder }) => {
          await page.evaluate(unfoldAll);
          await writeFiles(folder, { 'campaigns/winter.yaml': 'name: Deep winter\n' });
          await page.getByRole('link', { name: 'Deep winter' }).waitFor();
          await page.evaluate(unfoldAll);
          expect(await page.evaluate(nameOfWindow)).toBe('');
          await page.setViewportSize({ width: 390, height: 800 });
          expect(await page.evaluate(overflowing)).toEqual([]);
        },
        { ...FILES, 'campaigns/spring.yaml': manifest },
      );
      expect(trap.seen).toEqual([]);
    } finally {
      await trap.close();
    }
  });
});
