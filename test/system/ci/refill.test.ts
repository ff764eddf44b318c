import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { writeFiles } from '../../support/command.js';
import { PROGRAM } from '../../support/program.js';
import { projectFile, SCHEDULE } from '../../support/project.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { gitlab, has, type Step, text, type Workflow } from './files.js';
import { bash } from './runner.js';

/** The nightly pipelines that propose new values of `refill`: their scripts run with git, the program and a service. */

const GITHUB: Workflow = parse(text('examples/ci/refill/github.yml'));
const GITLAB = parse(text('examples/ci/refill/gitlab.yml'));
/** What runs in one shell: a step on GitHub, the whole job on GitLab. */
const steps: Record<string, Pick<Step, 'run' | 'if'>[]> = {
  GitHub: (GITHUB.jobs.refill?.steps ?? []).filter(({ name, run }) => name && run),
  GitLab: [{ run: GITLAB.refill.script.join('\n') }],
};

const QUIET = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
const manifest = (name: string, list: string) =>
  `name: ${name}\n${SCHEDULE}sequence:\n  title: ${name}\n  steps: [{ email_subject: Hi, email_body: Hello, wait_in_days: 3 }]\nleads:\n  lists:\n    - ${list} # ours\nstatus: running\n`;

let home: string;
let service: TestService;
let env: Record<string, string>;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'campaignctl-refill-'));
  service = await startService(shaped({ totals: 'shown' }), { campaigns: [], templates: [] });
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const program = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program('npx', `shift 2; exec '${process.execPath}' '${PROGRAM}' "$@"`);
  // Remembers the pull request that it creates.
  program(
    'gh',
    `echo "gh $1 $2" >> '${home}/gh'; case "$1 $2" in 'pr list') cat '${home}/open' 2> /dev/null || true ;; 'pr create') echo 7 > '${home}/open' ;; esac`,
  );
  env = {
    ...QUIET,
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    CAMPAIGNCTL_ENV: 'production',
    CAMPAIGNS_TOKEN: TOKEN,
    BRANCH: 'campaigns/refill',
    CI_PROJECT_URL: join(home, 'origin'),
    CI_SERVER_URL: 'https://gitlab.example',
    CI_DEFAULT_BRANCH: 'main',
  };
  git(home, 'init', '--quiet', '--bare', '--initial-branch=main', 'origin.git');
  git(join(home, 'origin.git'), 'config', 'receive.advertisePushOptions', 'true');
});
afterEach(async () => {
  await service.close();
  rmSync(home, { recursive: true, force: true });
});

function git(folder: string, ...words: string[]): string {
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  const options = { cwd: folder, env: { ...process.env, ...QUIET }, encoding: 'utf8' } as const;
  return execFileSync('git', [...author, ...words], {
    ...options,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

async function run(script: string, folder: string): Promise<void> {
  const { code, output } = await bash(script, folder, env);
  expect(code, output).toBe(0);
}

interface Ran {
  code: number | null;
  output: string;
}

/** Runs the job's steps. On GitHub, the last one has the condition that projects could not be listed. */
async function job(platform: string, folder: string): Promise<Ran> {
  const outputs = join(folder, '.git', 'outputs');
  let said = '';
  for (const { run: script = '', if: condition } of steps[platform] ?? []) {
    if (condition !== undefined) expect(condition).toBe("steps.values.outputs.code == '1'");
    if (condition !== undefined && !readFileSync(outputs, 'utf8').includes('code=1\n')) continue;
    const { code, output } = await bash(script, folder, { ...env, GITHUB_OUTPUT: outputs });
    said += output;
    if (code !== 0) return { code, output: said };
  }
  return { code: 0, output: said };
}

/** A night's pipeline: a new checkout of main, with the state that the applies keep. */
async function night(platform: string, projects: readonly string[] = ['.']): Promise<Ran> {
  const folder = mkdtempSync(join(home, 'night-'));
  git(folder, 'clone', '--quiet', join(home, 'origin.git'), '.');
  for (const project of projects)
    await run(`cp -r '${home}/project/${project}/.campaignctl' '${project}'`, folder);
  return job(platform, folder);
}

describe.skipIf(!has('bash') || process.platform !== 'linux')('a pipeline that refills lists', () => {
  it.each(Object.keys(steps))(
    'on %s proposes the day as the new value, once, and applies nothing',
    async (platform) => {
      const project = join(home, 'project');
      git(home, 'clone', '--quiet', join(home, 'origin.git'), 'project');
      const files = {
        // Winter has leads left, and two lists on one line, but is in the file of a campaign that has none.
        'campaigns/spring.yaml': `${manifest('Spring', '{ list: visitors, refill: 2026-01-05 }')}---\n${manifest('Winter', '{ list: 10, refill: 2026-01-05 }').replace('\n    - { list: 10, refill: 2026-01-05 }', ' [{ list: 10, refill: 2026-01-05 }, { list: 11, refill: "2026-01-05" }]')}`,
        'campaigns/autumn.yaml': manifest('Autumn', '{ list: 8, refill: "2026-01-06" }'),
        'campaigns/fair.yaml': manifest('Fair', '9'),
      };
      await writeFiles(project, {
        'campaignctl.yaml': projectFile(
          '    lead_lists: { visitors: 7 }\n    service: { attach_repeat: safe }\n',
        ).replace('{url}', service.url),
        '.gitignore': '.campaignctl/\n',
        ...files,
      });
      const push = () => git(project, 'push', '--quiet', 'origin', 'HEAD:main');
      const main = () => git(join(home, 'origin.git'), 'log', '--format=%s', 'main');
      git(project, 'add', '.');
      git(project, 'commit', '--quiet', '--message', 'Campaigns');
      push();
      const apply = 'npx --no campaignctl apply --yes --allow launch --allow attach-running';
      await run(`${apply} --allow unkept-state`, project);
      const contacted = (name: string, number: number) => {
        const live = service.store.campaigns.find((campaign) => campaign.name === name);
        Object.assign(live ?? {}, { counters: { total_leads_contacted: number } });
      };
      for (const name of ['Spring', 'Fair']) contacted(name, 100);
      for (const name of ['Autumn', 'Winter']) contacted(name, 99);
      const writes = service.writes().length;

      expect(await night(platform)).toMatchObject({ code: 0 });
      const branch = () => git(join(home, 'origin.git'), 'rev-parse', 'campaigns/refill');
      const show = (file: string) => git(join(home, 'origin.git'), 'show', `campaigns/refill:${file}`);
      const today = new Date().toISOString().slice(0, 10);
      expect(show('campaigns/spring.yaml')).toBe(
        files['campaigns/spring.yaml'].replaceAll('2026-01-05', today).trim(),
      );
      for (const file of ['campaigns/autumn.yaml', 'campaigns/fair.yaml'] as const)
        expect(show(file)).toBe(files[file].trim());
      expect(main()).toBe('Campaigns');
      expect(service.writes()).toHaveLength(writes);

      // The next night, the pull request is still open.
      expect(await night(platform)).toMatchObject({ code: 0 });
      if (platform === 'GitHub') {
        const calls = readFileSync(join(home, 'gh'), 'utf8').trim().split('\n');
        expect(calls).toEqual([
          ...['gh auth setup-git', 'gh pr list', 'gh pr create'],
          ...['gh auth setup-git', 'gh pr list'],
        ]);
      }

      // Once it is merged, there is nothing to propose, whether it is applied or not.
      git(project, 'fetch', '--quiet');
      git(project, 'merge', '--quiet', '--ff-only', branch());
      push();
      const proposed = branch();
      expect(await night(platform)).toMatchObject({ code: 0 });
      await run(`${apply} --allow unkept-state`, project);
      const attached = service.writes().slice(writes);
      expect(attached.every(({ path }) => path.endsWith('/attach-lead-list'))).toBe(true);
      expect(new Set(attached.map(({ body }) => Object(body).lead_list_id))).toEqual(new Set([7, 10, 11]));
      expect(attached).toHaveLength(3);
      expect(await night(platform)).toMatchObject({ code: 0 });
      expect(branch()).toBe(proposed);
    },
    60_000,
  );

  it.each(Object.keys(steps))(
    'on %s proposes new values for several projects, also if one cannot be listed, and then fails',
    async (platform) => {
      const project = join(home, 'project');
      git(home, 'clone', '--quiet', join(home, 'origin.git'), 'project');
      const config = projectFile('    lead_lists: { visitors: 7 }\n').replace('{url}', service.url);
      await writeFiles(project, {
        '.gitignore': '.campaignctl/\n',
        'clients/acorn/campaignctl.yaml': config,
        'clients/acorn/campaigns/spring.yaml': manifest('Spring', '{ list: visitors, refill: 2026-01-05 }'),
        'clients/birch/campaignctl.yaml': config,
        'clients/birch/campaigns/fair.yaml': manifest('Fair', '{ list: 9, refill: 2026-01-05 }'),
        'clients/cedar/campaignctl.yaml': config.replace('CAMPAIGNS_TOKEN', 'CEDAR_TOKEN'),
      });
      git(project, 'add', '.');
      git(project, 'commit', '--quiet', '--message', 'Campaigns');
      git(project, 'push', '--quiet', 'origin', 'HEAD:main');
      env.CEDAR_TOKEN = TOKEN;
      await run(
        'npx --no campaignctl apply --recursive --yes --allow launch --allow attach-running --allow unkept-state',
        project,
      );
      for (const campaign of service.store.campaigns)
        campaign.counters = { total_leads_contacted: campaign.name === 'Spring' ? 100 : 1 };
      const clients = ['clients/acorn', 'clients/birch'];
      const changed = ['diff', '--name-only', 'main', 'campaigns/refill'];
      expect(await night(platform, clients)).toMatchObject({ code: 0 });
      expect(git(join(home, 'origin.git'), ...changed)).toBe('clients/acorn/campaigns/spring.yaml');
      git(join(home, 'origin.git'), 'branch', '-D', 'campaigns/refill');

      env.CEDAR_TOKEN = 'not-valid';
      const { code, output } = await night(platform, clients);
      expect([code, output]).toEqual([1, expect.stringContaining('clients/cedar: ')]);
      expect(git(join(home, 'origin.git'), ...changed)).toBe('clients/acorn/campaigns/spring.yaml');
      git(join(home, 'origin.git'), 'branch', '-D', 'campaigns/refill');

      await writeFiles(project, { 'clients/cedar/campaigns/fair.yaml': 'name: Fair: visitors\n' });
      git(project, 'add', '.');
      git(project, 'commit', '--quiet', '--message', 'A broken manifest');
      git(project, 'push', '--quiet', 'origin', 'HEAD:main');
      expect(await night(platform, clients)).toEqual({
        code: 1,
        output: expect.stringContaining('clients/cedar: '),
      });
      expect(git(join(home, 'origin.git'), ...changed)).toBe('clients/acorn/campaigns/spring.yaml');
    },
    60_000,
  );

  it.each(Object.entries(steps))('on %s fails if the list cannot be understood', (_, [first]) => {
    writeFileSync(join(home, 'bin', 'npx'), '#!/bin/sh\necho "{}"\n');
    // GitHub's runner does not set `pipefail`.
    const { status } = spawnSync('bash', ['-e', '-c', first?.run ?? ''], { cwd: home, env, stdio: 'ignore' });
    expect(status).toBe(1);
  });

  it('on GitLab, extends the pipeline that init writes, and gives each command only its secrets', () => {
    const { extends: base, stage } = GITLAB.refill;
    expect([Object.hasOwn(gitlab, base), Object(gitlab).stages.includes(stage)]).toEqual([true, true]);
    const lines: string[] = GITLAB.refill.script.join('\n').match(/^.*(?:npx --no|node -e|git push).*$/gm);
    const commands = lines.map((line) => [
      /npx --no campaignctl \w+|node -e|git push/.exec(line)?.[0],
      ['CAMPAIGNS_TOKEN_PRODUCTION', 'REFILL_TOKEN'].filter((name) => !line.includes(`-u ${name} `)),
    ]);
    expect(commands).toEqual([
      ['npx --no campaignctl list', ['CAMPAIGNS_TOKEN_PRODUCTION']],
      ['node -e', []],
      ['npx --no campaignctl validate', []],
      ['git push', ['REFILL_TOKEN']],
    ]);
  });
});
