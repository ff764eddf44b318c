import yargs, { type Argv } from 'yargs';
import { COMMANDS } from './commands.js';
import { COMMON, type Command, usageOf, yargsOptions } from './options.js';

/** The help of one command, or of the program where there is none, as yargs lays it out. */
export function renderHelp(chosen: (Command & HelpRow) | null, width: number): Promise<string> {
  const parser = yargs()
    .scriptName('campaignctl')
    .locale('en')
    .updateStrings({ 'Positionals:': 'Arguments:' })
    .wrap(Math.min(width, 100))
    .help(false)
    .version(false);
  const common = yargsOptions(COMMON);
  return (chosen === null ? withCommands(parser) : withCommand(parser, chosen))
    .options(common)
    .group(Object.keys(common), 'Common options:')
    .getHelp();
}

type HelpRow = Pick<(typeof COMMANDS)[number], 'name' | 'describe'>;

function withCommands(parser: Argv): Argv {
  for (const { name, describe } of COMMANDS) parser.command(name, describe);
  parser.command('help', 'Show the arguments and options of a command: campaignctl help plan');
  return parser
    .usage(
      'campaignctl <command>\n\nEmail outreach campaigns as code: plan, review and apply YAML manifests.',
    )
    .example('campaignctl init shop && cd shop', 'a project that plans and applies as it is')
    .example('campaignctl plan --env production', 'what would change, and nothing else')
    .example('campaignctl apply --env production --allow launch', 'send it, launches included')
    .epilogue(
      'Messages end with a code in brackets: campaignctl explain CODE.\n\nExit codes: 0 done or nothing to do · 1 error, nothing sent · 2 changes pending · 3 refused, nothing sent · 4 incomplete · 130 interrupted',
    );
}

function withCommand(parser: Argv, { name, describe, ...command }: Command & HelpRow): Argv {
  const usage = usageOf(name, command.positionals);
  const options = yargsOptions(command.options);
  const positionals = yargsOptions(command.positionals);
  const withPositionals = (args: Argv) => {
    for (const [place, option] of Object.entries(positionals)) args.positional(place, option);
    return args;
  };
  for (const [line, text] of command.examples) parser.example(line, text);
  return parser
    .usage(`campaignctl ${usage}\n\n${describe}.`)
    .command(usage.replace(name, '$0'), false, withPositionals)
    .options(options)
    .group(Object.keys(positionals), 'Arguments:')
    .group(Object.keys(options), 'Options:');
}
