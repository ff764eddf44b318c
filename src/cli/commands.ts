import type { Command } from './options.js';

/** Every command in the order of the help: how it is called, and what it does. */
const USAGES = {
  'init [dir]': 'Write a project that plans and applies as it is',
  list: 'Show live campaigns beside manifests: managed, unmanaged, missing, not created',
  'validate [files..]': 'Check manifests offline: schema, references, lint; all problems at once',
  'compare <from> <to> [files..]': 'Show how the manifests differ between two environments; no network',
  'plan [files..]': 'Show what apply would do; sends no write',
  'apply [files..]': 'Plan, ask, send each request once, read back',
  'import [names..]': 'Write manifests from live campaigns; a plan right after shows no changes',
  'show <file>': 'Print a saved plan; no network',
  'preview [files..]': 'Show every email as its recipients get it, in one page; no network',
  'comment <file>': 'Put a saved plan into one comment on a pull or merge request, and keep it up to date',
  'history [run]': 'List the runs of an environment, or show one; no network',
  'forget <campaign>': 'Remove a campaign from the state, by name or id; sends nothing',
  'state <action>': 'migrate: move the state between a folder and a branch; sends nothing',
  unlock: 'Show who holds the lock of an environment, and remove it',
  config: 'Show every setting in effect and where it comes from; no network, never a token',
  sandbox: 'Serve the sandbox on a loopback port, to try things out',
  'completion [shell]': 'Print a completion script for your shell',
};

type Name<Usage> = Usage extends `${infer Word} ${string}` ? Word : Usage;

/** The file of a command, with its options and its handler. It is loaded when its command is the one that is meant. */
const FILES: Record<Name<keyof typeof USAGES>, () => Promise<{ command: Command }>> = {
  init: () => import('./commands/init.js'),
  list: () => import('./commands/list.js'),
  validate: () => import('./commands/validate.js'),
  compare: () => import('./commands/compare.js'),
  plan: () => import('./commands/plan.js'),
  apply: () => import('./commands/apply.js'),
  import: () => import('./commands/import.js'),
  show: () => import('./commands/show.js'),
  preview: () => import('./commands/preview.js'),
  comment: () => import('./commands/comment.js'),
  history: () => import('./commands/history.js'),
  forget: () => import('./commands/forget.js'),
  state: () => import('./commands/state.js'),
  unlock: () => import('./commands/unlock.js'),
  config: () => import('./commands/config.js'),
  sandbox: () => import('./commands/sandbox.js'),
  completion: () => import('./commands/completion.js'),
};

export const COMMANDS = Object.entries(USAGES).map(([usage, describe]) => {
  const name = usage.split(' ', 1)[0] as keyof typeof FILES;
  return { name, usage, describe, load: async () => (await FILES[name]()).command };
});
