import type { JsonObject } from '../../model/json.js';
import { closed, listOf, published, text, textOrNull } from './parts.js';
import { version } from './words.js';

const id: JsonObject = { type: 'integer', description: 'The live campaign.' };
const name = text('Its name in the service.');

/** JSON Schema (draft-07) of `import --format json`: `schemas/import.schema.json`. The type is `Imported` in `model/imported.ts`. */
export const importSchema: JsonObject = published(
  'import',
  'Imported',
  closed('What was imported: the output of import --format json.', {
    version,
    environment: text('Name of the environment.'),
    dry_run: { type: 'boolean', description: 'Whether nothing was written.' },
    campaigns: listOf(
      closed('A campaign with a manifest now.', {
        id,
        name,
        manifest: text('The manifest, relative to the project.'),
        files: listOf(text('Relative to the project.'), 'The files that the manifest names.'),
        remarks: listOf(text('A comment of the manifest.'), 'What the manifest does not say, and why.'),
      }),
      'By id.',
    ),
    skipped: listOf(
      closed('A campaign without a new manifest.', {
        id,
        name,
        manifest: textOrNull('The manifest that manages it already; null: that is not why.'),
        reason: text('Why.'),
      }),
      'By id.',
    ),
    files: listOf(
      closed('A file.', {
        file: text('Relative to the project.'),
        text: textOrNull('What it would hold; null: it was written.'),
      }),
      'Every file, in the order in which they are written.',
    ),
    notes: listOf(text('A note.'), 'What concerns the project as a whole.'),
  }),
);
