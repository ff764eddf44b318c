import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serving } from '../probe/scratch.js';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { TOKEN } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';

const LONGEST = shaped({ variants: 'order' });

/** Names of scratch campaigns, which differ from run to run. */
const NAME = /campaignctl probe \d{4}-\d\d-\d\d [0-9a-f]{8}/g;
const named = (text: string) =>
  text.replace(NAME, 'campaignctl probe 2026-11-22 3fa91c02').replace(/127\.0\.0\.1:\d+/, '127.0.0.1:4010');
const golden = (name: string) => join(import.meta.dirname, 'golden', `probe-${name}.txt`);

test('without a terminal and without --yes it is refused, and nothing is sent', () =>
  serving(LONGEST, async ({ folder, service }) => {
    const { code, out, err } = await command(folder, ['probe']);
    expect([code, out, service.writes()]).toEqual([3, '', []]);
    await expect(named(err)).toMatchFileSnapshot(golden('question'));
  }));

test('it names everything that it leaves behind, and a second probe creates new campaigns', () =>
  serving(LONGEST, async ({ folder, service }) => {
    const { code, out, err } = await command(folder, ['probe', '--yes']);
    expect(code).toBe(0);
    const created = service.store.campaigns.slice(-2).map(({ id, name }) => `  ${id}  ${name}`);
    expect(out.split('\n')).toEqual(expect.arrayContaining(created));
    expect(out + err).not.toContain(TOKEN);
    const { out: history } = await command(folder, ['history']);
    expect(history).toMatch(new RegExp(` ${service.writes().length}  done$`, 'm'));
    expect((await command(folder, ['probe', '--yes'])).code).toBe(0);
    expect(service.store.campaigns.slice(-2).map(({ id }) => id)).toEqual([103, 104]);
  }));

describe('its text', () => {
  test.each(['documented', 'reported'])('of the sandbox as %s', (profile) =>
    withFolder(async (folder) => {
      const project = `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  trial: { sandbox: { profile: ${profile} } }\n`;
      await writeFiles(folder, { 'campaignctl.yaml': project });
      const { code, out, err } = await command(folder, ['probe', '--yes', '--write']);
      expect(code).toBe(0);
      const steps = [
        'create the scratch campaign "campaignctl probe 2026-11-22 3fa91c02"',
        ...['post a schedule from 09:00', 'post a schedule from 10:00', 'create a sequence of 2 emails'],
        ...['post another email', 'add a variant to the email of id 1001'],
      ];
      expect(named(err)).toBe(steps.map((line) => `${line}\n`).join(''));
      await expect(named(out)).toMatchFileSnapshot(golden(profile));
    }),
  );

  test('after it stopped in the middle', () =>
    serving(LONGEST, async ({ folder, service }) => {
      for (let times = 0; times < 9; times += 1)
        service.answerThen('GET', '/api/campaigns/101/sequence-steps', {
          status: 403,
          body: {},
          effect: false,
        });
      const { code, out } = await command(folder, ['probe', '--yes']);
      expect([code, service.writes().length]).toEqual([4, 4]);
      await expect(named(out)).toMatchFileSnapshot(golden('stopped'));
    }));
});

describe('refuses', () => {
  const project = (more: string) => ({
    'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: { base_url: "https://send.example.com", token_env: CAMPAIGNS_TOKEN }\n${more}`,
  });
  const STAGING = '  staging: { sandbox: {} }\n';

  test.each([
    ['several environments without --env', STAGING, {}, 'environment-required'],
    ['without a token', '', {}, 'no-token'],
    [
      'an origin that is not allowed',
      '',
      { CAMPAIGNS_TOKEN: TOKEN, CAMPAIGNCTL_ORIGINS: 'https://a.example' },
      'origin-not-allowed',
    ],
  ])('%s', (_, more, env, code) =>
    withFolder(async (folder) => {
      await writeFiles(folder, project(more));
      const { code: exit, err } = await command(folder, ['probe', '--yes'], env as Record<string, string>);
      expect(exit).toBe(1);
      expect(err).toContain(`[${code}]`);
    }),
  );
});
