/** What completion offers at the end of a typed line. Nothing here may fail, wait or ask a service: the user has pressed Tab. */
import { resolve } from 'node:path';
import { HAZARD_NAMES } from '../model/approvals.js';
import { HAZARDS } from '../model/codes.js';
import { literalGlob } from '../model/glob.js';
import { type KnownName, knownNames } from '../operations/known-names.js';
import type { World } from '../operations/world.js';
import { printable } from '../view/terminal.js';
import { COMMANDS, type Command } from './commands.js';
import { COMMON, type Completes, flag, type OptionTable } from './options.js';
import { isCommand, optionIn, optionsOf } from './parser.js';
import { bashWord, readTypedLine, type TypedLine } from './typed-line.js';

/** `files`, `folders`: the shell completes them itself. */
export type Offer = { kind: 'files' | 'folders' } | { kind: 'words'; words: readonly KnownName[] };

/** Leaves out names that the final escaping would change. The first line says what follows: `words`, `prefix` (one word without a blank after it), `files` or `folders`. */
export async function complete(
  [shell = '', text = '', breaks = '']: readonly string[],
  world: World,
): Promise<string> {
  try {
    const line = readTypedLine(text, breaks);
    const offer = await offerFor(line, world);
    if (offer.kind !== 'words') return `${offer.kind}\n`;
    const words = offer.words.filter(({ name }) => name.startsWith(line.current) && printable(name) === name);
    const [first] = words;
    const kind = words.length === 1 && first?.name.endsWith('=') ? 'prefix' : 'words';
    const lines = words.map(({ name, about }) =>
      shell === 'bash' ? bashWord(name, line) : `${name}\t${about.replace(/\s+/g, ' ')}`,
    );
    return `${[kind, ...new Set(lines)].join('\n')}\n`;
  } catch {
    return 'words\n';
  }
}

export async function offerFor({ words: [, ...words], current }: TypedLine, world: World): Promise<Offer> {
  const asked = words[0] === 'help' ? words.slice(1) : words;
  const command = asked.findIndex((_, at) => isCommand(asked, at));
  const name = asked[command];
  const end = asked.indexOf('--');
  const options = optionsOf(name);
  const before = asked.at(-1) ?? '';
  const search: Search = { words: asked, options, world };
  const option = end < 0 && /^--?\w/.test(before) ? optionIn(options, before.replace(/^--?/, '')) : undefined;
  if (option !== undefined && option.type !== 'boolean') return valuesOf(option, current, search);
  const [, written, optionName = ''] = end < 0 ? (/^(--?([\w-]+)=)/.exec(current) ?? []) : [];
  if (written !== undefined) {
    const assigned = optionIn(options, optionName) ?? flag('');
    const offer = await valuesOf(assigned, current.slice(written.length), search);
    if (offer.kind !== 'words') return offer;
    return wordsOf(offer.words.map(({ name: value, about }) => ({ name: `${written}${value}`, about })));
  }
  if (end < 0 && current.startsWith('-')) return wordsOf(optionNames(options, asked));
  if (name === undefined)
    return wordsOf(Object.entries(COMMANDS).map(([key, { describe }]) => ({ name: key, about: describe })));
  if (words[0] === 'help') return wordsOf([]);
  const row: Command | undefined = Object.entries<Command>(COMMANDS).find(([key]) => key === name)?.[1];
  const places = Object.values(row?.positionals ?? {});
  const place =
    places[argumentsIn(asked.slice(command + 1), options).length] ?? places.find(({ array }) => array);
  if (place !== undefined) return valuesOf(place, current, search);
  return wordsOf(current === '' && end < 0 ? optionNames(options, asked) : []);
}

interface Search {
  words: readonly string[];
  options: OptionTable;
  world: World;
}

function wordsOf(words: readonly KnownName[]): Offer {
  return { kind: 'words', words };
}

/** The words that are neither options nor their values. */
function argumentsIn(words: readonly string[], options: OptionTable): string[] {
  const end = words.indexOf('--');
  const isValue = (at: number) => {
    const option = optionIn(options, words[at - 1]?.replace(/^--?/, '') ?? '');
    return option !== undefined && option.type !== 'boolean';
  };
  return words.filter((word, at) =>
    end >= 0 && at >= end ? at > end : !word.startsWith('-') && !isValue(at),
  );
}

function optionNames(options: OptionTable, words: readonly string[]): KnownName[] {
  return Object.entries(options).flatMap(([name, { describe = '', alias, array }]) => {
    const isWritten = words.some((word) => word === `--${name}` || word === `-${alias}`);
    return isWritten && !array ? [] : [{ name: `--${name}`, about: describe }];
  });
}

async function valuesOf(
  { choices = [], completes }: OptionTable[string],
  current: string,
  search: Search,
): Promise<Offer> {
  if (completes === 'file') return { kind: 'files' };
  if (completes === 'folder') return { kind: 'folders' };
  const names = completes === undefined ? [] : await VALUES[completes](current, search);
  return wordsOf([...choices.map((choice) => ({ name: String(choice), about: '' })), ...names]);
}

const VALUES: {
  [Kind in Exclude<Completes, 'file' | 'folder'>]: (current: string, search: Search) => Promise<KnownName[]>;
} = {
  environment: (_, search) => namesOf('environment', search),
  campaign: (_, search) => namesOf('campaign', search),
  recorded: (_, search) => namesOf('recorded', search),
  run: (_, search) => namesOf('run', search),
  target: async (current, search) => {
    const names = await namesOf('campaign', search);
    return current.startsWith('!') ? names.map(({ name, about }) => ({ name: `!${name}`, about })) : names;
  },
  imported: async (_, search) => (search.words.includes('--update') ? namesOf('campaign', search) : []),
  hazard: async (current, search) => [
    ...HAZARD_NAMES.map((name) => ({ name, about: HAZARDS[name] })),
    ...(await launches(current, search)),
  ],
  hold: async (current, search) => [
    { name: 'launch', about: 'Every launch' },
    ...(await launches(current, search)),
  ],
  code: async () => {
    const { readChapters } = await import('./commands/explain.js');
    return readChapters().map(({ code, page }) => ({ name: code, about: `docs/${page}` }));
  },
};

/** `launch="NAME"` for each campaign, once that form is begun. */
async function launches(current: string, search: Search): Promise<KnownName[]> {
  if (!current.startsWith('launch='))
    return [{ name: 'launch=', about: 'Of one campaign, or of those that match' }];
  const names = await namesOf('campaign', search);
  return names.map(({ name, about }) => ({ name: `launch=${literalGlob(name)}`, about }));
}

/** In the folder, project and environment that the line chooses. */
function namesOf(
  kind: Parameters<typeof knownNames>[0],
  { words, options, world }: Search,
): Promise<KnownName[]> {
  const chosen = (name: 'chdir' | 'config' | 'env') => {
    const { alias } = optionIn(options, name) ?? COMMON[name];
    const at = words.findLastIndex((word) => word === `--${name}` || word === `-${alias}`);
    const assigned = words.find((word) => word.startsWith(`--${name}=`))?.slice(`--${name}=`.length);
    return assigned ?? (at < 0 ? null : (words[at + 1] ?? null));
  };
  const cwd = resolve(world.cwd, chosen('chdir') ?? '');
  return knownNames(kind, { config: chosen('config'), env: chosen('env') }, { ...world, cwd });
}
