/**
 * Every folder here is a fact: given this manifest and this service, the plan reads like this and apply sends that.
 * `UPDATE=1` writes the expected files anew; they are to be read before they are believed.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openStore } from '../../src/state/index.js';
import { command, type Ended, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { startService, type TestService } from '../support/service.js';
import { readScenario, type Scenario } from './scenario.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const NAMES = readdirSync(HERE, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

test.concurrent.each(NAMES)('%s', async (name) => {
  const folder = join(HERE, name);
  const { planned, applied, requests } = await play(readScenario(folder));
  await agrees(join(folder, 'expected-plan.txt'), planned);
  await agrees(join(folder, 'expected-requests.txt'), `${applied}${requests}`);
});

/** What plan prints, what apply says on stderr with its exit code, and the requests it sent. */
async function play(scenario: Scenario) {
  const service = await startService(scenario.shape, scenario.store);
  const shown = (text: string) => text.replaceAll(service.url, 'https://send.example.com');
  try {
    return await withFolder(async (folder) => {
      await writeFiles(folder, {
        'campaignctl.yaml': projectFile(service.url, scenario.project),
        'campaigns/manifest.yaml': scenario.manifest,
      });
      const store = openStore(join(folder, '.campaignctl/state/production'));
      for (const record of scenario.records) await store.save(record);

      const plan = ['plan', ...scenario.flags.plan];
      const first = await command(folder, plan);
      await command(folder, ['apply', '--dry-run', ...scenario.flags.plan]);
      expect(service.writes(), 'dry commands send no write').toEqual([]);
      const apply = ['apply', '--yes', ...scenario.flags.plan, ...scenario.flags.apply];
      const applied = await command(folder, apply);
      const sent = [...service.writes()];
      if (applied.code === 1 || applied.code === 3) expect(sent).toEqual([]);
      const again = await command(folder, apply);
      expect(service.writes(), `a second apply sends nothing\n${again.out}`).toEqual(sent);
      expect(again.code, again.out + again.err).toBe(applied.code);
      expect(service.violations).toEqual([]);
      return {
        planned: shown(first.code === 0 ? first.out : outcome(first)),
        applied: shown(outcome({ ...applied, out: '' })),
        requests: lines(service),
      };
    });
  } finally {
    await service.close();
  }
}

function projectFile(url: string, more: string): string {
  return `version: 1
manifests: [campaigns/**/*.yaml]
environments:
  production:
    base_url: ${url}
    token_env: CAMPAIGNS_TOKEN
${more.replaceAll(/^(?=.)/gm, '    ')}`;
}

function outcome({ code, out, err }: Ended): string {
  return `exit ${code}\n${out}${err}\n`;
}

function lines(service: TestService): string {
  return service
    .writes()
    .map(({ method, path, body }) => `${method} ${path}\n${body === null ? '' : `  ${JSON.stringify(body)}\n`}`)
    .join('');
}

async function agrees(file: string, text: string): Promise<void> {
  if (process.env.UPDATE === '1') await writeFiles('/', { [file]: text });
  else await expect(text).toMatchFileSnapshot(file);
}
