import { INVENTORY_STATUSES } from '../../model/inventory.js';
import type { JsonObject } from '../../model/json.js';
import { closed, counts, listOf, numberOrNull, oneOf, orNull, published, text, textOrNull } from './parts.js';
import { manifest, version } from './words.js';

const problem = closed('Why it is not as it should be.', {
  code: text('Stable code.'),
  severity: oneOf('error: nothing can be planned; hazard: has to be allowed by name.', ['error', 'hazard']),
  message: text('What is the matter.'),
  hint: text('What to do about it.'),
});

/** JSON Schema (draft-07) of `list --format json`: `schemas/list.schema.json`. The type is `Inventory` in `model/inventory.ts`. */
export const listSchema: JsonObject = published(
  'list',
  'List',
  closed('Live campaigns beside manifests: the output of list --format json.', {
    version,
    environment: text('Name of the environment.'),
    base_url: text('Base URL of the service; "sandbox" for the embedded one.'),
    summary: closed(
      'Counts.',
      counts({
        live: 'Campaigns in the list of the service.',
        unclear: 'Entries of which it is not certain what belongs to what.',
        missing: 'Manifests whose campaign is not there any more.',
        gone: 'Campaigns that are archived or deleted.',
        new: 'Manifests without campaign.',
        unmanaged: 'Campaigns without manifest.',
        managed: 'Campaigns with a manifest.',
      }),
    ),
    campaigns: listOf(
      closed('A live campaign, or a manifest without any.', {
        status: oneOf('How the two stand to each other; see summary.', INVENTORY_STATUSES),
        name: text('The name in the service; of a manifest without campaign the one written in it.'),
        id: numberOrNull('The live campaign, or the one that was there; null: none.'),
        live_status: textOrNull(
          'The word of the service; null: there is none, or the list does not show it.',
        ),
        manifest: orNull(manifest),
        last: orNull(
          closed('When it was last seen as its manifest said; null: never.', {
            at: text('ISO 8601, UTC.'),
            how: oneOf('After an apply, or when the manifest was written from the service.', [
              'apply',
              'import',
            ]),
          }),
        ),
        problems: listOf(problem, 'Why it is unclear or missing.'),
      }),
      'What needs attention first, then by name.',
    ),
  }),
);
