/** What hands write that know another tool (Terraform, Pulumi, decK, git, kubectl), and what campaignctl has in its place. */

import { ownValue } from '../model/json.js';

const NO_DELETE =
  'campaignctl deletes no campaigns. Write status: paused and apply it, or archive the campaign in the web app; campaignctl forget NAME takes one out of the state.';
const YES = 'Pass --yes to send without a question. What needs approval still needs --allow HAZARD.';
const REPLACES =
  'No campaign is made anew in place. replaces: in a new manifest makes one that takes the place of another.';
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

/** Options, without their hyphens. Each is looked up only where a command has no option of that name. */
const OPTIONS: Readonly<Record<string, string>> = {
  'auto-approve': YES,
  approve: YES,
  input: YES,
  force:
    'There is no option for everything: the plan names what needs approval, and --allow HAZARD accepts one.',
  out: SAVED,
  o: SAVED,
  'dry-run': DRY,
  n: DRY,
  check: DRY,
  destroy: NO_DELETE,
  prune: NO_DELETE,
  replace: 'A campaign is never made anew. Give the manifest a new name for another campaign.',
  'refresh-only': DRIFT,
  var: VALUES,
  'var-file': VALUES,
  environment: ENVIRONMENT,
  workspace: ENVIRONMENT,
  state: 'The project file says where the state is kept, under state: of the environment.',
  overlay:
    'This option was removed: import --update sets values where they stand. Move a value below environments: first.',
  json: 'This option was removed: this command prints for people. plan, apply, list and validate take --json.',
  overwrite: 'This option was removed: import never overwrites a file. Delete the manifest first.',
  lock: 'apply always takes the lock. --lock-timeout says how long it waits for another apply.',
  verbose: '--debug prints a line for each request.',
  v: '-V or --version shows the version; --debug prints a line for each request.',
  silent: '--quiet prints results and errors only.',
  watch:
    '--watch was removed: write the page with campaignctl preview --out FILE and reload it in the browser.',
};

/** Commands, with the word behind them where that matters. */
const COMMANDS: Readonly<Record<string, string>> = {
  destroy: NO_DELETE,
  delete: NO_DELETE,
  rm: NO_DELETE,
  remove: NO_DELETE,
  diff: PLAN,
  status: PLAN,
  refresh: DRIFT,
  drift: DRIFT,
  sync: APPLY,
  deploy: APPLY,
  up: APPLY,
  push: APPLY,
  dump: IMPORT,
  export: IMPORT,
  pull: IMPORT,
  fmt: `Manifests keep the form that you give them. ${VALIDATE}`,
  lint: VALIDATE,
  check: VALIDATE,
  test: VALIDATE,
  ls: LIST,
  get: LIST,
  log: 'campaignctl history lists the runs of an environment.',
  workspace: ENVIRONMENT,
  env: ENVIRONMENT,
  'force-unlock': 'campaignctl unlock shows who holds the lock, and removes it.',
  login: 'The API token is read from the variable that token_env in the project file names.',
  console: LIST,
  output: 'A plan and a result have every fact as JSON: --json with plan, apply, show or list.',
  taint: REPLACES,
  untaint: REPLACES,
  rollback:
    'campaignctl apply sends what the manifests say: take the commit back in git, and apply. Emails that were sent stay sent.',
  graph:
    'Campaigns do not depend on each other, except by replaces: in a manifest. campaignctl plan shows it.',
  providers: `There is one API and no plugins. ${ENVIRONMENT}`,
  config: 'config was removed: docs/configuration.md lists every setting, its sources and its default.',
  new: 'campaignctl init DIR writes a project.',
  mock: 'campaignctl sandbox serves the API on this machine.',
  'state rm': FORGET,
  'state list': LIST,
  'state show': LIST,
  'state mv': 'A manifest keeps its campaign when its file moves. id: in the manifest pins a campaign.',
};

export function optionHint(name: string): string | null {
  return ownValue(OPTIONS, name) ?? null;
}

export function commandHint(words: string): string | null {
  return ownValue(COMMANDS, words) ?? null;
}
