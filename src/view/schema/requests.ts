import type { JsonObject } from '../../model/json.js';
import { closed, listOf, oneOf, published, text } from './parts.js';
import { version } from './words.js';

/** JSON Schema (draft-07) of `apply --dry-run --format json`: `schemas/requests.schema.json`. */
export const requestsSchema: JsonObject = published(
  'requests',
  'Requests',
  closed('What campaignctl apply would send: the output of apply --dry-run --format json.', {
    version,
    environment: text('Name of the environment.'),
    requests: listOf(
      closed('One request.', {
        campaign: text('Name of the campaign.'),
        method: oneOf('HTTP method.', ['POST', 'PATCH']),
        path: text('Path below the base URL; "{campaign_id}" where the campaign is still to be made.'),
        body: { type: ['object', 'null'], description: 'JSON body.' },
      }),
      'Every request, in the order in which they are sent.',
    ),
  }),
);
