import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';

const FILES = {
  'campaignctl.yaml':
    'version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  trial: { sandbox: {}, state: { path: states } }\n',
  'campaigns/spring.yaml': `name: Spring
sequence:
  title: Spring
  steps: [{ email_subject: A sample, email_body: Shall I send one?, wait_in_days: 3 }]
leads: { ids: [1, 2] }
`,
};

/** An applied campaign of a sandbox, whose manifest then changes. */
const afterChange = (change: (manifest: string) => string, use: (run: Run) => Promise<void>) =>
  withFolder(async (folder) => {
    const run: Run = async (line) => {
      const { code, out, err } = await command(folder, line.split(' '));
      return { code, text: `${out}${err}`.replace(/\s+/g, ' '), folder };
    };
    await writeFiles(folder, FILES);
    expect(await run('apply --yes')).toMatchObject({ code: 0 });
    await writeFiles(folder, { 'campaigns/spring.yaml': change(FILES['campaigns/spring.yaml']) });
    await use(run);
  });

type Run = (line: string) => Promise<{ code: number; text: string; folder: string }>;

const START_OVER =
  'A sandbox has no web app: to start over, delete .campaignctl/sandbox/trial.json and states/trial.';

test.each(['text', 'markdown', 'html'])('a change that the API cannot make in a sandbox: %s', (format) =>
  afterChange(
    (manifest) => manifest.replace('Shall I', 'May I'),
    async (run) => {
      const { text } = await run(`plan --format ${format}`);
      const words = text.replace(/<\/?code>|`|\\|<wbr>/g, '').replace(/&#39;/g, "'");
      expect(words).toContain('To do by hand in a real service (a sandbox has no web app): 1');
      expect(words).toContain(START_OVER);
      expect(words).not.toContain("left to do by hand in the service's web app");
    },
  ),
);

test('the result of an apply in a sandbox, and a new start', () =>
  afterChange(
    (manifest) => manifest.replace('[1, 2]', '[1]'),
    async (run) => {
      const applied = await run('apply --yes');
      expect(applied.text).toContain('To do by hand in a real service (a sandbox has no web app): 1');
      const { text, folder } = await run('plan');
      expect(text).toContain('The API cannot change that, and a sandbox has no web app.');
      for (const path of ['.campaignctl/sandbox/trial.json', 'states/trial'])
        await rm(join(folder, path), { recursive: true });
      expect((await run('plan')).text).toContain('1 to create');
    },
  ));

test('a plan proposes to start over because of shared leads only after some are attached', () =>
  withFolder(async (folder) => {
    const manifest = FILES['campaigns/spring.yaml'].replace(
      'wait_in_days: 3 }]',
      'wait_in_days: 3 }]\nstatus: running',
    );
    const second = manifest.replace('name: Spring', 'name: Summer');
    await writeFiles(folder, {
      ...FILES,
      'campaigns/spring.yaml': manifest,
      'campaigns/summer.yaml': second,
    });
    const plan = async () => (await command(folder, ['plan'])).out.replace(/\s+/g, ' ');
    const first = await plan();
    expect(first).toContain('! shared-leads');
    expect(first).not.toContain('start over');
    await command(folder, ['apply', '--yes', '--hold', 'launch', '--allow', 'shared-leads']);
    expect(await plan()).toContain('start over');
  }));

test('a refused launch and a pause of one campaign name it in the command to launch it', () =>
  withFolder(async (folder) => {
    const schedule =
      'schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }';
    const manifest = `${FILES['campaigns/spring.yaml']}${schedule}\nstatus: running\n`;
    await writeFiles(folder, { ...FILES, 'campaigns/spring.yaml': manifest });
    const run = async (line: string) => {
      const { code, out, err } = await command(folder, line.split(' '));
      return { code, text: `${out}${err}`.replace(/\s+/g, ' ') };
    };
    const refused = await run('apply --yes');
    expect(refused.code).toBe(3);
    expect(refused.text).toMatch(/--allow launch="Spring"[^→]* Nothing was sent\./);
    expect(await run('apply --yes --allow launch')).toMatchObject({ code: 0 });
    expect((await run('pause Spring --yes')).text).toContain('and apply with --allow launch="Spring".');
  }));
