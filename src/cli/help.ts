/** Help of the program and of each command, from the tables of commands and options. */
import { wrap } from '../view/words.js';
import { COMMANDS, type Command } from './commands.js';
import { GLOBAL, type OptionTable, yargsOptions } from './options.js';

/** Longer lines are hard to read. */
const WIDEST = 100;

/** `name`: `null` for the program. */
export function helpText(name: string | null, width: number): string {
  const columns = Math.min(width, WIDEST);
  const row = Object.entries<Command>(COMMANDS).find(([known]) => known === name)?.[1];
  const blocks = row === undefined ? programBlocks(columns) : commandBlocks(row, columns);
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n');
}

const NOTES = [
  'To stop campaigns immediately, run campaignctl pause NAME or campaignctl pause --all. Add --unmanaged to include unmanaged campaigns.',
  'Messages end with a code in brackets: see campaignctl explain CODE.',
  'Exit codes: 0 done or nothing to do · 1 error, nothing sent · 2 changes pending · 3 refused, nothing sent · 4 incomplete · 130 interrupted',
];

const EXAMPLES: Command['examples'] = [
  ['init shop && cd shop', 'a new project, ready to plan and apply'],
  ['plan --env production', 'show what would change'],
  ['apply --env production --allow launch', 'send the changes, including launches'],
];

function programBlocks(columns: number): string[][] {
  const commands = Object.values<Command>(COMMANDS).map(({ command, describe }): Row => [command, describe]);
  return [
    ['campaignctl <command>'],
    ['Email outreach campaigns as code: plan, review and apply YAML manifests.'],
    section('Commands:', commands, columns),
    ['campaignctl COMMAND --help shows the arguments and options of a command.'],
    section('Common options:', optionRows(GLOBAL), columns),
    examplesBlock(EXAMPLES, columns),
    ...NOTES.map((note) => wrap(note, columns)),
  ];
}

function commandBlocks(
  { command, describe, positionals, options, examples }: Command,
  columns: number,
): string[][] {
  const places = Object.entries(positionals).map(([place, option]): Row => [place, described(option)]);
  const own = optionRows(options);
  const common = optionRows(GLOBAL).filter(([head]) => !own.some(([other]) => other === head));
  const least = Math.max(...[...own, ...common].map(([head]) => head.length));
  return [
    wrap(`campaignctl ${command}`, columns),
    wrap(`${describe}.`, columns),
    section('Arguments:', places, columns),
    section('Options:', own, columns, least),
    section('Common options:', common, columns, least),
    examplesBlock(examples, columns),
  ];
}

type Row = [head: string, text: string];

function optionRows(table: OptionTable): Row[] {
  return Object.entries(yargsOptions(table)).map(([name, option]) => {
    const short = option.alias === undefined ? '    ' : `-${option.alias}, `;
    return [`${short}--${name}`, described(option)];
  });
}

function described({ describe = '', choices, defaultDescription }: OptionTable[string]): string {
  const facts = [
    ...(choices === undefined ? [] : [choices.join(', ')]),
    ...(defaultDescription === undefined ? [] : [`default: ${defaultDescription}`]),
  ];
  return facts.length === 0 ? describe : `${describe} (${facts.join('; ')})`;
}

/** `least`: width of the first column. */
function section(title: string, rows: readonly Row[], columns: number, least = 0): string[] {
  if (rows.length === 0) return [];
  const widest = Math.max(least, ...rows.map(([head]) => head.length));
  const lines = rows.flatMap(([head, text]) =>
    wrap(text, columns - widest - 4).map((line, at) => `  ${(at === 0 ? head : '').padEnd(widest)}  ${line}`),
  );
  return [title, ...lines];
}

/** One line for each example or, if one would not fit, the explanation below each command, which is never wrapped. */
function examplesBlock(examples: Command['examples'], columns: number): string[] {
  const lines = examples.map(([line, text]): Row => [`  campaignctl ${line}`, text]);
  const longest = Math.max(...lines.map(([line]) => line.length));
  const fits = lines.every(([, text]) => longest + 2 + text.length <= columns);
  return [
    'Examples:',
    ...lines.flatMap(([line, text]) =>
      fits ? [`${line.padEnd(longest)}  ${text}`] : [line, `      ${text}`],
    ),
  ];
}
