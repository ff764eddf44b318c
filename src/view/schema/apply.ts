import type { JsonObject } from '../../model/json.js';
import { closed, listOf, oneOf, published, text } from './parts.js';
import { applySummary, change, fingerprint, id, manifest, outcome, stepResult, version } from './words.js';

/** JSON Schema (draft-07) of `apply --format json`: `schemas/apply.schema.json`. The type is `ApplyResult` in `model/outcome.ts`. */
export const applySchema: JsonObject = published('apply', 'ApplyResult', {
  ...closed('What campaignctl apply did: the output of apply --format json.', {
    version,
    environment: text('Name of the environment.'),
    fingerprint,
    result: outcome,
    summary: applySummary,
    campaigns: listOf(
      closed('One campaign.', {
        manifest,
        name: text('Name of the campaign.'),
        id,
        result: oneOf('What became of it.', ['done', 'incomplete', 'blocked']),
        steps: listOf(
          closed('One request.', {
            id: text('As in the plan.'),
            title: text('What it does, in words.'),
            method: oneOf('HTTP method; GET for the read-back.', ['POST', 'PATCH', 'GET']),
            path: text('Path below the base URL; empty for the read-back, which takes several.'),
            result: stepResult,
            detail: { type: ['string', 'null'], description: 'Why it failed, or what is not certain.' },
          }),
          'Every request of the plan.',
        ),
        remaining: listOf('change', 'What still differs after reading back.'),
      }),
      'Campaigns of which something was sent or left.',
    ),
  }),
  definitions: { change },
});
