import { expect, it } from 'vitest';
import { renderQuestion } from '../../src/view/plan-text.js';
import { campaignPlan, planOf, step } from '../support/plans.js';
import { LAUNCHED } from './plans.js';

const launch = step('status', { id: 'launch', irreversible: true });
const list = (lead_list_id: number) => step('leads', { body: { lead_list_id }, irreversible: true });

it('repeats what is created and launched, and its approvals', () => {
  const accepted = {
    code: 'launch',
    severity: 'hazard' as const,
    message: 'It starts.',
    hint: '',
    accepted_by: 'campaignctl.yaml:12',
  };
  const plan = planOf([
    campaignPlan('Spring', {
      id: null,
      action: 'create',
      steps: [step('campaign', { irreversible: true }), list(77), list(12), launch],
      problems: [accepted],
    }),
    campaignPlan('Fair', {
      steps: [list(12), step('leads', { body: { lead_ids: [1, 2, 3] }, irreversible: true })],
    }),
    campaignPlan('Winter', { steps: [step('status', { id: 'pause' })] }),
  ]);
  expect(renderQuestion(plan)).toBe(`
This sends 7 requests to production:
  1 to create, 2 to change · 1 pause
  1 launch, daily cap not known: it starts sending emails to real people
    Spring
  1 campaign stops sending: Winter
  launch: Accepted by campaignctl.yaml:12.
Type "yes" to send: `);
});

it('omits what does not apply', () => {
  expect(renderQuestion(planOf([campaignPlan('Spring', { steps: [step('settings')] })]))).toBe(`
This sends 1 request to production:
  1 to change
Type "yes" to send: `);
});

it('wraps at the width, but not within names and numbers', () => {
  const plan = planOf(
    Array.from({ length: 25 }, (_, at) =>
      campaignPlan(`Campaign ${at}`, { steps: [list(200 + at), launch] }),
    ),
  );
  const lines = renderQuestion(plan, 60).split('\n');
  expect(lines.filter((line) => line.length > 60)).toEqual([]);
  expect(lines.slice(3, 9)).toEqual([
    '  25 launches, daily cap not known: they start sending',
    '    emails to real people',
    '    Campaign 0, Campaign 1, Campaign 2, Campaign 3,',
    '      Campaign 4, Campaign 5, Campaign 6, Campaign 7,',
    '      Campaign 8, Campaign 9, Campaign 10, Campaign 11 and',
    '      13 more',
  ]);
});

it('shows leads, cap and dates of up to 15 launches, and their total', () => {
  const { impact } = LAUNCHED;
  if (impact === null) throw new Error('no impact');
  const plan = planOf(
    Array.from({ length: 17 }, (_, at) =>
      campaignPlan(`Campaign ${at}`, {
        steps: [launch],
        impact: {
          ...impact,
          lists: [200 + at],
          list_names: [`${200 + at}`],
          resumed: at === 1,
          last: null,
          emails: null,
        },
      }),
    ),
  );
  const [, launches = ''] = renderQuestion(plan, 110).split('17 to change\n');
  const lines = launches.split('\n');
  expect(lines.slice(0, 5)).toEqual([
    '  17 launches, together up to 3,400 emails a day: they start or resume sending emails to real people',
    '    Campaign 0: starts sending to about 1,200 leads (lead list 200), up to 200 a day; if applied now, first',
    '      email Mon 2 March 2026 09:00 (Europe/London)',
    '    Campaign 1: resumes sending to about 1,200 leads (lead list 201), up to 200 a day; if applied now, next',
    '      email Mon 2 March 2026 09:00 (Europe/London)',
  ]);
  expect(lines.filter((line) => line.startsWith('    Campaign '))).toHaveLength(15);
  expect(lines).toContain('    and 2 more');
});
