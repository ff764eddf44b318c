/** A service whose campaigns need sender accounts that a person attaches: the launch of a new one is left for the next apply. */
import { expect, test } from 'vitest';
import type { ApplyResult, Plan } from '../../../src/model/outputs.js';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';

const MANIFEST = `name: Spring
settings: { max_emails_per_day: 100 }
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence: { title: Spring, steps: [{ email_subject: Hi, email_body: Hi, wait_in_days: 3 }] }
leads: { lists: [77] }
status: running
`;

test('the apply that creates a campaign leaves its launch to the next one, and says what to do in between', () =>
  withFolder(async (folder) => {
    const service = await startService(shaped({}), { campaigns: [], templates: [] });
    try {
      await writeFiles(folder, {
        'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN, service: { senders: by_hand } }\n`,
        'campaigns/spring.yaml': MANIFEST,
      });
      const run = (...argv: string[]) => command(folder, argv, { CAMPAIGNS_TOKEN: TOKEN });
      const isLaunch = ({ path }: { path: string }) => path.endsWith('/resume');
      const task = { campaign: 'Spring', does: 'attach', manifest: 'campaigns/spring.yaml' };

      const plan: Plan = JSON.parse((await run('plan', '--json')).out);
      expect(plan.summary).toMatchObject({ create: 1, launch: 0 });
      expect(plan.by_hand).toMatchObject([{ ...task, id: null }]);
      expect((await run('plan')).out).toContain('attach sender accounts once apply has created it');

      const first = await run('apply', '--yes', '--json');
      const result: ApplyResult = JSON.parse(first.out);
      expect([first.code, result.result]).toEqual([0, 'done']);
      const [created] = service.store.campaigns;
      expect(result.by_hand).toMatchObject([{ ...task, id: created?.id }]);
      expect(service.writes().filter(isLaunch)).toEqual([]);

      expect(await run('apply', '--yes')).toMatchObject({ code: 3 });
      expect(await run('apply', '--yes', '--allow', 'launch')).toMatchObject({ code: 0 });
      expect(service.writes().filter(isLaunch)).toHaveLength(1);
      expect(JSON.parse((await run('plan', '--json')).out).by_hand).toEqual([]);
    } finally {
      await service.close();
    }
  }));
