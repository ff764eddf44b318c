import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { command } from '../support/command.js';
import { withFolder } from '../support/folder.js';

const PIPELINES = fileURLToPath(new URL('../../examples/ci', import.meta.url));

test.each([
  ['github', '.github/workflows'],
  ['gitlab', '.'],
])(
  'init --ci %s writes the pipeline of examples/ci, and a project with the environments that it names',
  (platform, folder) =>
    withFolder(async (root) => {
      const made = await command(root, ['init', '--ci', platform]);
      expect(made).toMatchObject({ code: 0, err: '' });
      expect(made.out).toContain('Before the first run of the pipeline:');
      const files = await readdir(join(PIPELINES, platform));
      for (const file of files) {
        const text = await readFile(join(PIPELINES, platform, file), 'utf8');
        const written = await readFile(join(root, folder, file), 'utf8');
        expect(written).toBe(text.replace(`# .github/workflows/${file}\n`, ''));
        expect(made.out).toContain(`wrote ${join(folder, file)}\n`);
      }
      expect(await command(root, ['validate'])).toMatchObject({ code: 0, out: '1 manifest valid.\n' });
      const project = await readFile(join(root, 'campaignctl.yaml'), 'utf8');
      expect(project).toMatch(/state: \{ backend: git \}[\s\S]*\n {2}staging:[\s\S]*\n {2}production:/);
    }),
);

test('each file tells the editor a schema that is there', () =>
  withFolder(async (root) => {
    await command(root, ['init', 'shop']);
    for (const file of ['campaignctl.yaml', 'campaigns/spring.yaml']) {
      const path = join(root, 'shop', file);
      const [, schema = ''] =
        /^# yaml-language-server: \$schema=(\S+)\n/.exec(await readFile(path, 'utf8')) ?? [];
      expect(JSON.parse(await readFile(join(dirname(path), schema), 'utf8'))).toHaveProperty('properties');
    }
  }));

test('what a folder has already stays, and init says what to add', () =>
  withFolder(async (root) => {
    await writeFile(join(root, '.gitignore'), 'dist\n');
    await writeFile(join(root, '.gitattributes'), '*.png binary\n');
    const made = await command(root, ['init', '--base-url', 'https://send.example.com', '--env', 'live']);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain('Add to your .gitignore:\n  # The sandbox');
    expect(made.out).toContain('Add to your .gitattributes:\n  # Emails');
    expect(await readFile(join(root, '.gitignore'), 'utf8')).toBe('dist\n');
    expect(
      await readFile(join(root, 'campaignctl.yaml'), 'utf8'),
    ).toBe(`# yaml-language-server: $schema=.campaignctl/schemas/project.schema.json
# Where the manifests are, and which services they are for.
version: 1
manifests: [campaigns/**/*.yaml]
environments:
  live:
    base_url: https://send.example.com
    token_env: CAMPAIGNS_TOKEN
`);
  }));

test('a file that is there already is an error before anything is written', () =>
  withFolder(async (root) => {
    await command(root, ['init']);
    await writeFile(join(root, 'campaignctl.yaml'), 'mine\n');
    await rm(join(root, 'campaigns'), { recursive: true });
    expect(await command(root, ['init'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('campaignctl.yaml, '),
    });
    expect(await readFile(join(root, 'campaignctl.yaml'), 'utf8')).toBe('mine\n');
    expect(existsSync(join(root, 'campaigns'))).toBe(false);
  }));

test.each([
  [['--base-url', 'http://send.example.com'], 'base_url begins with http://'],
  [['--base-url', 'https://send.example.com', '--env', 'a b'], '"a b" cannot be'],
  [['--token-env', 'CAMPAIGNS_TOKEN'], '--token-env goes with --base-url'],
  [['--ci', 'github', '--env', 'live'], '--env does not go with --ci'],
  [['--ci', 'jenkins'], 'github'],
])('init %j is refused, and writes nothing', (flags, message) =>
  withFolder(async (root) => {
    const refused = await command(root, ['init', ...flags]);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain(message);
    expect(existsSync(join(root, 'campaignctl.yaml'))).toBe(false);
  }),
);
