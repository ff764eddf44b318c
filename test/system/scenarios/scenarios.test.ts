/**
 * Each YAML file here states a fact: given these manifests and this service, plan finds this and apply sends that. A
 * history in `steps` has the facts of each command. `UPDATE=1` writes the expected facts; review the difference. All JSON
 * matches the published schemas.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Ended } from '../../support/command.js';
import { type Project, withProject } from '../../support/project.js';
import { faultsOf } from '../../support/schema.js';
import { applyFacts, commandFacts, failureFacts, messagesOf, planFacts, requestFacts } from './facts.js';
import {
  campaignOf,
  projectWith,
  readScenario,
  type Scenario,
  type Step,
  textsOf,
  writeExpected,
} from './scenario.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const NAMES = readdirSync(HERE, { recursive: true, encoding: 'utf8' }).flatMap((file) =>
  file.endsWith('.yaml') && !file.startsWith('bases/') ? [file.replace('.yaml', '')] : [],
);

test.concurrent.each(NAMES)('%s', async (name) => {
  const file = join(HERE, `${name}.yaml`);
  const { scenarios, expected } = readScenario(file);
  for (const scenario of scenarios) {
    const facts = await play(scenario);
    if (process.env.UPDATE === '1') await writeExpected(file, facts);
    else expect(facts, JSON.stringify(scenario.shape)).toEqual(expected);
  }
});

async function play(scenario: Scenario): Promise<unknown> {
  let facts: unknown;
  await withProject(scenario, async (project) => {
    for (const entry of scenario.entries) await project.state().save(entry);
    const { before, steps } = scenario;
    for (const step of before) {
      const ended = await playStep(step, project);
      if (step.then === undefined && ended !== null) expect(ended.code, ended.out + ended.err).toBe(0);
    }
    facts = steps === null ? await planAndApply(project, scenario) : await playAll(steps, project);
  });
  return facts;
}

/** Plans, applies and applies again. */
async function planAndApply({ run, service }: Project, { allow, flags: others }: Scenario): Promise<object> {
  const flags = [...others, ...allow.flatMap((hazard) => ['--allow', hazard])];
  const planned = valid(await run('plan --json', ...withoutAllow(flags)), 'plan');
  expect(service.writes(), 'a plan sends no write').toEqual([]);
  const refused = allow.length > 0 ? await run('apply --yes --json', ...others) : null;
  if (refused !== null) expect([refused.code, service.writes()]).toEqual([3, []]);
  const applied = valid(await run('apply --yes --json', ...flags), 'apply');
  const sent = [...service.writes()];
  if (applied.code === 1 || applied.code === 3) expect(sent).toEqual([]);
  const again = await run('apply --yes --json', ...flags);
  const more = service.writes().slice(sent.length);
  // A failed request may be sent again.
  const twice = applied.code === 4 ? more.filter(({ effect }) => ![null, 'resumed'].includes(effect)) : more;
  expect(twice, `a second apply sends nothing\n${again.out}`).toEqual([]);
  expect(again.code, again.out + again.err).toBe(applied.code);
  return {
    plan: planned.code === 0 ? planFacts(JSON.parse(planned.out)) : failureFacts(planned),
    ...(refused && { refused: failureFacts(refused).errors }),
    apply: applied.code === 0 || applied.code === 4 ? applyFacts(applied) : failureFacts(applied),
    requests: requestFacts(sent),
  };
}

/** Checks the output by its schema. 1 and 3 are the exit codes of errors, which the shell prints. */
function valid(ended: Ended, schema: string): Ended {
  if (ended.code !== 1 && ended.code !== 3) expect(faultsOf(schema, ended.out)).toEqual([]);
  return ended;
}

function withoutAllow(flags: readonly string[]): string[] {
  return flags.filter((flag, at) => ![flag, flags[at - 1]].includes('--allow'));
}

/** The facts of each command and, if it sent something, the statuses in the service. */
async function playAll(steps: readonly Step[], project: Project): Promise<unknown[]> {
  const { service, statuses } = project;
  const facts: unknown[] = [];
  for (const step of steps) {
    const from = service.writes().length;
    const ended = await playStep(step, project);
    const sent = service.writes().slice(from);
    if (/^(plan|list|validate|forget)|--dry-run/.test(step.run ?? '')) expect(sent).toEqual([]);
    facts.push(
      ended === null
        ? undefined
        : {
            ...commandFacts(ended, sent),
            ...(step.messages === undefined ? {} : { messages: messagesOf(ended, step.messages) }),
            ...(sent.length > 0 ? { statuses: statuses() } : {}),
            ...(step.read === undefined ? {} : { read: await project.read(step.read) }),
          },
    );
  }
  return facts;
}

async function playStep(step: Step, { write, live, service, shape, run }: Project): Promise<Ended | null> {
  await write(textsOf(step.write ?? {}));
  if (step.environment !== undefined) await write({ 'campaignctl.yaml': projectWith(step.environment) });
  const { store } = service;
  for (const [id, change] of Object.entries(step.live ?? {}))
    if (change === null) store.campaigns.splice(store.campaigns.indexOf(live(Number(id))), 1);
    else Object.assign(live(Number(id)), change);
  store.campaigns.push(...(step.add ?? []).map(campaignOf));
  Object.assign(shape, step.service);
  if (step.words !== undefined) service.behave({ words: step.words }, () => 0);
  for (const [request, fault] of Object.entries(step.answer ?? {})) {
    const [method = '', path = ''] = request.split(' ');
    service.answerThen(method, path, fault);
  }
  const from = service.writes().length;
  for (const [nth, changes] of Object.entries(step.meanwhile ?? {}))
    service.actAt(
      from + Number(nth),
      () => {
        for (const [id, change] of Object.entries(changes)) Object.assign(live(Number(id)), change);
      },
      'writes',
    );
  if (step.run === undefined) return null;
  const words = [...step.run.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
  const [name = ''] = words;
  if (!/^(plan|apply|list)$/.test(name) || words.includes('--out')) return run('', ...words);
  return valid(await run('', ...words, '--json'), words.includes('--dry-run') ? 'plan' : name);
}
