import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/model/outputs.js';
import type { Problem } from '../../src/model/problem.js';
import { plain, renderPlanMarkdown, renderPlanText } from '../../src/view/index.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { campaignPlan, planOf, step } from '../support/plans.js';

const renamed = (old: string): Problem => ({
  code: 'rename',
  severity: 'hazard',
  message: `It was applied to the campaign called ${old}.`,
  hint: 'Accept with --allow rename.',
});
const plan = planOf(
  [
    ['Alpha', 'Winter'],
    ['Beta', 'Summer'],
  ].map(([name = '', old = '']) =>
    campaignPlan(name, { id: null, action: 'create', steps: [step('campaign')], problems: [renamed(old)] }),
  ),
);

describe.each<[string, (plan: Plan) => string]>([
  ['text', (one) => renderPlanText(one, { paint: plain, width: 100 })],
  ['Markdown', (one) => renderPlanMarkdown(one, 60_000)],
  ['HTML', (one) => renderPlanHtml(one).replace(/<style>.*<\/style>/s, '')],
])('%s', (_name, render) => {
  it('says of each of two renamed manifests its own message', () => {
    const [alpha, beta] = ['Winter', 'Summer'].map((old) => `applied to the campaign called ${old}.`);
    const top = render(plan).split(/^\+ |<details/m)[0] ?? '';
    for (const [name, message = '', other = ''] of [
      ['Alpha', alpha, beta],
      ['Beta', beta, alpha],
    ]) {
      const at = top.indexOf(message);
      expect([at > 0, top.split(message).length]).toEqual([true, 2]);
      // Between the name and its message stands no other message.
      expect(top.slice(top.lastIndexOf(`${name}`, at), at)).not.toContain(other);
    }
  });
});
