import { PROFILE_NAMES } from '../model/environment.js';
import { IMPORT_STATUSES } from '../model/reports.js';
import {
  allow,
  argument,
  COMMON,
  type CommonFlags,
  choice,
  detailedExitcode,
  files,
  flag,
  format,
  hold,
  json,
  lockTimeout,
  type OptionTable,
  PLAN_FORMATS,
  parallelism,
  planFile,
  planViews,
  projects,
  refresh,
  requireApplied,
  target,
  text,
  texts,
  type Values,
  whole,
  yes,
} from './options.js';

export interface Command {
  command: string;
  describe: string;
  positionals: OptionTable;
  options: OptionTable;
  /** Example command lines, without the program's name. */
  examples: readonly (readonly [line: string, text: string])[];
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletedShell = (typeof SHELLS)[number];

export const COMMANDS = {
  init: {
    command: 'init [dir]',
    describe: 'Write a project that is ready to plan and apply',
    positionals: { dir: argument('Folder of the project', { default: '.', completes: 'folder' }) },
    options: {
      ci: choice(
        ['github', 'gitlab'],
        null,
        'Also write the pipeline for this platform; in an existing project, write only the pipeline',
      ),
      agent: flag(
        'Also write AGENTS.md and SKILL.md, which say what coding assistants may do; in an existing project, write only these',
      ),
    },
    examples: [
      ['init shop', 'a new folder with a project file and a manifest'],
      ['init --ci github', 'with a pipeline; in an existing project, only the pipeline'],
      ['init --agent', 'with rules for coding assistants'],
    ],
  },
  list: {
    command: 'list',
    describe: 'Show live campaigns next to their manifests, with results',
    positionals: {},
    options: {
      format: format(PLAN_FORMATS, 'text'),
      json,
      check: detailedExitcode(
        'a campaign has a problem or breaks a policy on results, or if all campaigns together exceed capacity',
      ),
      parallelism,
      ...projects,
    },
    examples: [
      ['list --env production', 'live campaigns, each with its manifest'],
      ['list --check', 'nightly check: exit code 2 means that something needs attention'],
    ],
  },
  validate: {
    command: 'validate [files..]',
    describe: 'Check manifests offline (schema, references, lint) and report all problems at once',
    positionals: { files },
    options: {
      ...projects,
      format: format(
        ['text', 'json', 'github', 'sarif', 'junit'],
        'text',
        'Output format: text, JSON, GitHub annotations, SARIF or a JUnit report',
      ),
      json,
    },
    examples: [
      ['validate', 'every manifest, for every environment'],
      ['validate campaigns/spring.yaml --env production', 'one file, one environment'],
      ['validate --format junit > validate.xml', 'a test report for GitLab or Jenkins'],
    ],
  },
  compare: {
    command: 'compare <from> <to> [files..]',
    describe: 'Show how the manifests differ between two environments; works offline',
    positionals: {
      from: argument('An environment, such as staging', { completes: 'environment' }),
      to: argument('Another environment, such as production', { completes: 'environment' }),
      files,
    },
    options: { ...planViews, target, ...projects },
    examples: [
      ['compare staging production', 'every difference between the two'],
      ['compare staging production --recursive', 'of all clients; those without a difference are one line'],
    ],
  },
  plan: {
    command: 'plan [files..]',
    describe: 'Show what apply would do, and send nothing',
    positionals: { files },
    options: {
      ...planViews,
      ...projects,
      target,
      hold,
      refresh,
      parallelism,
      requireApplied,
      out: text('Save the plan to this file (with --recursive: the plans to this folder) for apply --plan', {
        completes: 'file',
      }),
      drift: flag('Show only drift: what changed outside campaignctl since the last apply', {
        conflicts: 'out',
      }),
      detailedExitcode: detailedExitcode('changes are pending'),
    },
    examples: [
      ['plan --env production', 'compare with the live service'],
      ['plan --refresh changed', 'on a pull request: read only campaigns that may have changed'],
      ['plan --out plan.json', 'save, review, then campaignctl apply --plan plan.json'],
      ['plan --drift --detailed-exitcode', 'nightly check: exit code 2 means drift'],
    ],
  },
  apply: {
    command: 'apply [files..]',
    describe: 'Plan, ask, send each request once, and read everything back',
    positionals: { files },
    options: {
      ...planViews,
      ...projects,
      target,
      hold,
      refresh,
      parallelism,
      plan: text('Apply this saved plan, or the plans in this folder, if nothing has changed since', {
        conflicts: ['target', 'hold', 'refresh'],
        completes: 'file',
      }),
      lockTimeout,
      allow,
      requireApplied,
      dryRun: flag('Print every request in order and send none'),
      yes,
    },
    examples: [
      ['apply', 'plan, ask, send'],
      ['apply --yes --allow launch', 'in a pipeline, including all launches'],
      ['apply --yes --hold launch', 'everything except launches'],
      ['apply --require-applied staging --yes', 'only what staging already has'],
      ['apply --plan plan.json --yes', 'exactly the reviewed plan, or nothing'],
    ],
  },
  pause: {
    command: 'pause [names..]',
    describe: 'Stop campaigns immediately; needs no valid manifest, lock or approval',
    positionals: {
      names: texts('Campaigns by name, id or pattern, such as "Acme *"', { completes: 'campaign' }),
    },
    options: {
      all: flag('Every campaign in a manifest or in the state'),
      unmanaged: flag('Every campaign that is neither in a manifest nor in the state'),
      env: {
        ...COMMON.env,
        describe:
          'Environment, or a pattern such as "*-staging"; default: all that have a base_url or, if none has, the sandboxes',
      },
      ...projects,
      yes,
    },
    examples: [
      ['pause "Spring installers"', 'one campaign'],
      ['pause --all --recursive', 'all clients below this folder'],
      ['pause --all --unmanaged --yes', 'everything in the workspace, without asking'],
    ],
  },
  import: {
    command: 'import [names..]',
    describe: 'Write manifests from live campaigns, so that a plan shows no changes',
    positionals: {
      names: texts('Campaigns by name, id or pattern, such as "Spring*"', { completes: 'imported' }),
    },
    options: {
      all: flag('Every campaign without a manifest; with --update, every campaign with one'),
      status: choice(IMPORT_STATUSES, null, 'Only live campaigns with this status'),
      ...projects,
      update: flag('Copy live values into the existing manifests', { conflicts: 'status' }),
      lockTimeout,
    },
    examples: [
      ['import --all', 'every live campaign becomes a manifest'],
      ['import "Spring installers" 42 "Autumn*"', 'by name, by id, by pattern'],
      ['import --update "Spring installers"', 'copy changes made in the web app'],
    ],
  },
  show: {
    command: 'show <file>',
    describe: 'Print a saved plan; works offline',
    positionals: { file: planFile },
    options: planViews,
    examples: [
      ['show plan.json --format html > plan.html', 'a page with every email'],
      ['show plans/', 'the plans of several projects in one report'],
    ],
  },
  preview: {
    command: 'preview [files..]',
    describe: 'Show every email as recipients get it, on one page; works offline, except with --live',
    positionals: {
      files: texts(
        'Manifests or folders; default: those of the project file. With --live: campaigns by name, id or pattern',
        { completes: 'file' },
      ),
    },
    options: {
      leads: text(
        'Fill the emails with rows of this CSV file, and count the rows that lack a value; nothing is stored',
        { completes: 'file' },
      ),
      row: whole(1, null, 'With --leads: the row to show, counted as in a spreadsheet'),
      live: flag('Show the emails of the service instead of the manifests; only reads'),
      serve: flag('Serve the page on a loopback port, and reload it when a file changes'),
      port: whole(0, null, 'With --serve: port; default: any free one', 65_535),
      format: format(
        ['html', 'text', 'json'],
        'html',
        'Output format: the page or, with --leads, the counts as text or JSON',
      ),
      json,
      ...projects,
    },
    examples: [
      ['preview > preview.html', 'a page to read or share'],
      ['preview --recursive > preview.html', 'one page for all clients below this folder'],
      ['preview --serve', 'while you write: every change shows within a second'],
      ['preview --leads leads.csv --format text', 'which leads lack a value'],
      ['preview --live "Spring*" > preview-live.html', 'emails as the service has them'],
    ],
  },
  comment: {
    command: 'comment <file>',
    describe: 'Post a saved plan as one comment on a pull or merge request, and keep it up to date',
    positionals: { file: planFile },
    options: {
      platform: choice(
        ['github', 'gitlab'],
        null,
        'Platform; default: the one that runs the pipeline. Token: $GITHUB_TOKEN, $GH_TOKEN or $GITLAB_TOKEN',
      ),
      number: whole(
        1,
        null,
        'Number of the pull or merge request; default: that of the workflow or pipeline',
      ),
      marker: text('Name for a further comment on the same project and environment'),
      page: text('Address of the plan as a page (show --format html), linked at the top'),
      next: text('Line that says what to do next; default: Merge to apply to ENVIRONMENT.'),
    },
    examples: [
      ['comment plan.json --platform github', 'in a workflow on pull_request'],
      ['comment plan.json --platform gitlab --number 12', 'from anywhere'],
    ],
  },
  history: {
    command: 'history [run]',
    describe: 'List the most recent runs of an environment, or every request of one run',
    positionals: { run: text('Name of a run, or its beginning', { completes: 'run' }) },
    options: { format: format(PLAN_FORMATS, 'text'), json, ...projects },
    examples: [
      ['history --env production', 'time, command, user, commit and outcome of each run'],
      ['history --recursive', 'the last runs of all clients below this folder, newest first'],
      ['history 20260314T091500', 'every request of one run'],
    ],
  },
  forget: {
    command: 'forget <campaign>',
    describe: 'Remove a campaign from the state, by name or id; sends nothing',
    positionals: { campaign: argument('Name or id of a campaign in the state', { completes: 'recorded' }) },
    options: {
      removedLeads: flag(
        'Forget only leads that its manifest no longer lists, once you have removed them in the web app',
      ),
      lockTimeout,
      yes,
    },
    examples: [
      ['forget "Spring installers"', 'after you have removed its manifest'],
      ['forget 42 --removed-leads', 'leads that you removed in the web app'],
    ],
  },
  state: {
    command: 'state <action>',
    describe:
      'migrate: move the state from a folder to a branch; rebase: record that the project or its service has moved',
    positionals: { action: argument('Action', { choices: ['migrate', 'rebase'] }) },
    options: {
      from: text('rebase: the service address that the state records, if base_url has changed'),
      lockTimeout,
      yes,
    },
    examples: [
      ['state migrate --env production', 'after you wrote backend: git in the project file'],
      ['state rebase --env production', 'after the project was moved to another folder'],
      ['state rebase --from https://old.example.com', 'after the service has moved to base_url'],
    ],
  },
  unlock: {
    command: 'unlock',
    describe: 'Show who holds the lock of an environment, and remove the lock; asks first',
    positionals: {},
    options: { yes },
    examples: [['unlock --env production', 'after a machine was lost during an apply']],
  },
  sandbox: {
    command: 'sandbox',
    describe: 'Serve the sandbox on a loopback port',
    positionals: {},
    options: {
      port: whole(0, 0, 'Port; 0: any free port', 65_535),
      profile: choice(
        PROFILE_NAMES,
        PROFILE_NAMES[0],
        'documented: as the API documents; literal: without statuses; reported: as users report',
      ),
      file: text('Data file; default: that of the project in this folder', { completes: 'file' }),
      fault: texts('Inject a fault: "METHOD PATH[#N]=KIND" (docs/sandbox.md); repeat for several'),
    },
    examples: [
      ['sandbox --port 4010 --profile reported', 'a service that behaves as users report'],
      ['sandbox --fault "POST /api/campaigns#1=drop-after"', 'the first creation gets no response'],
    ],
  },
  explain: {
    command: 'explain [code]',
    describe: 'Explain the code of a message, a rule or a hazard',
    positionals: { code: text('A code; default: list all codes', { completes: 'code' }) },
    options: {},
    examples: [['explain attach-running', 'the hazard and how to accept it']],
  },
  completion: {
    command: 'completion [shell]',
    describe: 'Print a completion script for your shell, with environments, campaigns, hazards and codes',
    positionals: { shell: choice(SHELLS, null, 'Shell; default: that of $SHELL') },
    options: {},
    examples: [
      ['completion bash >> ~/.bashrc', 'for bash'],
      ['completion zsh >> ~/.zshrc', 'for zsh, below compinit'],
      ['completion fish > ~/.config/fish/completions/campaignctl.fish', 'for fish'],
    ],
  },
} satisfies Record<string, Command>;

export type CommandName = keyof typeof COMMANDS;

export type Flags<Name extends CommandName> = CommonFlags &
  Values<(typeof COMMANDS)[Name]['positionals']> &
  Values<(typeof COMMANDS)[Name]['options']>;
