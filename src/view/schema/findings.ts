import type { JsonObject } from '../../model/json.js';
import { closed, counts, listOf, oneOf, published, text } from './parts.js';
import { version } from './words.js';

const place = (description: string): JsonObject => ({ type: 'integer', minimum: 1, description });

/** JSON Schema (draft-07) of `validate --format json`: `schemas/findings.schema.json`. A finding is a `LocatedFinding`. */
export const findingsSchema: JsonObject = published(
  'findings',
  'Findings',
  closed('What is wrong with manifests: the output of validate --format json.', {
    version,
    summary: closed(
      'Counts.',
      counts({
        manifests: 'Manifests that were checked.',
        errors: 'Findings that stop everything.',
        warnings: 'Findings that stop nothing.',
      }),
    ),
    findings: listOf(
      closed('One finding.', {
        code: text('Stable code; docs/errors.md and docs/rules.md have a section on each.'),
        severity: oneOf('error: nothing is sent while it is there.', ['error', 'warning']),
        message: text('What is the matter.'),
        hint: text('What to do about it.'),
        file: text('The file, relative to the project.'),
        line: place('From 1.'),
        column: place('From 1, in UTF-16 units.'),
        length: place('How much of the line is meant.'),
        excerpt: text('The line.'),
      }),
      'All of them, by file and line.',
    ),
  }),
);
