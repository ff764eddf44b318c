import {
  BEHAVIOURS,
  BRANCH,
  DEFAULTS,
  HAZARD_NAMES,
  HAZARDS,
  PRESETS,
  PROFILE_NAMES,
  REMOVALS,
} from '../model/environment.js';
import { type JsonObject, property } from '../model/json.js';
import { policiesSchema } from '../rules/policies.js';

const words = { type: 'array', items: { type: 'string', minLength: 1 } };
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
    running: property(words, 'The campaign sends.', ['active']),
    starting: property(words, 'The campaign is about to send.', ['queued']),
    stopped: property(words, 'The campaign does not send.', ['draft', 'paused']),
    finished: property(words, 'Nothing is left to send.', ['completed']),
    gone: property(words, 'The campaign is archived or deleted.', ['archived']),
  }),
  'Words of this service for the status of a campaign, added to the built-in ones; case does not matter.',
  { running: ['active'], stopped: ['draft', 'paused'] },
);

const service = property(
  section(
    {
      preset: property(
        { type: 'string', enum: Object.keys(PRESETS) },
        'A service whose behaviour public clients report. Each value can be overridden beside it.',
        'emailbison',
      ),
      variant_reference: choice(
        BEHAVIOURS.variant_reference,
        "What variant_from_step holds: the id of the parent's step (as documented), or its order.",
        'step_id',
      ),
      schedule_repost: choice(
        BEHAVIOURS.schedule_repost,
        'What posting a schedule does to a campaign that has one.',
        'refuse',
      ),
      sequence_repost: choice(
        BEHAVIOURS.sequence_repost,
        'What posting sequence steps does to a campaign that has some.',
        'append',
      ),
      attach_repeat: choice(
        BEHAVIOURS.attach_repeat,
        'Whether leads that are attached already can be attached again without harm.',
        'safe',
      ),
      status: choice(
        BEHAVIOURS.status,
        'Whether the service shows the status of a campaign. Hidden: campaignctl believes what it did last, and says so.',
        'hidden',
      ),
      senders: choice(
        BEHAVIOURS.senders,
        'Whether a person has to attach sender accounts in the web app before a campaign can be launched. By_hand: the launch of a new campaign is left for the next apply.',
        'by_hand',
      ),
      statuses,
    },
    { title: 'ServiceConfig' },
  ),
  'What this service does where the API is silent. Write only what you have seen it do.',
  { variant_reference: 'step_id', sequence_repost: 'append' },
);

const state = property(
  section(
    {
      backend: choice(
        [DEFAULTS.state.backend, 'git'],
        'Kind of store: a folder of this machine, or a branch that machines share.',
        DEFAULTS.state.backend,
      ),
      path: text('Folder of the store, relative to the project file.', DEFAULTS.state.path, {
        default: DEFAULTS.state.path,
      }),
      remote: text('Git remote that has the branch: a name, a URL or a path.', BRANCH.remote, {
        default: BRANCH.remote,
      }),
      branch: text('Beginning of the name of the branch; the environment follows.', BRANCH.branch, {
        default: BRANCH.branch,
        pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*(/[A-Za-z0-9][A-Za-z0-9_-]*)*$',
      }),
      id: text(
        'Id of the project, which tells it from others that use the same remote. The first apply writes it.',
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
  'Where campaignctl keeps what the service does not show again. A key that is missing in an environment is that of the top level.',
  DEFAULTS.state,
);

const shareable = {
  custom_variables: property(
    { type: 'array', items: { type: 'string', minLength: 1, pattern: '^[^{}|]+$' } },
    'Custom variables of the workspace. If you list them, an email may use no other variable.',
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
    ['launch'],
    [],
  ),
  on_removal: choice(
    REMOVALS,
    'What becomes of a running campaign whose manifest was removed. warn: every plan shows it; pause: apply pauses it as well.',
    'pause',
  ),
  capacity: property(
    { type: 'integer', minimum: 1 },
    "Emails a day that this workspace's senders can send together. list and plan compare the daily caps of running campaigns with it.",
    1000,
  ),
  limits: property(
    section({
      parallelism: property(
        { type: 'integer', minimum: 1, maximum: 64, default: DEFAULTS.limits.parallelism },
        'How many requests may be under way at the same time.',
        8,
      ),
      requests_per_minute: property(
        { type: ['integer', 'null'], minimum: 1, default: DEFAULTS.limits.requests_per_minute },
        'The most requests that are sent in a minute; null: no limit.',
        600,
      ),
    }),
    'How much load the service may get.',
    { parallelism: 8, requests_per_minute: 600 },
  ),
  service,
};

/** Keys that occur at several places are compiled once. */
function references(definitions: { [name: string]: JsonObject }): { [name: string]: JsonObject } {
  const names = Object.keys(definitions);
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/definitions/${name}` }]));
}

const environment = section(
  {
    sandbox: property(
      section({
        profile: choice(PROFILE_NAMES, 'Behave as the API documents, or as users report.', ...PROFILE_NAMES),
      }),
      'The built-in service, to try things out. It keeps its data in .campaignctl/.',
      {},
      { profile: 'reported' },
    ),
    base_url: text(
      'Where the service is: https, or http on a loopback address. Paths begin after it.',
      'https://send.example.com',
    ),
    token_env: text(
      'Name of the environment variable that holds the API token. Never the token itself.',
      'CAMPAIGNS_TOKEN',
    ),
    manifests: property(
      { ...words, minItems: 1 },
      "Those of the project's manifests that belong to this environment; default: all of them.",
      ['clients/acme/**/*.yaml'],
    ),
    workspace: property(
      section(
        {
          campaign_id: property({ type: 'integer', minimum: 1 }, 'Its id in the service.', 42),
          name: text('Its name, exactly.', 'Spring installers'),
        },
        { title: 'WorkspaceConfig', required: ['campaign_id', 'name'] },
      ),
      'A campaign that the right workspace holds under this name. campaignctl checks it before it plans, since a token can come to show another workspace.',
      { campaign_id: 42, name: 'Spring installers' },
    ),
    require_applied: text(
      'Environment in which a campaign must be applied with the same content before apply changes it here, like --require-applied.',
      'staging',
    ),
    ...references({ state, ...shareable }),
  },
  {
    title: 'EnvironmentConfig',
    description:
      'One workspace of a service: either the built-in service (sandbox) or base_url and token_env.',
    oneOf: [{ required: ['sandbox'] }, { required: ['base_url', 'token_env'] }],
  },
);

/** Draft-07, written to `schemas/project.schema.json`. */
export const projectSchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'project.schema.json',
  title: 'ProjectConfig',
  description: 'A campaignctl project: where its manifests are and which services they are for.',
  ...section(
    {
      version: property({ type: 'integer', enum: [1] }, 'Version of this format.', 1),
      manifests: property(
        { ...words, minItems: 1 },
        'Where the manifests are: paths or patterns relative to this file; "!" in front excludes.',
        ['campaigns/**/*.yaml'],
      ),
      shared: property(
        words,
        'Folders, also outside the project, whose files manifests may use: sequences and schedules that several projects share.',
        ['../../shared'],
      ),
      defaults: property(
        section(references(shareable), { title: 'EnvironmentDefaults' }),
        'What every environment has unless it says otherwise. Objects are merged, everything else replaces.',
        { on_removal: 'warn', custom_variables: ['FIRST_NAME', 'COMPANY'] },
      ),
      default_environment: text('Environment that is used without --env.', 'sandbox'),
      environments: property(
        {
          type: 'object',
          minProperties: 1,
          propertyNames: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' },
          additionalProperties: environment,
        },
        'The environments by name.',
        { sandbox: { sandbox: {} } },
      ),
      ...references({ state }),
      lint: property(
        { type: 'object', additionalProperties: { type: 'string', enum: ['off', 'warning', 'error'] } },
        'Rules of the linter by code: switched off, or with another severity. All are on by default.',
        { 'undeclared-variable': 'error', 'invisible-characters': 'off' },
      ),
      policies: policiesSchema,
    },
    { required: ['version', 'manifests', 'environments'] },
  ),
  definitions: { state, ...shareable },
};
