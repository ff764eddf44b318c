import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
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
  { project: 'agency', env: 'sandbox', create: 8, launch: 1, requests: 43 },
  { project: 'agency', env: 'production', create: 8, launch: 4, requests: 46 },
  { project: 'segments', env: 'staging', create: 4, launch: 0, requests: 20 },
  { project: 'segments', env: 'production', create: 4, launch: 3, requests: 23 },
])(
  '$project is sound, applies to $env, and has nothing left to do after that',
  ({ project, env, ...counts }) =>
    withFolder(async (folder) => {
      await cp(join(EXAMPLES, project), folder, { recursive: true });
      // The service of the example does not exist: the embedded one takes its place, everything else stays.
      const file = join(folder, 'campaignctl.yaml');
      await writeFile(file, (await readFile(file, 'utf8')).replace(REAL_SERVICE, 'sandbox: {}'));
      const run = (line: string) => command(folder, line.split(' '), {});
      expect((await run('validate')).out).toMatch(/^\d manifests? valid\.\n$/);
      const planned = await run(`plan --env ${env} --format json`);
      expect(JSON.parse(planned.out).summary).toEqual({
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

test('every example tells the editor its schema', () => {
  expect(yamlFiles.length).toBeGreaterThan(8);
  const lost = yamlFiles.filter((file) => {
    const path = join(EXAMPLES, file);
    const [, schema = ''] =
      /^# yaml-language-server: \$schema=(\S+)\n/.exec(readFileSync(path, 'utf8')) ?? [];
    const [, shared] = /(sequence|schedule)s\/[^/]+$/.exec(file) ?? [];
    const kind = shared ?? (file.endsWith('campaignctl.yaml') ? 'project' : 'campaign');
    return !schema.endsWith(`/${kind}.schema.json`) || !existsSync(join(dirname(path), schema));
  });
  expect(lost).toEqual([]);
});
