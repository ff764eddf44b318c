import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command as run, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';

const NAMES = ['Spring', 'Spring, late', 'Spring (UK) 50%', 'Autumn', 'late', 'A*', 'Über\u{1F33B}'];
const FILES = {
  'campaignctl.yaml': 'version: 1\nmanifests: ["*.yaml"]\nenvironments: { sandbox: { sandbox: {} } }\n',
  ...Object.fromEntries(NAMES.map((name, at) => [`c${at}.yaml`, `name: ${JSON.stringify(name)}\n`])),
};

/** The names in a plan, or the error. */
async function planned(folder: string, targets: readonly string[]): Promise<string[] | string> {
  const argv = ['plan', '--json', ...targets.flatMap((target) => ['--target', target])];
  const { code, out, err } = await run(folder, argv);
  return code === 0 ? JSON.parse(out).campaigns.map(({ name }: { name: string }) => name) : err;
}

test('a target is a name or a pattern; names take precedence', () =>
  withFolder(async (folder) => {
    await writeFiles(folder, FILES);
    const cases: [string[], string[]][] = [
      [['Spring'], ['Spring']],
      [['Spring, late'], ['Spring, late']],
      [
        ['Spring', 'late'],
        ['Spring', 'late'],
      ],
      [['Spring*'], ['Spring', 'Spring, late', 'Spring (UK) 50%']],
      [['Spring (*%'], ['Spring (UK) 50%']],
      [['A*'], ['A*']],
      [
        ['Spring*', '!Spring, late'],
        ['Spring', 'Spring (UK) 50%'],
      ],
      [
        ['!Spring*', '!A?*'],
        ['late', 'Über\u{1F33B}'],
      ],
      [
        ['A*', 'Au*'],
        ['Autumn', 'A*'],
      ],
      [['?ber?'], ['Über\u{1F33B}']],
      [
        ['l?te', 'Autumn'],
        ['Autumn', 'late'],
      ],
    ];
    for (const [targets, names] of cases) expect(await planned(folder, targets), `${targets}`).toEqual(names);
  }));

test.each([
  [['Sprng'], 'No manifest has the name "Sprng" (--target).', 'Did you mean "Spring"?'],
  [['Spring', 'Winter'], 'No manifest has the name "Winter" (--target).', 'exactly'],
  [['Spring,late'], 'No manifest has the name "Spring,late" (--target).', 'Did you mean "Spring, late"?'],
  [['Winter*'], 'No manifest has a name that matches "Winter*" (--target).', '* matches any text'],
  [['spring*'], 'No manifest has a name that matches "spring*"', ''],
  [['!Winter*'], 'No manifest has a name that matches "Winter*" (--target).', '* matches any text'],
  [['Autumn', '!Au*'], '--target Autumn, !Au* excludes every campaign.', 'Exclude fewer campaigns.'],
  [[' '], '--target needs a value.', ''],
])('%j is refused, and does not select all campaigns', (targets, message, hint) =>
  withFolder(async (folder) => {
    await writeFiles(folder, FILES);
    const refused = await planned(folder, targets);
    expect(refused).toContain(message);
    expect(refused).toContain(hint);
  }),
);

test('a saved plan keeps the names that a pattern matched', () =>
  withFolder(async (folder) => {
    await writeFiles(folder, FILES);
    await run(folder, ['plan', '--target', 'Spring*', '--target', 'late', '--out', 'plan.json']);
    const { selection } = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8'));
    expect(selection.target).toEqual(['Spring', 'Spring, late', 'Spring (UK) 50%', 'late']);
    expect(await run(folder, ['apply', '--plan', 'plan.json', '--yes'])).toMatchObject({ code: 0 });
    const { out } = await run(folder, ['list', '--json']);
    const created = JSON.parse(out).campaigns.filter(({ id }: { id: number | null }) => id !== null);
    expect(created).toHaveLength(4);
  }));
