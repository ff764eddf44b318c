import {
  format,
  formatOf,
  NO_FILES,
  parallelism,
  text,
  viewFormat,
  viewFormatOf,
  whole,
} from '../options.js';
import type { Command } from './command.js';

export const listCommand: Command = {
  name: 'list',
  usage: 'list',
  describe: 'Show live campaigns beside manifests: managed, not managed, missing, not made yet',
  positionals: NO_FILES,
  options: {
    format: viewFormat,
    unmanaged: { type: 'boolean', describe: 'Only the campaigns that no manifest has' },
    parallelism,
  },
  examples: [
    ['campaignctl list --env production', 'what is there, and which manifest it belongs to'],
    ['campaignctl list --unmanaged', 'what is left to import'],
  ],
  run: async (parsed, shell) =>
    (await import('../commands/list.js')).list(
      {
        ...parsed,
        format: viewFormatOf(parsed),
        unmanaged: parsed.unmanaged === true,
        parallelism: whole(parsed, 'parallelism', 1),
      },
      shell,
    ),
};

export const historyCommand: Command = {
  name: 'history',
  usage: 'history [run]',
  describe: 'List the runs of an environment, or show one; no network',
  positionals: { run: { type: 'string', describe: 'Name of a run, or how it begins' } },
  options: {
    format,
    limit: { type: 'string', requiresArg: true, default: '20', describe: 'How many runs at most' },
  },
  examples: [
    ['campaignctl history --env production', 'when, who, from which commit, with what outcome'],
    ['campaignctl history 20260314T091500', 'every request of one run'],
  ],
  run: async (parsed, shell) =>
    (await import('../commands/history.js')).history(
      {
        ...parsed,
        run: text(parsed, 'run'),
        limit: whole(parsed, 'limit', 1) ?? 20,
        format: formatOf(parsed),
      },
      shell,
    ),
};

export const unlockCommand: Command = {
  name: 'unlock',
  usage: 'unlock',
  describe: 'Show who holds the lock of an environment, and remove it',
  positionals: NO_FILES,
  options: { yes: { type: 'boolean', alias: 'y', describe: 'Do not ask' } },
  examples: [['campaignctl unlock --env production', 'after a machine was lost in the middle of an apply']],
  run: async (parsed, shell) =>
    (await import('../commands/unlock.js')).unlock({ ...parsed, yes: parsed.yes === true }, shell),
};
