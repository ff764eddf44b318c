import { execFileSync } from 'node:child_process';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { draft } from '../../support/service/store.js';

const NAME = 'Spring installers';
const ID = 101;
const STATE = '.campaignctl/state/production';

interface At {
  folder: string;
  old: TestService;
  now: TestService;
  run(...argv: string[]): ReturnType<typeof command>;
  /** Writes a project file whose environment is at this address. */
  locate(url: string): Promise<void>;
}

/** A campaign with list 77 was applied at one address; then the environment names another one, where a campaign of the same id and name is. */
async function moved(
  use: (at: At) => Promise<void>,
  { backend = 'file' }: { backend?: 'file' | 'git' } = {},
): Promise<void> {
  const start = () => startService(shaped({}), { campaigns: [draft(ID, NAME)], templates: [] });
  const [old, now] = [await start(), await start()];
  try {
    await withFolder(async (folder) => {
      const locate = (url: string) =>
        writeFiles(folder, {
          'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nstate: { backend: ${backend}${backend === 'git' ? ', id: acme' : ''} }\nenvironments:\n  production: { base_url: "${url}", token_env: CAMPAIGNS_TOKEN }\n`,
        });
      const run = (...argv: string[]) => command(folder, argv, { CAMPAIGNS_TOKEN: TOKEN });
      if (backend === 'git')
        for (const args of [
          ['init', '-q'],
          ['init', '-q', '--bare', 'remote.git'],
          ['remote', 'add', 'origin', join(folder, 'remote.git')],
        ])
          execFileSync('git', args, { cwd: folder });
      await locate(old.url);
      await writeFiles(folder, { 'campaigns/spring.yaml': `name: ${NAME}\nleads: { lists: [77] }\n` });
      expect(await run('apply', '--yes', '--allow', 'repeat-attach')).toMatchObject({ code: 0 });
      await locate(now.url);
      await use({ folder, old, now, run, locate });
    });
  } finally {
    await Promise.all([old.close(), now.close()]);
  }
}

const requestsOf = ({ requests }: TestService) => requests.length;

const COMMANDS = [
  ['plan'],
  ['plan', '--drift'],
  ['plan', '--refresh', 'changed'],
  ['plan', '--target', NAME],
  ['plan', 'campaigns/spring.yaml'],
  ['apply', '--yes'],
  ['apply', '--dry-run'],
  ['list'],
  ['import', '--all'],
  ['import', '--all', '--dry-run'],
  ['import', '--update', '--all', '--dry-run'],
  ['probe', '--yes'],
  ['forget', NAME, '--yes'],
];
it.each(COMMANDS)('%s %s %s of the state of another address is an error, and sends no request', (...argv) =>
  moved(async ({ old, now, run }) => {
    const { code, err } = await run(...argv);
    expect(code).toBe(1);
    expect(err.replace(/\s+/g, ' ')).toContain(
      `The state of production belongs to ${old.url}, and production has its service at ${now.url}.`,
    );
    expect(err.replace(/\s+/g, ' ')).toContain(`campaignctl state rebase --env production --from ${old.url}`);
    expect(requestsOf(now)).toBe(0);
  }),
);

it.each(['file', 'git'] as const)(
  'with backend %s, a rebased state is that of the new address: what was attached is not attached again',
  (backend) =>
    moved(
      async ({ folder, old, now, run, locate }) => {
        expect(await run('plan')).toMatchObject({ code: 1 });
        const entry = async () =>
          backend === 'file'
            ? readFile(join(folder, STATE, `${ID}.json`), 'utf8')
            : execFileSync('git', ['-C', 'remote.git', 'show', `campaignctl/production:${ID}.json`], {
                cwd: folder,
                encoding: 'utf8',
              });
        const before = await entry();
        const { code, out } = await run('state', 'rebase', '--from', old.url, '--yes');
        expect([code, out]).toEqual([
          0,
          `The state of production now belongs to ${now.url}, no longer to ${old.url}. Nothing was sent.\n`,
        ]);
        expect(await entry()).toBe(before);
        expect(requestsOf(now)).toBe(0);
        expect((await run('plan')).out).toContain('No changes');
        expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
        expect(now.writes()).toEqual([]);
        expect((await run('state', 'rebase', '--from', old.url, '--yes')).out).toContain('already');
        await locate(old.url);
        expect((await run('plan')).err).toContain('state-of-other-service');
      },
      { backend },
    ),
);

it('a run that died at the old address is reconciled at the new one', () =>
  moved(async ({ folder, old, now, run }) => {
    const journals = join(folder, STATE, 'journal');
    const [file = ''] = await readdir(journals);
    const lines = (await readFile(join(journals, file), 'utf8')).trimEnd().split('\n');
    const left = lines.filter((line) => !/"type":"(reconciled|outcome|end)"/.test(line.slice(0, 30)));
    await writeFile(join(journals, file), `${left.join('\n')}\n`);
    await rm(join(folder, STATE, `${ID}.json`));
    await rename(join(journals, file), join(journals, file.replace('.jsonl', '.open.jsonl')));
    expect(await run('state', 'rebase', '--from', old.url, '--yes')).toMatchObject({ code: 0 });
    const { code, err } = await run('apply', '--yes');
    expect(code).toBe(3);
    expect(err).toContain('It is not known whether the campaign already has lead list 77.');
    expect(now.writes()).toEqual([]);
  }));

it('a state is rebased only from the address that it records, and with a confirmation', () =>
  moved(async ({ folder, old, now, run, locate }) => {
    const recorded = () => readFile(join(folder, STATE, 'state.json'), 'utf8');
    const before = await recorded();
    expect(await run('state', 'rebase', '--from', old.url)).toMatchObject({ code: 3 });
    const other = await run('state', 'rebase', '--from', 'https://other.example.com', '--yes');
    expect(other.code).toBe(1);
    expect(other.err.replace(/\s+/g, ' ')).toContain(
      `The state of production belongs to ${old.url}, not to https://other.example.com (--from).`,
    );
    expect(await run('state', 'rebase', '--yes')).toMatchObject({ code: 1 });
    expect(await run('state', 'rebase', '--from', '', '--yes')).toMatchObject({ code: 1 });
    expect(await recorded()).toBe(before);
    // Another spelling of the same address.
    await locate(`${now.url}/`);
    expect(await run('state', 'rebase', '--from', `${old.url}/`, '--yes')).toMatchObject({ code: 0 });
    expect(JSON.parse(await recorded())).toEqual({ version: 1, base_url: now.url });
    await locate(now.url);
    expect((await run('plan')).out).toContain('No changes');
  }));

it('a sandbox and a service never share a state', () =>
  moved(async ({ folder, old, run }) => {
    await writeFiles(folder, {
      'campaignctl.yaml':
        'version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: { sandbox: {} }\n',
    });
    const { code, err } = await run('plan');
    expect(code).toBe(1);
    expect(err.replace(/\s+/g, ' ')).toContain(
      `The state of production belongs to ${old.url}, and production has its service at sandbox.`,
    );
    expect(err).not.toContain('state rebase');
    expect(await run('state', 'rebase', '--from', old.url, '--yes')).toMatchObject({ code: 1 });
  }));

it('a promotion from an environment whose state is of another address is refused', () =>
  moved(async ({ folder, old, now, run }) => {
    await writeFiles(folder, {
      'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: { base_url: "${now.url}", token_env: CAMPAIGNS_TOKEN }\n  live: { base_url: "${old.url}", token_env: CAMPAIGNS_TOKEN }\n`,
    });
    const { code, err } = await run('apply', '--env', 'live', '--yes', '--require-applied', 'production');
    expect([code, err]).toEqual([1, expect.stringContaining('[state-of-other-service]')]);
    expect(old.writes()).toHaveLength(1);
  }));
