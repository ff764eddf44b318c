/** How a campaign that takes the place of another one reads. Its facts are in ../scenarios/succession. */
import { expect, it } from 'vitest';
import { type Project, SCHEDULE, withProject } from '../../support/project.js';

const manifest = (name: string, greeting: string, more = '') => `name: ${name}
${more}settings: { max_emails_per_day: 200, max_new_leads_per_day: 50, reputation_building: false }
${SCHEDULE}sequence:
  title: Spring
  steps:
    - { email_subject: A question, email_body: "${greeting} {FIRST_NAME}, worth a look?", wait_in_days: 3 }
    - { email_subject: Once more, email_body: "Still there, {FIRST_NAME}?", wait_in_days: 2 }
leads: { lists: [77] }
status: running
`;

const ALLOW = '--yes --allow launch --allow shared-leads';

/** Spring runs, and its manifest has new copy and the name of a campaign that replaces it. */
const replacing = (use: (project: Project) => Promise<void>) =>
  withProject({ files: { 'campaigns/spring.yaml': manifest('Spring', 'Hi') } }, async (project) => {
    await project.exits(0, `apply ${ALLOW}`);
    await project.write({ 'campaigns/spring.yaml': manifest('Spring 2', 'Hello', 'replaces: Spring\n') });
    await use(project);
  });

it('is planned as a pause, a creation and a launch, its emails compared with the old ones', () =>
  replacing(async ({ plan }) => {
    const { campaigns, removed, summary } = await plan();
    expect(campaigns[0]?.replaces).toEqual({
      id: 101,
      name: 'Spring',
      status: 'active',
      running: true,
      copy: [
        {
          section: 'sequence',
          path: 'steps[0].email_body',
          kind: 'update',
          note: null,
          from: 'Hi {FIRST_NAME}, worth a look?',
          to: 'Hello {FIRST_NAME}, worth a look?',
        },
      ],
    });
    expect(removed).toMatchObject([
      { step: { id: 'pause', method: 'PATCH', path: '/api/campaigns/101/pause', irreversible: false } },
    ]);
    expect(summary).toMatchObject({ create: 1, launch: 1, pause: 1, requests: 7 });
  }));

it.each([
  ['plan --format text', 'succession.txt'],
  ['plan --format markdown', 'succession.md'],
  ['plan --format text --full', 'succession-full.txt'],
])('reads in %s as in %s', (line, file) =>
  replacing(async ({ run, service }) => {
    const { out } = await run(line);
    const shown = out.replaceAll(service.url, 'https://send.example.com').replace(/`[0-9a-f]{12}`/, '`…`');
    await expect(shown).toMatchFileSnapshot(`golden/${file}`);
  }),
);

it('is compared with the replaced campaign on the page', () =>
  replacing(async ({ run }) => {
    const { out } = await run('plan --format html');
    expect(out).toContain('2 emails, compared with those of the campaign that it replaces.');
    expect(out).toContain(
      '<th scope="row">step 1: email_body</th><td><del>Hi {FIRST_NAME}, worth a look?</del></td><td><ins>Hello {FIRST_NAME}, worth a look?</ins></td>',
    );
    expect(out).not.toContain('step 2: email_body');
  }));
