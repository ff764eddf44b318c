import { HAZARDS, type Hazard } from '../../model/environment.js';
import { Failure } from '../../model/failure.js';
import {
  events,
  files,
  format,
  formatOf,
  hold,
  lockTimeout,
  outputsOf,
  type Parsed,
  parallelism,
  planOutputs,
  target,
  text,
  texts,
  whole,
} from '../options.js';
import type { Command } from './command.js';

export const planCommand: Command = {
  name: 'plan',
  usage: 'plan [files..]',
  describe: 'Show what apply would do; sends no write',
  positionals: files,
  options: {
    ...planOutputs,
    target,
    hold,
    parallelism,
    events,
    out: { type: 'string', requiresArg: true, describe: 'Save the plan in this file, for apply --plan' },
    drift: {
      type: 'boolean',
      describe: 'Show only what was changed in the service since the last apply',
    },
    'detailed-exitcode': { type: 'boolean', describe: 'Exit with 2 if changes are pending' },
  },
  examples: [
    ['campaignctl plan --env production', 'against the live service'],
    ['campaignctl plan --target "Spring installers"', 'one campaign'],
    ['campaignctl plan --output markdown=plan.md', 'for a comment on the pull request as well'],
    ['campaignctl plan --out plan.json', 'review it, then campaignctl apply --plan plan.json'],
    ['campaignctl plan --drift --detailed-exitcode', 'for a nightly check: 2 means changed in the service'],
  ],
  run: async (parsed, shell) =>
    (await import('../commands/plan.js')).plan(
      {
        ...planning(parsed),
        ...outputsOf(parsed),
        detailedExitcode: parsed['detailed-exitcode'] === true,
        drift: parsed.drift === true,
        out: text(parsed, 'out'),
      },
      shell,
    ),
};

export const applyCommand: Command = {
  name: 'apply',
  usage: 'apply [files..]',
  describe: 'Plan, ask, send each request once, read back',
  positionals: files,
  options: {
    format,
    target,
    hold,
    parallelism,
    events,
    plan: {
      type: 'string',
      requiresArg: true,
      describe: 'Apply this saved plan, if nothing has changed since',
    },
    'lock-timeout': lockTimeout,
    allow: { choices: HAZARDS, array: true, describe: 'Accept this hazard; repeatable' },
    'require-applied': {
      type: 'string',
      requiresArg: true,
      describe: 'Only what was applied to this environment before, with the same content',
    },
    'dry-run': { type: 'boolean', describe: 'Print every request in order and send none' },
    yes: { type: 'boolean', alias: 'y', describe: 'Do not ask' },
  },
  examples: [
    ['campaignctl apply', 'plan, ask, send'],
    ['campaignctl apply --dry-run', 'every request, none sent'],
    ['campaignctl apply --yes --allow launch', 'in a pipeline, launches included'],
    ['campaignctl apply --yes --hold launch', 'everything but the launches'],
    [
      'campaignctl apply --env production --require-applied staging --yes',
      'what staging has already, and nothing else',
    ],
    ['campaignctl apply --plan plan.json --yes', 'exactly what was reviewed, or nothing'],
  ],
  run: async (parsed, shell) =>
    (await import('../commands/apply.js')).apply(
      {
        ...withoutSelection(parsed),
        format: formatOf(parsed),
        plan: text(parsed, 'plan'),
        requireApplied: text(parsed, 'require-applied'),
        lockTimeout: 1000 * (whole(parsed, 'lock-timeout', 0) ?? 30),
        allow: texts(parsed, 'allow') as Hazard[],
        dryRun: parsed['dry-run'] === true,
        yes: parsed.yes === true,
      },
      shell,
    ),
};

export const importCommand: Command = {
  name: 'import',
  usage: 'import [names..]',
  describe: 'Write manifests from live campaigns; planning them at once shows nothing to do',
  positionals: {
    names: { type: 'string', array: true, describe: 'Campaigns as the service calls them, or their ids' },
  },
  options: {
    format,
    all: { type: 'boolean', describe: 'Every campaign that no manifest manages yet' },
    dir: {
      type: 'string',
      requiresArg: true,
      describe: "Folder for the manifests; default: that of the project's first pattern",
    },
    update: {
      type: 'boolean',
      describe: 'Write what was changed in the service into the manifests that are there, in place',
    },
    overlay: {
      type: 'boolean',
      describe: 'With --update: write into the overlay of the environment, not into the base',
    },
    overwrite: { type: 'boolean', describe: 'Replace files of the same name that belong to no manifest' },
    'dry-run': { type: 'boolean', describe: 'Show what would be written; with --format json every text' },
    'lock-timeout': lockTimeout,
  },
  examples: [
    ['campaignctl import --all', 'every live campaign becomes a manifest'],
    ['campaignctl import "Spring installers" 42', 'by name, by id'],
    ['campaignctl import --all --dry-run', 'look first'],
    ['campaignctl import --update "Spring installers"', 'take over what was changed in the web page'],
    ['campaignctl import --update --all --dry-run', 'what that would change, as a diff'],
  ],
  run: async (parsed, shell) => {
    const flags = {
      ...parsed,
      names: texts(parsed, 'names'),
      all: parsed.all === true,
      dryRun: parsed['dry-run'] === true,
      format: formatOf(parsed),
      lockTimeout: 1000 * (whole(parsed, 'lock-timeout', 0) ?? 30),
    };
    if (parsed.update === true) {
      refuseBeside('--update', parsed, ['dir', 'overwrite']);
      const { importUpdate } = await import('../commands/import-update.js');
      return importUpdate({ ...flags, overlay: parsed.overlay === true }, shell);
    }
    refuseBeside('an import of new manifests', parsed, ['overlay']);
    const { importCommand } = await import('../commands/import.js');
    return importCommand({ ...flags, dir: text(parsed, 'dir'), overwrite: parsed.overwrite === true }, shell);
  },
};

function refuseBeside(option: string, parsed: Parsed, others: readonly string[]): void {
  const given = others.filter((name) => parsed[name] !== undefined && parsed[name] !== false);
  if (given.length === 0) return;
  throw new Failure({
    code: 'usage',
    message: `${given.map((name) => `--${name}`).join(' and ')} ${given.length === 1 ? 'does' : 'do'} not go with ${option}.`,
    hint: '--update edits the manifests where they are; without it, import writes new ones.',
  });
}

export const showCommand: Command = {
  name: 'show',
  usage: 'show <file>',
  describe: 'Print a saved plan; no network',
  positionals: { file: { type: 'string', demandOption: true, describe: 'File written by plan --out' } },
  options: planOutputs,
  examples: [
    ['campaignctl show plan.json', 'as plan printed it'],
    ['campaignctl show plan.json --format markdown', 'for a comment on the pull request'],
  ],
  run: async (parsed, shell) =>
    (await import('../commands/show.js')).show(
      { ...parsed, ...outputsOf(parsed), file: String(parsed.file) },
      shell,
    ),
};

function planning(parsed: Parsed) {
  return {
    ...parsed,
    files: texts(parsed, 'files'),
    target: texts(parsed, 'target'),
    hold: texts(parsed, 'hold') as 'launch'[],
    parallelism: whole(parsed, 'parallelism', 1),
    events: text(parsed, 'events'),
  };
}

/** What a saved plan is of was said when it was made. */
function withoutSelection(parsed: Parsed) {
  const flags = planning(parsed);
  if (text(parsed, 'plan') === null) return flags;
  const more = [...flags.files, ...flags.target.map(() => '--target'), ...flags.hold.map(() => '--hold')];
  if (more.length === 0) return flags;
  throw new Failure({
    code: 'usage',
    message: `--plan applies the saved plan as it is; it does not go with ${more.join(', ')}.`,
    hint: 'Say which campaigns, and what to hold, when you save the plan.',
  });
}
