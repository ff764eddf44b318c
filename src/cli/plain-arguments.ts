import { parseArgs } from 'node:util';
import type { Options } from 'yargs';
import { COMMANDS, type Command } from './commands.js';
import { COMMON } from './options.js';

/** A command line in its plain form: which command, with which values. */
export interface PlainArguments {
  command: Command;
  values: Record<string, unknown>;
}

/**
 * Reads the plain form of a command line (a command, its options, its files) with what Node brings along, from the
 * same table as yargs. Null for everything else, such as help, a misspelt option or a bad value: yargs, which takes
 * longer to load than most commands run, reads and explains those.
 */
export function readPlainArguments([name, ...args]: readonly string[]): PlainArguments | null {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command === undefined) return null;
  const known: Record<string, Options> = { ...COMMON, ...command.options };
  const parsed = parse(args, known);
  if (parsed === null) return null;
  const values: Record<string, unknown> = {};
  for (const [option, { array, choices, default: standard }] of Object.entries(known)) {
    const given = parsed.values[option];
    if (given === undefined) {
      if (standard !== undefined) values[option] = standard;
      continue;
    }
    if (choices !== undefined && !given.every((value) => choices.includes(String(value)))) return null;
    if (!array && given.length > 1) return null;
    values[option] = array ? given : given[0];
  }
  const placed = place(parsed.positionals, command);
  return placed === null ? null : { command, values: { ...values, ...placed } };
}

interface Parsed {
  values: { [option: string]: (string | boolean)[] | undefined };
  positionals: string[];
}

function parse(args: readonly string[], known: Record<string, Options>): Parsed | null {
  const options = Object.entries(known).map(([option, { type, alias }]) => [
    option,
    {
      type: type === 'boolean' ? ('boolean' as const) : ('string' as const),
      multiple: true as const,
      ...(typeof alias === 'string' ? { short: alias } : {}),
    },
  ]);
  try {
    return parseArgs({
      args: [...args],
      options: Object.fromEntries(options),
      allowPositionals: true,
      allowNegative: true,
    }) as Parsed;
  } catch {
    return null;
  }
}

/** The positionals under their name; null where there are too many or one is not among its choices. */
function place(given: readonly string[], { positionals }: Command): Record<string, unknown> | null {
  const [slot, ...more] = Object.entries(positionals);
  if (slot === undefined) return given.length === 0 ? {} : null;
  const [name, { array, choices, demandOption, default: standard }] = slot;
  if (more.length > 0 || (!array && given.length > 1)) return null;
  if (array) return given.length === 0 ? {} : { [name]: given };
  const value = given[0] ?? standard;
  if (demandOption && value === undefined) return null;
  if (choices !== undefined && !choices.includes(String(value))) return null;
  return { [name]: value };
}
