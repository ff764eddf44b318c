/** The built program in a process, without a terminal. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer as createSocketServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { listenOn } from '../../support/listen.js';
import { PROGRAM, startLine, startProgram } from '../../support/program.js';
import { type Project, projectFile, withProject } from '../../support/project.js';
import { shaped } from '../../support/service/shape.js';
import { projectFiles, usedWorkspace } from './agency.js';

/** A project with three campaigns, and a service that already has others. */
const withAgency = (use: (project: Project) => Promise<void>) =>
  withProject({ ...usedWorkspace(), files: projectFiles('{url}', shaped({})) }, use);

const withOne = (use: (project: Project) => Promise<void>) =>
  withProject({ files: { 'campaigns/one.yaml': 'name: Quiet one\nstatus: paused\n' } }, use);

const NO_TOKEN = { CAMPAIGNS_TOKEN: undefined };
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const containing = (text: string) => expect.stringContaining(text);

test.each<[line: string, code: number, out: string, err: string]>([
  ['--help', 0, 'sandbox', ''],
  ['--version', 0, `${version}\n`, ''],
  ['plan', 1, '', 'campaignctl.yaml'],
])('%s outside of a project', (line, code, out, err) =>
  withFolder(async (folder) => {
    expect(await startProgram(folder, line.split(' ')).ended).toEqual({
      code,
      out: out === '' ? '' : containing(out),
      err: err === '' ? '' : containing(err),
    });
  }),
);

test('validate needs neither token nor service', () =>
  withAgency(async ({ program, service, write }) => {
    expect((await program('validate', NO_TOKEN)).code).toBe(0);
    await write({ 'campaigns/bad.yaml': 'name: Bad\nstatus: runing\n' });
    const bad = { code: 1, out: containing('campaigns/bad.yaml:2:9') };
    expect(await program('validate', NO_TOKEN)).toMatchObject(bad);
    expect(service.requests).toEqual([]);
  }));

test('plan, dry run, refusals and apply, as in a pipeline', () =>
  withAgency(async ({ program, service }) => {
    const plan = await program('plan --format json --detailed-exitcode');
    expect([plan.code, JSON.parse(plan.out)]).toMatchObject([2, { version: 1, environment: 'production' }]);
    const rehearsed = containing('POST /api/campaigns\n  {"name":"Spring installers"}\n');
    expect(await program('apply --dry-run')).toMatchObject({ code: 0, out: rehearsed });
    expect(await program('apply')).toMatchObject({ code: 3 });
    expect(await program('apply --yes')).toMatchObject({ code: 3, err: containing('--allow launch') });
    expect(service.writes()).toEqual([]);
    expect(await program('apply --yes --allow launch --debug')).toMatchObject({ code: 0 });
    const sent = service.writes().length;
    expect(await program('plan --detailed-exitcode')).toMatchObject({ code: 0 });
    expect(await program('apply --yes')).toMatchObject({ code: 0 });
    expect(service.writes()).toHaveLength(sent);
  }));

test('a result that does not fit on a full disk is a failure, except for an apply, which has sent something', () =>
  withOne(async ({ folder, service }) => {
    for (const [line, code] of [
      ['plan', 1],
      ['plan --detailed-exitcode', 1],
      ['-C . apply --yes', 0],
    ] as const) {
      const ended = await startLine(folder, `program ${line} > /dev/full`).ended;
      expect(ended).toEqual({ code, out: '', err: containing('Cannot write the result: ') });
    }
    expect(service.writes()).not.toEqual([]);
  }));

test('a reader that closes the pipe early is not an error, and NO_COLOR is respected', () =>
  withOne(async ({ folder, program }) => {
    const head = startLine(folder, 'program plan | head -c 5; echo " $' + '{PIPESTATUS[0]}"');
    expect(await head.ended).toEqual({ code: 0, out: 'Plan  0\n', err: '' });
    expect((await program('plan', { FORCE_COLOR: '1' })).out).toContain('\u001b[');
    expect((await program('plan', { FORCE_COLOR: '1', NO_COLOR: '1' })).out).not.toContain('\u001b[');
  }));

/** Applies into a pipe from which only the first bytes are read. Returns the program's exit code. */
const applyIntoHead = ({ folder }: Project) =>
  startLine(folder, 'program apply --yes --full | head -c 5 >&2; exit "$' + '{PIPESTATUS[0]}"').ended;

test('a reader that leaves early does not turn an incomplete apply into a success', () =>
  withOne(async (project) => {
    const refusal = { status: 422, body: { message: 'No.' }, effect: false };
    project.service.answerThen('POST', '/api/campaigns', refusal);
    expect((await applyIntoHead(project)).code).toBe(4);
  }));

test('a reader that leaves early does not stop an apply midway, and the result is not reported as done', () => {
  // More than fits into a pipe, so that writing the plan fails.
  const email = `{ email_subject: Hi, email_body: ${'A long text. '.repeat(1_000)}, wait_in_days: 1 }`;
  const files = [1, 2, 3, 4, 5, 6, 7, 8].map((at) => [
    `campaigns/${at}.yaml`,
    `name: ${at} of them\nsequence: { title: Long, steps: [${email}] }\n`,
  ]);
  return withProject({ files: Object.fromEntries(files) }, async (project) => {
    expect((await applyIntoHead(project)).code).toBe(0);
    expect(project.service.store.campaigns.map(({ steps }) => steps.length)).toEqual(Array(8).fill(1));
  });
});

test('a result larger than a pipe is written completely to a non-blocking pipe', () =>
  withFolder(async (folder) => {
    const keys = Array.from({ length: 100 }, (_, index) => `key${index}: 1`);
    const files = Array.from({ length: 20 }, (_, at) => [
      `campaigns/${at}.yaml`,
      `name: ${at}\n${keys.join('\n')}\n`,
    ]);
    await writeFiles(folder, {
      'campaignctl.yaml': projectFile().replace('{url}', 'https://send.example.com'),
      ...Object.fromEntries(files),
    });
    const whole = await startProgram(folder, ['validate', '--format', 'json']).ended;
    expect({ code: whole.code, isLarge: whole.out.length > 150_000 }).toEqual({ code: 1, isLarge: true });

    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writer = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    // Descriptors below 3 would be made blocking.
    const line = `exec "${process.execPath}" "${PROGRAM}" validate --format json >&3`;
    const stdio = ['ignore', 'ignore', 'inherit', writer.fd] as const;
    const child = spawn('sh', ['-c', line], { cwd: folder, stdio: [...stdio] });
    const ended = once(child, 'close');
    const reader = startLine(folder, `exec < "${pipe}"; sleep 1; cat`);
    expect(await ended).toEqual([1, null]);
    await writer.close();
    expect((await reader.ended).out).toBe(whole.out);
  }));

test('init creates a new project that is ready to plan and apply', () =>
  withFolder(async (folder) => {
    const run = (line: string, at = folder) => startProgram(at, line.split(' ')).ended;
    expect(await run('init mine')).toMatchObject({ code: 0, err: '' });
    const mine = join(folder, 'mine');
    for (const [line, code] of [
      ['validate', 0],
      ['plan --detailed-exitcode', 2],
      ['apply --yes --hold launch', 0],
    ] as const)
      expect(await run(line, mine), line).toMatchObject({ code });
  }));

async function hellosTo(through: 'proxy' | 'none'): Promise<{ asked: string[]; hellos: string[] }> {
  const [asked, hellos]: [string[], string[]] = [[], []];
  const hear = (socket: Socket) =>
    socket.once('data', (data) => {
      hellos.push(data.toString('latin1'));
      socket.destroy();
    });
  const server = createSocketServer((socket) => {
    socket.on('error', () => undefined);
    if (through === 'none') return hear(socket);
    return socket.once('data', (data) => {
      asked.push(String(data).split('\r\n')[0] ?? '');
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      hear(socket);
    });
  });
  const place = `127.0.0.1:${(await listenOn(server)).port}`;
  const url = `https://${through === 'proxy' ? 'send.example.com' : place}`;
  await withFolder(async (folder) => {
    await writeFiles(folder, {
      'campaignctl.yaml': projectFile().replace('{url}', url),
      'campaigns/spring.yaml': 'name: Spring\n',
    });
    const faster = { FASTER: '20', NOW: String(Date.now()), JUMP: '0' };
    const env = { HTTPS_PROXY: `http://${place}`, ...faster };
    const { code, err } = await startProgram(folder, ['plan'], env).ended;
    expect(code).toBe(1);
    expect(err).toContain(`GET ${url}/api/campaigns?page=1 could not be read (tried 5 times)`);
  });
  server.close();
  return { asked, hellos };
}

test('a proxy that opens no connection is named, and the service counts as unreadable', async () => {
  const server = createSocketServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'));
  });
  const { port } = await listenOn(server);
  await withFolder(async (folder) => {
    await writeFiles(folder, {
      'campaignctl.yaml': projectFile().replace('{url}', 'https://send.example.com'),
      'campaigns/spring.yaml': 'name: Spring\n',
    });
    const faster = { FASTER: '20', NOW: String(Date.now()), JUMP: '0' };
    const { code, err } = await startProgram(folder, ['plan'], {
      HTTPS_PROXY: `http://127.0.0.1:${port}`,
      ...faster,
    }).ended;
    expect(code).toBe(1);
    expect(err).toMatch(/last\s+error:\s+the\s+proxy\s+in\s+HTTPS_PROXY\s+refused\s+the\s+connection/);
    expect(err).toContain('[service-unreadable]');
  });
  server.close();
});

test('a remote service is reached through the proxy in the environment variables, with HTTP/1.1 but not HTTP/2', async () => {
  const [far, near] = await Promise.all([hellosTo('proxy'), hellosTo('none')]);
  expect(far.asked).toEqual(Array(5).fill('CONNECT send.example.com:443 HTTP/1.1'));
  expect([far.hellos.length, near.hellos.length]).toEqual([5, 5]);
  for (const hello of near.hellos) {
    expect(hello).toContain('\x08http/1.1');
    expect(hello).not.toContain('\x02h2');
  }
});
