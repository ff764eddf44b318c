import type { JsonObject } from '../../model/json.js';
import { ORIGINS } from '../../model/setting.js';
import { closed, listOf, numberOrNull, oneOf, orNull, published, text, textOrNull } from './parts.js';
import { version } from './words.js';

const origin = closed('Where it comes from.', {
  kind: oneOf('flag goes before variable, variable before file, file before default.', ORIGINS),
  name: textOrNull('The flag, variable or file; null: none.'),
  line: numberOrNull('Line in the file, from 1; null: none.'),
});

/** JSON Schema (draft-07) of `config --format json`: `schemas/config.schema.json`. The type is `EffectiveConfig`. */
export const configSchema: JsonObject = published('config', 'Config', {
  ...closed('What is in effect, and where from: the output of config --format json. Never a token.', {
    version,
    project: closed('The project file.', {
      file: text('Relative to the working directory.'),
      origin: { $ref: '#/definitions/origin' },
    }),
    environment: orNull(
      closed('The environment; null: none is chosen.', {
        name: text('Its name.'),
        origin: { $ref: '#/definitions/origin' },
      }),
    ),
    environments: listOf(
      closed('One environment.', {
        name: text('Its name.'),
        base_url: text('Base URL of the service; "sandbox" for the embedded one.'),
      }),
      'All of the project.',
    ),
    settings: listOf(
      closed('One setting.', {
        key: text('As in the project file; below the environment where it is of one.'),
        value: { description: 'The value in effect.' },
        origin: { $ref: '#/definitions/origin' },
      }),
      'Of the project, then of the environment, then of this run.',
    ),
    variables: listOf(
      closed('An environment variable that is looked at.', {
        name: text('Its name.'),
        set: { type: 'boolean', description: 'Whether it is set.' },
        value: textOrNull('null where it is not set, or may hold a secret.'),
        used_for: text('What it is for.'),
      }),
      'All of them, set or not.',
    ),
  }),
  definitions: { origin },
});
