import { expect, it } from 'vitest';
import { plain, renderPlanText } from '../../src/view/index.js';
import { campaignPlan, planOf, step } from '../support/plans.js';

const text = (campaigns: Parameters<typeof planOf>[0]) =>
  renderPlanText(planOf(campaigns), { paint: plain, width: 80 });
const blocked = {
  code: 'sequence-exists',
  severity: 'blocked',
  message: 'A sequence cannot be edited.',
  hint: 'Edit it in the web page.',
} as const;

it('says what is the matter with several campaigns once', () => {
  const twice = text(
    ['One', 'Two'].map((name) => campaignPlan(name, { action: 'blocked', problems: [blocked] })),
  );
  expect(twice).toBe(`Plan for production (https://send.example.com)

  2 blocked, 0 unchanged

✗ One  id 12 · campaigns/spring.yaml
    ✗ blocked: A sequence cannot be edited.
      → Edit it in the web page. [sequence-exists]

✗ Two  id 12 · campaigns/spring.yaml
    ✗ blocked: as above [sequence-exists]
`);
});

it('of many campaigns shows the dangerous ones first and new ones in a line', () => {
  const email = { email_subject: 'Hi', email_body: 'Hi', wait_in_days: 1, thread_reply: false, variants: [] };
  const after = {
    settings: null,
    schedule: null,
    sequence: { title: 'Spring', steps: [email, email] },
    leads: { lists: [5], ids: [1, 2] },
    status: null,
  };
  const fresh = (name: string) =>
    campaignPlan(name, {
      id: null,
      action: 'create',
      steps: [step('campaign')],
      content: { before: null, after },
    });
  const many = text([
    ...Array.from({ length: 25 }, (_, index) => fresh(`New ${index + 1}`)),
    campaignPlan('Changed', { steps: [step('settings')] }),
    campaignPlan('Left', { action: 'blocked', problems: [blocked] }),
  ]).split('\n');
  expect(many.length).toBeLessThan(45);
  const at = (start: string) => many.findIndex((line) => line.startsWith(start));
  expect([at('✗ Left'), at('~ Changed'), at('+ New 1 ')]).toEqual([4, 8, 10]);
  expect(many[10]).toBe('+ New 1  2 emails · 1 lead list · 2 single leads');
  expect(many.at(-2)).toContain('--target NAME shows one whole');
});
