/** Hints for words of other tools and for removed options. */

import { ownValue } from '../model/json.js';

const NO_DELETE =
  'campaignctl deletes no campaigns. campaignctl pause NAME stops one; it in the web app; campaignctl forget NAME takes it out of the state.';
const YES = 'Pass --yes to send without a question. What needs approval still needs --allow HAZARD.';
const SAVED = 'campaignctl plan --out FILE saves a plan, and campaignctl apply --plan FILE applies it.';
const DRY = 'plan sends nothing. campaignctl apply --dry-run prints every request and sends none.';
const DRIFT = 'campaignctl plan --drift shows what changed outside campaignctl since the last apply.';
const ENVIRONMENT = 'The environments are in the project file, and --env NAME chooses one.';
const VALUES = 'What differs between environments stands in the manifest, under environments:.';
const PLAN = 'campaignctl plan shows how live campaigns differ from the manifests.';
const APPLY = 'campaignctl apply plans, asks and sends.';
const IMPORT = 'campaignctl import --all writes manifests from live campaigns.';
const VALIDATE = 'campaignctl validate checks manifests offline.';
const LIST = 'campaignctl list shows live campaigns beside manifests.';
const FORGET = 'campaignctl forget NAME takes a campaign out of the state.';

const PAUSE = 'campaignctl pause NAME stops a campaign at once, and campaignctl pause --all all of them.';
const LAUNCH =
  'Write status: running in the manifest. campaignctl plan then shows the launch, and campaignctl apply --allow launch sends it.';
const RENAME =
  'The API cannot rename a campaign. Rename it in the web app, then run campaignctl import --update: it writes the new name into the manifest.';

const JSON_COMMANDS = 'This option was removed here: validate, plan, apply, show and list print JSON.';
const SHELL = 'The script is for the shell that $SHELL names: campaignctl completion.';

/** By option without hyphens; used only if the command has no such option. */
const OPTIONS: Readonly<Record<string, string>> = {
  'auto-approve': YES,
  force:
    'There is no option for everything: the plan names what needs approval, and --allow HAZARD accepts one.',
  out: SAVED,
  'dry-run': DRY,
  check: DRY,
  destroy: NO_DELETE,
  prune: NO_DELETE,
  'refresh-only': DRIFT,
  var: VALUES,
  environment: ENVIRONMENT,
  workspace: ENVIRONMENT,
  state: 'The project file says where the state is kept, under state: of the environment.',
  overlay:
    'This option was removed: import --update sets values where they stand. Move a value below environments: first.',
  overwrite: 'This option was removed: import never overwrites a file. Delete the manifest first.',
  verbose: '--debug prints a line for each request.',
  json: JSON_COMMANDS,
  format: JSON_COMMANDS,
  watch:
    '--watch was removed: write the page with campaignctl preview --out FILE and reload it in the browser.',
};

/** By command, with its next word where that matters. */
const COMMANDS: Readonly<Record<string, string>> = {
  stop: PAUSE,
  kill: PAUSE,
  halt: PAUSE,
  emergency: PAUSE,
  resume: LAUNCH,
  start: LAUNCH,
  launch: LAUNCH,
  run: LAUNCH,
  rename: RENAME,
  mv: RENAME,
  destroy: NO_DELETE,
  delete: NO_DELETE,
  remove: NO_DELETE,
  diff: PLAN,
  status: PLAN,
  refresh: DRIFT,
  sync: APPLY,
  deploy: APPLY,
  up: APPLY,
  push: APPLY,
  export: IMPORT,
  pull: IMPORT,
  lint: VALIDATE,
  ls: LIST,
  log: 'campaignctl history lists the runs of an environment.',
  workspace: ENVIRONMENT,
  'force-unlock': 'campaignctl unlock shows who holds the lock, and removes it.',
  login: 'The API token is read from the variable that token_env in the project file names.',
  config: 'config was removed: docs/configuration.md lists every setting, its sources and its default.',
  version: 'campaignctl --version prints the version.',
  'completion bash': SHELL,
  'completion zsh': SHELL,
  'completion fish': SHELL,
  'completion powershell': 'There is no completion for PowerShell.',
  'state rm': FORGET,
  'state list': LIST,
};

export function optionHint(name: string): string | null {
  return ownValue(OPTIONS, name) ?? null;
}

export function commandHint(words: string): string | null {
  return ownValue(COMMANDS, words) ?? null;
}
