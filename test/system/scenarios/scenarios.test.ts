/**
 * Each YAML file here is a fact: given these manifests and this service, plan finds this and apply sends that. `UPDATE=1` writes the
 * expected facts; read the difference.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { CampaignPlan, Change, Plan, Problem } from '../../../src/model/plan.js';
import type { ApplyResult } from '../../../src/model/results.js';
import { openStore } from '../../../src/state/store.js';
import { command, type Ended, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { type Recorded, startService } from '../../support/service/service.js';
import { readScenario, type Scenario, writeExpected } from './scenario.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const FILES = readdirSync(HERE).filter((file) => file.endsWith('.yaml'));

test.concurrent.each(FILES.map((file) => file.replace('.yaml', '')))('%s', async (name) => {
  const file = join(HERE, `${name}.yaml`);
  const { scenario, expected } = readScenario(file);
  const facts = await play(scenario);
  if (process.env.UPDATE === '1') await writeExpected(file, facts);
  else expect(facts).toEqual(expected);
});

async function play(scenario: Scenario): Promise<object> {
  const service = await startService(scenario.shape, scenario.store);
  try {
    return await withFolder(async (folder) => {
      await writeFiles(folder, {
        'campaignctl.yaml': scenario.project.replace('{url}', service.url),
        'manifest.yaml': scenario.manifest,
      });
      const store = openStore(join(folder, '.campaignctl/state/production'), service.url);
      for (const entry of scenario.entries) await store.save(entry);

      const { flags } = scenario;
      const planned = await command(folder, ['plan', '--json', ...withoutAllow(flags)]);
      await command(folder, ['apply', '--dry-run', ...flags]);
      expect(service.writes(), 'dry commands send no write').toEqual([]);
      const apply = ['apply', '--yes', '--json', ...flags];
      const applied = await command(folder, apply);
      const sent = [...service.writes()];
      if (applied.code === 1 || applied.code === 3) expect(sent).toEqual([]);
      const again = await command(folder, apply);
      const more = service.writes().slice(sent.length);
      // A failed request may be sent again.
      const twice =
        applied.code === 4 ? more.filter(({ effect }) => ![null, 'resumed'].includes(effect)) : more;
      expect(twice, `a second apply sends nothing\n${again.out}`).toEqual([]);
      expect(again.code, again.out + again.err).toBe(applied.code);
      expect(service.violations).toEqual([]);
      return {
        plan: planned.code === 0 ? planFacts(JSON.parse(planned.out)) : failureFacts(planned),
        apply: applied.code === 0 || applied.code === 4 ? applyFacts(applied) : failureFacts(applied),
        requests: requestFacts(sent),
      };
    });
  } finally {
    await service.close();
  }
}

function withoutAllow(flags: string[]): string[] {
  return flags.filter((flag, at) => ![flag, flags[at - 1]].includes('--allow'));
}

function planFacts({ campaigns, removed, by_hand, problems }: Plan): object {
  return {
    campaigns: Object.fromEntries(campaigns.map((campaign) => [campaign.name, campaignFacts(campaign)])),
    ...some('problems', problems.map(problemFact)),
    ...some(
      'removed',
      removed.map(({ name, step }) => `${name}: ${step === null ? 'nothing' : step.id}`),
    ),
    ...some(
      'by_hand',
      by_hand.map(({ does, section, path }) => [does, section, path].filter(Boolean).join(' ')),
    ),
  };
}

function campaignFacts({ action, changes, problems, steps }: CampaignPlan): object {
  return {
    action,
    ...some('changes', changes.map(changeFact)),
    ...some('problems', problems.map(problemFact)),
    ...some(
      'steps',
      steps.map(({ id }) => id),
    ),
  };
}

function applyFacts({ code, out }: Ended): object {
  const { campaigns, problems }: ApplyResult = JSON.parse(out);
  const outcome = ({ result, steps, remaining }: ApplyResult['campaigns'][number]) => ({
    result,
    ...some(
      'steps',
      steps.map((step) => `${step.id}: ${step.result}`),
    ),
    ...some('remaining', remaining.map(changeFact)),
  });
  return {
    exit_code: code,
    ...(campaigns.length === 0
      ? {}
      : { campaigns: Object.fromEntries(campaigns.map((campaign) => [campaign.name, outcome(campaign)])) }),
    ...some('problems', problems.map(problemFact)),
  };
}

/** The codes at the end of each error message. */
function failureFacts({ code, err }: Ended): object {
  const codes = [...err.matchAll(/\[([a-z-]+)\]$/gm)].map(([, found = '']) => found);
  return { exit_code: code, errors: [...new Set(codes)] };
}

function changeFact({ kind, section, path, origin }: Change & { origin?: string | null }): string {
  return [kind, section, path, origin && `(${origin})`].filter(Boolean).join(' ');
}

function problemFact({ severity, code, accepted_by }: Problem): string {
  return `${severity} ${code}${accepted_by ? `, accepted by ${accepted_by}` : ''}`;
}

function some(name: string, facts: string[]): object {
  return facts.length === 0 ? {} : { [name]: facts };
}

/** By campaign, because campaigns are applied concurrently. */
function requestFacts(writes: readonly Recorded[]): object[] {
  const key = ({ path, body }: Recorded) => path.split('/')[3] ?? ` ${JSON.stringify(body)}`;
  return [...writes]
    .sort((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))))
    .map(({ method, path, body }) => ({ [`${method} ${path}`]: body }));
}
