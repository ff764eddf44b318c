/** What may stand at the end of an unfinished command line: read from the table of options, and from the project. Nothing is sent. */

import { resolve } from 'node:path';
import { EXIT } from '../model/failure.js';
import { openPlace } from '../operations/session.js';
import { askedEnvironment } from '../operations/world.js';
import { loadCampaigns, readProject, selectEnvironment } from '../project/index.js';
import { parseLine } from './arguments.js';
import { COMMANDS, everyOption } from './commands.js';
import {
  COMMON,
  type Completes,
  defineCommand,
  type Option,
  type OptionTable,
  yargsOptions,
} from './options.js';
import type { Shell } from './shell.js';

/** What a shell calls for each word that it completes: `words` are those of the line so far, the last one unfinished. */
export function completionOf(words: readonly string[]) {
  const command = defineCommand({
    positionals: {},
    options: {},
    examples: [],
    async run(_, shell) {
      // A line that cannot be completed is left as it is.
      const offered = await complete(words, shell).catch(() => []);
      if (offered.length > 0) shell.out(`${offered.join('\n')}\n`);
      return EXIT.ok;
    },
  });
  return command.start({});
}

/** Stands behind the unfinished word, to find again where that belongs. */
const HERE = '\ue000';

async function complete(words: readonly string[], shell: Shell): Promise<string[]> {
  const current = words.at(-1) ?? '';
  const line = [...words.slice(0, -1), `${current}${HERE}`];
  const first = parseLine(line, COMMON).words[0];
  const row = COMMANDS.find(({ name }) => name === (first ?? ''));
  const command = await (row ?? COMMANDS.find(({ name }) => words.includes(name)))?.load();
  const { positionals = {}, options = {} } = command?.command ?? {};
  const table = { ...(command === undefined ? await everyOption() : options), ...COMMON };
  const parsed = parseLine(line, table);
  const isHere = (value: unknown): value is string => typeof value === 'string' && value.endsWith(HERE);
  const asked = { ...parsed.options, shell };

  if (Object.keys(parsed.options).some(isHere) || /^-[^=]*$/.test(current)) {
    const shown = command === undefined ? COMMON : table;
    return starting(
      current,
      Object.keys(yargsOptions(shown)).map((name) => `--${name}`),
    );
  }
  for (const [name, given] of Object.entries(parsed.options)) {
    const value = [given].flat().find(isHere);
    if (value !== undefined) return offers(optionNamed(table, name), { current, value, asked });
  }
  const place = parsed.words.findIndex(isHere);
  if (place === 0 || (place === 1 && parsed.words[0] === 'help'))
    return starting(current, [...COMMANDS.map(({ name }) => name), 'help']);
  const places = Object.values(positionals);
  const positional = places[place - 1] ?? places.findLast(({ yargs }) => yargs.array);
  return offers(positional, { current, value: `${current}${HERE}`, asked });
}

function optionNamed(table: OptionTable, name: string): Option<unknown> | undefined {
  return Object.entries(table).find((entry) => name in yargsOptions(Object.fromEntries([entry])))?.[1];
}

interface Unfinished {
  /** The unfinished word, and its part that is the value: `--env=pro` and `pro`. */
  current: string;
  value: string;
  asked: Readonly<Record<string, unknown>> & { shell: Shell };
}

async function offers(
  option: Option<unknown> | undefined,
  { current, value, asked }: Unfinished,
): Promise<string[]> {
  if (option === undefined) return [];
  const { choices, array } = option.yargs;
  const written = value.slice(0, -HERE.length);
  // Behind a comma, the next of several.
  const list = array && choices !== undefined ? written.slice(0, written.lastIndexOf(',') + 1) : '';
  const known =
    choices?.map(String) ?? (option.completes === undefined ? [] : await found(option.completes, asked));
  const before = current.slice(0, current.length - written.length);
  return starting(
    current,
    known.map((word) => `${before}${list}${word}`),
  );
}

function starting(current: string, words: readonly string[]): string[] {
  // A name may hold what no line of a shell can.
  return words.filter((word) => word.startsWith(current) && !/\p{Cc}/u.test(word));
}

/** What the project, its manifests and its state on this machine know. */
async function found(what: Completes, { shell, ...options }: Unfinished['asked']): Promise<string[]> {
  const textOf = (name: string) => (typeof options[name] === 'string' ? options[name] : null);
  const cwd = resolve(shell.cwd, textOf('chdir') ?? '.');
  const flags = { config: textOf('config'), env: textOf('env'), debug: false };
  const world = { ...shell, cwd };
  if (typeof what !== 'string') return [...what];
  if (what === 'codes') return Object.keys((await import('./explanations.generated.js')).EXPLANATIONS);
  const project = await readProject({ cwd, config: flags.config });
  if (what === 'environments') return Object.keys(project.environments);
  if (what === 'campaigns') {
    const environments = [selectEnvironment(project, askedEnvironment(flags, world))];
    const { campaigns } = await loadCampaigns(project, { environments, files: [], cwd });
    return Object.values(campaigns).flatMap((some) => some.map(({ spec }) => spec.name));
  }
  const { local } = (await openPlace(flags, world)).backend;
  if (what === 'runs') return (await local.runs({ limit: 50, prefix: '' })).map(({ run }) => run);
  return (await local.readAll()).map(({ name }) => name);
}
