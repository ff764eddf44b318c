import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { writeFiles } from '../../support/command.js';
import { type GitServer, startGitServer } from '../../support/git-http.js';
import { PROGRAM } from '../../support/program.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { gitlab, has, text } from './files.js';
import { openRunner } from './runner.js';

/**
 * The state on a branch of a repository that requires a token, accessed as in pipelines: git over HTTP with a local server.
 */

const GIT_TOKEN = 'git-token-1f9c2a';
const SECRETS = { CAMPAIGNS_TOKEN: TOKEN, STATE_TOKEN: GIT_TOKEN };
let home: string;
let server: GitServer;
let service: TestService;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'campaignctl-state-'));
  service = await startService(shaped({}), { campaigns: [], templates: [] });
  git(home, 'init', '--quiet', '--bare', 'mailings.git');
  git(join(home, 'mailings.git'), 'config', 'http.receivepack', 'true');
  server = await startGitServer(home, { token: GIT_TOKEN });
});
afterEach(async () => {
  await Promise.all([service.close(), server.close()]);
  rmSync(home, { recursive: true, force: true });
});

const quiet = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_TERMINAL_PROMPT: '0' };

function git(folder: string, ...words: string[]): string {
  const env = { ...process.env, ...quiet };
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  return execFileSync('git', words, { cwd: folder, env, encoding: 'utf8', stdio: [...stdio] }).trim();
}

function program(file: string, shift: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${shift}exec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  chmodSync(file, 0o755);
}

/** A checkout without credentials. */
async function checkOut(folder: string): Promise<void> {
  git(folder, 'init', '--quiet');
  git(folder, 'remote', 'add', 'origin', `${server.url}/mailings.git`);
  await writeFiles(folder, {
    'campaignctl.yaml': `version: 1
manifests: ["campaigns/*.yaml"]
state: { backend: git, id: 5f1c20a9be37 }
environments:
  staging: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN }
`,
    'campaigns/spring.yaml': 'name: Spring\nleads: { lists: [7] }\n',
  });
}

const branches = () => git(join(home, 'mailings.git'), 'for-each-ref', '--format=%(refname:short)');
const refused = { ...quiet, GITHUB_TOKEN: 'another-token', GITHUB_EVENT_NAME: 'push' };

describe.skipIf(!has('bash'))('the state of a pipeline', () => {
  it('is on a branch that the action accesses with its token, from one runner to the next', async () => {
    const inputs = { version: 'installed', environment: 'staging', 'service-token': TOKEN };
    const env = { ...refused, GITHUB_SERVER_URL: server.url };
    const ended = [];
    for (const mode of ['plan', 'apply', 'plan']) {
      const runner = openRunner();
      try {
        await checkOut(runner.project);
        program(join(runner.project, 'node_modules/.bin/campaignctl'), '');
        if (mode === 'apply') await runner.use({ ...inputs, mode: 'plan', token: GIT_TOKEN }, env);
        const used = await runner.use({ ...inputs, mode, token: GIT_TOKEN }, env);
        expect([used.failed, used.log], used.log).toEqual([null, expect.not.stringContaining(GIT_TOKEN)]);
        ended.push(used.outputs['exit-code']);
        if (mode === 'apply') continue;
        const denied = await runner.use({ ...inputs, mode: 'plan', token: 'another-token' }, env);
        expect([denied.failed, denied.log]).toEqual([
          'Plan',
          expect.stringContaining('cannot read the state'),
        ]);
      } finally {
        runner.close();
      }
    }
    expect([ended, branches()]).toEqual([['2', '0', '0'], 'campaignctl/staging']);
  });

  const many = parse(text('examples/ci/projects/gitlab/.gitlab-ci.yml'));
  it.each([
    ['', ['npx --no campaignctl plan --out plan-staging.json'], Object(gitlab['.apply']).script],
    [' of several projects', many.plan.script, [many['.apply'].before_script, many.staging.script].flat()],
  ])('is on a branch to which the job of GitLab%s writes with its own token', async (_, plan, apply) => {
    const project = join(home, 'project');
    mkdirSync(project);
    await checkOut(project);
    git(
      project,
      'config',
      'remote.origin.url',
      `${server.url.replace('//', `//ci:${GIT_TOKEN}@`)}/mailings.git`,
    );
    program(join(home, 'bin/npx'), 'shift 2\n');
    const run = (script: string[]) => {
      const PATH = [join(home, 'bin'), process.env.PATH].join(delimiter);
      const ci = {
        CI_PROJECT_URL: `${server.url}/mailings`,
        CI_SERVER_URL: server.url,
        CAMPAIGNCTL_ENV: 'staging',
      };
      const part = { CI_NODE_INDEX: '1', CI_NODE_TOTAL: '1' };
      const env = { ...quiet, ...SECRETS, ...ci, ...part, PATH, HOME: home, OTHER_TOKEN: 'NONE' };
      return new Promise<number | null>((resolve) => {
        const child = spawn('bash', ['-eo', 'pipefail', '-c', script.join('\n')], {
          cwd: project,
          env,
          stdio: 'ignore',
        });
        child.on('close', resolve);
      });
    };
    expect(await run(plan)).toBe(0);
    expect([await run(apply), branches()]).toEqual([0, 'campaignctl/staging']);
    expect(
      spawnSync('grep', ['-rl', GIT_TOKEN, join(project, '.campaignctl')], { encoding: 'utf8' }).stdout,
    ).toBe('');
  });
});
