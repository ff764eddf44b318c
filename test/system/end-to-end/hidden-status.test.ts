/** How a campaign reads whose status neither the service nor the state knows. Its facts are in ../scenarios/hidden-status. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SCHEDULE, withProject } from '../../support/project.js';

const MANIFEST = `name: Spring installers
${SCHEDULE}sequence:
  title: Spring
  steps: [{ email_subject: A question, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }]
leads: { ids: [7] }
status: running
`;

it.each([
  ['{ status: hidden }', 0],
  ['{}', 4],
])('is not called a draft: %s', (service, code) =>
  withProject(
    {
      shape: { status: 'hidden' },
      environment: `    service: ${service}\n`,
      files: { 'campaigns/spring.yaml': MANIFEST },
    },
    async ({ exits, folder, plan, run }) => {
      await exits(code, 'apply --yes --hold launch');
      await rm(join(folder, '.campaignctl'), { recursive: true });
      for (const [format, words] of [
        ['text', /status {2}(not sent {2})?not shown → running/],
        ['markdown', /`not shown` → `running`/],
        ['html', /<del>not shown<\/del><\/td><td><ins>running</],
      ] as const)
        expect((await run(`plan --format ${format}`)).out).toMatch(words);
      const change = { section: 'status', path: '', kind: 'update', from: null, to: 'running' };
      const { campaigns } = await plan();
      expect(campaigns[0]?.changes.at(-1)).toEqual({ ...change, note: null, origin: null });
    },
  ),
);
