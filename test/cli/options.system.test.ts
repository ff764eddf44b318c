import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS, type Command } from '../../src/cli/commands.js';
import { COMMON, flag, yargsOptions } from '../../src/cli/options.js';
import { parseLine } from '../../src/cli/parser.js';
import { readCases } from '../support/cases.js';
import { command as run, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';

/** All commands with their options and positionals, and the words that they require. */
const commands = Object.entries<Command>(COMMANDS).map(([name, { command, options, positionals }]) => {
  const words = [...command.matchAll(/<(\w+)>/g)].map(([, place = '']) => wordOf(positionals[place]));
  return {
    name,
    words,
    options: yargsOptions({ ...COMMON, ...options }),
    places: Object.entries(positionals),
  };
});

function wordOf(option: { choices?: unknown } | undefined): string {
  return Array.isArray(option?.choices) ? String(option.choices[0]) : 'word';
}

function isList(places: (typeof commands)[number]['places']): boolean {
  return places.some(([, { array }]) => array === true);
}

/** The Failure of a command line; `null` if it is accepted. */
function refusal(argv: readonly string[]): { message: string; hint?: string } | null {
  try {
    parseLine(argv, 100);
    return null;
  } catch (error) {
    return error as Error;
  }
}

const refused = (message: unknown) => ({ code: 'usage', exitCode: 1, message });
const unset = refused(expect.stringContaining('needs a value.'));

test.each(commands)(
  '$name refuses every option without a value, in every spelling',
  ({ name, words, options }) => {
    for (const [option, { type, alias, choices }] of Object.entries(options)) {
      if (type === 'boolean') continue;
      const value = wordOf({ choices: choices ?? ['7'] });
      for (const written of [`--${option}`, ...(alias === undefined ? [] : [`-${alias}`])]) {
        const lines = [
          [name, ...words, written, ''],
          [name, ...words, written, ' '],
          [name, written, '', ...words],
          [name, `${written}=`, ...words],
          [name, ...words, `${written}=`],
          [name, ...words, written],
          [name, written, '--quiet', ...words],
          [name, written, '-q', ...words],
          [name, ...words, written, value, written],
          [name, ...words, written, value, written, ''],
          [name, ...words, written, '', written, value],
        ];
        const isCommon = Object.hasOwn(COMMON, option);
        expect(refusal([`${written}=`, name, ...words])).toMatchObject(unset);
        expect(refusal([written, '', name, ...words])).toMatchObject(
          isCommon ? unset : refused(`${written} comes before the command.`),
        );
        for (const line of lines) expect(refusal(line), line.join(' ')).toMatchObject(unset);
        if (/^-\w$/.test(written))
          expect(refusal([name, ...words, `${written}q`])).toMatchObject({ code: 'usage', exitCode: 1 });
      }
    }
  },
);

test.each(commands)('$name refuses a repeated option that takes one value', ({ name, words, options }) => {
  for (const [option, { type, array, choices }] of Object.entries(options)) {
    if (type === 'boolean' || array) continue;
    const value = wordOf({ choices: choices ?? ['7000'] });
    const line = [name, ...words, `--${option}`, value, `--${option}`, value];
    expect(refusal(line), line.join(' ')).toMatchObject(refused(`--${option} appears more than once.`));
  }
});

test.each(commands)('$name refuses every empty word', ({ name, words, places }) => {
  for (const at of [0, ...places.keys()]) {
    const before = words.slice(0, at);
    for (const line of [
      [name, ...before, '', ...words.slice(at)],
      [name, ...words, 'word', ''],
    ])
      expect(refusal(line), line.join(' ')).toMatchObject(unset);
  }
});

test.each(commands)('$name loses no word', ({ name, words, places }) => {
  for (const line of [
    [name, ...words, '-'],
    [name, ...words, '--'],
    [name, '--', ...words, ''],
    [name, ...words, '--', ...places.map(() => 'word'), ...(isList(places) ? [''] : ['word'])],
    [name, '--env', '--', 'word', ...words],
    ['--', name, ...words],
    [name, '-', ...words],
    [name, ...words, '--_', 'word'],
    [name, ...words, '--_=word'],
    [name, ...words, '--$0', 'word'],
    ...places.flatMap(([place]) => [
      [name, ...words, `--${place}`, 'word'],
      [name, ...words, `--${place}=word`],
      [name, ...words, `--${place}`],
    ]),
  ])
    expect(refusal(line), line.join(' ')).toMatchObject({ code: 'usage', exitCode: 1 });
});

test.each(commands.filter(({ places }) => places.length > 0))(
  '$name takes words after -- and words with a hyphen and a blank as they are',
  ({ name, places }) => {
    for (const word of [
      '- Spring',
      '-- Spring',
      '-',
      '--',
      '--all',
      '-q',
      '-y=1',
      '--help',
      '-5',
      'plan',
      'A=b',
    ]) {
      const last = places.at(-1)?.[0] ?? '';
      // `state` takes one of its own words.
      if (places.some(([, { choices }]) => choices !== undefined)) continue;
      const before = places.slice(1).map(() => 'word');
      const value = isList(places) ? [word] : word;
      const values = { [last]: value };
      expect(parseLine([name, ...before, '--', word], 100), word).toMatchObject({ name, values });
      expect(parseLine([name, '--quiet', '--', ...before, word], 100)).toMatchObject({ values });
      if (/^-+\s/.test(word)) expect(parseLine([name, ...before, word], 100)).toMatchObject({ values });
    }
  },
);

test('an option takes a value that begins with a hyphen and a blank', () => {
  const line = ['plan', '--target', '- Spring', '-t', '- Autumn', '--target=- May', '--', '- a.yaml'];
  expect(parseLine(line, 100)).toMatchObject({
    values: { target: ['- Spring', '- Autumn', '- May'], files: ['- a.yaml'] },
  });
});

test.each(commands)('the help of $name has each argument and option once', ({ name, places, options }) => {
  const help = parseLine([name, '--help'], 100);
  const text = 'text' in help ? (help.text.split('Examples:')[0] ?? '') : '';
  for (const [place] of places) expect(text.match(new RegExp(`^ +${place} `, 'gm')), place).toHaveLength(1);
  for (const option of Object.keys(options))
    expect(text.match(new RegExp(`^ +(?:-., )?--${option} `, 'gm')), option).toHaveLength(1);
});

const escaped = (text: string) => text.replace(/[^\w\s]/g, '\\$&');

const WIDTHS = [80, 100].flatMap((width) =>
  ['', ...commands.map(({ name }) => name)].map((name) => [name, width] as const),
);

test.each(WIDTHS)(
  'the help of "%s" at %d columns has its own options first and whole examples',
  (name, width) => {
    const help = parseLine([...(name === '' ? [] : [name]), '--help'], width);
    const text = 'text' in help ? help.text : '';
    const titles = [...text.matchAll(/^(\w[\w ]*):$/gm)].map(([, title]) => title);
    const order = ['Commands', 'Arguments', 'Options', 'Common options', 'Examples'];
    expect(titles).toEqual(order.filter((title) => titles.includes(title)));
    expect(titles).toEqual(expect.arrayContaining(['Common options', 'Examples']));
    const row = Object.entries<Command>(COMMANDS).find(([known]) => known === name)?.[1];
    for (const [line, about] of row?.examples ?? [])
      expect(text).toMatch(
        new RegExp(`^  ${escaped(`campaignctl ${line}`)}(?:  +|\\n      )${escaped(about)}$`, 'm'),
      );
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(width);
    expect(text).not.toMatch(/\[(?:string|array|boolean)\]|\n\n\n|\s$/);
  },
);

test.each(commands)('$name accepts only true or false for a flag', ({ name, words, options }) => {
  const flags = Object.entries({
    ...options,
    help: flag('', { alias: 'h' }),
    version: flag('', { alias: 'V' }),
  });
  for (const [option, { type, alias, implies }] of flags) {
    if (type !== 'boolean') continue;
    const needed = implies === undefined ? [] : [`--${implies}`];
    const long = `--${option}`;
    const short = alias === undefined ? [] : [`-${alias}`];
    for (const written of [long, ...short]) {
      for (const value of ['maybe', 'yes', 'no', '0', '1', 'TRUE', 'false ', 'true\n', ''])
        for (const line of [
          [name, ...words, `${written}=${value}`],
          [`${written}=${value}`, name, ...words],
        ])
          expect(refusal(line), line.join(' ')).toMatchObject({ code: 'usage', exitCode: 1 });
      if (/[hV]$/.test(written)) continue;
      for (const value of ['true', 'false'])
        expect(refusal([name, ...words, ...needed, `${written}=${value}`])).toBe(null);
    }
    expect(refusal([name, ...words, `--no-${option}`])).toMatchObject({ code: 'usage', exitCode: 1 });
    expect(refusal([name, ...words, ...needed, `${long}=maybe`])).toMatchObject(
      refused(expect.stringMatching(new RegExp(`^${long} .*"maybe"`))),
    );
  }
});

test('an option takes a value in each command that has it, or in none', () => {
  const kinds = new Map<string, unknown>();
  for (const { options } of commands)
    for (const [option, { type }] of Object.entries(options))
      expect(type === 'boolean', option).toBe(
        kinds.get(option) ?? kinds.set(option, type === 'boolean').get(option),
      );
});

test.each(commands)('$name has the same short options as the others', ({ options }) => {
  const short = Object.entries(options).flatMap(([option, { alias }]) =>
    alias === undefined ? [] : [[alias, option]],
  );
  expect(new Set(short.map(([alias]) => alias)).size).toBe(short.length);
  expect(SHORT).toEqual(expect.arrayContaining(short));
});

const SHORT = [
  ['C', 'chdir'],
  ['c', 'config'],
  ['e', 'env'],
  ['f', 'format'],
  ['q', 'quiet'],
  ['t', 'target'],
  ['y', 'yes'],
];

test.each([
  [
    ['apply', '-q', '-y', '-e', 'staging', '-t', 'Spring', '-t', 'Autumn', 'a.yaml'],
    ['apply', '--quiet', '--yes', '--env', 'staging', '--target', 'Spring', '--target', 'Autumn', 'a.yaml'],
  ],
  [
    ['-c', 'shop.yaml', '-q', '-e', 'staging', 'plan'],
    ['plan', '--config=shop.yaml', '--env', 'staging', '--quiet'],
  ],
])('%j is the same as %j', (short, long) => {
  expect(parseLine(short, 100)).toEqual(parseLine(long, 100));
});

test.each([
  [['plan', '--json'], { format: 'json' }],
  [['plan', '--quiet=true'], { quiet: true, color: 'auto' }],
  [['plan', '--quiet=false'], { quiet: false, color: 'auto' }],
  [['list', '--json=false', '--color', 'never'], { format: 'text', color: 'never' }],
  [
    ['--quiet', '--env', 'staging', 'plan', 'campaigns'],
    { env: 'staging', quiet: true, files: ['campaigns'] },
  ],
  [
    ['plan', '-t', 'Spring', 'a.yaml', '--parallelism', '5', '--hold', 'launch'],
    { target: ['Spring'], files: ['a.yaml'], parallelism: 5, hold: ['launch'] },
  ],
  [['validate', '007', '1e3', '0x1'], { files: ['007', '1e3', '0x1'] }],
  [
    ['sandbox', '--fault', 'GET /api/a=hang', '--fault', '* /api/c=500-after'],
    { fault: ['GET /api/a=hang', '* /api/c=500-after'] },
  ],
])('%j has the values %j', (argv, values) => {
  expect(parseLine(argv, 100)).toMatchObject({ values });
});

test('each fault in a command line has a message with a hint', async () => {
  const lines: string[] = [];
  for (const [, line] of readCases(import.meta.dirname, 'refused')) {
    const { message, hint, ...rest } = refusal(line.split(' ')) ?? { message: 'accepted' };
    lines.push(line, `  ${message}`, `  ${hint}`);
    expect(rest, line).toMatchObject({ code: 'usage', exitCode: 1 });
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden/refused.txt');
});

test('the help tells how to stop the managed campaigns, and every campaign', () => {
  expect(parseLine(['--help'], 100)).toEqual({
    text: expect.stringMatching(/pause --all\.\s+Add\s+--unmanaged\s+to\s+include/),
  });
});

test('every command that takes --recursive is documented as such', () => {
  const docs = readFileSync('docs/many-projects.md', 'utf8');
  const [documented = ''] = /^With `--recursive`, .* work on /m.exec(docs) ?? [];
  const names = commands.filter(({ options }) => 'recursive' in options).map(({ name }) => name);
  expect([...documented.matchAll(/`([a-z]+)`/g)].map(([, name]) => name).sort()).toEqual(names.sort());
});

test('every hint names commands and options that exist', () => {
  const options = new Set(commands.flatMap((row) => Object.keys(row.options)));
  const names = commands.map(({ name }) => name);
  const [, source = ''] = readFileSync('src/cli/parser.ts', 'utf8').split('const HINTS');
  for (const [, name = ''] of source.matchAll(
    /campaignctl ([a-z]+) (?=--|NAME|DIR|shows|checks|writes|plans|lists|takes|serves)/g,
  ))
    expect(names).toContain(name);
  for (const [, option = ''] of source.matchAll(/--([a-z-]+)/g))
    expect([...options, 'version']).toContain(option);
});

test.each([
  [['help'], '<command>'],
  [['help', 'plan'], 'plan [files..]'],
  [['plan', '-h'], 'plan [files..]'],
  [['--help', 'plan'], 'plan [files..]'],
  [[], '<command>'],
])('%j prints help', (argv, text) => {
  expect(parseLine(argv, 100)).toEqual({ text: expect.stringContaining(`campaignctl ${text}`) });
});

test('validate takes words as they are', () =>
  withFolder(async (folder) => {
    await run(folder, ['init', '.']);
    const ended = await run(folder, ['validate', '007']);
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('"007" does not exist.')]);
  }));

test('a plan file that does not exist is refused by the command', () =>
  withFolder(async (folder) => {
    const ended = await run(folder, ['show', 'missing.json']);
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('plan file missing.json')]);
  }));

test('--chdir runs in a different folder, to which paths are relative', () =>
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
        err: expect.stringMatching(new RegExp(` ${nowhere} \\(--chdir\\)[^]*\\[usage\\]\n$`)),
      });
  }));

test('the page on commands names the options that take several values, as the help does', () => {
  const options = commands.flatMap((row) => Object.entries(row.options));
  const several = options
    .filter(([, { describe = '' }]) => describe.endsWith('repeat for several'))
    .map(([name]) => name);
  const names = [...new Set(several)].sort().map((name) => `\`--${name}\``);
  const line = `${names.slice(0, -1).join(', ')} and ${names.at(-1)} accept several values`;
  expect(readFileSync('docs/commands.md', 'utf8')).toContain(line);
});
