import { COMMON, type Command, type OptionTable } from './options.js';

interface CommandRow {
  name: string;
  describe: string;
  load: () => Promise<{ command: Command }>;
}

/**
 * Every command in the order of the help: its name, what it does, and its file, which says what it takes and is
 * loaded when it is the one that is meant.
 */
export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'init',
    describe: 'Write a project that plans and applies as it is',
    load: () => import('./commands/init.js'),
  },
  {
    name: 'list',
    describe: 'Show live campaigns beside manifests: managed, unmanaged, missing, not created',
    load: () => import('./commands/list.js'),
  },
  {
    name: 'validate',
    describe: 'Check manifests offline: schema, references, lint; all problems at once',
    load: () => import('./commands/validate.js'),
  },
  {
    name: 'compare',
    describe: 'Show how the manifests differ between two environments; no network',
    load: () => import('./commands/compare.js'),
  },
  {
    name: 'plan',
    describe: 'Show what apply would do, and send nothing',
    load: () => import('./commands/plan.js'),
  },
  {
    name: 'apply',
    describe: 'Plan, ask, send each request once, read back',
    load: () => import('./commands/apply.js'),
  },
  {
    name: 'import',
    describe: 'Write manifests from live campaigns; a plan right after shows no changes',
    load: () => import('./commands/import.js'),
  },
  {
    name: 'show',
    describe: 'Print a saved plan; no network',
    load: () => import('./commands/show.js'),
  },
  {
    name: 'preview',
    describe: 'Show every email as its recipients get it, in one page; no network',
    load: () => import('./commands/preview.js'),
  },
  {
    name: 'comment',
    describe: 'Put a saved plan into one comment on a pull or merge request, and keep it up to date',
    load: () => import('./commands/comment.js'),
  },
  {
    name: 'history',
    describe: 'List the runs of an environment, or show one; no network',
    load: () => import('./commands/history.js'),
  },
  {
    name: 'forget',
    describe: 'Remove a campaign from the state, by name or id; sends nothing',
    load: () => import('./commands/forget.js'),
  },
  {
    name: 'state',
    describe: 'migrate: move the state between a folder and a branch; sends nothing',
    load: () => import('./commands/state.js'),
  },
  {
    name: 'unlock',
    describe: 'Show who holds the lock of an environment, and remove it',
    load: () => import('./commands/unlock.js'),
  },
  {
    name: 'probe',
    describe: 'Find out on a scratch campaign what this service does where the API is silent; asks first',
    load: () => import('./commands/probe.js'),
  },
  {
    name: 'sandbox',
    describe: 'Serve the sandbox on a loopback port, to try things out',
    load: () => import('./commands/sandbox.js'),
  },
  {
    name: 'explain',
    describe: 'Show what a code means, such as a rule or what needs approval, and what to do',
    load: () => import('./commands/explain.js'),
  },
  {
    name: 'completion',
    describe: 'Print a completion script for your shell',
    load: () => import('./commands/completion.js'),
  },
  {
    name: 'version',
    describe: 'Show version number',
    load: () => import('./commands/version.js'),
  },
];

/** The options of all commands; one that several commands have, with the shorthands of each. */
export async function everyOption(): Promise<OptionTable> {
  const every: OptionTable = { ...COMMON };
  for (const { load } of COMMANDS)
    for (const [name, option] of Object.entries((await load()).command.options))
      every[name] = { ...option, shorthands: { ...every[name]?.shorthands, ...option.shorthands } };
  return every;
}
