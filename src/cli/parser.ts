import yargs, { type Argv } from 'yargs';
import { nearest } from '../manifest/nearest.js';
import { Failure, UNSET, usage } from '../model/failure.js';
import { version } from '../operations/world.js';
import { COMMANDS, type Command, type CommandName } from './commands.js';
import { helpText } from './help.js';
import { COMMON, type CommonFlags, GLOBAL, type OptionTable, writtenName, yargsOptions } from './options.js';

export interface Invocation {
  name: CommandName;
  values: CommonFlags;
}

type Words = readonly string[];
type Parsed = Readonly<Record<string, unknown>>;

const ROWS = Object.entries(COMMANDS) as [CommandName, Command][];

export function parseLine(argv: Words, width: number): Invocation | { text: string } {
  const asksHelp = argv.length === 0 || argv[0] === 'help';
  const line = withoutEnd(asksHelp ? [...argv.slice(1), '--help'] : argv);
  checkWords(line);
  let result: Invocation | { text: string } = { text: '' };
  const choose = (name: CommandName, parsed: Parsed) => {
    result = { name, values: valuesOf(name, parsed) };
  };
  const parser = openParser(choose);
  parser.fail((message, error) => {
    throw error instanceof Failure ? error : refusal(message, line);
  });
  parser.parseSync(line, {}, (_error, { help }, output) => {
    const name = line.find((_, at) => isCommand(line, at)) ?? null;
    if (output !== '') result = { text: help === true ? helpText(name, width) : output };
  });
  return result;
}

/** Begins a word that is no option. yargs would take it for one, and loses words after `--`. No argument contains NUL. */
const LITERAL = '\0';

/** Removes `--`, after which no word is an option. A hyphen before a blank begins a name, such as "- Spring". */
function withoutEnd(argv: Words): Words {
  const end = argv.indexOf('--');
  const [line, names] = end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end + 1)];
  const literal = (word: string) => (word.startsWith('-') ? `${LITERAL}${word}` : word);
  const words = [
    ...line.map((word) => (/^-+\s+\S/.test(word) ? literal(word) : word)),
    ...names.map((word) => literal(word)),
  ];
  if (end < 0) return words;
  if (names.length === 0) throw usage('-- needs an argument after it.', UNSET);
  const command = line.find((_, at) => isCommand(line, at));
  if (command === undefined) throw usage('-- comes before the command.', 'Write it after the command.');
  if (isValue(words, end, optionsOf(command))) throw usage(`${line.at(-1)} needs a value.`, UNSET);
  return words;
}

function asWritten(parsed: unknown): unknown {
  if (Array.isArray(parsed)) return parsed.map(asWritten);
  return typeof parsed === 'string' ? parsed.replace(LITERAL, '') : parsed;
}

function openParser(choose: (name: CommandName, parsed: Parsed) => void): Argv {
  const parser = yargs()
    .scriptName('campaignctl')
    .locale('en')
    .updateStrings(WORDING)
    .exitProcess(false)
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'short-option-groups': false,
    })
    .strict()
    .recommendCommands()
    .demandCommand(1, 'A command is missing.')
    .options(yargsOptions(COMMON))
    .version(version)
    .alias({ help: 'h', version: 'V' });
  for (const [name, { command, describe, ...row }] of ROWS) {
    const builder = (args: Argv) => {
      for (const [place, option] of Object.entries(row.positionals)) args.positional(place, option);
      return args.options(yargsOptions(row.options));
    };
    parser.command({ command, describe, builder, handler: (parsed) => choose(name, parsed) });
  }
  return parser;
}

const WORDING = {
  'Arguments %s and %s are mutually exclusive': '--%s and --%s cannot be combined.',
  'Invalid values:': 'Unknown value:',
  'Argument: %s, Given: %s, Choices: %s': '%s cannot be %s. Choose one of: %s.',
  'Did you mean %s?': 'There is no such command. Did you mean %s?',
  'Not enough arguments following: %s': 'The option %s needs a value.',
};

function valuesOf(name: CommandName, parsed: Parsed): CommonFlags {
  const { positionals, options }: Command = COMMANDS[name];
  const entries = Object.entries({ ...COMMON, ...options, ...positionals }).map(([key, option]) => {
    const value = asWritten(parsed[writtenName(key)]);
    const title = key in positionals ? `The argument ${key}` : `--${writtenName(key)}`;
    if (Array.isArray(value) && !option.array)
      throw usage(`${title} appears more than once.`, 'Use it once.');
    return [key, option.read(value, title)];
  });
  const read = Object.fromEntries(entries) as CommonFlags;
  return parsed.json === true ? Object.assign(read, { format: 'json' }) : read;
}

/** Refuses words that yargs would drop or misread, because more could then be applied than was meant. */
function checkWords(line: Words): void {
  const command = line.findIndex((_, at) => isCommand(line, at));
  const options = optionsOf(line[command]);
  for (const [at, word] of line.entries()) {
    const [, dashes, name = '', value] = /^(--?)([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    const title = `${dashes}${name}`;
    if (value?.trim() === '') throw usage(`${title} needs a value.`, UNSET);
    if (word.trim() === '')
      throw usage(`${line[at - 1]?.match(/^-.*/) ?? 'An argument'} needs a value.`, UNSET);
    const [, typed] = /^[-\u2010-\u2015\u2212]+([a-z][a-z-]+)(?:=|$)/.exec(word) ?? [];
    if (typed !== undefined && !/^--?[a-z]/.test(word) && optionIn(options, typed) !== undefined)
      throw usage(
        `${word} begins with a typographic dash, which some programs put in place of hyphens.`,
        `Type two hyphens: --${typed}.`,
      );
    if (dashes === undefined) continue;
    const option = optionIn(options, name);
    if (option === undefined && command >= 0) throw refusal(`Unknown argument: ${title}`, line);
    // Before the command, yargs does not know the option and takes the next word as its value.
    if (at < command && optionIn(GLOBAL, name) === undefined)
      throw usage(`${title} comes before the command.`, 'Write it after the command.');
    if (option?.type === 'boolean' && value !== undefined && !/^(true|false)$/.test(value))
      throw usage(
        `${title} takes true or false, not "${value}".`,
        `Write ${title} without a value, or leave it out.`,
      );
  }
}

export function optionsOf(command: string | undefined): OptionTable {
  const row: Command | undefined = ROWS.find(([name]) => name === command)?.[1];
  return yargsOptions({ ...GLOBAL, ...row?.options });
}

export function optionIn(options: OptionTable, name: string): OptionTable[string] | undefined {
  return Object.entries(options).find(([known, { alias }]) => known === name || alias === name)?.[1];
}

export function isCommand(line: Words, at: number): boolean {
  return Object.hasOwn(COMMANDS, line[at] ?? '') && !isValue(line, at);
}

/** The name of a command can also be a value, as in `--env sandbox`. */
function isValue(line: Words, at: number, options: OptionTable = GLOBAL): boolean {
  const option = optionIn(options, line[at - 1]?.replace(/^--?/, '') ?? '');
  return option !== undefined && option.type !== 'boolean';
}

function refusal(yargsMessage: string, line: Words): Failure {
  const message = yargsMessage.replaceAll(LITERAL, '');
  const name = line.find((word, at): word is CommandName => isCommand(line, at));
  const help = `campaignctl ${name === undefined ? '--help shows commands' : `${name} --help shows its arguments`} and options.`;
  if (name !== undefined && message.startsWith('Not enough non-option'))
    return usage(`An argument is missing: campaignctl ${COMMANDS[name].command}.`, help);
  const foreign = name === undefined ? line.find((word) => hintFor(word) !== null) : undefined;
  const [, named = ''] = /^Unknown arguments?: (.+)/s.exec(message) ?? [];
  // Without a command, yargs knows no option and names each of them without its dashes.
  const words = named.split(', ').filter((word) => word !== '');
  const unknown = words.find((word) => line.includes(word)) ?? words[0] ?? foreign;
  if (unknown === undefined)
    return usage(message.replace(/\n\s*/g, ' '), message.endsWith('needs a value.') ? UNSET : help);
  const bare = unknown.replace(/^--?(?:no-)?/, '');
  const near = bare === unknown ? null : nearest(bare, Object.keys(optionsOf(name)));
  const isName = /^-[^-]./.test(unknown) && optionIn(optionsOf(name), unknown.charAt(1)) === undefined;
  const before = line[line.indexOf(unknown) - 1] ?? '';
  const literal = !isName
    ? ''
    : isValue(line, line.indexOf(unknown), optionsOf(name))
      ? ` If it is the value of ${before}, write ${before}=${unknown}.`
      : ` If ${unknown} is no option, write it after --.`;
  const hint = hintFor(bare) ?? (near === null ? `${help}${literal}` : `Did you mean --${near}?`);
  return usage(`Unknown ${name === undefined ? 'command' : 'argument'} ${unknown}.`, hint);
}

/** Commands and options of other tools, without hyphens, each with a hint. */
const HINTS: readonly (readonly [words: string, hint: string])[] = [
  [
    'stop kill halt emergency',
    'campaignctl pause NAME stops a campaign immediately, and campaignctl pause --all stops all managed campaigns; add --unmanaged for every campaign.',
  ],
  [
    'resume start launch run',
    'Write status: running in the manifest. campaignctl plan then shows the launch, and campaignctl apply --allow launch sends it.',
  ],
  [
    'rename mv',
    'The API cannot rename a campaign. Rename it in the web app, then run campaignctl import --update NAME, which writes the new name into the manifest.',
  ],
  [
    'destroy delete remove prune',
    'campaignctl cannot delete campaigns. Stop the campaign with campaignctl pause NAME, delete it in the web app, and remove it from the state with campaignctl forget NAME.',
  ],
  ['diff status', 'campaignctl plan shows how live campaigns differ from the manifests.'],
  ['sync deploy up push', 'campaignctl apply plans, asks for confirmation and sends.'],
  ['export pull', 'campaignctl import --all writes manifests from live campaigns.'],
  ['refresh refresh-only', 'campaignctl plan --drift shows what changed outside campaignctl.'],
  ['force-unlock', 'campaignctl unlock shows who holds the lock, and removes the lock.'],
  [
    'probe',
    'There is no probe any more: campaignctl needs no key under service for the main job. docs/service.md says which services it works with, and how to check without changing anything.',
  ],
  ['bash zsh fish', 'campaignctl completion SHELL prints a script for bash, zsh or fish.'],
  ['auto-approve', 'Pass --yes to send without confirmation. Hazards still need --allow HAZARD.'],
  [
    'force',
    'No option accepts everything. The plan shows what needs approval; accept each hazard with --allow HAZARD.',
  ],
  [
    'out',
    'campaignctl plan --out FILE saves a plan, and campaignctl apply --plan FILE applies it. Other commands print to stdout: append > FILE.',
  ],
  ['dir', 'import writes into the folder of the first pattern under manifests in the project file.'],
  ['lint', 'campaignctl validate checks all manifests, and runs the lint rules. It needs no network.'],
  ['dry-run check', 'plan sends nothing. campaignctl apply --dry-run prints every request and sends none.'],
];

export function hintFor(word: string): string | null {
  return HINTS.find(([words]) => words.split(' ').includes(word))?.[1] ?? null;
}
