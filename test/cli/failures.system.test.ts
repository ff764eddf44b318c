import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { runProgram } from '../support/command.js';
import { withFolder } from '../support/folder.js';

const schema = JSON.parse(readFileSync('schemas/error.schema.json', 'utf8'));
const isReport = new Ajv({ strict: false }).compile(schema);

test.each([
  [['plan', '--json'], 'no-project', 1],
  [['plan', '--format', 'json', '--bogus'], 'usage', 1],
  [['--json', 'pln'], 'usage', 1],
  [['-f', 'json', 'apply', '-auto-approve'], 'usage', 1],
  [['plan', '--json', '--env', ''], 'usage', 1],
  [['plan', '--json', '--quiet=maybe'], 'usage', 1],
  [['show', 'missing.json', '--json'], 'plan-file-unusable', 1],
  [['validate', '--json'], 'no-project', 1],
  [['list', '-f=json'], 'no-project', 1],
])('%j fails with a report on stdout, and says the same on stderr', (argv, code, exit) =>
  withFolder(async (folder) => {
    const { code: ending, out, err } = await runProgram(['-C', folder, ...argv]);
    const report = JSON.parse(out);
    expect(isReport(report) || isReport.errors).toBe(true);
    expect(report).toMatchObject({ version: 1, exit_code: exit, error: { code } });
    expect(ending).toBe(exit);
    expect(err).toContain(report.error.message);
  }),
);

test('without --format json a failure leaves stdout empty', () =>
  withFolder(async (folder) => {
    for (const more of [[], ['--format', 'text'], ['--json=false']])
      expect(await runProgram(['-C', folder, 'plan', ...more])).toMatchObject({ code: 1, out: '' });
  }));

test('findings and refusals are in the report', () =>
  withFolder(async (folder) => {
    await runProgram(['init', folder]);
    const refused = await runProgram(['-C', folder, 'apply', '--json']);
    expect(JSON.parse(refused.out)).toMatchObject({
      exit_code: 3,
      error: { code: 'not-confirmed', findings: [] },
    });
  }));

test('colour is as the line asks for, also where it is wrong', async () => {
  expect((await runProgram(['plan', '--bogus', '--color', 'always'])).err).toContain('\u001b[');
  expect((await runProgram(['plan', '--bogus'])).err).not.toContain('\u001b[');
});
