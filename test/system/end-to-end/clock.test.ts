import { afterEach, expect, it } from 'vitest';
import { SCHEDULE, withProject } from '../../support/project.js';

const { now } = Date;
afterEach(() => {
  Date.now = now;
});

const MANIFEST = `name: Spring
${SCHEDULE}sequence: { title: Spring, steps: [{ email_subject: One, email_body: <p>One</p>, wait_in_days: 1 }] }
leads: { ids: [1] }
status: running
`;

it('an apply waits for the launch, after a limit and at its pace, while the clock of the machine is set forward and back', () =>
  withProject(
    {
      shape: { resume: 'queued' },
      environment: '    limits: { requests_per_minute: 6000 }\n',
      files: { 'campaigns/spring.yaml': MANIFEST },
    },
    async ({ exits, service, statuses }) => {
      service.answerThen('POST', '/api/campaigns', {
        status: 429,
        body: { error: 'rate_limited', retry_after: 1 },
        effect: false,
      });
      let looks = 0;
      Date.now = () => now() + (looks++ % 2 === 0 ? 1 : -1) * 86_400_000;
      expect((await exits(0, 'apply --yes --allow launch')).out).toContain('✓ launch the campaign');
      expect(statuses()).toEqual({ Spring: 'active' });
    },
  ));
