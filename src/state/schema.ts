/** Schemas of state files, for `npm run generate`. Unknown fields are allowed: a later version may have written them. */
import { choice, integer, integerOrNull, open, type Properties, textOrNull } from '../model/schema/parts.js';
import type { RecordedState } from '../model/state.js';

const version = { const: 1 };
const id = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const ids = { type: 'array', items: id };
const flag = { type: 'boolean' };
const numberOrNull = { type: ['number', 'null'] };
const section = { type: 'object' };

/** The complete type is in `model`; only fields that readers rely on are checked. */
function typed(tsType: string, properties: Properties = {}, optional: Properties = {}) {
  return { ...open(properties, optional), tsType };
}

function line(type: string, properties: Properties, optional: Properties = {}) {
  return open({ type: { const: type }, ...properties }, optional);
}

const leadRefs = typed('LeadRefs', { lists: ids, ids });
const named = { manifest: 'As plans name it.', name: 'Name of the campaign.' };
const at = 'When, in ISO 8601, UTC.';
/** Clocks can be set; this counter cannot. */
const uptime = {
  boot: textOrNull('Boot and PID namespace of the run; null if not known.'),
  uptime: { type: 'number', description: 'Milliseconds of that boot.' },
};
const orNull = (properties: Properties) => ({ ...open(properties), type: ['object', 'null'] });
const liveId = integerOrNull('Id of the live campaign; null if not known.');

/** Fields of every entry. */
const remembered = {
  known: flag,
  at_defaults: flag,
  attached: leadRefs,
  doubtful: leadRefs,
  applied: section,
  status: textOrNull(''),
  total_leads: numberOrNull,
  attached_at: orNull(uptime),
  sequence: orNull({ steps: { type: 'number' }, variants: { type: 'number' } }),
  schedule_seen: flag,
  has_run: { type: ['boolean', 'null'] },
  seen: { type: ['object', 'null'] },
} satisfies Record<Exclude<keyof RecordedState, 'last' | 'superseded_by' | 'paused'>, unknown>;
const lockHolder = open({
  id: { type: 'string', pattern: '^[0-9a-f-]{36}$' },
  who: 'Who holds the lock.',
  host: 'The machine.',
  pid: id,
  space: textOrNull('Boot and PID namespace in which the number means the process; null if not known.'),
  at,
});

/** By name of the generated type. */
export const stateSchemas = {
  StateService: {
    $id: 'stateService',
    title: 'StateService',
    ...open({ version, base_url: 'Address of the service that all entries and journals belong to.' }),
  },
  StateFile: {
    $id: 'stateFile',
    ...typed(
      'StateFile',
      { version, id, ...named, ...remembered },
      {
        last: {},
        superseded_by: id,
        paused: { type: 'string' },
        runs: { type: 'array', items: { type: 'string' } },
      },
    ),
  },
  LastApplied: {
    $id: 'lastApplied',
    ...typed('LastApplied', {
      at: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' },
      how: { enum: ['apply', 'import'] },
      spec: open(
        { name: 'Name of the campaign.' },
        { settings: section, schedule: section, sequence: section, leads: section },
      ),
    }),
  },
  JournalLine: {
    $id: 'journalLine',
    title: 'JournalLine',
    type: 'object',
    required: ['type'],
    discriminator: { propertyName: 'type' },
    oneOf: [
      line(
        'run',
        {
          version,
          run: 'Its name.',
          environment: 'Name of the environment.',
          at,
          who: 'Who applied, and on which machine.',
          commit: textOrNull('Git commit of the project; null if not known.'),
          tool: 'Version of campaignctl.',
          fingerprint: 'Of the plan.',
          summary: typed('Summary'),
        },
        {
          // True if the plan was pushed before anything was sent.
          announced: flag,
        },
      ),
      line('plan', {
        plan: typed('Plan', { campaigns: { type: 'array' } }),
        specs: typed('{ [manifest: string]: string }'),
      }),
      line(
        'intent',
        {
          at,
          ...named,
          id: liveId,
          step: typed('Step', { id: '', section: '', title: '', method: '', path: '' }),
          total_leads: numberOrNull,
        },
        uptime,
      ),
      line(
        'outcome',
        {
          at,
          ...named,
          step: 'Id of the step.',
          id: liveId,
          result: choice('What became of it.', ['done', 'failed', 'in_doubt', 'not_run']),
          detail: textOrNull('Why it failed, or what is not certain.'),
        },
        {
          // Milliseconds until the service shows its effect, if any; null: do not wait.
          visible_in: numberOrNull,
          ...uptime,
        },
      ),
      line('reconciled', named),
      line('end', { at, result: choice('How it ended.', ['done', 'incomplete', 'interrupted']) }),
    ],
  },
  BranchHead: {
    $id: 'branchHead',
    title: 'BranchHead',
    ...open({
      version,
      project: 'Id of the project.',
      environment: 'Name of the environment.',
      parent: textOrNull('The commit before this one; null: there is none.'),
      holder: { ...lockHolder, type: ['object', 'null'], tsType: 'LockHolder | null' },
      lease: integer('Seconds that the lease holds without being renewed; 0 if there is none.', 0),
    }),
  },
  LockHolder: { $id: 'lockHolder', title: 'LockHolder', ...lockHolder },
};
