import { HAZARD_NAMES } from '../model/approvals.js';
import { HAZARDS } from '../model/codes.js';
import {
  BEHAVIOURS,
  BRANCH,
  BUILT_IN_VARIABLES,
  DEFAULTS,
  PRESETS,
  PROFILE_NAMES,
  REMOVALS,
} from '../model/environment.js';
import { type JsonObject, property } from '../model/json.js';
import { policiesSchema } from '../rules/policies.js';

const word = { type: 'string', minLength: 1 };
const words = { type: 'array', items: word };
/** Relative, because an absolute path is valid on only one machine. */
const RELATIVE = {
  pattern: '^(?!!?([\\\\/]|[A-Za-z]:))',
  patternErrorMessage: 'Write a path relative to this file, such as ../../shared.',
};
const INSIDE = {
  pattern: `${RELATIVE.pattern}(?!!?(.*[\\\\/])?(\\.\\.|\\.[gG][iI][tT])([\\\\/]|$))`,
  patternErrorMessage: 'Write a path relative to the project file, inside the project and not in .git.',
};
const patterns = { type: 'array', items: { ...word, ...INSIDE }, minItems: 1 };
const idsByName: JsonObject = { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } };

function text(description: string, example: string, more: JsonObject = {}): JsonObject {
  return property({ type: 'string', minLength: 1, ...more }, description, example);
}

function choice(
  options: readonly [string, ...string[]],
  description: string,
  ...examples: string[]
): JsonObject {
  return property({ type: 'string', enum: [...options], default: options[0] }, description, ...examples);
}

function section(properties: { [name: string]: JsonObject }, more: JsonObject = {}): JsonObject {
  return { type: 'object', additionalProperties: false, ...more, properties };
}

const statuses = property(
  section({
    running: property(words, 'Words for a campaign that is sending.', ['active']),
    starting: property(words, 'Words for a campaign that is about to send.', ['queued']),
    stopped: property(words, 'Words for a campaign that is not sending.', ['draft', 'paused']),
    finished: property(words, 'Words for a campaign that has nothing left to send.', ['completed']),
    gone: property(words, 'Words for a campaign that is archived or deleted.', ['archived']),
  }),
  'Status words of this service, in addition to the built-in ones. Case does not matter.',
  { running: ['active'], stopped: ['draft', 'paused'] },
);

const variableNames = {
  type: 'array',
  items: { type: 'string', minLength: 1, pattern: '^[^{}|]+$' },
};

const service = property(
  section(
    {
      preset: property(
        { type: 'string', enum: Object.keys(PRESETS) },
        'A service whose behaviour is known from public clients. Other keys override its values.',
        'emailbison',
      ),
      variant_reference: choice(
        BEHAVIOURS.variant_reference,
        "Meaning of variant_from_step: the parent step's id (as documented) or its order.",
        'step_id',
      ),
      schedule_repost: choice(BEHAVIOURS.schedule_repost, 'Effect of posting a second schedule.', 'refuse'),
      sequence_repost: choice(
        BEHAVIOURS.sequence_repost,
        'Effect of posting sequence steps again.',
        'append',
      ),
      attach_repeat: choice(
        BEHAVIOURS.attach_repeat,
        'Effect of attaching the same leads again. safe: the service skips those already attached.',
        'safe',
      ),
      senders: choice(
        BEHAVIOURS.senders,
        'by_hand: a person must attach sender accounts in the web app before a launch. Apply therefore launches a new campaign only in a later run.',
        'by_hand',
      ),
      built_in_variables: property(
        variableNames,
        'Variables that the service has without a declaration, so that custom_variables need not list them.',
        BUILT_IN_VARIABLES,
      ),
      statuses,
    },
    { title: 'ServiceConfig' },
  ),
  'How this service behaves where the API does not specify it. Write only what you have observed.',
  { variant_reference: 'step_id', sequence_repost: 'append' },
);

const state = property(
  section(
    {
      backend: choice(
        [DEFAULTS.state.backend, 'git'],
        'Kind of store: a folder on this machine, or a branch that machines share.',
        DEFAULTS.state.backend,
      ),
      path: text('Folder of the store, relative to the project file.', DEFAULTS.state.path, {
        ...INSIDE,
        default: DEFAULTS.state.path,
      }),
      remote: text('Git remote that has the branch: a name, a URL or a path.', BRANCH.remote, {
        default: BRANCH.remote,
        pattern: '^(?!\\./*$)',
        patternErrorMessage: 'Write a remote that all machines push to, or write state: { backend: file }.',
      }),
      branch: text('Prefix of the branch name, which ends with the name of the environment.', BRANCH.branch, {
        default: BRANCH.branch,
        pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*(/[A-Za-z0-9][A-Za-z0-9_-]*)*$',
      }),
      id: text(
        'Id of the project, which distinguishes the project from others on the same remote. init, state migrate or the first apply or import writes it.',
        '5f1c20a9be37',
        { pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$' },
      ),
      lease: property(
        { type: 'integer', minimum: 10, maximum: 3600, default: BRANCH.lease },
        'Seconds after which another machine may take over from an apply that has stopped renewing its lease.',
        BRANCH.lease,
      ),
    },
    { title: 'StateConfig' },
  ),
  'Where campaignctl stores the facts that the service does not show. Keys missing from an environment are taken from the top level.',
  DEFAULTS.state,
);

const shareable = {
  custom_variables: property(
    variableNames,
    'Custom variables of the workspace. If you list them, emails cannot use any other variable, except for built-in ones of the service.',
    ['FIRST_NAME', 'COMPANY'],
  ),
  lead_lists: property(idsByName, 'Names for lead lists of this workspace, with their ids.', {
    'installers-fr': 77,
  }),
  schedule_templates: property(idsByName, 'Names for schedule templates of this workspace, with their ids.', {
    'office-hours': 3,
  }),
  allow: property(
    { type: 'array', items: { type: 'string', enum: [...HAZARD_NAMES] } },
    `Hazards that are accepted here without --allow. ${Object.entries(HAZARDS)
      .map((hazard) => hazard.join(': '))
      .join(' ')}`,
    [],
    ['launch'],
  ),
  on_removal: choice(
    REMOVALS,
    'Treatment of running campaigns whose manifest was removed. warn: every plan shows them; pause: apply also pauses them.',
    'pause',
  ),
  capacity: property(
    { type: 'integer', minimum: 1 },
    "Number of emails that this workspace's senders can send per day. list and plan compare it with the daily caps of running campaigns.",
    1000,
  ),
  limits: property(
    section({
      parallelism: property(
        { type: 'integer', minimum: 1, maximum: 64, default: DEFAULTS.limits.parallelism },
        'Maximum number of concurrent requests.',
        8,
      ),
      requests_per_minute: property(
        { type: ['integer', 'null'], minimum: 1, default: DEFAULTS.limits.requests_per_minute },
        'Maximum number of requests per minute; null for no limit.',
        600,
      ),
    }),
    'Limits on the load that campaignctl puts on the service.',
    { parallelism: 8, requests_per_minute: 600 },
  ),
  service,
};

function references(definitions: { [name: string]: JsonObject }): { [name: string]: JsonObject } {
  const names = Object.keys(definitions);
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/definitions/${name}` }]));
}

const environment = section(
  {
    sandbox: property(
      section({
        profile: choice(
          PROFILE_NAMES,
          'documented: behave as the API documents, and show statuses; literal: show only the documented fields, so no statuses; reported: behave as users report.',
          ...PROFILE_NAMES,
        ),
      }),
      'The built-in service, which sends no email. It keeps its data in .campaignctl/.',
      {},
      { profile: 'reported' },
    ),
    base_url: text(
      'Base URL of the service: https, or http on a loopback address. For http on other hosts, see insecure_http.',
      'https://send.example.com',
    ),
    insecure_http: property(
      { type: 'boolean', default: DEFAULTS.insecure_http },
      'true: base_url may begin with http:// on any host, which sends the token unencrypted. For a stand-in in a container network.',
      true,
    ),
    token_env: text(
      'Name of the environment variable that contains the API token; never the token itself.',
      'CAMPAIGNS_TOKEN',
    ),
    manifests: property(patterns, "The project's manifests that belong to this environment. Default: all.", [
      'clients/acme/**/*.yaml',
    ]),
    workspace: property(
      section(
        {
          campaign_id: property({ type: 'integer', minimum: 1 }, "The campaign's id in the service.", 42),
          name: text("The campaign's exact name.", 'Spring installers'),
        },
        { title: 'WorkspaceConfig', required: ['campaign_id', 'name'] },
      ),
      'A campaign in the right workspace. campaignctl checks its name before it plans, because a token can switch to a different workspace.',
      { campaign_id: 42, name: 'Spring installers' },
    ),
    require_applied: text(
      'Name of an earlier environment. Apply changes only campaigns that were applied to that environment with the same content, as with --require-applied.',
      'staging',
    ),
    ...references({ state, ...shareable }),
  },
  {
    title: 'EnvironmentConfig',
    description:
      'One workspace of a service: either the built-in service (sandbox) or base_url and token_env.',
    examples: [{ sandbox: {} }],
    oneOf: [{ required: ['sandbox'] }, { required: ['base_url', 'token_env'] }],
  },
);

/** What a project file shares with the file that it extends. */
const common = {
  version: property({ type: 'integer', enum: [1] }, 'Version of this format.', 1),
  shared: property(
    { ...words, items: { ...word, ...RELATIVE } },
    'Folders of sequences and schedules that manifests can use, relative to this file. They may be outside the project.',
    ['../../shared'],
  ),
  defaults: property(
    section(references(shareable), { title: 'EnvironmentDefaults' }),
    'Defaults for every environment. Objects are merged and everything else is replaced.',
    { on_removal: 'warn', custom_variables: ['FIRST_NAME', 'COMPANY'] },
  ),
  lint: property(
    { type: 'object', additionalProperties: { type: 'string', enum: ['off', 'warning', 'error'] } },
    'Lint rules, by code, that are off or have a different severity. All are on by default.',
    { 'undeclared-variable': 'error', 'invisible-characters': 'off' },
  ),
  policies: policiesSchema,
};

export const projectSchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'project.schema.json',
  title: 'ProjectConfig',
  description: 'A campaignctl project: its manifests and services.',
  ...section(
    {
      version: common.version,
      extends: text(
        'File whose defaults, policies, lint and shared apply to several projects. The keys of this file win; objects are merged.',
        '../../agency.yaml',
        RELATIVE,
      ),
      manifests: property(
        patterns,
        'Paths or patterns of the manifests, relative to this file; a leading "!" excludes.',
        ['campaigns/**/*.yaml'],
      ),
      shared: common.shared,
      defaults: common.defaults,
      default_environment: text('Environment to use without --env and CAMPAIGNCTL_ENV.', 'sandbox'),
      environments: property(
        {
          type: 'object',
          minProperties: 1,
          propertyNames: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' },
          additionalProperties: environment,
        },
        'Environments, by name.',
        { sandbox: { sandbox: {} } },
      ),
      ...references({ state }),
      lint: common.lint,
      policies: common.policies,
    },
    { required: ['version', 'manifests', 'environments'] },
  ),
  definitions: { state, ...shareable },
};

export const extendsSchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'extends.schema.json',
  description:
    'What several campaignctl projects have in common. Their project files name this file under extends.',
  ...section(common),
  definitions: shareable,
};
