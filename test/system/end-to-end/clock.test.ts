import { afterEach, expect, it } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';

const { now } = Date;
afterEach(() => {
  Date.now = now;
});

const MANIFEST = `name: Spring
schedule: { days: [monday], start_time: "09:00", end_time: "10:00", timezone: Europe/Paris }
sequence: { title: Spring, steps: [{ email_subject: One, email_body: <p>One</p>, wait_in_days: 1 }] }
leads: { ids: [1] }
status: running
`;

it('an apply waits for the launch, after a limit and at its pace, while the clock of the machine is set forward and back', async () => {
  const service = await startService(shaped({ resume: 'queued' }), { campaigns: [], templates: [] });
  const project = `version: 1
manifests: [spring.yaml]
environments:
  production:
    base_url: "${service.url}"
    token_env: CAMPAIGNS_TOKEN
    limits: { requests_per_minute: 6000 }
`;
  service.answerThen('POST', '/api/campaigns', {
    status: 429,
    body: { error: 'rate_limited', retry_after: 1 },
    effect: false,
  });
  let looks = 0;
  Date.now = () => now() + (looks++ % 2 === 0 ? 1 : -1) * 86_400_000;
  try {
    await withFolder(async (folder) => {
      await writeFiles(folder, { 'campaignctl.yaml': project, 'spring.yaml': MANIFEST });
      const { code, out, err } = await command(folder, ['apply', '--yes', '--allow', 'launch']);
      expect(code, out + err).toBe(0);
      expect(out).toContain('✓ launch the campaign');
    });
    expect(service.store.campaigns.map(({ status }) => status)).toEqual(['active']);
    expect(service.violations).toEqual([]);
  } finally {
    await service.close();
  }
});
