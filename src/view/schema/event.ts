import type { JsonObject } from '../../model/json.js';
import { closed, published, text } from './parts.js';
import { applySummary, fingerprint, outcome, planSummary, stepResult } from './words.js';

const at = text('When, in ISO 8601.');
const campaign = text('Name of the campaign.');
const event = (type: string, description: string, more: { [name: string]: JsonObject }): JsonObject =>
  closed(description, { at, type: { type: 'string', const: type }, ...more });
const stepOf = { campaign, step: text('Id of the request, as in the plan.'), title: text('What it does.') };

/** JSON Schema (draft-07) of one line of `--events`: `schemas/event.schema.json`. The type is `RunEvent` in `model/event.ts`. */
export const eventSchema: JsonObject = published('event', 'RunEvent', {
  description: 'One event of a run: a line of the file that --events names.',
  oneOf: [
    event('planned', 'A plan was made.', {
      environment: text('Name of the environment.'),
      fingerprint,
      summary: planSummary,
    }),
    event('step-started', 'A request is sent.', stepOf),
    event('step-ended', 'It is known what became of a request, or that it is not known.', {
      ...stepOf,
      result: stepResult,
    }),
    event('waiting', 'A launch is on its way.', {
      campaign,
      status: { type: ['string', 'null'], description: 'The word of the service.' },
    }),
    event('trouble', 'Something that does not change what is sent.', { message: text('What it is.') }),
    event('applied', 'The end of an apply.', {
      environment: text('Name of the environment.'),
      fingerprint,
      result: outcome,
      summary: applySummary,
    }),
  ],
});
