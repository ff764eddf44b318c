import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../../support/command.js';
import { faultsOf } from '../../support/schema.js';
import { openTerminal } from './terminal.js';

const terminal = openTerminal();
beforeAll(async () => {
  await command(terminal.folder, ['init', '.']);
  terminal.edit('campaigns/spring.yaml', 'status: paused', 'status: running');
}, 60_000);
afterAll(() => terminal.close());

/** What a command prints for machines, which has to be as its schema says. */
async function printed(line: string, schema: string) {
  const { out, code } = await command(terminal.folder, `${line} --format json`.split(' '));
  expect([line, faultsOf(schema, out)]).toEqual([line, []]);
  return { value: JSON.parse(out), code };
}

test('plans, applies and findings are as their schemas say, whatever they tell', async () => {
  const creation = await printed('plan', 'plan');
  expect([creation.value.campaigns[0].action, creation.value.summary.launch]).toEqual(['create', 1]);
  const { value, code } = await printed('apply --yes --allow launch', 'apply');
  expect([code, value.result]).toEqual([0, 'done']);

  terminal.edit('campaigns/spring.yaml', 'Just an address is enough', 'An address is enough');
  terminal.edit('campaigns/spring.yaml', 'max_emails_per_day: 200', 'max_emails_per_day: 150');
  expect((await printed('plan', 'plan')).value.summary.blocked).toBe(1);
  const blocked = await printed('apply --yes', 'apply');
  expect([blocked.code, blocked.value.campaigns[0].result]).toEqual([4, 'blocked']);

  terminal.write('campaigns/summer.yaml', 'name: Summer\nleads: { lists: [4000, 2] }\n');
  const failed = await printed('apply campaigns/summer.yaml --yes', 'apply');
  const results = failed.value.campaigns[0].steps.map((step: { result: string }) => step.result);
  expect([failed.code, results]).toEqual([4, ['done', 'done', 'failed', 'not_run']]);

  expect((await printed('validate', 'findings')).value.summary.errors).toBe(0);
  terminal.write('campaigns/wrong.yaml', 'name: Wrong\nstatus: on\n');
  const wrong = await printed('validate', 'findings');
  expect([wrong.code, wrong.value.findings.length]).toEqual([1, 1]);
  terminal.write('campaigns/wrong.yaml', 'name: Wrong\nstatus: running\n');
  const rehearsed = await printed('apply campaigns/wrong.yaml --dry-run', 'plan');
  expect(rehearsed.value.campaigns[0].steps[0].path).toBe('/api/campaigns');
});

test('the schemas refuse what they do not describe, and what is missing', async () => {
  const { value } = await printed('plan', 'plan');
  const { fingerprint, ...unsigned } = value;
  const isRefused = (plan: object) => faultsOf('plan', JSON.stringify(plan)).length > 0;
  const plans = [value, { ...value, extra: 1 }, unsigned, { ...value, version: 2 }];
  expect(plans.map(isRefused)).toEqual([false, true, true, true]);
});
