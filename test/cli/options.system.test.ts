import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.js';
import { COMMON, usageOf, yargsOptions } from '../../src/cli/options.js';
import { parseArguments } from '../../src/cli/program.js';
import { command as run, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';

/** Every command with its options and positionals as they are written, and as many words as it needs. */
const commands = await Promise.all(
  COMMANDS.map(async ({ name, load }) => {
    const { options, positionals } = (await load()).command;
    const words = [...usageOf(name, positionals).matchAll(/<\w+>/g)].map((_, at) => `word${at}`);
    const places = Object.entries(yargsOptions(positionals));
    return { name, words, options: yargsOptions({ ...COMMON, ...options }), places };
  }),
);

/** What a command line is refused with; null where it is taken. */
async function refusal(
  argv: readonly string[],
): Promise<{ code?: string; message: string; hint?: string } | null> {
  try {
    await parseArguments(argv, 100);
    return null;
  } catch (error) {
    return error as Error;
  }
}

test.each(commands)(
  '$name refuses every option that is left without a value',
  async ({ name, words, options }) => {
    for (const [option, { type }] of Object.entries(options)) {
      if (type === 'boolean') continue;
      const written = `--${option}`;
      const lines = [
        [name, ...words, written, ''],
        [name, `${written}=`, ...words],
        [name, ...words, written],
        [name, written, '--quiet', ...words],
        [name, ...words, written, '--', 'end'],
      ];
      for (const line of lines) {
        expect(await refusal(line), line.join(' ')).toMatchObject({
          code: 'usage',
          exitCode: 1,
          message: `${written} is given without a value.`,
          hint: expect.stringContaining('A variable that is not set is the likely cause.'),
        });
      }
    }
  },
);

const unset = (what: string) => ({
  code: 'usage',
  exitCode: 1,
  message: `${what} is given without a value.`,
  hint: expect.stringContaining('A variable that is not set is the likely cause.'),
});

test.each(commands)(
  '$name refuses every word that is empty, before and after --',
  async ({ name, words, places }) => {
    for (const [at, [place, { array }]] of places.entries()) {
      const before = places.slice(0, at).map((_, index) => `word${index}`);
      const after = words.slice(at + 1);
      const lines = [
        [name, ...before, '', ...after],
        [name, ...before, '--', '', ...after],
        [name, '--', ...before, '', ...after],
        ...(array
          ? [
              [name, ...before, 'word', '--', ''],
              [name, '--', ...before, '', 'word'],
            ]
          : []),
      ];
      for (const line of lines) {
        expect(await refusal(line), line.join(' ')).toMatchObject(unset(`The argument ${place}`));
      }
    }
    // One more than it takes.
    for (const dashes of [[], ['--']])
      if (places.every(([, { array }]) => !array))
        expect(await refusal([name, ...places.map(() => 'bash'), ...dashes, '']), name).toMatchObject(
          unset('An argument'),
        );
  },
);

test.each(commands)(
  '$name takes no word by its name, which the command would not get',
  async ({ name, words, places }) => {
    for (const [place] of places)
      for (const written of [[`--${place}`, 'word'], [`--${place}=word`], [`--${place}=`], [`--${place}`]])
        for (const line of [
          [name, ...words, ...written],
          [...written, name, ...words],
        ])
          expect(await refusal(line), line.join(' ')).toMatchObject({ code: 'usage', exitCode: 1 });
  },
);

test.each(commands)('the help of $name has each word and option once', async ({ name, places, options }) => {
  const help = await parseArguments(['help', name], 100);
  const text = help.kind === 'printed' ? (help.text.split('Examples:')[0] ?? '') : '';
  for (const [place] of places) expect(text.match(new RegExp(`^ +${place} `, 'gm')), place).toHaveLength(1);
  for (const option of Object.keys(options))
    expect(text.match(new RegExp(`^ +(?:-., )?--${option} `, 'gm')), option).toHaveLength(1);
  expect(text.match(/^Arguments:$/gm) ?? []).toHaveLength(places.length > 0 ? 1 : 0);
  expect(text).not.toContain('Positionals');
});

test.each(commands)(
  '$name takes no opposite of what takes a value',
  async ({ name, words, options, places }) => {
    for (const [option, { type }] of [...Object.entries(options), ...places]) {
      if (type === 'boolean') continue;
      for (const line of [
        [name, ...words, `--no-${option}`],
        [`--no-${option}`, name, ...words],
      ])
        expect(await refusal(line), line.join(' ')).toMatchObject({
          code: 'usage',
          exitCode: 1,
          message: `Unknown option --no-${option}.`,
        });
    }
  },
);

test.each(commands)(
  '$name takes true or false for a flag, and nothing else',
  async ({ name, words, options }) => {
    const flags = Object.entries({ ...options, help: { type: 'boolean', alias: undefined } });
    for (const [option, { type, alias }] of flags) {
      if (type !== 'boolean') continue;
      const long = `--${option}`;
      for (const written of [long, ...(alias === undefined ? [] : [`-${alias}`, `-${alias}${alias}`])]) {
        for (const value of ['maybe', 'yes', 'no', '0', '1', 'TRUE', 'false ', 'true\n', '']) {
          const message =
            value === ''
              ? `${long} is given without a value.`
              : `${long} takes true or false, not "${value}".`;
          for (const line of [
            [name, ...words, `${written}=${value}`],
            [`${written}=${value}`, name, ...words],
          ])
            expect(await refusal(line), line.join(' ')).toMatchObject({
              code: 'usage',
              exitCode: 1,
              message,
            });
        }
        for (const value of ['true', 'false'])
          expect(await refusal([name, ...words, `${written}=${value}`])).toBe(null);
      }
    }
  },
);

test('an option takes a value in every command, or in none: it may stand before the command', () => {
  const kinds = new Map<string, Set<string>>();
  for (const { options } of commands)
    for (const [option, { type, alias }] of Object.entries(options))
      for (const name of [option, alias ?? []].flat())
        kinds.set(name, (kinds.get(name) ?? new Set()).add(type === 'boolean' ? 'flag' : 'value'));
  expect([...kinds].filter(([, found]) => found.size > 1)).toEqual([]);
});

test('a flag that is told true or false is that', async () => {
  const given = async (...more: string[]) => parseArguments(['plan', ...more], 100);
  expect(await given('--quiet=true')).toMatchObject({ flags: { quiet: true, color: null } });
  expect(await given('--quiet=false', '--color=false')).toMatchObject({
    flags: { quiet: false, color: false },
  });
});

test.each([
  [['plan', '--detailed-exitcod'], 'Unknown option --detailed-exitcod.', 'Did you mean --detailed-exitcode?'],
  [['plan', '--detailedExitcode'], 'Unknown option --detailedExitcode.', 'Did you mean --detailed-exitcode?'],
  [
    ['plan', '--yes'],
    'Unknown option --yes.',
    'campaignctl help plan shows the arguments and options of plan.',
  ],
  [['--drift', 'apply'], 'Unknown option --drift.', expect.stringContaining('campaignctl help apply')],
  [['--out', 'plan'], 'Without a command there is no option --out.', expect.any(String)],
  [['--drift'], 'Without a command there is no option --drift.', expect.any(String)],
  [['completion', 'tcsh'], 'The argument shell does not take "tcsh".', 'It takes: "bash", "zsh", "fish".'],
  [['aply'], 'There is no command "aply".', 'Did you mean apply?'],
  [['--env', 'staging', 'aply'], 'There is no command "aply".', 'Did you mean apply?'],
  [['show'], 'An argument is missing: campaignctl show <file>.', expect.any(String)],
  [['--parallelism', '4', 'aply'], 'There is no command "aply".', 'Did you mean apply?'],
  [
    ['show', 'a', 'b'],
    'Unknown argument b.',
    'campaignctl help show shows the arguments and options of show.',
  ],
  [['sandbox', '--port', 'abc'], '--port takes a whole number from 0, not "abc".', 'For example: --port 0.'],
  [['validate', ''], 'The argument files is given without a value.', expect.stringContaining('not set')],
  [['plan', '--format', 'xml'], '--format does not take "xml".', expect.stringContaining('"markdown"')],
  [['plan', '--format', 'text', '--format', 'json'], '--format is given more than once.', 'Give it once.'],
  [['plan', '--parallelism', '0'], '--parallelism takes a whole number from 1, not "0".', expect.any(String)],
  [
    ['plan', '--parallelism', '1e3'],
    '--parallelism takes a whole number from 1, not "1e3".',
    expect.any(String),
  ],
])('%j is refused', async (argv, message, hint) => {
  expect(await refusal(argv)).toMatchObject({ code: 'usage', message, hint });
});

test.each([
  [['--drift', 'plan']],
  [['--out', 'plan', 'plan']],
  [['--out', 'apply', 'plan', '--drift']],
  [['--yes', 'apply', '--dry-run']],
  [['-y', '--env', 'plan', 'apply']],
])('%j: the command stands behind its own options', async (argv) => {
  expect(await parseArguments(argv, 100)).toMatchObject({ kind: 'command' });
});

test.each([
  [['--', '-x.yaml'], '"-x.yaml" does not exist.'],
  [['--quiet', '--', '--debug'], '"--debug" does not exist.'],
  [['007'], '"007" does not exist.'],
  [['1e3'], '"1e3" does not exist.'],
])('validate %j takes words for what they are', (words, message) =>
  withFolder(async (folder) => {
    await run(folder, ['init', '.']);
    const ended = await run(folder, ['validate', ...words]);
    expect(ended.code).toBe(1);
    expect(ended.err).toContain(message);
  }),
);

test.each([
  [['pl'], ['plan']],
  [['plan', '--f'], ['--format']],
  [
    ['plan', '--format', ''],
    ['text', 'json', 'markdown', 'html'],
  ],
  [['apply', '--hold', 'l'], ['launch']],
  [['--env', 'production', 'unlock', '--y'], ['--yes']],
  [['plan', 'campaigns/s'], []],
])('the words that complete %j', async (words, offered) => {
  const completed = await parseArguments(['--get-completions', ...words], 100);
  expect(completed).toEqual({ kind: 'printed', text: offered.join('\n') });
});

test.each([[['help']], [['help', 'plan']], [['--help', 'plan']]])('%j prints help', async (argv) => {
  const { kind, ...printed } = await parseArguments(argv, 100);
  expect(kind).toBe('printed');
  expect(printed).toHaveProperty(
    'text',
    expect.stringContaining(`campaignctl ${argv.at(1) ? 'plan [files..]' : '<command>'}`),
  );
});

test('help calls a number a number', async () => {
  expect(await parseArguments(['plan', '--help'], 100)).toMatchObject({
    text: expect.stringMatching(/--limit [\s\S]*?\[number\] \[default: 60000\]\n/),
  });
});

test('an option before the command takes its value', async () => {
  const argv = ['--parallelism', '4', '--quiet', '--env', 'staging', 'plan', 'campaigns'];
  expect(await parseArguments(argv, 100)).toMatchObject({
    kind: 'command',
    flags: { env: 'staging', quiet: true },
  });
});

test.each([
  [['show', 'missing.json'], 'There is no plan file missing.json.'],
  [['init', '--env', 'foo'], '--env goes with --base-url: without it, init writes the environment sandbox.'],
])('%j says what is wrong in a sentence', (argv, message) =>
  withFolder(async (folder) => {
    const ended = await run(folder, argv);
    expect(ended.code).toBe(1);
    expect(ended.err).toContain(message);
  }),
);

test('--chdir works in another folder, with paths from there', () =>
  withFolder(async (folder) => {
    await writeFiles(join(folder, 'shop'), {
      'campaignctl.yaml': 'version: 1\nmanifests: ["*.yaml"]\nenvironments: { sandbox: { sandbox: {} } }\n',
      'spring.yaml': 'name: Spring\n',
    });
    const planned = await run(folder, ['plan', '-C', 'shop', 'spring.yaml', '--out', 'plan.json']);
    expect([planned.code, planned.err]).toEqual([0, expect.stringContaining('plan.json')]);
    expect((await run(folder, ['show', 'plan.json', '--chdir', 'shop'])).out).toContain('Spring');
    expect((await run(folder, ['list', '--recursive', '-C', 'shop'])).out).toContain('1 project');
    for (const nowhere of ['nowhere', 'shop/spring.yaml'])
      expect(await run(folder, ['plan', '-C', nowhere])).toEqual({
        ...{ code: 1, out: '' },
        err: `✗ error: There is no folder ${nowhere} (--chdir).\n  → Name one that is there. [usage]\n`,
      });
  }));
