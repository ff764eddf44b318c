/** A service whose campaigns need sender accounts that a person attaches: the launch of a new one is left for the next apply. */
import { expect, test } from 'vitest';
import type { ApplyResult } from '../../../src/model/outputs.js';
import { SCHEDULE, withProject } from '../../support/project.js';

const MANIFEST = `name: Spring
settings: { max_emails_per_day: 100 }
${SCHEDULE}sequence: { title: Spring, steps: [{ email_subject: Hi, email_body: Hi, wait_in_days: 3 }] }
leads: { lists: [77] }
status: running
`;
const SPRING = 'campaigns/spring.yaml';

test('the apply that creates a campaign leaves its launch to the next one, and says what to do in between', () =>
  withProject(
    { environment: '    service: { senders: by_hand }\n', files: { [SPRING]: MANIFEST } },
    async ({ exits, live, plan, run, sent }) => {
      const launches = () => sent().filter((write) => write.endsWith('/resume'));
      const task = { campaign: 'Spring', does: 'attach', manifest: SPRING };
      expect(await plan()).toMatchObject({
        summary: { create: 1, launch: 0 },
        by_hand: [{ ...task, id: null }],
      });
      expect((await run('plan')).out).toContain('attach sender accounts once apply has created it');

      const result: ApplyResult = JSON.parse((await exits(0, 'apply --yes --json')).out);
      expect(result).toMatchObject({ result: 'done', by_hand: [{ ...task, id: live('Spring').id }] });
      expect(launches()).toEqual([]);

      await exits(3, 'apply --yes');
      await exits(0, 'apply --yes --allow launch');
      expect(launches()).toHaveLength(1);
      expect((await plan()).by_hand).toEqual([]);
    },
  ));
