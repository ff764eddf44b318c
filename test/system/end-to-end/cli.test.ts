import { execFile, execFileSync, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { type Ended, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { draft } from '../../support/service/store.js';
import { projectFiles, usedWorkspace } from './agency.js';

/** The built program, spawned with a bare environment and no terminal: `npm test` builds it first. */
const PROGRAM = fileURLToPath(new URL('../../../dist/campaignctl.cjs', import.meta.url));
const BARE = { PATH: process.env.PATH, CAMPAIGNS_TOKEN: TOKEN };

const services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

function run(folder: string, argv: readonly string[], env: NodeJS.ProcessEnv = BARE): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...argv], { cwd: folder, env }, (error, out, err) => {
      expect(err + out, 'no stack trace').not.toMatch(/^\s+at .*:\d+/m);
      expect(err + out, 'no token').not.toContain(TOKEN);
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    }).stdin?.end();
  });
}

/** A project of three campaigns, or of one manifest, beside a service in which others have been before. */
async function inProject(
  use: (folder: string, service: TestService) => Promise<void>,
  manifest: string | null = null,
): Promise<void> {
  const service = await startService(shaped({}), usedWorkspace());
  services.push(service);
  await withFolder(async (folder) => {
    const files = projectFiles(service.url, shaped({}));
    const { 'campaignctl.yaml': project = '' } = files;
    const one = manifest === null ? files : { 'campaigns/one.yaml': manifest };
    await writeFiles(folder, { ...one, 'campaignctl.yaml': project });
    await use(folder, service);
  });
  expect(service.violations).toEqual([]);
}

const ONE = 'name: Quiet one\nstatus: paused\n';

test('help, version and mistakes of usage', async () => {
  await withFolder(async (folder) => {
    const help = await run(folder, ['--help']);
    expect({ ...help, out: '' }).toEqual({ code: 0, out: '', err: '' });
    for (const word of ['init', 'validate', 'plan', 'apply', 'sandbox']) expect(help.out).toContain(word);
    expect(await run(folder, ['--version'])).toMatchObject({ code: 0, err: '' });
    expect(await run(folder, ['plan', '--detailed-exitcod'])).toMatchObject({ code: 1, out: '' });
    const misspelt = await run(folder, ['aply']);
    expect(misspelt).toMatchObject({ code: 1, out: '' });
    expect(misspelt.err).toContain('apply');
    const nowhere = await run(folder, ['plan']);
    expect(nowhere).toMatchObject({ code: 1, out: '' });
    expect(nowhere.err).toContain('campaignctl.yaml');
  });
});

test('a missing token and an unknown environment are said before anything is read', () =>
  inProject(async (folder, service) => {
    const none = await run(folder, ['plan'], { PATH: process.env.PATH });
    expect(none).toMatchObject({ code: 1, out: '' });
    expect(none.err).toContain('CAMPAIGNS_TOKEN');
    const wrong = await run(folder, ['plan', '--env', 'prodution']);
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toContain('production');
    expect(service.requests).toEqual([]);
  }));

test('validate needs neither token nor service', () =>
  inProject(async (folder, service) => {
    const bare = { PATH: process.env.PATH };
    expect(await run(folder, ['validate'], bare)).toMatchObject({ code: 0 });
    await writeFile(join(folder, 'campaigns/bad.yaml'), 'name: Bad\nstatus: runing\n');
    const text = await run(folder, ['validate'], bare);
    expect(text.code).toBe(1);
    expect(text.out + text.err).toContain('campaigns/bad.yaml:2:9');
    const json = await run(folder, ['validate', '--format', 'json'], bare);
    expect(json.code).toBe(1);
    expect(JSON.stringify(JSON.parse(json.out))).toContain('campaigns/bad.yaml');
    expect(service.requests).toEqual([]);
  }));

test('plan, rehearsal, refusals, apply: the way through a pipeline', () =>
  inProject(async (folder, service) => {
    const plan = await run(folder, ['plan', '--format', 'json', '--detailed-exitcode']);
    expect(plan.code, plan.err).toBe(2);
    expect(JSON.parse(plan.out)).toMatchObject({ version: 1, environment: 'production' });
    const rehearsal = await run(folder, ['apply', '--dry-run']);
    expect(rehearsal.code).toBe(0);
    expect(rehearsal.out).toContain('POST /api/campaigns\n  {"name":"Spring installers"}\n');
    expect(await run(folder, ['apply'])).toMatchObject({ code: 3 });
    const hazard = await run(folder, ['apply', '--yes']);
    expect(hazard.code).toBe(3);
    expect(hazard.err).toContain('--allow launch');
    expect(service.writes()).toEqual([]);
    const applied = await run(folder, ['apply', '--yes', '--allow', 'launch', '--debug']);
    expect(applied.code, applied.out + applied.err).toBe(0);
    const sent = service.writes().length;
    expect(await run(folder, ['plan', '--detailed-exitcode'])).toMatchObject({ code: 0 });
    expect(await run(folder, ['apply', '--yes'])).toMatchObject({ code: 0 });
    expect(service.writes()).toHaveLength(sent);
  }));

test('apply without --yes on a pipe sends nothing even where there is no hazard', () =>
  inProject(async (folder, service) => {
    const refused = await run(folder, ['apply']);
    expect(refused.code).toBe(3);
    expect(refused.err).toContain('--yes');
    expect(service.writes()).toEqual([]);
  }, ONE));

test('what is blocked and what is refused are both exit code 4', () =>
  inProject(async (folder, service) => {
    service.store.campaigns.push({ ...draft(50, 'Quiet one'), status: 'archived' });
    expect(await run(folder, ['apply', '--yes'])).toMatchObject({ code: 4 });
    expect(service.writes()).toEqual([]);
    service.store.campaigns.pop();
    service.answerThen('POST', '/api/campaigns', {
      status: 422,
      body: { message: 'The name has been taken.', errors: { name: ['The name has been taken.'] } },
      effect: false,
    });
    const refused = await run(folder, ['apply', '--yes']);
    expect(refused.code, refused.err).toBe(4);
    expect(refused.out + refused.err).toContain('The name has been taken.');
  }, ONE));

test('a creation whose answer is lost is found by its name and not sent again', () =>
  inProject(async (folder, service) => {
    service.answerThen('POST', '/api/campaigns', { reset: true, effect: true });
    const applied = await run(folder, ['apply', '--yes']);
    expect(applied.code, applied.out + applied.err).toBe(0);
    expect(service.store.campaigns.filter(({ name }) => name === 'Quiet one')).toHaveLength(1);
    expect(service.writes()).toHaveLength(1);
  }, ONE));

test('a service that is down or answers with a page of HTML is exit code 1', () =>
  inProject(async (folder, service) => {
    // As often as a read is tried again, and more.
    for (let time = 0; time < 10; time++) {
      service.answerThen('GET', '/api/campaigns', { status: 200, body: '<html>Login</html>', effect: false });
    }
    const html = await run(folder, ['plan']);
    expect(html).toMatchObject({ code: 1, out: '' });
    expect(html.err).toContain('GET /api/campaigns');
    await service.close();
    services.splice(0);
    const down = await run(folder, ['apply', '--yes']);
    expect(down).toMatchObject({ code: 1, out: '' });
  }, ONE));

test('a result that a full disk does not take is a failure, but of an apply, which has sent something', () =>
  inProject(async (folder, service) => {
    const full = async (line: string) => {
      const command = `exec "${process.execPath}" "${PROGRAM}" ${line} > /dev/full`;
      const child = spawn('sh', ['-c', command], { cwd: folder, env: BARE });
      let err = '';
      child.stderr.on('data', (more) => {
        err += more;
      });
      const code = await new Promise((resolve) => child.on('close', resolve));
      expect(err).toContain('The result could not be written: ');
      return code;
    };
    expect(await full('plan')).toBe(1);
    expect(await full('plan --detailed-exitcode')).toBe(1);
    expect(await full('-C . apply --yes')).toBe(0);
    expect(service.writes()).not.toEqual([]);
  }, ONE));

test('a reader that closes the pipe early is no error, and NO_COLOR is kept', () =>
  inProject(async (folder) => {
    const line = `"${process.execPath}" "${PROGRAM}" plan | head -c 5; echo " \${PIPESTATUS[0]}"`;
    const head = spawn('bash', ['--norc', '-c', line], { cwd: folder, env: BARE });
    let [out, err] = ['', ''];
    head.stdout.on('data', (more) => {
      out += more;
    });
    head.stderr.on('data', (more) => {
      err += more;
    });
    await new Promise((resolve) => head.on('close', resolve));
    expect({ out: out.trim(), err }).toEqual({ out: 'Plan  0', err: '' });
    const coloured = await run(folder, ['plan'], { ...BARE, FORCE_COLOR: '1' });
    expect(coloured.out).toContain('\u001b[');
    const plain = await run(folder, ['plan'], { ...BARE, FORCE_COLOR: '1', NO_COLOR: '1' });
    expect(plain.out).not.toContain('\u001b[');
  }));

test('a result larger than a pipe is written whole where the pipe does not wait for its reader', () =>
  withFolder(async (folder) => {
    await run(folder, ['init', '.']);
    const keys = Array.from({ length: 100 }, (_, index) => `key${index}: 1`);
    for (let file = 0; file < 20; file++)
      await writeFile(join(folder, 'campaigns', `${file}.yaml`), `name: ${file}\n${keys.join('\n')}\n`);
    const whole = await run(folder, ['validate', '--format', 'json']);
    expect({ code: whole.code, isLarge: whole.out.length > 150_000 }).toEqual({ code: 1, isLarge: true });

    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writer = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    // A descriptor below 3 would be made to wait.
    const line = `exec "${process.execPath}" "${PROGRAM}" validate --format json >&3`;
    const child = spawn('sh', ['-c', line], {
      cwd: folder,
      env: BARE,
      stdio: ['ignore', 'ignore', 'inherit', writer.fd],
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    const reader = spawn('sh', ['-c', `exec < "${pipe}"; sleep 1; cat`], { env: BARE });
    let read = '';
    reader.stdout.setEncoding('utf8').on('data', (more) => {
      read += more;
    });
    const closed = new Promise((resolve) => reader.on('close', resolve));
    expect(await ended).toBe(1);
    await writer.close();
    await closed;
    expect(read).toBe(whole.out);
  }));

test('init makes a project that plans and applies as it is, and overwrites nothing', () =>
  withFolder(async (folder) => {
    expect(await run(folder, ['init', 'mine'])).toMatchObject({ code: 0, err: '' });
    const mine = join(folder, 'mine');
    expect((await run(mine, ['validate'])).code).toBe(0);
    expect((await run(mine, ['plan', '--detailed-exitcode'])).code).toBe(2);
    const applied = await run(mine, ['apply', '--yes', '--hold', 'launch']);
    expect(applied.code, applied.out + applied.err).toBe(0);
    const taken = join(folder, 'taken');
    await mkdir(taken);
    await writeFile(join(taken, 'campaignctl.yaml'), 'mine\n');
    expect(await run(folder, ['init', 'taken'])).toMatchObject({ code: 1, out: '' });
    expect(await readFile(join(taken, 'campaignctl.yaml'), 'utf8')).toBe('mine\n');
    await expect(access(join(taken, 'campaigns'))).rejects.toThrow();
  }));
