/** Every view of a plan shows what accepts a hazard: a line of the project file, or a flag. */
import { expect, it } from 'vitest';
import { type Project, SCHEDULE, withProject } from '../../support/project.js';

const MANIFEST = `name: Spring installers
${SCHEDULE}sequence:
  title: Spring
  steps: [{ email_subject: A question, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }]
leads: { ids: [7] }
status: running
`;

const withLaunch = (environment: string, use: (project: Project) => Promise<void>) =>
  withProject({ environment, files: { 'campaigns/spring.yaml': MANIFEST } }, use);

it.each(['text', 'markdown', 'html'])('a hazard that the project file accepts is shown so: %s', (format) =>
  withLaunch('    allow:\n      - launch\n', async ({ run }) => {
    const { out } = await run(`plan --format ${format}`);
    expect(out).toContain('Accepted: apply goes ahead with these');
    expect(out).toContain('campaignctl.yaml:8');
    expect(out).not.toMatch(/Needs approval|--allow/);
  }),
);

it('a hazard that nothing accepts needs approval, and the plan of apply shows the flag that accepts it', () =>
  withLaunch('', async ({ exits, run, statuses }) => {
    const planned = (await run('plan')).out;
    expect(planned).toContain('Needs approval before anything is sent\n  ! launch');
    expect(planned).not.toContain('ccepted');
    const refused = await exits(3, 'apply --yes');
    expect(refused.out).toContain('Needs approval before anything is sent\n  ! launch');
    const accepted = (await exits(0, 'apply --yes --allow launch')).out;
    expect(accepted).toContain('  ✓ launch  Spring installers\n');
    expect(accepted).toContain('      → Accepted by --allow launch.\n');
    expect(accepted).not.toContain('Needs approval');
    expect(statuses()).toEqual({ 'Spring installers': 'active' });
  }));
