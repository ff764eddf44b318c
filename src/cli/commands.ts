import type { Command } from './options.js';

interface CommandRow {
  usage: string;
  describe: string;
  file: () => Promise<{ command: Command }>;
}

/**
 * Every command in the order of the help: how it is called, what it does, and its file, with its options and its handler. The file
 * is loaded when its command is the one that is meant.
 */
const TABLE: readonly CommandRow[] = [
  {
    usage: 'init [dir]',
    describe: 'Write a project that plans and applies as it is',
    file: () => import('./commands/init.js'),
  },
  {
    usage: 'list',
    describe: 'Show live campaigns beside manifests: managed, unmanaged, missing, not created',
    file: () => import('./commands/list.js'),
  },
  {
    usage: 'validate [files..]',
    describe: 'Check manifests offline: schema, references, lint; all problems at once',
    file: () => import('./commands/validate.js'),
  },
  {
    usage: 'compare <from> <to> [files..]',
    describe: 'Show how the manifests differ between two environments; no network',
    file: () => import('./commands/compare.js'),
  },
  {
    usage: 'plan [files..]',
    describe: 'Show what apply would do; sends no write',
    file: () => import('./commands/plan.js'),
  },
  {
    usage: 'apply [files..]',
    describe: 'Plan, ask, send each request once, read back',
    file: () => import('./commands/apply.js'),
  },
  {
    usage: 'import [names..]',
    describe: 'Write manifests from live campaigns; a plan right after shows no changes',
    file: () => import('./commands/import.js'),
  },
  {
    usage: 'show <file>',
    describe: 'Print a saved plan; no network',
    file: () => import('./commands/show.js'),
  },
  {
    usage: 'preview [files..]',
    describe: 'Show every email as its recipients get it, in one page; no network',
    file: () => import('./commands/preview.js'),
  },
  {
    usage: 'comment <file>',
    describe: 'Put a saved plan into one comment on a pull or merge request, and keep it up to date',
    file: () => import('./commands/comment.js'),
  },
  {
    usage: 'history [run]',
    describe: 'List the runs of an environment, or show one; no network',
    file: () => import('./commands/history.js'),
  },
  {
    usage: 'forget <campaign>',
    describe: 'Remove a campaign from the state, by name or id; sends nothing',
    file: () => import('./commands/forget.js'),
  },
  {
    usage: 'state <action>',
    describe: 'migrate: move the state between a folder and a branch; sends nothing',
    file: () => import('./commands/state.js'),
  },
  {
    usage: 'unlock',
    describe: 'Show who holds the lock of an environment, and remove it',
    file: () => import('./commands/unlock.js'),
  },
  {
    usage: 'config',
    describe: 'Show every setting in effect and where it comes from; no network, never a token',
    file: () => import('./commands/config.js'),
  },
  {
    usage: 'sandbox',
    describe: 'Serve the sandbox on a loopback port, to try things out',
    file: () => import('./commands/sandbox.js'),
  },
  {
    usage: 'completion [shell]',
    describe: 'Print a completion script for your shell',
    file: () => import('./commands/completion.js'),
  },
];

export const COMMANDS = TABLE.map(({ usage, describe, file }) => {
  const [name = ''] = usage.split(' ', 1);
  return { name, usage, describe, load: async () => (await file()).command };
});
