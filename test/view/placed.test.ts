import { expect, test } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import { placedCommands } from '../../src/view/placed.js';
import { failuresBlock } from '../../src/view/projects.js';

test.each([
  ['Run campaignctl plan.', 'Run campaignctl plan -C clients/acorn.'],
  [
    'Apply it there first: campaignctl apply --env staging.',
    'Apply it there first: campaignctl apply -C clients/acorn --env staging.',
  ],
  ['run campaignctl\n    import --all', 'run campaignctl\n    import -C clients/acorn --all'],
  [
    'campaignctl pause 1 -C cedar --env x; campaignctl pause 2 -C\n  "The elm"',
    'campaignctl pause 1 -C clients/acorn/cedar --env x; campaignctl pause 2 -C\n  "clients/acorn/The elm"',
  ],
  ['campaignctl forget ID -C FOLDER', 'campaignctl forget ID -C FOLDER'],
  ['the file campaignctl.yaml', 'the file campaignctl.yaml'],
])('the folder of -C is added to each command: %s', (text, placed) => {
  expect(placedCommands(text, 'clients/acorn')).toBe(placed);
});

test('what is not a command to run stays', () => {
  const text = 'paused by campaignctl pause on 2026-11-28';
  expect(placedCommands(text, 'clients')).toBe(text);
});

test('with --recursive, a command for one project names its folder, which only the reader knows', () => {
  const placed = (text: string) => placedCommands(text, 'clients', { isRecursive: true });
  expect(placed('campaignctl apply --env staging')).toBe('campaignctl apply --env staging');
  expect(placed('campaignctl plan -C acorn')).toBe('campaignctl plan -C clients/acorn');
  expect(placed('campaignctl apply --recursive')).toBe('campaignctl apply -C clients --recursive');
});

test('a folder with spaces is quoted', () => {
  expect(placedCommands('campaignctl list', 'The acorn')).toBe('campaignctl list -C "The acorn"');
});

test.each([
  ['run campaignctl apply.', 'run campaignctl apply -C clients/acorn --env live.'],
  ['campaignctl apply --env staging', 'campaignctl apply -C clients/acorn --env staging'],
  ['campaignctl pause 1 -C cedar', 'campaignctl pause 1 -C clients/acorn/cedar'],
  ['campaignctl apply --plan plan.json', 'campaignctl apply -C clients/acorn --plan plan.json'],
  ['campaignctl validate', 'campaignctl validate -C clients/acorn'],
])('the environment of a project is added to commands without one: %s', (text, placed) => {
  expect(placedCommands(text, 'clients/acorn', { environment: 'live' })).toBe(placed);
});

test('in its own folder, a command gets only the environment', () => {
  expect(placedCommands('campaignctl plan', '.', { environment: 'live' })).toBe(
    'campaignctl plan --env live',
  );
});

test('the commands of an error that projects share name their folder, which only the reader knows', () => {
  const failure = new Failure({ code: 'no-manifests', message: 'None.', hint: 'Run campaignctl validate.' });
  const part = (project: string, environment: string) => {
    return { project, environment, exit_code: 1 as const, result: null, failure };
  };
  const hints = (...parts: Parameters<typeof part>[]) =>
    failuresBlock(
      parts.map((each) => part(...each)),
      'a plan',
    ).flatMap(({ failures }) => failures.map(({ names, failure: { hint } }) => [...names, hint]));
  expect(hints(['acorn', 'live'])).toEqual([['acorn (live)', 'Run campaignctl validate -C acorn.']]);
  expect(hints(['acorn', 'live'], ['birch', 'live'])).toEqual([
    ['acorn (live)', 'birch (live)', 'Run campaignctl validate -C FOLDER.'],
  ]);
});
