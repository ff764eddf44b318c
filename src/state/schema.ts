/**
 * The forms of what the state keeps in files: the entry of a campaign, a line of a journal, the mark of a lock. Types and
 * validators are generated from here by `npm run generate`. What an entry or a line holds besides is let pass: a later
 * version may have written it.
 */
const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const flag = { type: 'boolean' };
const version = { const: 1 };
const id = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const idOrNull = { type: ['integer', 'null'] };
const ids = { type: 'array', items: id };

/** An object with all of these. */
function all(properties: { [name: string]: object }, optional: { [name: string]: object } = {}) {
  return {
    type: 'object',
    required: Object.keys(properties),
    properties: { ...properties, ...optional },
  };
}

/** The same, of which the vocabulary has the whole type; what has to be in it for a reader to rely on it stands here. */
function typed(tsType: string, properties: { [name: string]: object } = {}) {
  return { ...all(properties), tsType };
}

const leadRefs = typed('LeadRefs', { lists: ids, ids });

/** `last` is let pass as it is: it decides nothing, and where it is not `lastAppliedSchema` it is not known. */
const stateFileSchema = {
  $id: 'stateFile',
  title: 'StateFile',
  ...all(
    {
      version,
      id,
      manifest: text,
      name: text,
      known: flag,
      at_defaults: flag,
      attached: leadRefs,
      doubtful: leadRefs,
      applied: typed('JsonObject'),
      status: textOrNull,
    },
    { total_before: { type: ['number', 'null'] }, last: { tsType: 'Json' } },
  ),
};

const section = { type: 'object' };
const lastAppliedSchema = {
  $id: 'lastApplied',
  ...typed('LastApplied', {
    at: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' },
    how: { enum: ['apply', 'import'] },
    spec: all({ name: text }, { settings: section, schedule: section, sequence: section, leads: section }),
  }),
};

const step = typed('Step', { id: text, section: text, title: text, method: text, path: text });

/** One line of a journal. */
const journalLineSchema = {
  $id: 'journalLine',
  title: 'JournalLine',
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [
    line('run', {
      version,
      run: text,
      environment: text,
      at: text,
      who: text,
      commit: textOrNull,
      tool: text,
      fingerprint: text,
      summary: typed('Summary'),
    }),
    line('plan', {
      plan: typed('Plan', { campaigns: { type: 'array' } }),
      specs: typed('{ [manifest: string]: string }'),
    }),
    line('intent', {
      at: text,
      manifest: text,
      name: text,
      id: idOrNull,
      step,
      total_leads: { type: ['number', 'null'] },
    }),
    line('outcome', {
      at: text,
      manifest: text,
      step: text,
      id: idOrNull,
      result: { enum: ['done', 'failed', 'in_doubt', 'not_run'] },
      detail: textOrNull,
      visible: textOrNull,
    }),
    line('reconciled', { manifest: text }),
    line('end', { at: text, result: { enum: ['done', 'incomplete', 'interrupted'] } }),
  ],
};

function line(type: string, properties: { [name: string]: object }) {
  return all({ type: { const: type }, ...properties });
}

/**
 * Who holds a lock. `at` in ISO 8601, UTC; `mark` tells the process from a later one of the same number, null where the
 * system shows nothing for that.
 */
const lockHolderSchema = {
  $id: 'lockHolder',
  title: 'LockHolder',
  ...all({ who: text, host: text, pid: id, mark: textOrNull, at: text }),
};

/** By the name of the type that is generated for each. */
export const stateSchemas = {
  StateFile: stateFileSchema,
  LastApplied: lastAppliedSchema,
  JournalLine: journalLineSchema,
  LockHolder: lockHolderSchema,
};
