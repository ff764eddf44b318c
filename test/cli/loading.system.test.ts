import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withFolder } from '../support/folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMMANDS = readdirSync(join(ROOT, 'src/cli/commands')).map((file) => basename(file, '.ts'));
/** A sentence of the planner. */
const PLANNER = 'Posting the emails again could mail every lead twice.';

/** The modules of commands, and the planner, that V8 reports as loaded. */
function loadedBy(line: string): Promise<string[]> {
  return withFolder(async (folder) => {
    const coverage = join(folder, 'coverage');
    const argv = [join(ROOT, 'dist/campaignctl.cjs'), ...line.split(' ')];
    spawnSync(process.execPath, argv, { cwd: folder, env: { ...process.env, NODE_V8_COVERAGE: coverage } });
    const [report = ''] = readdirSync(coverage);
    const { result } = JSON.parse(readFileSync(join(coverage, report), 'utf8'));
    const files = result
      .map(({ url }: { url: string }) => url.replace('file://', ''))
      .filter((file: string) => file.startsWith(join(ROOT, 'dist')));
    expect(files).toContain(argv[0]);
    const names = files.map((file: string) => basename(file).replace(/-[A-Z0-9]{8}\.c?js$/, ''));
    const holdsPlanner = files.some((file: string) => readFileSync(file, 'utf8').includes(PLANNER));
    return [...COMMANDS.filter((name) => names.includes(name)), ...(holdsPlanner ? ['the planner'] : [])];
  });
}

test.each([
  ['--version', []],
  ['--help', []],
  ['plan --help', []],
  ['plan --nonsense', []],
  ['plan --env=', []],
  ['aply', []],
  ['completion', []],
  ['explain attach-running', ['explain']],
  ['plan', ['plan', 'the planner']],
  ['unlock --yes', ['unlock']],
  ['history', ['history']],
  ['forget Spring --yes', ['forget']],
  ['state migrate', ['state']],
  ['state rebase --from https://old.example.com', ['state']],
])('%s loads %j', async (line, modules) => {
  expect(await loadedBy(line)).toEqual(modules);
});
