import type { Command } from './options.js';

/** What the help shows of a command. Its file, with options and handler, is loaded when it is the one that is meant. */
export interface CommandEntry {
  name: string;
  usage: string;
  describe: string;
  load(): Promise<Command>;
}

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  entry(
    'init [dir]',
    'Write a project that plans and applies as it is',
    async () => (await import('./commands/init.js')).initCommand,
  ),
  entry(
    'list',
    'Show live campaigns beside manifests: managed, unmanaged, missing, not created',
    async () => (await import('./commands/list.js')).listCommand,
  ),
  entry(
    'validate [files..]',
    'Check manifests offline: schema, references, lint; all problems at once',
    async () => (await import('./commands/validate.js')).validateCommand,
  ),
  entry(
    'compare <from> <to> [files..]',
    'Show how the manifests differ between two environments; no network',
    async () => (await import('./commands/compare.js')).compareCommand,
  ),
  entry(
    'plan [files..]',
    'Show what apply would do; sends no write',
    async () => (await import('./commands/plan.js')).planCommand,
  ),
  entry(
    'apply [files..]',
    'Plan, ask, send each request once, read back',
    async () => (await import('./commands/apply.js')).applyCommand,
  ),
  entry(
    'import [names..]',
    'Write manifests from live campaigns; planning them at once shows nothing to do',
    async () => (await import('./commands/import.js')).importCommand,
  ),
  entry(
    'show <file>',
    'Print a saved plan; no network',
    async () => (await import('./commands/show.js')).showCommand,
  ),
  entry(
    'preview [files..]',
    'Show every email as its recipients get it, in one page; no network',
    async () => (await import('./commands/preview.js')).previewCommand,
  ),
  entry(
    'comment <file>',
    'Put a saved plan into one comment on a pull or merge request, and keep it up to date',
    async () => (await import('./commands/comment.js')).commentCommand,
  ),
  entry(
    'history [run]',
    'List the runs of an environment, or show one; no network',
    async () => (await import('./commands/history.js')).historyCommand,
  ),
  entry(
    'unlock',
    'Show who holds the lock of an environment, and remove it',
    async () => (await import('./commands/unlock.js')).unlockCommand,
  ),
  entry(
    'config',
    'Show every setting in effect and where it comes from; no network, never a token',
    async () => (await import('./commands/config.js')).configCommand,
  ),
  entry(
    'sandbox',
    'Serve the embedded service on a loopback port, to try things on',
    async () => (await import('./commands/sandbox.js')).sandboxCommand,
  ),
  entry(
    'completion [shell]',
    'Print a completion script for your shell',
    async () => (await import('./commands/completion.js')).completionCommand,
  ),
];

function entry(usage: string, describe: string, load: CommandEntry['load']): CommandEntry {
  return { name: usage.split(' ')[0] ?? usage, usage, describe, load };
}
