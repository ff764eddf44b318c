import { expect, it } from 'vitest';
import { renderQuestion } from '../../src/view/plan-text.js';
import { campaignPlan, planOf, step } from '../support/plans.js';
import { LAUNCHED } from './plans.js';

const launch = step('status', { id: 'launch', irreversible: true });
const list = (lead_list_id: number) => step('leads', { body: { lead_list_id }, irreversible: true });
const accepted = {
  code: 'launch' as const,
  severity: 'hazard' as const,
  message: 'It starts.',
  hint: '',
  accepted_by: 'campaignctl.yaml:12',
};

it('repeats what is created and launched, its approvals, leads, caps and dates, and omits what does not apply', async () => {
  const mixed = planOf([
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
  const { impact } = LAUNCHED;
  if (impact === null) throw new Error('no impact');
  const launches = Array.from({ length: 17 }, (_, at) => {
    const lists = { lists: [200 + at], list_names: [`${200 + at}`] };
    const shown = {
      ...impact,
      ...lists,
      resumed: at === 1,
      partway: at === 1 ? 40 : 0,
      last: null,
      emails: null,
    };
    return campaignPlan(`Campaign ${at}`, { steps: [launch], impact: shown });
  });
  const update = campaignPlan('Spring', { steps: [step('settings')] });
  const questions = [
    renderQuestion(mixed),
    renderQuestion(planOf([update])),
    renderQuestion(planOf(launches), 110),
  ];
  await expect(questions.join('\n')).toMatchFileSnapshot('golden/question.txt');
});

it('wraps at the width, but not within names and numbers', () => {
  const plan = planOf(
    Array.from({ length: 25 }, (_, at) =>
      campaignPlan(`Campaign ${at}`, { steps: [list(200 + at), launch] }),
    ),
  );
  const lines = renderQuestion(plan, 60).split('\n');
  expect(lines.filter((line) => line.length > 60)).toEqual([]);
  const first = lines.findIndex((line) => line.startsWith('    Campaign 0,'));
  expect(lines.slice(first, first + 4)).toEqual([
    '    Campaign 0, Campaign 1, Campaign 2, Campaign 3,',
    '      Campaign 4, Campaign 5, Campaign 6, Campaign 7,',
    '      Campaign 8, Campaign 9, Campaign 10, Campaign 11 and',
    '      13 more',
  ]);
});
