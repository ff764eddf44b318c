import { HAZARD_NAMES, HAZARDS } from '../model/environment.js';
import type { JsonObject } from '../model/json.js';
import { policiesSchema } from '../rules/policies.js';

const words = { type: 'array', items: { type: 'string', minLength: 1 } };
const idsByName: JsonObject = { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } };

const statuses: JsonObject = {
  type: 'object',
  additionalProperties: false,
  description:
    'Words of this service for the status of a campaign, added to the built-in ones; case does not matter.',
  examples: [{ running: ['active'], stopped: ['draft', 'paused'] }],
  properties: {
    running: { ...words, description: 'The campaign sends.', examples: [['active']] },
    starting: { ...words, description: 'The campaign is on its way to sending.', examples: [['queued']] },
    stopped: { ...words, description: 'The campaign does not send.', examples: [['draft', 'paused']] },
    finished: { ...words, description: 'Nothing is left to send.', examples: [['completed']] },
    gone: { ...words, description: 'The campaign is archived or deleted.', examples: [['archived']] },
  },
};

const service: JsonObject = {
  title: 'ServiceConfig',
  type: 'object',
  additionalProperties: false,
  description: 'What this service does where the API is silent. Say only what you have seen it do.',
  examples: [{ variant_reference: 'step_id', sequence_repost: 'append' }],
  properties: {
    variant_reference: {
      type: 'string',
      enum: ['step_id', 'order'],
      default: 'step_id',
      description: "What variant_from_step holds: the id of the parent's step (as documented), or its order.",
      examples: ['step_id'],
    },
    schedule_repost: {
      type: 'string',
      enum: ['unknown', 'replace', 'refuse'],
      default: 'unknown',
      description: 'What posting a schedule does to a campaign that has one.',
      examples: ['refuse'],
    },
    sequence_repost: {
      type: 'string',
      enum: ['unknown', 'append', 'replace', 'refuse'],
      default: 'unknown',
      description: 'What posting sequence steps does to a campaign that has some.',
      examples: ['append'],
    },
    attach_repeat: {
      type: 'string',
      enum: ['unknown', 'safe'],
      default: 'unknown',
      description: 'Whether leads that are attached already can be attached again without harm.',
      examples: ['safe'],
    },
    statuses,
  },
};

const environment: JsonObject = {
  title: 'EnvironmentConfig',
  type: 'object',
  additionalProperties: false,
  description: 'One workspace of a service: either the embedded service (sandbox) or base_url and token_env.',
  oneOf: [{ required: ['sandbox'] }, { required: ['base_url', 'token_env'] }],
  properties: {
    sandbox: {
      type: 'object',
      additionalProperties: false,
      description: 'The embedded service, for trying things out. Its data is kept in .campaignctl/.',
      examples: [{}, { profile: 'reported' }],
      properties: {
        profile: {
          type: 'string',
          enum: ['documented', 'reported'],
          default: 'documented',
          description: 'Whether it behaves as the API document says, or as installations were reported to.',
          examples: ['documented', 'reported'],
        },
      },
    },
    base_url: {
      type: 'string',
      minLength: 1,
      description: 'Where the service is: https, or http on a loopback address. Paths begin after it.',
      examples: ['https://send.example.com'],
    },
    token_env: {
      type: 'string',
      minLength: 1,
      description: 'Name of the environment variable that holds the API token. Never the token itself.',
      examples: ['CAMPAIGNS_TOKEN'],
    },
    custom_variables: {
      type: 'array',
      items: { type: 'string', minLength: 1, pattern: '^[^{}|]+$' },
      description: 'Custom variables of the workspace. When given, an email may use no other variable.',
      examples: [['FIRST_NAME', 'COMPANY']],
    },
    lead_lists: {
      ...idsByName,
      description: 'Names for lead lists of this workspace, with their ids.',
      examples: [{ 'installers-fr': 77 }],
    },
    schedule_templates: {
      ...idsByName,
      description: 'Names for schedule templates of this workspace, with their ids.',
      examples: [{ 'office-hours': 3 }],
    },
    workspace: {
      title: 'WorkspaceConfig',
      type: 'object',
      additionalProperties: false,
      required: ['campaign_id', 'name'],
      description:
        'A campaign that the right workspace holds under this name; checked before anything is planned, since a token can come to show another workspace.',
      examples: [{ campaign_id: 42, name: 'Spring installers' }],
      properties: {
        campaign_id: {
          type: 'integer',
          minimum: 1,
          description: 'Its id in the service.',
          examples: [42],
        },
        name: {
          type: 'string',
          minLength: 1,
          description: 'Its name, exactly.',
          examples: ['Spring installers'],
        },
      },
    },
    allow: {
      type: 'array',
      items: { type: 'string', enum: [...HAZARD_NAMES] },
      description: `Hazards that are accepted here without --allow. ${HAZARDS.map(({ name, description }) => `${name}: ${description}`).join(' ')}`,
      examples: [['launch'], []],
    },
    require_applied: {
      type: 'string',
      minLength: 1,
      description:
        'Environment to which a campaign has to have been applied with the same content, before apply changes it here; as --require-applied does.',
      examples: ['staging'],
    },
    limits: {
      type: 'object',
      additionalProperties: false,
      description: 'How hard the service may be worked.',
      examples: [{ parallelism: 8, requests_per_minute: 600 }],
      properties: {
        parallelism: {
          type: 'integer',
          minimum: 1,
          maximum: 64,
          default: 8,
          description: 'Number of requests under way at the same time.',
          examples: [8],
        },
        requests_per_minute: {
          type: ['integer', 'null'],
          minimum: 1,
          default: null,
          description: 'Most requests sent in a minute; null: no limit of our own.',
          examples: [600],
        },
      },
    },
    state: {
      type: 'object',
      additionalProperties: false,
      description: 'Where campaignctl keeps what the service will not show again.',
      examples: [{ backend: 'file', path: '.campaignctl/state' }],
      properties: {
        backend: {
          type: 'string',
          enum: ['file'],
          default: 'file',
          description: 'Kind of store.',
          examples: ['file'],
        },
        path: {
          type: 'string',
          minLength: 1,
          default: '.campaignctl/state',
          description: 'Folder of the store, relative to the project file.',
          examples: ['.campaignctl/state'],
        },
      },
    },
    service,
  },
};

/** JSON Schema (draft-07) of `campaignctl.yaml`: `schemas/project.schema.json`. */
export const projectSchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'project.schema.json',
  title: 'ProjectConfig',
  description: 'A campaignctl project: where its manifests are and which services they are for.',
  type: 'object',
  additionalProperties: false,
  required: ['version', 'manifests', 'environments'],
  properties: {
    version: { type: 'integer', enum: [1], description: 'Version of this format.', examples: [1] },
    manifests: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', minLength: 1 },
      description: 'Where the manifests are: paths or patterns relative to this file; "!" in front excludes.',
      examples: [['campaigns/**/*.yaml']],
    },
    default_environment: {
      type: 'string',
      minLength: 1,
      description: 'Environment that is used without --env.',
      examples: ['sandbox'],
    },
    environments: {
      type: 'object',
      minProperties: 1,
      propertyNames: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' },
      description: 'The environments by name.',
      examples: [{ sandbox: { sandbox: {} } }],
      additionalProperties: environment,
    },
    lint: {
      type: 'object',
      description:
        'Rules of the linter by code: switched off, or weighed differently. All are on by default.',
      examples: [{ 'undeclared-variable': 'error', 'invisible-character': 'off' }],
      additionalProperties: { type: 'string', enum: ['off', 'warning', 'error'] },
    },
    policies: policiesSchema,
  },
};
