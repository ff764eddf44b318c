import yargs, { type Argv } from 'yargs';
import { nearest } from '../manifest/words.js';
import { Failure } from '../model/failure.js';
import { COMMANDS, type Command } from './commands.js';
import { completeWords } from './completion.js';
import { commonFlags, type Invocation } from './invocation.js';
import { COMMON } from './options.js';
import { version } from './version.js';

/** Parses a command line. Throws a Failure for bad usage. Nothing is run: handlers only record what is to be run. */
export async function parseArguments(argv: readonly string[], width: number): Promise<Invocation> {
  let recorded: Invocation | null = null;
  const parser = program(argv, Math.min(width, 100), (invocation) => {
    recorded = invocation;
  });
  if (argv[0] === '--get-completions') {
    return { kind: 'printed', text: completeWords(argv.slice(1)).join('\n') };
  }
  let printed = '';
  await parser.parseAsync([...argv], {}, (_error: unknown, _args: unknown, output: string) => {
    printed = output;
  });
  return recorded ?? { kind: 'printed', text: printed || (await parser.getHelp()) };
}

function program(argv: readonly string[], width: number, record: (invocation: Invocation) => void): Argv {
  let parser: Argv = yargs()
    .scriptName('campaignctl')
    .usage(
      'campaignctl <command>\n\nEmail outreach campaigns as code: plan, review and apply YAML manifests.',
    )
    .parserConfiguration({
      'parse-positional-numbers': false,
      'greedy-arrays': false,
      'dot-notation': false,
    })
    .locale('en')
    .wrap(width)
    .version(version)
    .help()
    .group([...Object.keys(COMMON), 'help', 'version'], 'Common options:')
    .strict()
    .demandCommand(0)
    .exitProcess(false)
    .fail((message, error) => refuse(message ?? error?.message ?? '', error, argv))
    .check(givenOnce)
    .options(COMMON)
    .example('campaignctl init shop && cd shop', 'a project that plans and applies as it is')
    .example('campaignctl plan --env production', 'what would change, and nothing else')
    .example('campaignctl apply --env production --allow launch', 'send it, launches included')
    .epilogue(
      'Exit codes: 0 done or nothing to do · 1 error, nothing sent · 2 changes pending · 3 refused, nothing sent · 4 incomplete · 130 interrupted',
    );
  for (const command of COMMANDS) parser = added(parser, command, record);
  return parser;
}

function added(parser: Argv, command: Command, record: (invocation: Invocation) => void): Argv {
  return parser.command(
    command.usage,
    command.describe,
    (args) => {
      const described = args
        .usage(`campaignctl ${command.usage}\n\n${command.describe}.`)
        .options(command.options)
        .group(Object.keys(command.options), 'Options:');
      for (const [name, options] of Object.entries(command.positionals)) described.positional(name, options);
      for (const [line, text] of command.examples) described.example(line, text);
      return described;
    },
    (args) => {
      const flags = commonFlags(args);
      record({ kind: 'command', flags, run: (shell) => command.run({ ...args, ...flags }, shell) });
    },
  );
}

/** An option that takes one value was given several. */
function givenOnce(args: { [name: string]: unknown }): true {
  const lists = ['_', 'files', 'names', 'target', 'hold', 'allow', 'fault', 'output'];
  const twice = Object.keys(args).find((name) => Array.isArray(args[name]) && !lists.includes(name));
  if (twice === undefined) return true;
  throw new Failure({ code: 'usage', message: `--${twice} is given more than once.`, hint: 'Give it once.' });
}

/** Usage errors: said in one sentence, with the nearest thing that exists. */
function refuse(said: string, error: Error | undefined, argv: readonly string[]): never {
  if (error instanceof Failure) throw error;
  throw new Failure({ code: 'usage', ...reworded(said.trim(), argv) });
}

/** What yargs says, as this program says things. */
function reworded(said: string, argv: readonly string[]): { message: string; hint: string } {
  const hint = 'campaignctl --help shows commands and options.';
  const names = [...COMMANDS.map(({ name }) => name), 'completion'];
  const word = commandWord(argv);
  if (word !== undefined && !names.includes(word)) {
    const near = nearest(word, names);
    const message = `There is no command "${word}".`;
    return { message, hint: near === null ? hint : `Did you mean ${near}?` };
  }
  const unknown = /^Unknown (?:argument|command)s?: ([^,]+)/.exec(said)?.[1];
  if (unknown !== undefined) {
    const near = nearestOption(unknown);
    const written = argv.find((word) => word.replace(/^-+/, '').split('=', 1)[0] === unknown) ?? unknown;
    return { message: `${written} is not known here.`, hint: near === null ? hint : `Did you mean ${near}?` };
  }
  const choice = /Argument: ([^,]+), Given: (.+), Choices: (.+)$/s.exec(said);
  if (choice)
    return { message: `--${choice[1]} does not take ${choice[2]}.`, hint: `It takes: ${choice[3]}.` };
  return { message: said.endsWith('.') ? said : `${said}.`, hint };
}

/** The first word that is neither an option nor the value of a common one. */
function commandWord(argv: readonly string[]): string | undefined {
  return argv.find(
    (word, index) => !word.startsWith('-') && !/^--(?:config|env)$/.test(argv[index - 1] ?? ''),
  );
}

function nearestOption(unknown: string): string | null {
  const names = COMMANDS.flatMap(({ options }) => Object.keys(options));
  const option = nearest(unknown.replace(/^no-/, ''), [...Object.keys(COMMON), ...names, 'help', 'version']);
  return option === null ? null : `--${option}`;
}
