import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';

import { parse } from 'yaml';
import { command, type Ended, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { oneLine } from '../support/texts.js';

const PIPELINES = fileURLToPath(new URL('../../examples/ci', import.meta.url));
const ASSISTANT = fileURLToPath(new URL('../../examples/assistant', import.meta.url));

test.each([
  ['github', '.github/workflows'],
  ['gitlab', '.'],
])(
  'init --ci %s writes the pipeline of examples/ci, and a project with the environments that it names',
  (platform, folder) =>
    withFolder(async (root) => {
      const ended = await command(root, ['init', '--ci', platform]);
      expect(ended).toMatchObject({ code: 0, err: '' });
      expect(ended.out).toContain('Before the first pipeline run:');
      const files = await readdir(join(PIPELINES, platform));
      for (const file of files) {
        const text = await readFile(join(PIPELINES, platform, file), 'utf8');
        const written = await readFile(join(root, folder, file), 'utf8');
        expect(written).toBe(text.replace(`# .github/workflows/${file}\n`, ''));
        expect(ended.out).toContain(`wrote ${join(folder, file)}\n`);
      }
      expect(await command(root, ['validate'])).toMatchObject({ code: 0, out: '1 manifest valid.\n' });
      const project = await readFile(join(root, 'campaignctl.yaml'), 'utf8');
      expect(project).toMatch(
        /state: \{ backend: git, id: c[0-9a-f]{11} \}[\s\S]*\n {2}staging:[\s\S]*\n {2}production:/,
      );
      // What it has written is not left to do.
      expect(ended.out).toContain('1. In campaignctl.yaml, write the addresses of staging and production,');
      expect(ended.out).not.toContain('write the environments');
      await rm(join(root, platform === 'github' ? folder : '.gitlab-ci.yml'), { recursive: true });
      const later = await command(root, ['init', '--ci', platform]);
      expect(later.out).toContain(
        'write the environments staging and production with their addresses, and state',
      );
    }),
);

test('each file names a schema that exists', () =>
  withFolder(async (root) => {
    await command(root, ['init', 'shop']);
    for (const file of ['campaignctl.yaml', 'campaigns/spring.yaml']) {
      const path = join(root, 'shop', file);
      const [, schema = ''] =
        /^# yaml-language-server: \$schema=(\S+)\n/.exec(await readFile(path, 'utf8')) ?? [];
      expect(JSON.parse(await readFile(join(dirname(path), schema), 'utf8'))).toHaveProperty('properties');
    }
  }));

test('commands that init and apply print quote a name with a space', () =>
  withFolder(async (root) => {
    expect(await command(root, ['init', 'my shop'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('cd "my shop"\n'),
    });
    expect(await command(join(root, 'my shop'), ['apply', 'my plan.json'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('run campaignctl apply --plan "my plan.json".'),
    });
  }));

test('existing files are kept, and init says what to add', () =>
  withFolder(async (root) => {
    await writeFile(join(root, '.gitignore'), 'dist\n');
    await writeFile(join(root, '.gitattributes'), '*.png binary\n');
    const { code, out, err } = await command(root, ['init']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('.gitignore:\n  # State and sandbox data');
    expect(out).toContain('.gitattributes:\n  # Emails');
    expect(await readFile(join(root, '.gitignore'), 'utf8')).toBe('dist\n');
    expect(await readFile(join(root, '.gitattributes'), 'utf8')).toBe('*.png binary\n');
  }));

test('the project file of init', () =>
  withFolder(async (root) => {
    await command(root, ['init']);
    await expect(await readFile(join(root, 'campaignctl.yaml'), 'utf8')).toMatchFileSnapshot(
      'golden/init.yaml',
    );
  }));

test.each([
  ['origin', /^state: \{ backend: git, branch: campaignctl\/shop, id: c[0-9a-f]{11} \}$/m],
  ['upstream', /^state: \{ backend: git, remote: upstream, branch: campaignctl\/shop, id: \w+ \}$/m],
])('in a repository with the remote %s, init keeps the state on a branch', (remote, state) =>
  withFolder(async (root) => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
    git('init', '-q');
    git('remote', 'add', remote, 'https://git.example.com/team/campaigns.git');
    const ended = await command(root, ['init', 'shop']);
    expect(ended).toMatchObject({ code: 0, err: '' });
    expect(await readFile(join(root, 'shop/campaignctl.yaml'), 'utf8')).toMatch(state);
    const shop = join(root, 'shop');
    expect(await command(shop, ['plan', '--out', 'plan.json'])).toMatchObject({ code: 0 });
    expect(await command(shop, ['apply', '--yes'])).toMatchObject({ code: 0 });
    const untracked = git('status', '--porcelain', '--untracked-files=all').trim().split('\n');
    expect(untracked.map((line) => line.slice(3)).sort()).toEqual([
      'shop/.campaignctl/schemas/campaign.schema.json',
      'shop/.campaignctl/schemas/project.schema.json',
      'shop/.gitattributes',
      'shop/.gitignore',
      'shop/campaignctl.yaml',
      'shop/campaigns/spring.yaml',
    ]);
  }),
);

test('in a repository of another user, as in a container, init keeps the state on a branch, too', () =>
  withFolder(async (root) => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' });
    git('init', '-q');
    git('remote', 'add', 'origin', 'https://git.example.com/team/campaigns.git');
    vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => git('remote')).toThrow('dubious ownership');
    expect(await command(root, ['init'])).toMatchObject({ code: 0, err: '' });
    expect(await readFile(join(root, 'campaignctl.yaml'), 'utf8')).toMatch(/^state: \{ backend: git, id: /m);
  }));

test('an existing file is an error before anything is written', () =>
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
  [['--ci', 'github', '--env', 'live'], 'init does not accept --env'],
  [['--ci', 'jenkins'], 'github'],
])('init %j is refused, and writes nothing', (flags, message) =>
  withFolder(async (root) => {
    const refused = await command(root, ['init', ...flags]);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain(message);
    expect(existsSync(join(root, 'campaignctl.yaml'))).toBe(false);
  }),
);

const PROJECT = `version: 1
manifests: [campaigns/*.yaml]
environments: { staging: { sandbox: {} } }
`;

test.each([
  [
    ['--ci', 'github'],
    [
      '.github/workflows/drift.yml',
      '.github/workflows/merge.yml',
      '.github/workflows/pull-request.yml',
      '.gitignore',
    ],
  ],
  [
    ['--ci', 'gitlab'],
    ['.gitignore', '.gitlab-ci.yml'],
  ],
  [['--agent'], ['AGENTS.md', 'SKILL.md']],
  [
    ['--agent', '--ci', 'gitlab'],
    ['.gitignore', '.gitlab-ci.yml', 'AGENTS.md', 'SKILL.md'],
  ],
])('init %j in a project writes only its own files', (flags, files) =>
  withFolder(async (root) => {
    await writeFile(join(root, 'campaignctl.yaml'), PROJECT);
    const ended = await command(root, ['init', ...flags]);
    expect(ended).toMatchObject({ code: 0, err: '' });
    const there = await readdir(root, { recursive: true, withFileTypes: true });
    const written = there
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
    expect(written.sort()).toEqual([...files, 'campaignctl.yaml'].sort());
    expect(await readFile(join(root, 'campaignctl.yaml'), 'utf8')).toBe(PROJECT);
    const again = await command(root, ['init', ...flags]);
    expect([again.code, again.out]).toEqual([1, '']);
    expect(again.err).toContain('Nothing was written');
  }),
);

test('init --ci says what to add to .gitignore until it has been added', () =>
  withFolder(async (root) => {
    await writeFile(join(root, 'campaignctl.yaml'), PROJECT);
    await writeFile(join(root, '.gitignore'), 'dist\n');
    const first = await command(root, ['init', '--ci', 'gitlab']);
    const [, lines = ''] = /Add these lines to your \.gitignore:\n((?: {2}.+\n)+)/.exec(first.out) ?? [];
    for (const name of ['plan-*.json', 'preview.html', 'preview-*.html', 'leads.csv'])
      expect(lines).toContain(`  ${name}
`);
    await writeFile(join(root, '.gitignore'), `dist\n${lines.replaceAll(/^ {2}/gm, '')}`);
    await rm(join(root, '.gitlab-ci.yml'));
    expect((await command(root, ['init', '--ci', 'gitlab'])).out).not.toContain('.gitignore');
  }));

test('init --agent writes a project and the texts of examples/assistant', () =>
  withFolder(async (root) => {
    const ended = await command(root, ['init', '--agent']);
    expect(ended).toMatchObject({ code: 0, err: '' });
    expect(ended.out).toContain('move SKILL.md there, into a folder named campaignctl.\n');
    for (const file of ['AGENTS.md', 'SKILL.md'])
      expect(await readFile(join(root, file), 'utf8')).toBe(await readFile(join(ASSISTANT, file), 'utf8'));
    expect(await command(root, ['validate'])).toMatchObject({ code: 0, out: '1 manifest valid.\n' });
  }));

test('init --agent keeps an existing AGENTS.md, and says what to add until it has been added', () =>
  withFolder(async (root) => {
    await writeFile(join(root, 'campaignctl.yaml'), PROJECT);
    await writeFile(join(root, 'AGENTS.md'), 'Run the tests.\n');
    const first = await command(root, ['init', '--agent']);
    const [, lines = ''] =
      /Add these lines to your AGENTS\.md:\n((?: {2}.+\n|\n(?= ))+)/.exec(first.out) ?? [];
    expect(lines.replaceAll(/^ {2}/gm, '')).toBe(await readFile(join(ASSISTANT, 'AGENTS.md'), 'utf8'));
    expect(await readFile(join(root, 'AGENTS.md'), 'utf8')).toBe('Run the tests.\n');
    await writeFile(join(root, 'AGENTS.md'), `Run the tests.\n\n${lines.replaceAll(/^ {2}/gm, '')}`);
    await rm(join(root, 'SKILL.md'));
    const second = await command(root, ['init', '--agent']);
    expect([second.code, second.out.includes('wrote SKILL.md'), second.out.includes('Add these')]).toEqual([
      0,
      true,
      false,
    ]);
  }));

describe('above several projects', () => {
  const PROJECTS = join(import.meta.dirname, '../../examples/ci/projects');

  it.each([
    ['a file that they extend', { 'agency.yaml': 'lint: { liquid: off }\n' }],
    ['their files', { 'clients/acme/campaignctl.yaml': PROJECT }],
  ])('known by %s, init writes files for all of them and no project', (_, files) =>
    withFolder(async (root) => {
      await writeFiles(root, files);
      const { code, out } = await command(root, ['init', '--agent', '--ci', 'gitlab']);
      expect([code, existsSync(join(root, 'campaignctl.yaml'))]).toEqual([0, false]);
      const pipeline = await readFile(join(root, '.gitlab-ci.yml'), 'utf8');
      expect(pipeline).toBe(await readFile(join(PROJECTS, 'gitlab/.gitlab-ci.yml'), 'utf8'));
      expect(await readFile(join(root, '.gitignore'), 'utf8')).toContain('\n**/.campaignctl/*\n');
      expect(existsSync(join(root, 'SKILL.md'))).toBe(true);
      expect(out).not.toContain('Next:');
      expect(out).toContain('2. Add a variable for each token_env, STATE_TOKEN and GITLAB_TOKEN.');
      expect((await command(root, ['init', '--agent'])).err).toContain('SKILL.md already exists');
    }),
  );

  it.each([
    ['', 'This folder contains projects', 'campaignctl init clients/NAME'],
    ['mail', 'mail contains projects', 'campaignctl init mail/clients/NAME'],
  ])('init %s writes no project, and says what to run', (dir, message, next) =>
    withFolder(async (root) => {
      for (const file of ['agency.yaml', 'clients/acme/campaignctl.yaml']) {
        await rm(join(root, dir, file === 'agency.yaml' ? 'clients' : 'agency.yaml'), {
          recursive: true,
          force: true,
        });
        const text = file === 'agency.yaml' ? 'shared: [shared]\n' : PROJECT;
        await writeFiles(join(root, dir), { [file]: text });
        const { code, err } = await command(root, ['init', ...(dir === '' ? [] : [dir])]);
        expect([code, oneLine(err)]).toEqual([1, expect.stringContaining(message)]);
        expect(oneLine(err)).toContain(`name its folder: ${next}.`);
        expect(await readdir(join(root, dir))).toHaveLength(1);
      }
    }),
  );

  it('init --ci github writes the workflows with --recursive', () =>
    withFolder(async (root) => {
      await writeFiles(root, { 'agency.yaml': 'shared: [shared]\n' });
      expect((await command(root, ['init', '--ci', 'github'])).code).toBe(0);
      for (const file of ['plan.yml', 'apply.yml'])
        expect(await readFile(join(root, '.github/workflows', file), 'utf8')).toContain(' --recursive ');
      const { jobs } = parse(await readFile(join(root, '.github/workflows/apply.yml'), 'utf8'));
      expect([Object.keys(jobs), jobs.production.needs]).toEqual([['staging', 'production'], 'staging']);
      expect(existsSync(join(root, 'campaignctl.yaml'))).toBe(false);
    }));
});

describe('below a file that projects extend', () => {
  const AGENCY = 'defaults:\n  custom_variables: [FIRST_NAME, COMPANY]\npolicies: { recommended: true }\n';

  /** Runs `init clients/acme` in a repository with these files. Returns what it printed, and the files of the project. */
  const initBelow = (files: Record<string, string>, use: (seen: Seen) => Promise<void> | void) =>
    withFolder(async (root) => {
      execFileSync('git', ['init', '-q'], { cwd: root });
      await writeFiles(root, files);
      const ended = await command(root, ['init', 'clients/acme']);
      const project = join(root, 'clients/acme');
      const names = existsSync(project) ? await readdir(project, { recursive: true }) : [];
      const text = await readFile(join(project, 'campaignctl.yaml'), 'utf8').catch(() => '');
      await use({ ...ended, root, project, text, names: names.filter((name) => /\./.test(name)).sort() });
    });

  interface Seen extends Ended {
    root: string;
    project: string;
    text: string;
    names: string[];
  }

  it('writes two files that repeat nothing, and that plan and apply as they are', () =>
    initBelow({ 'agency.yaml': AGENCY }, async ({ code, out, text, names, project }) => {
      expect([code, names]).toEqual([0, ['campaignctl.yaml', 'campaigns/spring.yaml']]);
      expect(out).toContain('campaignctl.yaml extends ../../agency.yaml\n');
      await expect(text).toMatchFileSnapshot('golden/init-below.yaml');
      for (const line of ['validate', 'plan', 'apply --yes', 'plan --detailed-exitcode'])
        expect([line, (await command(project, line.split(' '))).code]).toEqual([line, 0]);
      const again = await command(project, ['init']);
      expect([again.code, again.err]).toEqual([1, expect.stringContaining('Nothing was written.')]);
    }));

  const CAPS =
    'policies: { caps: { environments: [staging, production], range: { settings.max_emails_per_day: { max: 300 } } } }\n';

  it('has staging if a policy of the file names it', () =>
    initBelow({ 'agency.yaml': CAPS }, async ({ text, project }) => {
      expect(text).toContain('  # staging:\n  #   base_url: https://staging.example.com\n');
      expect(text).toContain('  #   token_env: ACME_STAGING_TOKEN\n');
      expect(text).toContain('  #   token_env: ACME_TOKEN\n  #   require_applied: staging\n');
      expect((await command(project, ['validate'])).code).toBe(0);
    }));

  it.each([
    ['clients/pier-street', 'PIER_STREET_TOKEN'],
    ['clients/acme/uk', 'ACME_UK_TOKEN'],
    ['Café', 'CAFE_TOKEN'],
    ['24-seven', 'CLIENT_24_SEVEN_TOKEN'],
    ['東京', 'CLIENT_TOKEN'],
  ])('%s has a token of its own, because a token selects a workspace', (folder, token) =>
    withFolder(async (root) => {
      execFileSync('git', ['init', '-q'], { cwd: root });
      await writeFiles(root, { 'agency.yaml': AGENCY });
      expect((await command(root, ['init', folder])).code).toBe(0);
      const text = await readFile(join(root, folder, 'campaignctl.yaml'), 'utf8');
      expect(/token_env: (.*)/.exec(text)?.[1]).toBe(token);
    }),
  );

  it('has an example without variables if the file lists others', () =>
    initBelow(
      { 'agency.yaml': 'defaults: { custom_variables: [FIRST_NAME, CITY] }\n' },
      async ({ out, project }) => {
        expect(out).not.toContain('breaks rules');
        const manifest = await readFile(join(project, 'campaigns/spring.yaml'), 'utf8');
        expect(manifest).not.toMatch(/\{[A-Z_]+\}/);
        for (const line of ['validate', 'plan', 'apply --yes', 'plan --detailed-exitcode'])
          expect([line, (await command(project, line.split(' '))).code]).toEqual([line, 0]);
      },
    ));

  it('says which rules of the file the example breaks', () =>
    initBelow(
      { 'agency.yaml': 'policies: { caps: { range: { settings.max_emails_per_day: { max: 150 } } } }\n' },
      ({ code, out }) => {
        expect(code).toBe(0);
        expect(out).toContain('The example breaks rules of ../../agency.yaml, so change it first:\n\n');
        expect(out).toContain('clients/acme/campaigns/spring.yaml:4:23  error');
      },
    ));

  it('leaves errors of the file to the next command', () =>
    initBelow(
      { 'agency.yaml': 'defaults: { custom_variable: [FIRST_NAME] }\n' },
      async ({ code, out, project }) => {
        expect([code, out]).toEqual([0, expect.stringContaining('wrote clients/acme/campaigns/spring.yaml')]);
        expect((await command(project, ['validate'])).code).toBe(1);
      },
    ));

  it.each(['github', 'gitlab'])('gets no pipeline for %s, which would not run there', (ci) =>
    initBelow({ 'agency.yaml': AGENCY }, async ({ root, project }) => {
      const refused = await command(root, ['init', 'clients/next', '--ci', ci]);
      expect([refused.code, oneLine(refused.err)]).toEqual([
        1,
        expect.stringContaining(
          `run campaignctl init --ci ${ci}; for a new project without one, campaignctl init clients/next.`,
        ),
      ]);
      expect(existsSync(join(root, 'clients/next'))).toBe(false);
      const existing = await command(project, ['init', '--ci', ci]);
      expect([existing.code, oneLine(existing.err)]).toEqual([
        1,
        expect.stringContaining(`run campaignctl init ../.. --ci ${ci};`),
      ]);
      expect((await command(root, ['init', '--ci', ci])).code).toBe(0);
    }),
  );

  it('needs no lines that git has already, whatever the comments', () =>
    initBelow({ 'agency.yaml': AGENCY, '.gitattributes': '*  text=auto eol=lf\n' }, ({ out }) => {
      expect(out).toContain('Add these lines to .gitignore:\n');
      expect(out).not.toContain('.gitattributes');
    }));

  it('says what git needs beside that file, once', () =>
    initBelow({ 'agency.yaml': AGENCY, '.gitignore': 'dist\n' }, async ({ out, root }) => {
      expect(out).toContain('Add these lines to .gitignore:\n');
      const added = /\.gitignore:\n([\s\S]*?)\n\n/.exec(out)?.[1] ?? '';
      await writeFiles(root, { '.gitignore': added.replaceAll(/^ {2}/gm, ''), '.gitattributes': '' });
      const next = await command(root, ['init', 'clients/next']);
      expect([next.code, next.out.includes('.gitignore')]).toEqual([0, false]);
      await command(join(root, 'clients/next'), ['apply', '--yes']);
      const status = execFileSync('git', ['status', '--short', '-uall'], { cwd: root, encoding: 'utf8' });
      expect(status).not.toContain('.campaignctl/');
    }));

  it.each([
    ['.campaignctl/schemas', AGENCY],
    ['tools/schemas', `# yaml-language-server: $schema=tools/schemas/extends.schema.json\n${AGENCY}`],
  ])('names the schemas in %s', (folder, agency) =>
    initBelow(
      {
        'agency.yaml': agency,
        [`${folder}/project.schema.json`]: '{}',
        [`${folder}/campaign.schema.json`]: '{}',
      },
      async ({ text, project }) => {
        expect(text.split('\n')[0]).toBe(
          `# yaml-language-server: $schema=../../${folder}/project.schema.json`,
        );
        const manifest = await readFile(join(project, 'campaigns/spring.yaml'), 'utf8');
        expect(manifest.split('\n')[0]).toBe(
          `# yaml-language-server: $schema=../../../${folder}/campaign.schema.json`,
        );
      },
    ),
  );

  it('takes the nearest one, and no other YAML', () =>
    initBelow(
      {
        'agency.yaml': AGENCY,
        'clients/rules.yml': 'lint: { liquid: off }\n',
        'clients/compose.yaml': 'version: 1\nservices: {}\n',
        'clients/spring.yaml': 'name: Spring\n',
        'clients/broken.yaml': 'lint: [\n',
        'clients/version.yaml': 'version: 1\n',
      },
      ({ text }) => {
        expect(text).toContain('extends: ../rules.yml\n');
        expect(text).toContain('custom_variables: [FIRST_NAME, COMPANY]');
      },
    ));

  it('writes nothing if there are several', () =>
    initBelow({ 'a.yaml': AGENCY, 'b.yaml': AGENCY }, ({ code, err, names }) => {
      expect([code, names]).toEqual([1, []]);
      expect(err).toContain('The project could extend ../../a.yaml or ../../b.yaml.');
    }));

  it('keeps a list that the file names, and the state on a branch of its own', () =>
    withFolder(async (root) => {
      const git = (...words: string[]) => execFileSync('git', words, { cwd: root });
      git('init', '-q');
      git('remote', 'add', 'origin', 'https://git.example.com/team/campaigns.git');
      await writeFiles(root, { 'agency.yaml': 'defaults: { lead_lists: { installers: 5 } }\n' });
      await command(root, ['init', 'clients/acme']);
      const text = await readFile(join(root, 'clients/acme/campaignctl.yaml'), 'utf8');
      expect(text).toMatch(
        /^state: \{ backend: git, branch: campaignctl\/clients\/acme, id: c[0-9a-f]{11} \}$/m,
      );
      expect(text).not.toContain('lead_lists');
    }));
});
