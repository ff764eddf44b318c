import type { Options } from 'yargs';
import { COMMANDS } from './commands.js';
import { COMMON } from './options.js';

/**
 * The words that may stand where the last of `words` stands (after the program's name): commands, options, or the
 * choices of the option before. Nothing where a file is meant: the shell completes those itself.
 */
export function completeWords(words: readonly string[]): string[] {
  const current = words.at(-1) ?? '';
  const command = COMMANDS.find(({ name }) => words.slice(0, -1).includes(name));
  const options: Record<string, Options> = { ...command?.options, ...COMMON, help: {} };
  const choices = options[(words.at(-2) ?? '').replace(/^--/, '')]?.choices;
  const offered =
    choices !== undefined
      ? choices.map(String)
      : current.startsWith('-')
        ? Object.keys(options).map((name) => `--${name}`)
        : command === undefined
          ? COMMANDS.map(({ name }) => name)
          : [];
  return offered.filter((word) => word.startsWith(current));
}
