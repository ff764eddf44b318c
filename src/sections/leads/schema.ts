import type { JsonObject } from '../../model/json.js';

/** Manifest section `leads`: what is attached. The service can attach, never detach or show what is attached. */
export const leadsSchema: JsonObject = {
  title: 'LeadsSpec',
  type: 'object',
  additionalProperties: false,
  description:
    'Leads to attach. The service shows nowhere what is attached and cannot detach: campaignctl remembers it in its state.',
  examples: [{ lists: ['installers-fr'] }, { ids_file: 'leads/fr.txt' }],
  properties: {
    lists: {
      type: 'array',
      items: { type: ['integer', 'string'], minimum: 1, minLength: 1 },
      description: 'Lead lists: ids, or names given under lead_lists of the environment.',
      examples: [[42, 'installers-fr']],
    },
    ids: {
      type: 'array',
      items: { type: 'integer', minimum: 1 },
      description: 'Ids of single leads.',
      examples: [[1001, 1002]],
    },
    ids_file: {
      type: 'string',
      minLength: 1,
      description:
        'File with ids of single leads, one a line, "#" starts a comment; relative to the manifest and inside the project.',
      examples: ['leads/fr.txt'],
    },
  },
};
