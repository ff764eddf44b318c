import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import type { Plan, PlanProblem } from '../../src/model/outputs.js';
import { documentHtml } from '../../src/view/document-html.js';
import { documentMarkdown } from '../../src/view/document-markdown.js';
import { documentText } from '../../src/view/document-text.js';
import { placedCommands } from '../../src/view/placed.js';
import { plansDocument, renderPlansMarkdown } from '../../src/view/plans.js';
import { failuresBlock } from '../../src/view/projects.js';
import { plain } from '../../src/view/terminal.js';
import { campaignPlan, planOf, step } from '../support/plans.js';

const FOLDER_NOTE = 'In commands and paths, FOLDER is the folder of a project, as in -C acorn.';

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
    ['acorn (live)', 'birch (live)', `Run campaignctl validate -C FOLDER. ${FOLDER_NOTE}`],
  ]);
});

describe('in a plan of several projects, each command names a folder', () => {
  const hazard = (name: string): PlanProblem => ({
    code: 'adopt',
    severity: 'hazard',
    message: `"${name}" runs.`,
    hint: 'If it should not change, run campaignctl import --update.',
  });
  const problem = (message: string): PlanProblem => ({
    code: 'unkept-state',
    severity: 'error',
    message,
    hint: 'Run campaignctl state migrate.',
  });
  const part = (project: string, campaignProblem: PlanProblem) => {
    const campaign = campaignPlan('Spring', { steps: [step('settings')], problems: [campaignProblem] });
    const result = planOf([campaign], { problems: [problem('Run campaignctl unlock.')] });
    return { project, environment: 'production', exit_code: 0 as const, result, failure: null };
  };
  const reports = (...parts: ReturnType<typeof part>[]) => {
    const document = plansDocument(parts);
    const text = documentText(document, { paint: plain, width: 200 });
    return [text, documentMarkdown(document, 60_000), documentHtml(document)];
  };
  const commandsIn = (report: string) =>
    [...report.matchAll(/campaignctl (?:import|state|unlock)[^.<]*/g)].map(([command]) => command);

  test('its own, if only one project is concerned', () => {
    for (const report of reports(part('acorn', hazard('A')), part('birch', hazard('B'))))
      expect(new Set(commandsIn(report))).toEqual(
        new Set(
          ['acorn', 'birch'].flatMap((folder) => [
            `campaignctl unlock -C ${folder} --env production`,
            `campaignctl state -C ${folder} --env production migrate`,
            `campaignctl import -C ${folder} --env production --update`,
          ]),
        ),
      );
  });

  test('one that the reader knows, if a message concerns several', () => {
    for (const report of reports(part('acorn', hazard('A')), part('birch', hazard('A')))) {
      expect(commandsIn(report)).toContain('campaignctl import -C FOLDER --env production --update');
      expect(report).toContain(FOLDER_NOTE);
    }
  });
});

describe('in a plan of several projects, each path starts where the reader is', () => {
  const accepted = (by: string): PlanProblem => ({
    ...{ code: 'launch', severity: 'hazard', message: 'Apply launches the campaign.', hint: '' },
    accepted_by: by,
  });
  const lint = {
    code: 'liquid',
    severity: 'warning',
    message: 'Liquid.',
    hint: '',
    at: 'campaigns/a.yaml:3',
  } as const;
  const part = (project: string, ...problems: PlanProblem[]) => {
    const campaign = campaignPlan('Spring', { steps: [step('settings')], problems });
    const whole = { code: 'mass-change', severity: 'hazard', message: 'Many.', hint: '' } as const;
    const result = planOf([campaign], { problems: [{ ...whole, accepted_by: 'campaignctl.yaml:9' }] });
    return { project, environment: 'production', exit_code: 0 as const, result, failure: null };
  };
  const reports = (...parts: ReturnType<typeof part>[]) => {
    const document = plansDocument(parts);
    const text = documentText(document, { paint: plain, width: 200 });
    return [text, documentMarkdown(document, 60_000), documentHtml(document)];
  };
  const sources = (report: string) =>
    [...report.matchAll(/Accepted by (.+?)\.(?=\s|<)/g)].map(([, source]) => source).toSorted();

  test.each<[string, string[], string[]]>([
    ['of the file that they extend', ['../../agency.yaml:3', '../../agency.yaml:3'], ['agency.yaml:3']],
    [
      'of a project',
      ['campaignctl.yaml:7', '--allow launch'],
      ['--allow launch', 'clients/acorn/campaignctl.yaml:7'],
    ],
    ['of each project', ['campaignctl.yaml:7', 'campaignctl.yaml:7'], ['FOLDER/campaignctl.yaml:7']],
  ])('the line that accepts a hazard: %s', (_, [first = '', second = ''], expected) => {
    const parts = [part('clients/acorn', accepted(first)), part('clients/birch', accepted(second))];
    for (const report of reports(...parts)) {
      const whole = ['clients/acorn/campaignctl.yaml:9', 'clients/birch/campaignctl.yaml:9'];
      expect(sources(report)).toEqual([...expected, ...whole].toSorted());
      expect(report.includes(FOLDER_NOTE.replaceAll('acorn', 'clients/acorn'))).toBe(/FOLDER\//.test(report));
    }
  });

  test('the line of a finding', () => {
    for (const report of reports(part('clients/acorn', lint), part('clients/birch', lint)))
      expect(report).toMatch(/clients\/acorn\/campaigns\/a\.yaml:3.*clients\/birch\/campaigns\/a\.yaml:/);
  });
});

describe('in a plan of several projects, the command for all of them', () => {
  const partOf = (project: string, environment: string, more: Partial<Plan> = {}) => {
    const campaign = campaignPlan('Spring', { steps: [step('settings')] });
    const result = { ...planOf([campaign], more), environment };
    return { project, environment, exit_code: 0 as const, result, failure: null };
  };
  const commandsIn = (parts: ReturnType<typeof partOf>[], env: string | null) => {
    const document = plansDocument(parts, { env });
    const texts = [
      documentText(document, { paint: plain, width: 200 }),
      documentMarkdown(document, 60_000),
      renderPlansMarkdown(parts, 60_000, { env }),
    ];
    return new Set(texts.flatMap((text) => text.match(/campaignctl apply .*/) ?? []));
  };
  const staging = [partOf('acorn', 'acorn-staging'), partOf('birch', 'birch-staging')];

  test.each([
    ['*-staging', 'campaignctl apply --recursive --env "*-staging" --yes'],
    [null, 'campaignctl apply --recursive --yes'],
  ])('has the environments that were planned: %s', (env, command) => {
    expect(commandsIn(staging, env)).toEqual(new Set([command]));
  });

  test.each(['.', '..'])('names only the environments if the project is the nearest one: %s', (project) => {
    const both = ['eu', 'us'].map((place) => partOf(project, `${place}-staging`));
    expect(commandsIn(both, '*-staging')).toEqual(new Set(['campaignctl apply --env "*-staging" --yes']));
  });

  test('holds the launches that the plans leave out', () => {
    const held = [
      partOf('acorn', 'live', { hold: ['launch'] }),
      partOf('birch', 'live', { hold: ['launch'] }),
    ];
    expect(commandsIn(held, null)).toEqual(
      new Set(['campaignctl apply --recursive --env live --hold launch --yes']),
    );
  });
});
