/** docs/service.md says which commands read which endpoint. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SCHEDULE, withProject } from '../support/project.js';
import { TOKEN } from '../support/service/service.js';
import { draft } from '../support/service/store.js';

const page = readFileSync(new URL('../../docs/service.md', import.meta.url), 'utf8');
const rows = Array.from(page.matchAll(/^\| `GET (\S+)` \| (.+) \|$/gm), ([, path = '', by = '']) => ({
  path,
  by,
}));

const SPRING = `name: Spring
status: running
${SCHEDULE}sequence:
  title: Spring
  steps: [{ email_subject: A question, email_body: <p>Worth a look?</p>, wait_in_days: 3 }]
leads: { ids: [1] }
`;

test.each([
  ['list', 'list'],
  ['plan', 'plan'],
  ['apply', 'apply --yes'],
  ['import', 'import --update --all'],
  ['import', 'import Autumn'],
  ['preview --live', 'preview --live'],
  ['pause', 'pause --all --unmanaged --yes'],
])('the page about the service lists what %s reads: %s', (command, line) =>
  withProject(
    {
      campaigns: [{ ...draft(1, 'Autumn'), status: 'active' }],
      files: { 'campaigns/spring.yaml': SPRING },
      variables: { CAMPAIGNS_TOKEN: TOKEN },
    },
    async ({ run, service, exits }) => {
      await exits(0, 'apply --yes --allow launch');
      service.requests.length = 0;
      expect((await run(line)).code).toBe(0);
      const read = service.requests
        .filter(({ method }) => method === 'GET')
        .map(({ path }) => path.replace(/\?.*/, '').replace(/campaigns\/\d+/, 'campaigns/{id}'));
      const listed = rows.filter(({ by }) => by.startsWith('every command') || by.includes(command));
      // The manifest names no template.
      const paths = listed.map(({ path }) => path).filter((path) => !path.endsWith('/templates'));
      expect(rows).toHaveLength(5);
      expect([...new Set(read)].toSorted()).toEqual(paths.toSorted());
    },
  ),
);
