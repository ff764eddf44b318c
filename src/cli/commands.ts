import type { Options, PositionalOptions } from 'yargs';
import { HAZARDS, type Hazard } from '../model/environment.js';
import { type ExitCode, Failure } from '../model/failure.js';
import type { CompletionShell } from './commands/completion.js';
import {
  events,
  files,
  findingsFormat,
  findingsFormatOf,
  format,
  formatOf,
  hold,
  NO_FILES,
  outputsOf,
  type Parsed,
  parallelism,
  planOutputs,
  previewFormat,
  previewFormatOf,
  target,
  text,
  texts,
  whole,
} from './options.js';
import type { Shell } from './shell.js';

/** One command: how it is written, explained and run. Its module is loaded when it runs. */
export interface Command {
  name: string;
  usage: string;
  describe: string;
  positionals: Record<string, PositionalOptions>;
  options: Record<string, Options>;
  examples: [line: string, text: string][];
  run(parsed: Parsed, shell: Shell): Promise<ExitCode>;
}

const initCommand: Command = {
  name: 'init',
  usage: 'init [dir]',
  describe: 'Write a project that plans and applies as it is',
  positionals: { dir: { type: 'string', default: '.', describe: 'Folder of the project' } },
  options: {
    'base-url': {
      type: 'string',
      requiresArg: true,
      describe: 'Address of a service that has campaigns: a project to import them into',
    },
    'token-env': {
      type: 'string',
      requiresArg: true,
      describe: 'Variable that holds the API token; default: CAMPAIGNS_TOKEN',
    },
  },
  examples: [
    ['campaignctl init shop', 'a new folder with project file, manifest and body'],
    ['campaignctl init --base-url https://send.example.com', 'for campaigns that are there already'],
  ],
  run: async (parsed, shell) =>
    (await import('./commands/init.js')).init(
      {
        ...parsed,
        dir: String(parsed.dir),
        baseUrl: text(parsed, 'base-url'),
        tokenEnv: text(parsed, 'token-env'),
      },
      shell,
    ),
};

const validateCommand: Command = {
  name: 'validate',
  usage: 'validate [files..]',
  describe: 'Check manifests offline: schema, references, lint; all problems at once',
  positionals: files,
  options: { format: findingsFormat },
  examples: [
    ['campaignctl validate', 'every manifest, for every environment'],
    ['campaignctl validate campaigns/spring.yaml --env production', 'one file, one environment'],
    ['campaignctl validate --format github', 'in GitHub Actions: problems at the lines of the pull request'],
    ['campaignctl validate --format junit > validate.xml', 'a test report for GitLab or Jenkins'],
  ],
  run: async (parsed, shell) =>
    (await import('./commands/validate.js')).validate(
      { ...parsed, files: texts(parsed, 'files'), format: findingsFormatOf(parsed) },
      shell,
    ),
};

const planCommand: Command = {
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
    (await import('./commands/plan.js')).plan(
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

const applyCommand: Command = {
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
    'lock-timeout': {
      type: 'string',
      requiresArg: true,
      default: '30',
      describe: 'Seconds to wait for another apply to end; 0: do not wait',
    },
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
    (await import('./commands/apply.js')).apply(
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

const showCommand: Command = {
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
    (await import('./commands/show.js')).show(
      { ...parsed, ...outputsOf(parsed), file: String(parsed.file) },
      shell,
    ),
};

const previewCommand: Command = {
  name: 'preview',
  usage: 'preview [files..]',
  describe: 'Show every email as its recipients get it, in one page; no network',
  positionals: files,
  options: {
    format: previewFormat,
    out: { type: 'string', requiresArg: true, describe: 'Write it to this file; default: stdout' },
    lead: {
      type: 'string',
      requiresArg: true,
      describe: 'File with people to show the emails to, YAML or JSON; default: invented ones',
    },
    leads: {
      type: 'string',
      requiresArg: true,
      describe: 'How many leads the sending calendar counts with',
    },
    timezone: {
      type: 'string',
      requiresArg: true,
      describe: "Your time zone; default: that of this machine's clock",
    },
    watch: { type: 'boolean', describe: 'Serve the page on this machine, and load it again at each save' },
    port: { type: 'string', requiresArg: true, default: '0', describe: 'Port of --watch; 0: any free one' },
  },
  examples: [
    ['campaignctl preview --out preview.html', 'a page to look at or to pass on'],
    ['campaignctl preview --watch', 'write on one side, look on the other'],
    ['campaignctl preview --lead people.yaml --out preview.html', 'as these people would get it'],
    ['campaignctl preview --format text --leads 1200', 'when each email goes out, and how long it takes'],
  ],
  run: async (parsed, shell) =>
    (await import('./commands/preview.js')).preview(
      {
        ...parsed,
        files: texts(parsed, 'files'),
        format: previewFormatOf(parsed),
        timezone: text(parsed, 'timezone'),
        out: text(parsed, 'out'),
        lead: text(parsed, 'lead'),
        leads: whole(parsed, 'leads', 0),
        watch: parsed.watch === true,
        port: whole(parsed, 'port', 0) ?? 0,
      },
      shell,
    ),
};

const commentCommand: Command = {
  name: 'comment',
  usage: 'comment <file>',
  describe: 'Put a saved plan into one comment on a pull or merge request, and keep it up to date',
  positionals: { file: { type: 'string', demandOption: true, describe: 'File written by plan --out' } },
  options: {
    platform: {
      choices: ['github', 'gitlab'],
      describe: 'Where; default: where the pipeline runs. Token: $GITHUB_TOKEN, $GH_TOKEN or $GITLAB_TOKEN',
    },
    pr: {
      type: 'string',
      requiresArg: true,
      describe: 'Pull request on GitHub; default: the one of the workflow',
    },
    mr: {
      type: 'string',
      requiresArg: true,
      describe: 'Merge request on GitLab; default: the one of the pipeline',
    },
    marker: {
      type: 'string',
      requiresArg: true,
      describe: 'Tells several projects of one repository apart, each with its own comment',
    },
    always: { type: 'boolean', describe: 'Comment also where there is nothing to do' },
  },
  examples: [
    ['campaignctl comment plan.json --platform github', 'in a workflow on pull_request'],
    ['campaignctl comment plan.json --platform gitlab --mr 12', 'from anywhere'],
  ],
  run: async (parsed, shell) =>
    (await import('./commands/comment.js')).comment(
      {
        ...parsed,
        file: String(parsed.file),
        platform: parsed.platform === 'github' || parsed.platform === 'gitlab' ? parsed.platform : null,
        pr: whole(parsed, 'pr', 1),
        mr: whole(parsed, 'mr', 1),
        marker: text(parsed, 'marker'),
        always: parsed.always === true,
      },
      shell,
    ),
};

const historyCommand: Command = {
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
    (await import('./commands/history.js')).history(
      {
        ...parsed,
        run: text(parsed, 'run'),
        limit: whole(parsed, 'limit', 1) ?? 20,
        format: formatOf(parsed),
      },
      shell,
    ),
};

const unlockCommand: Command = {
  name: 'unlock',
  usage: 'unlock',
  describe: 'Show who holds the lock of an environment, and remove it',
  positionals: NO_FILES,
  options: { yes: { type: 'boolean', alias: 'y', describe: 'Do not ask' } },
  examples: [['campaignctl unlock --env production', 'after a machine was lost in the middle of an apply']],
  run: async (parsed, shell) =>
    (await import('./commands/unlock.js')).unlock({ ...parsed, yes: parsed.yes === true }, shell),
};

const sandboxCommand: Command = {
  name: 'sandbox',
  usage: 'sandbox',
  describe: 'Serve the embedded service on a loopback port, to try things on',
  positionals: NO_FILES,
  options: {
    port: { type: 'string', requiresArg: true, default: '0', describe: 'Port; 0: any free one' },
    like: {
      choices: ['documented', 'reported'],
      default: 'documented',
      describe: 'As the interface documents it, or as installations are reported to behave',
    },
    file: {
      type: 'string',
      requiresArg: true,
      describe: "Where it keeps its campaigns; default: the project's own",
    },
    fault: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'What goes wrong: "METHOD PATH[#N]=KIND"; repeatable, see docs/rehearsal.md',
    },
    'rate-limit': {
      type: 'string',
      requiresArg: true,
      describe: 'Requests a minute, beyond which it answers 429',
    },
    'retry-after': {
      choices: ['seconds', 'date', 'none'],
      default: 'seconds',
      describe: 'How a 429 says when to come again',
    },
  },
  examples: [
    ['campaignctl sandbox --port 4010 --like reported', 'a service with the reported habits'],
    ['campaignctl sandbox --fault "POST /api/campaigns#1=drop-after"', 'the first creation gets no answer'],
  ],
  run: async (parsed, shell) =>
    (await import('./commands/sandbox.js')).sandbox(
      {
        ...parsed,
        port: whole(parsed, 'port', 0) ?? 0,
        like: parsed.like === 'reported' ? 'reported' : 'documented',
        file: text(parsed, 'file'),
        fault: texts(parsed, 'fault'),
        rateLimit: whole(parsed, 'rate-limit', 1),
        retryAfter:
          parsed['retry-after'] === 'date' || parsed['retry-after'] === 'none'
            ? parsed['retry-after']
            : 'seconds',
      },
      shell,
    ),
};

const completionCommand: Command = {
  name: 'completion',
  usage: 'completion [shell]',
  describe: 'Print a completion script for your shell',
  positionals: { shell: { choices: ['bash', 'zsh', 'fish'], default: 'bash' } },
  options: {},
  examples: [['source <(campaignctl completion bash)', 'completes commands, options and their values']],
  run: async (parsed, shell) =>
    (await import('./commands/completion.js')).completion(parsed.shell as CompletionShell, shell),
};

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  initCommand,
  validateCommand,
  planCommand,
  applyCommand,
  showCommand,
  previewCommand,
  commentCommand,
  historyCommand,
  unlockCommand,
  sandboxCommand,
  completionCommand,
];

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
