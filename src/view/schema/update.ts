import type { JsonObject } from '../../model/json.js';
import { closed, listOf, numberOrNull, oneOf, published, text } from './parts.js';
import { manifest, version } from './words.js';

const section = oneOf('Which part of the campaign.', [
  ...['campaign', 'settings', 'schedule', 'sequence', 'leads', 'status'],
]);
const path = text('Where in that part, as in the manifest; empty for the part as a whole.');
const anything = (description: string): JsonObject => ({ description });

/** JSON Schema (draft-07) of `import --update --format json`: `schemas/update.schema.json`. The type is in `model/update.ts`. */
export const updateSchema: JsonObject = published(
  'update',
  'UpdateResult',
  closed('What campaignctl import --update wrote: its output with --format json.', {
    version,
    environment: text('Name of the environment.'),
    written: {
      type: 'boolean',
      description: 'Whether the files were written: not with --dry-run, and not where there are none.',
    },
    files: listOf(
      closed('One file with a new text.', {
        file: text('Path relative to the project.'),
        diff: text('The difference as a unified diff.'),
      }),
      'Files that were written, or would be.',
    ),
    campaigns: listOf(
      closed('One campaign.', {
        manifest,
        name: text('Name of the campaign.'),
        id: numberOrNull('Id of the live campaign; null where there is none.'),
        updated: listOf(
          closed('A difference that the manifest does not have any more.', {
            section,
            path,
            kind: oneOf('What became of the value in the manifest.', ['add', 'update', 'remove']),
            from: anything('What the manifest said.'),
            to: anything('What it says now, and the service shows.'),
            file: text('The file in which it stands.'),
          }),
          'Differences that were written.',
        ),
        skipped: listOf(
          closed('A difference that stays.', { section, path, reason: text('Why, in words.') }),
          'Differences that were left alone.',
        ),
        local_changes: listOf(
          closed('A difference that was made in the manifest since it was last applied.', { section, path }),
          'Differences that stay, since apply is to send them.',
        ),
        other_environments: listOf(
          text('Name of an environment.'),
          'Other environments for which the manifest says something else now.',
        ),
        in_sync: { type: 'boolean', description: 'Whether nothing differs now but what is meant.' },
      }),
      'Every campaign that was looked at.',
    ),
  }),
);
