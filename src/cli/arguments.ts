import yargs, { type Argv, type Options } from 'yargs';
import { nearest } from '../manifest/index.js';
import { type ExitCode, Failure } from '../model/failure.js';
import { COMMANDS, type Command } from './commands.js';
import { completionScript } from './completion.js';
import type { CommonFlags } from './flags.js';
import type { Shell } from './shell.js';
import { version } from './version.js';

/** What a command line asks for: a text that is only to be printed (help, completion), or a command to run. */
export type Invocation =
  | { kind: 'printed'; text: string }
  | { kind: 'command'; flags: CommonFlags; run(shell: Shell): Promise<ExitCode> };

const COMMON: Record<string, Options> = {
  config: {
    type: 'string',
    requiresArg: true,
    describe: 'Project file; default: campaignctl.yaml from here upward',
  },
  env: {
    type: 'string',
    requiresArg: true,
    describe: 'Environment of the project file; default: $CAMPAIGNCTL_ENV',
  },
  color: {
    type: 'boolean',
    describe: 'Colour or not (--no-color); default: on a terminal, unless NO_COLOR is set',
  },
  quiet: { type: 'boolean', default: false, describe: 'Results and errors only' },
  debug: {
    type: 'boolean',
    default: false,
    describe: 'One line a request on stderr; never a token or a body',
  },
};

/** Parses a command line. Throws a Failure for bad usage. Nothing is run: handlers only record what is to be run. */
export async function parseArguments(argv: readonly string[], width: number): Promise<Invocation> {
  let recorded: Invocation | null = null;
  const parser = program(Math.min(width, 100), (invocation) => {
    recorded = invocation;
  });
  if (argv[0] === '--get-completions') {
    const words = await parser.getCompletion([...argv.slice(1)]);
    return { kind: 'printed', text: words.map((word) => word.replace(/(?<!\\):.*$/, '')).join('\n') };
  }
  let printed = '';
  await parser.parseAsync([...argv], {}, (_error: unknown, _args: unknown, output: string) => {
    printed = output;
  });
  return recorded ?? { kind: 'printed', text: printed || (await parser.getHelp()) };
}

function program(width: number, record: (invocation: Invocation) => void): Argv {
  let parser: Argv = yargs()
    .scriptName('campaignctl')
    .usage(
      'campaignctl <command>\n\nEmail outreach campaigns as code: plan, review and apply YAML manifests.',
    )
    .parserConfiguration({
      'parse-positional-numbers': false,
      'duplicate-arguments-array': false,
      'greedy-arrays': false,
      'dot-notation': false,
    })
    .locale('en')
    .wrap(width)
    .version(version)
    .help()
    .strict()
    .recommendCommands()
    .demandCommand(0)
    .exitProcess(false)
    .fail(refuse)
    .options(COMMON)
    .group(Object.keys(COMMON), 'Common options:')
    .command(
      ['completion [shell]'],
      'Print a completion script for your shell',
      (args) =>
        args.positional('shell', { choices: ['bash', 'zsh', 'fish'] as const, default: 'bash' as const }),
      (args) => record({ kind: 'printed', text: completionScript(args.shell) }),
    )
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
        .options(command.options);
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

function commonFlags(args: { [name: string]: unknown }): CommonFlags {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  return {
    env: text(args.env),
    config: text(args.config),
    color: typeof args.color === 'boolean' ? args.color : undefined,
    quiet: args.quiet === true,
    debug: args.debug === true,
  };
}

/** Usage errors: said in one sentence, with the nearest thing that exists. */
function refuse(message: string | null, error: Error | undefined): never {
  if (error instanceof Failure) throw error;
  const said = (message ?? error?.message ?? 'The command line cannot be read').replace(/\s+/g, ' ').trim();
  throw new Failure({
    code: 'usage',
    message: said.endsWith('.') || said.endsWith('?') ? said : `${said}.`,
    hint: suggestion(said) ?? 'campaignctl --help shows commands and options.',
  });
}

function suggestion(message: string): string | null {
  const unknown = /^Unknown arguments?: ([^,]+)/.exec(message)?.[1];
  if (unknown === undefined) return null;
  const options = [
    ...Object.keys(COMMON),
    ...COMMANDS.flatMap(({ options }) => Object.keys(options)),
    'help',
    'version',
  ];
  const option = nearest(unknown.replace(/^no-/, ''), options);
  const command = nearest(
    unknown,
    COMMANDS.map(({ usage }) => usage.split(' ')[0] ?? ''),
  );
  const found = command ?? (option === null ? null : `--${option}`);
  return found === null ? null : `Did you mean ${found}?`;
}
