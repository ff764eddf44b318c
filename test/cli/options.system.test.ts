import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLine } from '../../src/cli/arguments.js';
import { command as sandbox } from '../../src/cli/commands/sandbox.js';
import { COMMANDS, everyOption } from '../../src/cli/commands.js';
import { COMMON, choices, SEVERAL, usageOf, yargsOptions } from '../../src/cli/options.js';
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

const allow = choices(['launch', 'adopt', 'rename'], '');

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

const unset = (what: string) => ({
  code: 'usage',
  exitCode: 1,
  message: `${what} is given without a value.`,
  hint: expect.stringContaining('Most likely, a variable is not set.'),
});

test.each(commands)(
  '$name refuses every option that is left without a value',
  async ({ name, words, options }) => {
    for (const [option, { type, alias }] of Object.entries(options)) {
      if (type === 'boolean') continue;
      for (const written of [`--${option}`, ...(alias === undefined ? [] : [`-${alias}`, `-q${alias}`])]) {
        const lines = [
          [name, ...words, written, ''],
          [written, '', name, ...words],
          [name, `${written}=`, ...words],
          [name, ...words, written],
          [name, written, '--quiet', ...words],
          [name, written, '-q', ...words],
          [name, ...words, written, '--', 'end'],
        ];
        for (const line of lines)
          expect(await refusal(line), line.join(' ')).toMatchObject(unset(`--${option}`));
      }
    }
  },
);

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
      if (type === 'boolean' || `no-${option}` in options) continue;
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
  expect(await given('--quiet=true')).toMatchObject({ flags: { quiet: true, color: 'auto' } });
  expect(await given('--quiet=false', '--no-color=false')).toMatchObject({
    flags: { quiet: false, color: 'auto' },
  });
});

test.each(commands)(
  '$name takes commas in place of a repeated option, with no part empty',
  async ({ name, words, options }) => {
    for (const [option, { array, choices = [] }] of Object.entries(options)) {
      if (!array || choices.length === 0) continue;
      const [first] = choices;
      for (const list of [`${first},`, `,${first}`, `${first},,${first}`, `${first}, `])
        expect(await refusal([name, ...words, `--${option}`, list])).toMatchObject(
          unset(`A part of --${option}`),
        );
      expect(await refusal([name, ...words, `--${option}`, choices.join(',')])).toBe(null);
      expect(await refusal([name, ...words, `--${option}`, `${first},other`])).toMatchObject({
        message: `--${option} does not take "other".`,
      });
    }
  },
);

test.each(commands)(
  '$name takes a short form in place of each long one, for itself alone',
  async ({ options }) => {
    const short = Object.entries(options).flatMap(([option, { alias }]) =>
      alias === undefined ? [] : [[alias, option]],
    );
    expect(new Set(short.map(([alias]) => alias)).size).toBe(short.length);
    expect(short).toEqual(
      short.map(([alias, option]) => [alias, Object.fromEntries(SHORT)[String(alias)] ?? option]),
    );
  },
);

const SHORT = [
  ['C', 'chdir'],
  ['c', 'config'],
  ['e', 'env'],
  ['f', 'format'],
  ['h', 'help'],
  ['q', 'quiet'],
  ['t', 'target'],
  ['V', 'version'],
  ['y', 'yes'],
];

test.each([
  [
    ['apply', '-qye', 'staging', '-f', 'json', '-t', 'Spring', '-t=Autumn'],
    ['apply', '--quiet', '--yes', '--env', 'staging', '--json', '--target', 'Spring', '--target', 'Autumn'],
  ],
  [
    ['-f', 'json', 'plan', '-c', 'shop.yaml'],
    ['plan', '--config=shop.yaml', '--format', 'json'],
  ],
  [
    ['--json', 'plan'],
    ['plan', '-f=json'],
  ],
  [
    ['list', '--json=false', '--no-color'],
    ['list', '--color', 'never'],
  ],
])('%j is the same as %j', async (short, long) => {
  for (const argv of [short, long])
    expect(await parseArguments(argv, 100)).toMatchObject({ kind: 'command' });
  const table = await everyOption();
  const [{ words, options }, other] = [readLine(short, table), readLine(long, table)];
  expect({ words, options }).toEqual({ words: other.words, options: other.options });
});

test('a list with commas is the option repeated', () => {
  const read = (...given: string[]) => allow.read(given, '--allow');
  expect(read('launch, adopt', 'rename')).toEqual(['launch', 'adopt', 'rename']);
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
  [['--out', 'plan'], 'A command is missing.', expect.any(String)],
  [['--drift'], 'A command is missing.', expect.any(String)],
  [['--drifft'], 'Unknown option --drifft.', 'Did you mean --drift?'],
  [
    ['completion', 'tcsh'],
    'The argument shell does not take "tcsh".',
    'It takes: "bash", "zsh", "fish", "powershell".',
  ],
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
  [['apply', '-auto-approve'], 'Unknown option -auto-approve.', /^Pass --yes/],
  [['apply', '--auto-approve'], 'Unknown option --auto-approve.', /^Pass --yes/],
  [['-auto-approve', 'apply'], 'Unknown option -auto-approve.', /^Pass --yes/],
  [['plan', '-out=plan.json'], 'Unknown option -out.', /^Write it with two hyphens: --out\.$/],
  [['apply', '-out=plan.json'], 'Unknown option -out.', /apply --plan FILE/],
  [['plan', '-target=Spring'], 'Unknown option -target.', /two hyphens: --target\./],
  [['-chdir=shop', 'apply'], 'Unknown option -chdir.', /two hyphens: --chdir\./],
  [['apply', '-refresh=false'], 'Unknown option -refresh.', /two hyphens: --refresh\.$/],
  [['plan', '-var', 'cap=5'], 'Unknown option -var.', /under environments:/],
  [['apply', '-input=false', '-help'], 'Unknown option -input.', /^Pass --yes/],
  [['plan', '-help'], 'Unknown option -help.', /two hyphens: --help\./],
  [['plan', '--dry-run'], 'Unknown option --dry-run.', /^plan sends nothing/],
  [['plan', '-n'], 'Unknown option -n.', /^plan sends nothing/],
  [['plan', '-eprod'], 'Unknown option -eprod.', /help plan/],
  [['plan', '--no-colour'], 'Unknown option --no-colour.', /^Did you mean --no-color\?$/],
  [['destroy'], 'There is no command "destroy".', /deletes no campaigns/],
  [['diff'], 'There is no command "diff".', /campaignctl plan/],
  [['-e', 'staging', 'refresh'], 'There is no command "refresh".', /plan --drift/],
  [['state', 'rm', 'Spring'], 'There is no command "state rm".', /campaignctl forget NAME/],
  [['console'], 'There is no command "console".', /campaignctl list/],
  [['output'], 'There is no command "output".', /--json/],
  [['taint', 'Spring'], 'There is no command "taint".', /^No campaign is made anew.*replaces:/],
  [['untaint'], 'There is no command "untaint".', /replaces:/],
  [['rollback'], 'There is no command "rollback".', /^campaignctl apply.*in git/],
  [['graph'], 'There is no command "graph".', /campaignctl plan/],
  [['providers'], 'There is no command "providers".', /^There is one API/],
  [['fmt'], 'There is no command "fmt".', /campaignctl validate/],
  [['constructor'], 'There is no command "constructor".', /--help/],
  [['plan', '--constructor'], 'Unknown option --constructor.', /help plan/],
  [['--env', 'plan'], 'A command is missing.', /--help/],
  [['comment'], 'An argument is missing: campaignctl comment <file>.', /help comment/],
])('hands that write %j learn what to write here', async (argv, message, hint) => {
  expect(await refusal(argv)).toMatchObject({
    code: 'usage',
    exitCode: 1,
    message,
    hint: expect.stringMatching(hint),
  });
});

test('faults of the sandbox may have commas between them', () => {
  const read = (...given: string[]) => sandbox.options.fault?.read(given, '');
  expect(read('GET /api/a=hang, POST /api/b=429:5,* /api/c=500-after', 'GET /api/d=hang')).toEqual([
    'GET /api/a=hang',
    'POST /api/b=429:5',
    '* /api/c=500-after',
    'GET /api/d=hang',
  ]);
  expect(read('GET /api/a=hang,')).toEqual(['GET /api/a=hang', '']);
});

test('every hint for hands of other tools names commands and options that there are', async () => {
  const options = new Set(commands.flatMap((one) => Object.keys(one.options)));
  const names = commands.map(({ name }) => name);
  const source = readFileSync('src/cli/habits.ts', 'utf8');
  for (const [, name = ''] of source.matchAll(
    /campaignctl ([a-z]+) (?=--|NAME|DIR|shows|checks|writes|plans|lists|takes|serves)/g,
  ))
    expect(names).toContain(name);
  for (const [, option = ''] of source.matchAll(/--([a-z-]+)/g)) expect([...options]).toContain(option);
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
  [
    ['plan', '--f'],
    ['--format', '--full'],
  ],
  [['help', 'pl'], ['plan']],
  [
    ['plan', '--format', ''],
    ['text', 'json', 'markdown', 'html'],
  ],
  [['plan', '-f', 'm'], ['markdown']],
  [['plan', '--format=m'], ['--format=markdown']],
  [['apply', '--hold', 'l'], ['launch']],
  [['apply', '--allow', 'launch,ad'], ['launch,adopt']],
  [['--env', 'production', 'unlock', '--y'], ['--yes']],
  [['--yes', 'app'], ['apply']],
  [['plan', 'c/s'], []],
  [
    ['plan', '--env', 's'],
    ['sandbox', 'staging'],
  ],
  [
    ['--env', 's'],
    ['sandbox', 'staging'],
  ],
  [['plan', '--env=st'], ['--env=staging']],
  [
    ['compare', 's'],
    ['sandbox', 'staging'],
  ],
  [['compare', 'sandbox', 'st'], ['staging']],
  [['apply', '--require-applied', 'st'], ['staging']],
  [
    ['plan', '-t', ''],
    ['Spring installers', 'Autumn'],
  ],
  [['compare', 'sandbox', 'staging', '--target', 'A'], ['Autumn']],
  [['plan', '--env', 'nowhere', '-t', ''], []],
  [['plan', '-c', 'c/c0.yaml', '--env', ''], []],
  [['forget', ''], ['Autumn']],
  [['show', ''], []],
])('the words that complete %j', (words, offered) =>
  withFolder(async (folder) => {
    await writeFiles(folder, PROJECT);
    await run(folder, ['apply', '--yes', '--target', 'Autumn']);
    const completed = await run(folder, ['--get-completions', ...words]);
    expect(completed).toEqual({ code: 0, out: offered.map((word) => `${word}\n`).join(''), err: '' });
  }),
);

test('the runs of an environment complete its history', () =>
  withFolder(async (folder) => {
    await writeFiles(folder, PROJECT);
    await run(folder, ['apply', '--yes', '--target', 'Autumn']);
    const [made] = JSON.parse((await run(folder, ['history', '--json'])).out).runs;
    expect((await run(folder, ['--get-completions', 'history', made.run.slice(0, 6)])).out).toBe(
      `${made.run}\n`,
    );
    expect((await run(folder, ['--get-completions', 'history', '-e', 'staging', ''])).out).toBe('');
  }));

const PROJECT = {
  'campaignctl.yaml': `version: 1
manifests: [c/*.yaml]
default_environment: sandbox
environments:
  sandbox: { sandbox: {} }
  staging: { base_url: https://staging.example.com, token_env: STAGING_TOKEN }
`,
  'c/c0.yaml': 'name: Spring installers\n',
  'c/c1.yaml': 'name: Autumn\n',
};

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

test('the page on commands names the options that take several values, as the help does', async () => {
  const options = Object.entries(yargsOptions(await everyOption()));
  const several = options.filter(([, { describe = '' }]) => describe.endsWith(SEVERAL)).map(([name]) => name);
  const said = several.sort().map((name) => `\`--${name}\``);
  const line = `${said.slice(0, -1).join(', ')} and ${said.at(-1)} take several values`;
  expect(readFileSync('docs/commands.md', 'utf8')).toContain(line);
});
