import type { JsonObject } from '../../model/json.js';

/** Manifest value `status`. */
export const statusSchema: JsonObject = {
  title: 'StatusSpec',
  type: 'string',
  enum: ['running', 'paused'],
  description:
    'Whether the campaign sends. Left out: not managed. Launching has to be accepted with --allow launch.',
  examples: ['paused', 'running'],
};
