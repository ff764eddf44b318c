/** Paths that lead to something other than a file of the project. No command hangs, or shows what is there. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LocatedFinding } from '../../../src/model/outputs.js';
import { command, type Ended, writeFiles } from '../../support/command.js';
import { startProgram } from '../../support/program.js';

const PROJECT = `version: 1
manifests: [campaigns/**/*.yaml]
environments:
  production: { base_url: "https://send.example.com", token_env: CAMPAIGNS_TOKEN }
`;
const EMAIL = 'email_subject: A question, wait_in_days: 3';
const withBody = (file: string) =>
  `name: Spring\nsequence: { title: S, steps: [{ ${EMAIL}, email_body_file: "${file}" }] }\n`;

/** A project in a git repository; `clients/acme` is the project's folder. */
async function repository(files: Record<string, string>): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'project-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  const root = join(folder, 'clients/acme');
  await writeFiles(root, {
    'campaignctl.yaml': PROJECT,
    'campaigns/spring.yaml': 'name: Spring\n',
    ...files,
  });
  return root;
}

/** Runs a command that must show nothing of `secrets`. */
async function ends(root: string, line: string, secrets: readonly string[] = []): Promise<Ended> {
  const ended = await command(root, line.split(' '));
  for (const secret of secrets) expect(ended.out + ended.err).not.toContain(secret);
  return ended;
}

/** Runs a command that must end within ten seconds, in a process: a read that hangs would also stop this one. */
async function endsAlone(root: string, line: string): Promise<Ended> {
  const started = startProgram(root, line.split(' '));
  const timer = setTimeout(() => started.kill('SIGKILL'), 10_000);
  return started.ended.finally(() => clearTimeout(timer));
}

/** The findings of `validate`, as `code file:line`. */
async function validate(
  root: string,
  run: typeof endsAlone = ends,
): Promise<{ rows: string[]; findings: LocatedFinding[] }> {
  const { code, out, err } = await run(root, 'validate --json');
  expect([code, err]).toEqual([1, '']);
  const { findings } = JSON.parse(out) as { findings: LocatedFinding[] };
  return { rows: findings.map(({ code: each, file, line }) => `${each} ${file}:${line}`), findings };
}

const pipe = (path: string) => {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync('mkfifo', [path]);
};
const socket = (path: string) =>
  new Promise<void>((resolve) => {
    const server = createServer();
    onTestFinished(() => void server.close());
    server.listen(path, resolve);
  });

describe('a shared folder', () => {
  test.each([
    ['/proc/self', 'environ'],
    ['/proc', 'self/environ'],
    ['/', 'proc/self/environ'],
    ['/etc', 'passwd'],
    ['/dev', 'stdin'],
  ])('outside the repository is an error, and nothing of it is read or shown: %s', async (folder, file) => {
    const root = await repository({});
    const up = relative(root, folder);
    const body = join('..', up, file);
    await writeFiles(root, {
      'campaignctl.yaml': PROJECT.replace('environments', `shared: ["${up}"]\nenvironments`),
      'campaigns/spring.yaml': withBody(body),
    });
    const { rows, findings } = await validate(root, endsAlone);
    expect(rows).toEqual(['shared-outside-repository campaignctl.yaml:3']);
    expect(findings[0]?.message).toBe(`The shared folder "${up}" is outside the project's git repository.`);
    expect(await ends(root, 'plan')).toMatchObject({ code: 1, out: '' });
  });

  test('behind a link out of the repository is one, too', async () => {
    const root = await repository({
      'campaignctl.yaml': PROJECT.replace('environments', 'shared: [../../shared]\nenvironments'),
      'campaigns/spring.yaml': withBody('../../../shared/environ'),
    });
    symlinkSync('/proc/self', join(root, '../../shared'));
    expect((await validate(root)).rows).toEqual(['shared-outside-repository campaignctl.yaml:3']);
  });

  test('outside the project is an error if the project is in no repository', async () => {
    const root = await repository({
      'campaignctl.yaml': PROJECT.replace('environments', 'shared: [../../shared]\nenvironments'),
      'campaigns/spring.yaml': withBody('../../../shared/first.txt'),
      '../../shared/first.txt': 'Hello\n',
    });
    expect((await ends(root, 'validate')).code).toBe(0);
    rmSync(join(root, '../../.git'), { recursive: true });
    const { findings } = await validate(root);
    expect(findings.map(({ code, hint }) => [code, hint])).toEqual([
      ['shared-outside-repository', expect.stringMatching(/^Run git init in the folder that contains both/)],
    ]);
  });

  test('may be hidden from no one: a dot-folder is not read', async () => {
    const root = await repository({
      'campaignctl.yaml': PROJECT.replace('environments', 'shared: [../../.secrets]\nenvironments'),
      'campaigns/spring.yaml': withBody('../../../.secrets/key'),
      '../../.secrets/key': '{{secret of the machine\n',
    });
    expect((await validate(root)).rows).toEqual(['file-hidden campaigns/spring.yaml:2']);
  });
});

describe('what is not a regular file is not read, and hangs no command:', () => {
  /** Manifests that name a path in the project: as a body, as ids and as a piece. */
  const manifestsOf = (path: string) => ({
    'campaigns/body.yaml': withBody(path),
    'campaigns/ids.yaml': `name: Ids\nleads: { ids_file: "${path}" }\n`,
    'campaigns/piece.yaml': `name: Piece\nsequence: { use: "${path}" }\n`,
    'campaigns/spring.yaml': 'name: Other\n',
  });
  const inEach = (code: string) => ['body', 'ids', 'piece'].map((use) => `${code} campaigns/${use}.yaml:2`);
  const KINDS: Record<string, (path: string) => void | Promise<void>> = {
    'a pipe': pipe,
    'a socket': socket,
    'a folder': (path) => void mkdirSync(path),
    'a link to a pipe': (path) => {
      pipe(`${path}.pipe`);
      symlinkSync(`${path}.pipe`, path);
    },
  };

  test.each(Object.keys(KINDS))('%s, as a body, as ids and as a piece', async (kind) => {
    const root = await repository(manifestsOf('there'));
    await KINDS[kind]?.(join(root, 'campaigns/there'));
    expect((await validate(root, endsAlone)).rows).toEqual(inEach('file-unreadable'));
  });

  test.each(['/dev/zero', '/dev/tty', '/proc/self/environ', '/proc/kmsg', '/'])(
    'a link to %s, in each place',
    async (target) => {
      const root = await repository(manifestsOf('there'));
      symlinkSync(target, join(root, 'campaigns/there'));
      const { rows } = await validate(root, endsAlone);
      expect(rows).toEqual(expect.arrayContaining(inEach('file-outside-project')));
    },
  );

  test.each(Object.keys(KINDS))('a manifest that is %s', async (kind) => {
    const root = await repository({});
    await KINDS[kind]?.(join(root, 'campaigns/there.yaml'));
    const { code, err } = await endsAlone(root, 'validate campaigns/there.yaml');
    expect([code, err]).toEqual([1, kind === 'a folder' ? expect.stringContaining('[no-match]') : '']);
    // A folder may have such a name.
    expect((await endsAlone(root, 'validate')).code).toBe(kind === 'a folder' ? 0 : 1);
  });

  test('a manifest that is a link to nothing', async () => {
    const root = await repository({});
    symlinkSync('nowhere', join(root, 'campaigns/there.yaml'));
    expect((await validate(root, endsAlone)).rows).toEqual(['file-not-found campaigns/there.yaml:1']);
  });

  test.each(['show plan.json', 'apply --yes --plan plan.json', 'comment plan.json'])('%s', async (line) => {
    const root = await repository({});
    pipe(join(root, 'plan.json'));
    const { code, err } = await endsAlone(root, line);
    expect([code, err]).toEqual([1, expect.stringContaining('it is not a regular file')]);
  });

  test.each(['a pipe', 'a socket', 'a link to a pipe'])('a project file that is %s', async (kind) => {
    const root = await repository({});
    rmSync(join(root, 'campaignctl.yaml'));
    await KINDS[kind]?.(join(root, 'campaignctl.yaml'));
    const { code, err } = await endsAlone(root, 'validate');
    expect([code, err]).toEqual([1, expect.stringContaining('[file-unreadable]')]);
  });

  test.each(['a pipe', 'a socket', 'a folder', 'a link to a pipe'])('a state that is %s', async (kind) => {
    const root = await repository({});
    const journal = join(root, '.campaignctl/state/production/journal');
    mkdirSync(journal, { recursive: true });
    await KINDS[kind]?.(join(journal, 'run.jsonl'));
    const { code, err } = await endsAlone(root, 'history');
    expect([code, err]).toEqual([1, expect.stringContaining('[state-unusable]')]);
  });

  test('a state that is a link to a device', async () => {
    const root = await repository({});
    const journal = join(root, '.campaignctl/state/production/journal');
    mkdirSync(journal, { recursive: true });
    symlinkSync('/dev/zero', join(journal, 'run.jsonl'));
    const { code, err } = await endsAlone(root, 'history');
    expect([code, err]).toEqual([1, expect.stringContaining('[state-unusable]')]);
  });

  test('the data of a sandbox', async () => {
    const root = await repository({
      'campaignctl.yaml': PROJECT.replace(/\{ base_url.*\}/, '{ sandbox: {} }'),
    });
    pipe(join(root, '.campaignctl/sandbox/production.json'));
    const { code, err } = await endsAlone(root, 'list');
    expect([code, err]).toEqual([1, expect.stringContaining('[sandbox-file-unusable]')]);
  });
});

describe('a link out of the project among the manifests', () => {
  test('is an error, and its files are neither looked for nor named', async () => {
    const root = await repository({ '../../outside/secret-name.yaml': 'name: Secret\n' });
    for (const [name, target] of Object.entries({ all: '/', outside: '../../../outside', proc: '/proc' }))
      symlinkSync(target, join(root, 'campaigns', name));
    const { findings } = await validate(root);
    expect(findings.map(({ code, message }) => [code, message])).toEqual(
      ['all', 'outside', 'proc'].map((name) => [
        'file-outside-project',
        `"campaigns/${name}" is a link that leads out of the project, where campaignctl reads no manifests.`,
      ]),
    );
    const patterns = ['all', 'outside', 'proc'].map((name) => `"!campaigns/${name}/**"`);
    const manifests = `[campaigns/**/*.yaml, ${patterns.join(', ')}]`;
    await writeFiles(root, { 'campaignctl.yaml': PROJECT.replace('[campaigns/**/*.yaml]', manifests) });
    expect(await ends(root, 'validate')).toMatchObject({ code: 0, out: '1 manifest valid.\n' });
  });

  test('is one if the pattern names it', async () => {
    const root = await repository({
      'campaignctl.yaml': PROJECT.replace('campaigns/**', 'campaigns/all/**'),
    });
    symlinkSync('/', join(root, 'campaigns/all'));
    expect((await validate(root)).rows).toContain('file-outside-project campaignctl.yaml:2');
  });
});

describe('a project file', () => {
  test.each([
    ['/proc/self/environ', 'file-outside-project'],
    ['/etc/passwd', 'file-outside-project'],
    ['.env', 'file-hidden'],
    ['../../.env', 'file-hidden'],
  ])('that is a link to %s is not shown', async (target, code) => {
    const root = await repository({ '.env': 'SECRET=of the machine', '../../.env': 'SECRET=of the machine' });
    rmSync(join(root, 'campaignctl.yaml'));
    symlinkSync(target, join(root, 'campaignctl.yaml'));
    for (const line of ['validate', 'plan', 'validate --recursive'])
      expect(await ends(root, line, ['root:', 'SECRET'])).toMatchObject({
        code: 1,
        err: expect.stringContaining(line.includes('recursive') ? '' : `[${code}]`),
      });
  });

  test('in /proc is empty, whatever it contains', async () => {
    const root = await repository({});
    const { code, err } = await ends(root, 'validate --config /proc/self/environ', ['PATH=']);
    expect([code, err]).toEqual([1, expect.stringContaining('[empty-manifest]')]);
  });

  test('may be a link to another file of the repository', async () => {
    const root = await repository({ '../common.yaml': PROJECT });
    rmSync(join(root, 'campaignctl.yaml'));
    symlinkSync('../common.yaml', join(root, 'campaignctl.yaml'));
    expect(await ends(root, 'validate')).toMatchObject({ code: 0, out: '1 manifest valid.\n' });
  });
});
