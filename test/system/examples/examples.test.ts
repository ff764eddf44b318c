import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Plan } from '../../../src/model/outputs.js';
import { command } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';

const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url));
const REAL_SERVICE = 'base_url: https://send.example.com\n    token_env: CAMPAIGNS_TOKEN';

const yamlFiles = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.yaml'),
);

test.each([
  { project: 'quickstart', env: 'sandbox', create: 1, launch: 1, requests: 7 },
  { project: 'quickstart', env: 'production', create: 1, launch: 1, requests: 7 },
  { project: 'segments', env: 'staging', create: 4, launch: 0, requests: 20 },
  { project: 'segments', env: 'production', create: 4, launch: 3, requests: 23 },
])('$project is valid, applies to $env, and then has no changes', ({ project, env, ...counts }) =>
  withFolder(async (folder) => {
    await cp(join(EXAMPLES, project), folder, { recursive: true });
    // The service of the example does not exist, so the built-in one replaces it.
    const file = join(folder, 'campaignctl.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace(REAL_SERVICE, 'sandbox: {}'));
    const run = (line: string) => command(folder, line.split(' '), {});
    expect((await run('validate')).out).toMatch(/^\d manifests? valid\.\n$/);
    const planned = await run(`plan --env ${env} --format json`);
    expect(JSON.parse(planned.out).summary).toMatchObject({
      change: 0,
      unchanged: 0,
      not_read: 0,
      blocked: 0,
      pause: 0,
      removed: 0,
      ...counts,
    });
    expect((await run(`apply --env ${env} --yes`)).code).toBe(counts.launch > 0 ? 3 : 0);
    expect((await run(`apply --env ${env} --yes --allow launch`)).code).toBe(0);
    const again = await run(`plan --env ${env} --detailed-exitcode`);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('No changes.')]);
  }),
);

test('the agency plans, applies and reports three clients at once, first in staging, then in production', () =>
  withFolder(async (folder) => {
    await cp(join(EXAMPLES, 'agency'), folder, { recursive: true });
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    for (const client of readdirSync(join(folder, 'clients'))) {
      const file = join(folder, 'clients', client, 'campaignctl.yaml');
      const text = await readFile(file, 'utf8');
      await writeFile(
        file,
        text.replaceAll(/base_url: .*\n {4}token_env: .*/g, 'sandbox: { profile: reported }'),
      );
    }
    const run = (line: string) => command(folder, line.split(' '), {});
    expect((await run('validate --recursive')).code).toBe(0);
    const early = await run('apply --recursive --env production --yes --allow launch');
    expect([early.code, /not-promoted/.test(early.out + early.err)]).toEqual([3, true]);
    const planned = JSON.parse((await run('plan --recursive --env staging --json')).out);
    const created = planned.projects.map(({ project, result }: { project: string; result: Plan }) => [
      project,
      result.summary.create,
      result.summary.launch,
    ]);
    expect(created).toEqual([
      ['clients/brightmoor', 4, 0],
      ['clients/ledgerline', 2, 0],
      ['clients/pier-street', 2, 0],
    ]);
    expect((await run('apply --recursive --env staging --yes')).code).toBe(0);
    const text = (await run('plan --recursive --env production')).out;
    const [title, counts, launches, results = ''] = text.split('\n\n');
    expect([title, counts]).toEqual([
      '3 projects: 3 planned for production',
      expect.stringMatching(/^ {2}8 to create/),
    ]);
    expect(launches?.replace(/\s+/g, ' ')).toMatch(/^4 launches · [^━]* 890 emails a day/);
    expect(`${results}\n`).toMatch(/^( {2}! clients\/\S+: \d to create.*\n( {4}\S.*\n)*){3}$/);
    // The end of a long report repeats its head.
    expect(text).toMatch(
      /\n\n3 projects: 3 planned for production: 8 to create[^\n]*\n[^\n]*\n?Needs approval: .*\n$/s,
    );
    expect((await run('plan --recursive --env production --out plans')).code).toBe(0);
    const page = await run('show plans --format html');
    expect([page.code, page.out.match(/<\/span> clients\/[^<]*<\/th>/g)?.length]).toEqual([0, 3]);
    expect((await run('apply --plan plans --yes')).code).toBe(3);
    expect((await run('apply --plan plans --yes --allow launch')).code).toBe(0);
    const again = await run('plan --recursive --env production --detailed-exitcode');
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('No changes.')]);
    const listed = await run('list --recursive --env production --check');
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining('500 of 800')]);
  }));

test('every example names its schema for editors', () => {
  expect(yamlFiles.length).toBeGreaterThan(8);
  const lost = yamlFiles.filter((file) => {
    const path = join(EXAMPLES, file);
    const [, schema = ''] =
      /^# yaml-language-server: \$schema=(\S+)\n/.exec(readFileSync(path, 'utf8')) ?? [];
    const [, shared] = /(sequence|schedule)s\/[^/]+$/.exec(file) ?? [];
    const kinds: Record<string, string> = { 'campaignctl.yaml': 'project', 'agency.yaml': 'extends' };
    const kind = shared ?? kinds[basename(file)] ?? 'campaign';
    return !schema.endsWith(`/${kind}.schema.json`) || !existsSync(join(dirname(path), schema));
  });
  expect(lost).toEqual([]);
});
