import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { colourChoice } from '../../src/cli/shell.js';
import type { EffectiveConfig } from '../../src/model/outputs.js';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { faultsOf } from '../support/schema.js';

const PROJECT = `# the project
version: 1
manifests: [campaigns/*.yaml]
environments:
  staging:
    sandbox: {}
  production:
    base_url: https://send.example.com/
    token_env: SEND_TOKEN
    custom_variables:
      - FIRST_NAME
      - COMPANY
    lead_lists: { installers: 77 }
    limits:
      parallelism: 4
    service: { statuses: { gone: [binned] } }
lint: { liquid: off }
`;
const TOKEN = 'a-token-of-31-characters-1234567';

const inProject = (use: (folder: string) => Promise<void>, project = PROJECT) =>
  withFolder(async (folder) => {
    await writeFiles(folder, { 'campaignctl.yaml': project });
    await use(folder);
  });

async function effective(
  folder: string,
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<EffectiveConfig> {
  const { code, out, err } = await command(folder, ['config', '--format', 'json', ...argv], env);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(faultsOf('config', out)).toEqual([]);
  return JSON.parse(out);
}

/** "limits.parallelism=4 campaignctl.yaml:15" */
function told({ settings }: EffectiveConfig): string[] {
  return settings.map(
    ({ key, value, origin: { kind, name, line } }) =>
      `${key}=${JSON.stringify(value)} ${kind === 'file' ? `${name}:${line}` : (name ?? kind)}`,
  );
}

test('policies are told with how they weigh, those of other environments left out', () =>
  inProject(
    async (folder) => {
      const found = told(await effective(folder, ['--env', 'production']));
      expect(found.filter((line) => line.startsWith('policies'))).toEqual([
        'policies.recommended.follow-up="off" campaignctl.yaml:19',
        'policies.caps="error" campaignctl.yaml:20',
      ]);
    },
    `${PROJECT}policies:
  recommended: { follow-up: off }
  caps: { range: { settings.max_emails_per_day: { max: 500 } } }
  tidy: { severity: warning, environments: [staging], subject: { longest: 60 } }
`,
  ));

describe('the settings in effect', () => {
  test('are told with line, flag or default', () =>
    inProject(async (folder) => {
      const found = await effective(folder, ['--env', 'production', '--parallelism', '2', '--no-color']);
      expect(told(found)).toEqual([
        'manifests=["campaigns/*.yaml"] campaignctl.yaml:3',
        'default_environment=null default',
        'lint.liquid="off" campaignctl.yaml:17',
        'base_url="https://send.example.com" campaignctl.yaml:8',
        'token_env="SEND_TOKEN" campaignctl.yaml:9',
        'custom_variables=["FIRST_NAME","COMPANY"] campaignctl.yaml:10',
        'lead_lists.installers=77 campaignctl.yaml:13',
        'schedule_templates={} default',
        'workspace=null default',
        'allow=[] default',
        'require_applied=null default',
        'on_removal="warn" default',
        'limits.parallelism=2 --parallelism',
        'limits.requests_per_minute=null default',
        'state.backend="file" default',
        'state.path=".campaignctl/state" default',
        'service.variant_reference="step_id" default',
        'service.schedule_repost="unknown" default',
        'service.sequence_repost="unknown" default',
        'service.attach_repeat="unknown" default',
        'service.status="shown" default',
        'service.statuses.running=[] default',
        'service.statuses.starting=[] default',
        'service.statuses.stopped=[] default',
        'service.statuses.finished=[] default',
        'service.statuses.gone=["binned"] campaignctl.yaml:16',
        'colour=false --color never',
      ]);
      const plain = await effective(folder, ['--env', 'production']);
      expect(told(plain)).toContain('limits.parallelism=4 campaignctl.yaml:15');
    }));

  test('as text', () =>
    inProject(async (folder) => {
      const { code, out } = await command(folder, ['config'], {
        CAMPAIGNCTL_ENV: 'production',
        SEND_TOKEN: TOKEN,
        https_proxy: 'http://me:secret@proxy',
      });
      expect(code).toBe(0);
      await expect(out).toMatchFileSnapshot('../view/golden/config.txt');
    }));
});

describe('the environment', () => {
  const DEFAULT = PROJECT.replace('environments:', 'default_environment: staging\nenvironments:');
  const ONLY = 'version: 1\nmanifests: [a.yaml]\nenvironments: { one: { sandbox: {} } }\n';
  const variable = { CAMPAIGNCTL_ENV: 'production' };
  test.each([
    ['--env goes first', DEFAULT, ['--env', 'staging'], variable, ['staging', 'flag', '--env', null]],
    ['then the variable', DEFAULT, [], variable, ['production', 'variable', 'CAMPAIGNCTL_ENV', null]],
    ['then the project file', DEFAULT, [], {}, ['staging', 'file', 'campaignctl.yaml', 4]],
    ['then the only one', ONLY, [], {}, ['one', 'only', null, null]],
  ] as const)('%s', (_, project, argv, env, expected) =>
    inProject(async (folder) => {
      const { environment } = await effective(folder, argv, env);
      const { kind, name, line } = environment?.origin ?? {};
      expect([environment?.name, kind, name, line]).toEqual(expected);
    }, project),
  );

  test.each([['plan'], ['apply', '--yes'], ['validate'], ['config'], ['list'], ['history']])(
    '%s refuses a variable that is set and empty, unless --env is given',
    (...argv) =>
      inProject(async (folder) => {
        const empty = { CAMPAIGNCTL_ENV: '' };
        const { code, err } = await command(folder, argv, empty);
        expect(code).toBe(1);
        expect(err).toContain('CAMPAIGNCTL_ENV is set and empty');
        const named = await command(folder, [...argv, '--env', 'production'], empty);
        expect(named.err).not.toContain('CAMPAIGNCTL_ENV');
      }, DEFAULT),
  );

  test('may not be chosen: all are listed', () =>
    inProject(async (folder) => {
      const found = await effective(folder, []);
      expect([found.environment, found.environments]).toEqual([
        null,
        [
          { name: 'staging', base_url: 'sandbox' },
          { name: 'production', base_url: 'https://send.example.com' },
        ],
      ]);
      const { out } = await command(folder, ['config'], {});
      expect(out).toContain('none chosen: pass --env or set CAMPAIGNCTL_ENV\n  staging     sandbox\n');
    }));

  test('that is not there is an error as everywhere', () =>
    inProject(async (folder) => {
      const { code, err } = await command(folder, ['config', '--env', 'prod'], {});
      expect([code, err]).toEqual([1, expect.stringContaining('no environment named "prod"')]);
    }));
});

describe('the project file', () => {
  test('is the first one upward, or the one of --config', () =>
    inProject(async (folder) => {
      await mkdir(join(folder, 'deep/er'), { recursive: true });
      const upward = await effective(join(folder, 'deep/er'), []);
      expect(upward.project).toEqual({
        file: '../../campaignctl.yaml',
        origin: { kind: 'search', name: null, line: null },
      });
      const named = await effective(join(folder, 'deep'), ['--config', '../campaignctl.yaml']);
      expect(named.project).toEqual({
        file: '../campaignctl.yaml',
        origin: { kind: 'flag', name: '--config', line: null },
      });
    }));

  test('with errors is told as by every command', () =>
    inProject(async (folder) => {
      const { code, out, err } = await command(folder, ['config'], {});
      expect([code, out]).toEqual([1, '']);
      expect(err).toContain('campaignctl.yaml:2:1');
      expect(err).toContain('unknown-key');
    }, 'version: 1\nmanifest: [a.yaml]\nmanifests: [a.yaml]\nenvironments: { one: { sandbox: {} } }\n'));
});

describe('a secret', () => {
  const env = { SEND_TOKEN: TOKEN, GITHUB_TOKEN: TOKEN, HTTPS_PROXY: `http://me:${TOKEN}@proxy` };

  test('is never shown: neither token nor proxy', () =>
    inProject(async (folder) => {
      const { variables } = await effective(folder, ['--env', 'production'], env);
      const set = variables.filter((one) => one.set);
      expect(set.map(({ name, value }) => [name, value])).toEqual([
        ['SEND_TOKEN', null],
        ['HTTPS_PROXY', null],
        ['GITHUB_TOKEN', null],
      ]);
      for (const format of ['text', 'json']) {
        const { out, err } = await command(
          folder,
          ['config', '--env', 'production', '--format', format],
          env,
        );
        expect(out + err).not.toContain(TOKEN);
      }
    }));

  test('in the project file stops the command', () =>
    inProject(
      async (folder) => {
        const { code, out, err } = await command(folder, ['config', '--env', 'production'], env);
        expect([code, out]).toEqual([1, '']);
        expect(err).toContain('contains the API token');
        expect(err).not.toContain(TOKEN);
      },
      PROJECT.replace('installers: 77', `"${TOKEN}": 77`),
    ));
});

test('colour is decided by flag, NO_COLOR and FORCE_COLOR, in this order', () => {
  const both = { NO_COLOR: '1', FORCE_COLOR: '1' };
  expect([
    colourChoice('always', both),
    colourChoice('never', {}),
    colourChoice('auto', both),
    colourChoice('auto', { FORCE_COLOR: '1' }),
    colourChoice('auto', { FORCE_COLOR: '0' }),
    colourChoice('auto', { NO_COLOR: '' }),
  ]).toEqual([
    { wanted: true, by: 'flag', name: '--color always' },
    { wanted: false, by: 'flag', name: '--color never' },
    { wanted: false, by: 'variable', name: 'NO_COLOR' },
    { wanted: true, by: 'variable', name: 'FORCE_COLOR' },
    { wanted: false, by: 'variable', name: 'FORCE_COLOR' },
    null,
  ]);
});
