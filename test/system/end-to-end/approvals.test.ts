/** Every view of a plan tells what accepts a hazard: a line of the project file, or a flag. */
import { afterEach, expect, it } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';

const services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

const MANIFEST = `name: Spring installers
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps: [{ email_subject: A question, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }]
leads: { ids: [7] }
status: running
`;

async function scene(
  allow: string,
  use: (
    run: (...argv: string[]) => Promise<[code: number, out: string]>,
    service: TestService,
  ) => Promise<void>,
): Promise<void> {
  const service = await startService(shaped({}), { campaigns: [], templates: [] });
  services.push(service);
  await withFolder(async (folder) => {
    await writeFiles(folder, {
      'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production:\n    base_url: ${service.url}\n    token_env: CAMPAIGNS_TOKEN\n${allow}`,
      'campaigns/spring.yaml': MANIFEST,
    });
    await use(async (...argv) => {
      const { code, out, err } = await command(folder, argv);
      return [code, out || err];
    }, service);
  });
  expect(service.violations).toEqual([]);
}

it.each(['text', 'markdown', 'html'])('a hazard that the project file accepts is shown so: %s', (format) =>
  scene('    allow:\n      - launch\n', async (run) => {
    const [, view] = await run('plan', '--format', format);
    expect(view).toContain('Accepted: apply goes ahead with these');
    expect(view).toContain('campaignctl.yaml:8');
    expect(view).not.toMatch(/Needs approval|--allow/);
  }),
);

it('a hazard that nothing accepts needs approval, and the plan of apply shows the flag that accepts it', () =>
  scene('', async (run, service) => {
    const [, planned] = await run('plan');
    expect(planned).toContain('Needs approval before anything is sent\n  ! launch');
    expect(planned).not.toContain('ccepted');
    const [refused, shown] = await run('apply', '--yes');
    expect(refused).toBe(3);
    expect(shown).toContain('Needs approval before anything is sent\n  ! launch');
    const [done, accepted] = await run('apply', '--yes', '--allow', 'launch');
    expect(done, accepted).toBe(0);
    expect(accepted).toContain('  ✓ launch  Spring installers\n');
    expect(accepted).toContain('      accepted by --allow launch\n');
    expect(accepted).not.toContain('Needs approval');
    expect(service.store.campaigns.map(({ status }) => status)).toEqual(['active']);
  }));
