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

/** What a command prints for machines, and what its schema has against it. */
async function printed(line: string, schema: string) {
  const { out, code } = await command(terminal.folder, `${line} --format json`.split(' '));
  return { value: JSON.parse(out), code, faults: faultsOf(schema, out) };
}

test('a plan that creates and launches is as its schema says', async () => {
  const { value, faults } = await printed('plan', 'plan');
  expect(faults).toEqual([]);
  expect([value.campaigns[0].action, value.summary.launch]).toEqual(['create', 1]);
});

test('an apply that creates and launches is as its schema says', async () => {
  const { value, code, faults } = await printed('apply --yes --allow launch', 'apply');
  expect(faults).toEqual([]);
  expect([code, value.result]).toEqual([0, 'done']);
});

test('a plan and an apply with something blocked are as their schemas say', async () => {
  terminal.edit('campaigns/spring.yaml', 'Just an address is enough', 'An address is enough');
  terminal.edit('campaigns/spring.yaml', 'max_emails_per_day: 200', 'max_emails_per_day: 150');
  const planned = await printed('plan', 'plan');
  const applied = await printed('apply --yes', 'apply');
  expect([planned.faults, applied.faults]).toEqual([[], []]);
  expect([planned.value.summary.blocked, applied.value.campaigns[0].result]).toEqual([1, 'blocked']);
  expect(applied.code).toBe(4);
});

test('an apply with a step that fails is as its schema says', async () => {
  terminal.write('campaigns/summer.yaml', 'name: Summer\nleads: { lists: [4000, 2] }\n');
  const { value, code, faults } = await printed('apply campaigns/summer.yaml --yes', 'apply');
  expect(faults).toEqual([]);
  const results = value.campaigns[0].steps.map(({ id, result }: { id: string; result: string }) => [
    id,
    result,
  ]);
  expect(results).toEqual([
    ['create', 'done'],
    ['leads/list-2', 'done'],
    ['leads/list-4000', 'failed'],
    ['read-back', 'not_run'],
  ]);
  expect([code, value.result]).toEqual([4, 'incomplete']);
});

test('findings and requests are as their schemas say', async () => {
  const findings = await printed('validate', 'findings');
  expect([findings.faults, findings.value.summary.errors]).toEqual([[], 0]);
  terminal.write('campaigns/wrong.yaml', 'name: Wrong\nstatus: on\n');
  const wrong = await printed('validate', 'findings');
  expect([wrong.faults, wrong.code, wrong.value.findings.length]).toEqual([[], 1, 1]);
  terminal.write('campaigns/wrong.yaml', 'name: Wrong\nstatus: running\n');
  const requests = await printed('apply campaigns/wrong.yaml --dry-run', 'requests');
  expect([requests.faults, requests.value.requests[0].path]).toEqual([[], '/api/campaigns']);
});

test('the schemas refuse what they do not describe, and what is missing', async () => {
  const { value } = await printed('plan', 'plan');
  const { fingerprint, ...unsigned } = value;
  const isRefused = (plan: object) => faultsOf('plan', JSON.stringify(plan)).length > 0;
  const plans = [value, { ...value, extra: 1 }, unsigned, { ...value, version: 2 }];
  expect(plans.map(isRefused)).toEqual([false, true, true, true]);
});
