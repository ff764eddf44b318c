import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';

const services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

interface Scene {
  folder: string;
  one: TestService;
  other: TestService;
  run(line: string, env?: Record<string, string>): ReturnType<typeof command>;
}

const projectAt = (url: string, token: string, more = '') => `version: 1
manifests: ["*.yaml"]
environments:
  live: { base_url: "${url}", token_env: ${token}${more} }
`;

/** Three projects at two services, a project of clients in the sandbox, and one that is broken. */
async function withProjects(use: (scene: Scene) => Promise<void>, files: Record<string, string> = {}) {
  const [one, other] = await Promise.all(
    ['a', 'b'].map(() => startService(shaped({}), { campaigns: [], templates: [] })),
  );
  if (one === undefined || other === undefined) throw new Error('no service');
  services.push(one, other);
  await withFolder(async (folder) => {
    await writeFiles(folder, {
      'a/campaignctl.yaml': projectAt(one.url, 'ONE_TOKEN'),
      'a/spring.yaml': 'name: Spring\n',
      'b/deep/campaignctl.yaml': projectAt(one.url, 'ONE_TOKEN', ', limits: { requests_per_minute: 6000 }'),
      'b/deep/summer.yaml': 'name: Summer\n---\nname: Late summer\n',
      'c/campaignctl.yaml': projectAt(other.url, 'OTHER_TOKEN'),
      'c/autumn.yaml': 'name: Autumn\n',
      'clients/campaignctl.yaml':
        'version: 1\nmanifests: ["*/*.yaml"]\nenvironments:\n  x: { sandbox: {}, manifests: [x/*.yaml] }\n  y: { sandbox: {}, manifests: [y/*.yaml] }\n',
      'clients/x/one.yaml': 'name: One\n',
      'clients/y/one.yaml': 'name: One\n',
      'broken/campaignctl.yaml': 'version: 1\nmanifests: []\n',
      'node_modules/p/campaignctl.yaml': 'version: 1\n',
      '.hidden/campaignctl.yaml': 'version: 1\n',
      ...files,
    });
    const tokens = { ONE_TOKEN: TOKEN, OTHER_TOKEN: TOKEN };
    await use({
      ...{ folder, one, other },
      run: (line, env = tokens) => command(folder, line.split(' '), env),
    });
  });
}

/** Each project with its exit code, and what it came to in a word. */
function partsOf(out: string) {
  const { exit_code, projects } = JSON.parse(out);
  return [
    exit_code,
    ...projects.map(
      (part: { project: string; environment: string; exit_code: number; error: { code: string } }) =>
        [part.project, part.environment, part.exit_code, part.error?.code].join(' ').trim(),
    ),
  ];
}

it('every project is planned at its own service, and one that is broken stops none', async () => {
  await withProjects(async ({ one, other, run }) => {
    const planned = await run('plan --recursive --format json');
    expect(partsOf(planned.out)).toEqual([
      1,
      'a live 0',
      'b/deep live 0',
      'broken  1 invalid-project',
      'c live 0',
      'clients x 0',
      'clients y 0',
    ]);
    for (const service of [one, other]) expect(service.requests.length).toBeGreaterThan(0);
  });
});

it('a project whose origin is not allowed sends nothing, and the others go on', async () => {
  await withProjects(async ({ one, other, run }) => {
    const env = { ONE_TOKEN: TOKEN, OTHER_TOKEN: TOKEN, CAMPAIGNCTL_ORIGINS: one.url };
    expect(partsOf((await run('plan --recursive --format json', env)).out)).toContain(
      'c live 1 origin-not-allowed',
    );
    expect(one.requests.length).toBeGreaterThan(0);
    expect(other.requests).toEqual([]);
  });
});

it('what fails in one project is told under its folder, and the worst exit code ends the run', async () => {
  const noToken = { ONE_TOKEN: TOKEN };
  await withProjects(async ({ one, other, run }) => {
    const planned = await run('plan --recursive', noToken);
    expect(planned.code).toBe(1);
    await expect(planned.out.replaceAll(one.url, 'https://one.example.com')).toMatchFileSnapshot(
      'golden/recursive.txt',
    );
    const markdown = await run('plan --recursive --format markdown', noToken);
    await expect(
      markdown.out.replaceAll(one.url, 'https://one.example.com').replace(/plan `\w+`/g, 'plan `…`'),
    ).toMatchFileSnapshot('golden/recursive.md');
    expect(one.writes()).toEqual([]);
    const applied = await run('apply --recursive --yes --format json', noToken);
    expect(partsOf(applied.out)).toEqual([
      1,
      'a live 0',
      'b/deep live 0',
      'broken  1 invalid-project',
      'c live 1 no-token',
      'clients x 0',
      'clients y 0',
    ]);
    expect(one.store.campaigns.map(({ name }) => name).sort()).toEqual(['Late summer', 'Spring', 'Summer']);
    expect(other.requests).toEqual([]);
    const again = await run('plan --recursive --detailed-exitcode --format json', noToken);
    expect(partsOf(again.out).slice(0, 3)).toEqual([1, 'a live 0', 'b/deep live 0']);
    const lists = await run('list --recursive', noToken);
    expect(lists.out).toContain('6 projects: 4 listed, 2 failed');
    const valid = await run('validate --recursive --format github', {});
    expect(valid.code).toBe(1);
    expect(valid.out).toContain('::error file=broken/campaignctl.yaml');
  });
});

it('shards take each project once, and say so', async () => {
  await withProjects(async ({ run, one }) => {
    const parts = await Promise.all(
      [1, 2, 3].map((index) =>
        run(`apply --recursive --yes --format json --shard ${index}/3`, { ONE_TOKEN: TOKEN }),
      ),
    );
    const all = parts.flatMap(({ out }) => partsOf(out).slice(1));
    expect(all.sort()).toEqual([
      'a live 0',
      'b/deep live 0',
      'broken  1 invalid-project',
      'c live 1 no-token',
      'clients x 0',
      'clients y 0',
    ]);
    expect(parts[0]?.err).toContain('Shard 1 of 3: 2 of 6 projects.');
    expect(one.writes()).toHaveLength(3);
  });
});

it('options that mean one project do not go with several, and apply does not ask', async () => {
  await withProjects(async ({ folder, run, one }) => {
    expect((await run('apply --recursive')).err).toContain('does not ask for each project');
    for (const line of [
      'apply --recursive',
      'apply --recursive --yes --target Spring',
      'apply --recursive --yes a/spring.yaml',
      'apply --yes --shard 1/2',
      'plan --recursive --config a/campaignctl.yaml',
    ])
      expect((await run(line)).code, line).toBe(1);
    expect(await command(join(folder, 'a/..', 'clients/x'), ['plan', '--recursive'])).toMatchObject({
      code: 1,
    });
    expect(one.requests).toEqual([]);
  });
});

it('a service that limits requests delays the projects, and fails none', async () => {
  await withProjects(async ({ run, one }) => {
    one.answerAt(1, { status: 429, body: {}, effect: false });
    expect(
      partsOf((await run('plan --recursive --format json', { ONE_TOKEN: TOKEN })).out).slice(0, 3),
    ).toEqual([1, 'a live 0', 'b/deep live 0']);
  });
});

it('plans are kept for each project, shown in one report, and applied as they were reviewed', async () => {
  await withProjects(async ({ folder, run, one }) => {
    const env = { ONE_TOKEN: TOKEN };
    for (const index of [1, 2, 3])
      expect((await run(`plan --recursive --shard ${index}/3 --out plans/`, env)).code).not.toBe(3);
    const files = readdirSync(join(folder, 'plans'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => name.endsWith('.json')).sort()).toEqual([
      'a/live.plan.json',
      'b/deep/live.plan.json',
      'broken/campaignctl.plan.json',
      'c/live.plan.json',
      'campaignctl-plans.json',
      'clients/x.plan.json',
      'clients/y.plan.json',
    ]);
    const shown = await run('show plans --format json', {});
    expect(partsOf(shown.out)).toEqual([
      1,
      'a live 0',
      'b/deep live 0',
      'broken  1 invalid-project',
      'c live 1 no-token',
      'clients x 0',
      'clients y 0',
    ]);
    expect(one.writes()).toEqual([]);
    // What is new since the plan is not sent.
    await writeFiles(folder, { 'a/new.yaml': 'name: New\n' });
    const applied = await run('apply --plan plans --yes --format json', env);
    expect(partsOf(applied.out)).toEqual([
      1,
      'a live 3 plan-manifests-changed',
      'b/deep live 0',
      'broken  1 invalid-project',
      'c live 1 no-token',
      'clients x 0',
      'clients y 0',
    ]);
    expect(one.store.campaigns.map(({ name }) => name).sort()).toEqual(['Late summer', 'Summer']);
  });
});

it('a shard without a project says so and is no failure', async () => {
  await withProjects(async ({ run, one }) => {
    expect(await run('apply --recursive --yes --shard 7/7', { ONE_TOKEN: TOKEN })).toMatchObject({
      code: 0,
      out: '0 projects\n',
      err: 'Shard 7 of 7: 0 of 6 projects. No project is left for it.\n',
    });
    expect(one.requests).toEqual([]);
  });
});

it('the end names the projects that failed', async () => {
  await withProjects(async ({ run }) => {
    const { out } = await run('apply --recursive --yes', { ONE_TOKEN: TOKEN });
    expect(out.slice(out.indexOf('Failed projects'))).toBe(`Failed projects
  ✗ broken failed: The project file campaignctl.yaml has 2 errors. [invalid-project]
  ✗ c (live) failed: The environment variable OTHER_TOKEN is not set. It holds the API token for live. [no-token]
`);
  });
});

it('a report names each project whose plan is missing, damaged or of another environment, and none is applied', async () => {
  await withProjects(async ({ folder, run, one }) => {
    const env = { ONE_TOKEN: TOKEN };
    const plan = (line: string) => run(`plan --recursive ${line}`, env);
    const file = (name: string) => join(folder, 'plans', name);
    await plan('--shard 1/2 --out plans');
    const parts = (missing: string) => [
      1,
      'a live 0',
      `b/deep live${missing}`,
      'broken  1 invalid-project',
      `c live 1 ${missing === ' 0' ? 'no-token' : 'plans-incomplete'}`,
      'clients x 0',
      `clients y${missing}`,
    ];
    expect(partsOf((await run('show plans --format json')).out)).toEqual(parts(' 1 plans-incomplete'));
    await plan('--shard 2/2 --out plans');
    expect(partsOf((await run('show plans --format json')).out)).toEqual(parts(' 0'));

    copyFileSync(file('clients/x.plan.json'), file('clients/y.plan.json'));
    writeFileSync(file('a/live.plan.json'), 'x');
    rmSync(file('b/deep/live.plan.json'));
    const faults = [
      1,
      'a live 1 plan-file-unusable',
      'b/deep live 1 plans-incomplete',
      'broken  1 invalid-project',
      'c live 1 no-token',
      'clients x 0',
      'clients y 1 plans-incomplete',
    ];
    expect(partsOf((await run('show plans --format json')).out)).toEqual(faults);
    expect(partsOf((await run('apply --plan plans --yes --format json', env)).out)).toEqual(faults);
    expect(one.writes()).toEqual([]);

    // A project that cannot be planned again does not keep its old plan.
    await plan('--out plans');
    await writeFiles(folder, { 'a/spring.yaml': 'nope: 1\n' });
    await plan('--out plans');
    expect(partsOf((await run('show plans --format json')).out)[1]).toBe('a live 1 invalid-manifests');

    rmSync(file('campaignctl-plans.json'));
    for (const line of ['show plans', 'apply --plan plans --yes', 'comment plans --platform github'])
      expect(await run(line, env), line).toMatchObject({
        code: 1,
        err: expect.stringContaining('[plans-incomplete]'),
      });
    expect(one.writes()).toEqual([]);
  });
});

it('a project that was added or removed since the plan is not applied', async () => {
  await withProjects(async ({ folder, run, one }) => {
    const env = { ONE_TOKEN: TOKEN };
    await run('plan --recursive --out plans', env);
    await writeFiles(folder, {
      'd/campaignctl.yaml': projectAt(one.url, 'ONE_TOKEN'),
      'd/x.yaml': 'name: X\n',
    });
    rmSync(join(folder, 'a'), { recursive: true });
    expect((await run('apply --plan plans --yes --env live', env)).err).toContain('does not go with --env');
    expect(one.writes()).toEqual([]);
    const { out } = await run('apply --plan plans --yes --format json', env);
    expect(partsOf(out).slice(1, 3)).toEqual(['a live 1 file-not-found', 'b/deep live 0']);
    expect(one.store.campaigns.map(({ name }) => name).sort()).toEqual(['Late summer', 'Summer']);
  });
});

const STAGES = (url: string) => `version: 1
manifests: ["*.yaml", "!campaignctl.yaml"]
environments:
  try-staging: { sandbox: {} }
  a-staging: { base_url: "${url}", token_env: ONE_TOKEN }
  b-staging: { base_url: "${url}", token_env: OTHER_TOKEN }
  production: { base_url: "${url}", token_env: ONE_TOKEN }
`;

it('takes each environment that a pattern matches, and no sandbox', async () => {
  const fakes = await Promise.all(
    ['a', 'b'].map(() => startService(shaped({}), { campaigns: [], templates: [] })),
  );
  services.push(...fakes);
  const [a, b] = fakes;
  await withFolder(async (folder) => {
    const text = STAGES(a?.url ?? '').replace(/(b-staging.*?)"[^"]*"/, `$1"${b?.url}"`);
    await writeFiles(folder, { 'campaignctl.yaml': text, 'spring.yaml': 'name: Spring\n' });
    const run = (...argv: string[]) => command(folder, argv, { ONE_TOKEN: TOKEN, OTHER_TOKEN: TOKEN });
    const names = async (...argv: string[]) => {
      const { code, out } = await run(...argv, '--json');
      const { projects } = JSON.parse(out) as { projects: { environment: string }[] };
      return [code, ...projects.map(({ environment }) => environment)];
    };
    expect(await names('plan', '--env', '*-staging')).toEqual([0, 'a-staging', 'b-staging']);
    expect(await names('list', '--env', '?-staging')).toEqual([0, 'a-staging', 'b-staging']);
    expect(await names('validate', '--env', 'a-*')).toEqual([0, 'a-staging']);
    const none = await run('plan', '--env', '*-live');
    expect([none.code, none.err.includes('[unknown-environment]')]).toEqual([1, true]);
    const file = await run('plan', '--env', '*-staging', 'spring.yaml');
    expect([file.code, file.err.includes('does not go with spring.yaml')]).toEqual([1, true]);
    await run('plan', '--env', '*-staging', '--out', 'plans');
    const applied = await run('apply', '--plan', 'plans', '--yes');
    expect([applied.code, a?.writes().length, b?.writes().length], applied.err).toEqual([0, 1, 1]);
  });
});
