import type { JsonObject } from '../../model/json.js';
import { closed, counts, oneOf, text } from './parts.js';

/** What several of the schemas have in common. */
export const id: JsonObject = {
  type: ['integer', 'null'],
  description: 'The live campaign; null: it does not exist.',
};
export const manifest = text(
  'The file, relative to the project; "file#2" for the second document of a file, "file[France]" for one campaign of several.',
);
export const version: JsonObject = { type: 'integer', const: 1, description: 'Version of this format.' };
export const fingerprint: JsonObject = {
  type: 'string',
  pattern: '^sha256:[0-9a-f]{64}$',
  description: 'Hash of the plan and of the live state that it was made from.',
};

export const section = oneOf('Part of the campaign.', [
  'campaign',
  'settings',
  'schedule',
  'sequence',
  'leads',
  'status',
]);

const difference = {
  section,
  path: text('Where below the section, as in the manifest; empty where the section is one value.'),
  kind: oneOf('What happens to the value.', ['add', 'update', 'remove']),
  from: { description: 'The live value; null where there is none, or where it cannot be read.' },
  to: { description: 'The value of the manifest; null where there is none.' },
  note: { type: ['string', 'null'], description: 'What has to be known about the live value, if anything.' },
};
export const change = closed('One difference between the live campaign and its manifest.', difference);
export const plannedChange = closed('One difference between the live campaign and its manifest.', {
  ...difference,
  origin: {
    enum: ['manifest', 'service', 'both', null],
    description:
      'What was changed since the last apply; null: not known, never applied from here or not managed before.',
  },
});

export const step = closed('One request that apply sends.', {
  id: text('Unique in its campaign; starts with its stage.'),
  section,
  title: text('What it does, in words.'),
  method: oneOf('HTTP method.', ['POST', 'PATCH']),
  path: text('Path below the base URL; "{campaign_id}" where the campaign is still to be made.'),
  body: {
    type: ['object', 'null'],
    description: 'JSON body; "{step 1}" in it stands for the id that the service will give to that step.',
  },
  irreversible: { type: 'boolean', description: 'Whether no request of the interface can undo it.' },
});

export const problem = closed('Something to know before applying.', {
  code: text('Stable code.'),
  severity: oneOf('blocked: cannot be done through the interface; hazard: has to be allowed by name.', [
    'blocked',
    'hazard',
    'warning',
  ]),
  message: text('What is the matter.'),
  hint: text('What to do about it.'),
});

export const planSummary = closed(
  'Counts of campaigns, except requests. Each campaign is in one of create, change, unchanged and blocked.',
  counts({
    create: 'To be made.',
    change: 'To be changed.',
    unchanged: 'As their manifests say.',
    blocked: 'With at least one change that the interface cannot do; the rest of it is sent.',
    launch: 'To be launched.',
    pause: 'To be paused.',
    requests: 'Requests that apply sends.',
  }),
);

export const outcome = oneOf('incomplete: the service and the manifests still differ.', [
  'done',
  'incomplete',
]);
export const stepResult = oneOf('in_doubt: sent, and neither its answer nor a later look told its effect.', [
  'done',
  'failed',
  'in_doubt',
  'not_run',
]);
export const applySummary = closed(
  'Counts of campaigns.',
  counts({
    campaigns: 'All of them.',
    unchanged: 'As their manifests said before.',
    done: 'Brought to what their manifests say, and read back.',
    incomplete: 'With a step that failed, is in doubt or was not run.',
    blocked: 'With a change left that the interface cannot do.',
  }),
);
