import type { JsonObject } from '../../model/json.js';

/** Manifest properties that say which campaign is meant. */
export const campaignProperties: JsonObject = {
  name: {
    type: 'string',
    minLength: 1,
    pattern: '^\\S(?:[^\\u0000-\\u001f\\u007f]*\\S)?$',
    description:
      "The campaign's name in the service. It cannot be changed there: another name is another campaign. No white space around it, one line.",
    examples: ['Spring installers', 'Q3 Installers | Google'],
  },
  id: {
    type: 'integer',
    minimum: 1,
    description: 'Pins the live campaign with this id, whatever its name. Usually given per environment.',
    examples: [42],
  },
};
