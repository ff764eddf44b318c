/**
 * Every folder here is a fact: given this manifest and this service, the plan reads like this and apply sends that.
 * `UPDATE=1` writes the expected files anew; they are to be read before they are believed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/state/store.js';
import { command, type Ended, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { type Recorded, startService } from '../../support/service/service.js';
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
        'campaignctl.yaml': scenario.project.replace('{url}', service.url),
        'manifest.yaml': scenario.manifest,
      });
      const store = openStore(join(folder, '.campaignctl/state/production'), service.url);
      for (const record of scenario.entries) await store.save(record);

      const { flags } = scenario;
      const plan = ['plan', ...flags.filter((flag, at) => ![flag, flags[at - 1]].includes('--allow'))];
      const first = await command(folder, plan);
      await command(folder, ['apply', '--dry-run', ...flags]);
      expect(service.writes(), 'dry commands send no write').toEqual([]);
      // One after the other: side by side, the order in which campaigns are sent varies.
      const apply = ['apply', '--yes', '--parallelism', '1', ...flags];
      const applied = await command(folder, apply);
      const sent = [...service.writes()];
      if (applied.code === 1 || applied.code === 3) expect(sent).toEqual([]);
      const again = await command(folder, apply);
      const more = service.writes().slice(sent.length);
      // What failed may be tried again; what was done is not done twice.
      const twice =
        applied.code === 4 ? more.filter(({ effect }) => ![null, 'resumed'].includes(effect)) : more;
      expect(twice, `a second apply sends nothing\n${again.out}`).toEqual([]);
      expect(again.code, again.out + again.err).toBe(applied.code);
      expect(service.violations).toEqual([]);
      return {
        planned: shown(first.code === 0 ? first.out : outcome(first)),
        applied: shown(outcome({ ...applied, out: '' })),
        requests: lines(sent),
      };
    });
  } finally {
    await service.close();
  }
}

function outcome({ code, out, err }: Ended): string {
  return `exit ${code}\n${out}${err}\n`;
}

/** Campaigns are applied side by side: only the order within each is a fact. */
function lines(writes: readonly Recorded[]): string {
  const key = ({ path, body }: Recorded) => path.split('/')[3] ?? ` ${JSON.stringify(body)}`;
  return [...writes]
    .sort((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))))
    .map(
      ({ method, path, body }) => `${method} ${path}\n${body === null ? '' : `  ${JSON.stringify(body)}\n`}`,
    )
    .join('');
}

async function agrees(file: string, text: string): Promise<void> {
  if (process.env.UPDATE === '1') await writeFiles('/', { [file]: text });
  else expect(text).toBe(readFileSync(file, 'utf8'));
}
