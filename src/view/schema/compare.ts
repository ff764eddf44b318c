import { VERDICTS } from '../../model/comparison.js';
import type { JsonObject } from '../../model/json.js';
import { closed, counts, listOf, oneOf, published, text } from './parts.js';
import { manifest, section, version } from './words.js';

const difference = closed('One difference between the two environments.', {
  section,
  path: text('Where below the section, as in the manifest; empty where the section is one value.'),
  kind: oneOf('add: only in the second; drop: only in the first.', ['add', 'update', 'remove']),
  from: { description: 'The value in the first; null where there is none.' },
  to: { description: 'The value in the second; null where there is none.' },
  note: { type: ['string', 'null'], description: 'What has to be known about it, if anything.' },
});

/** JSON Schema (draft-07) of `compare --format json`: `schemas/compare.schema.json`. The type is `Comparison`. */
export const compareSchema: JsonObject = published('compare', 'Compare', {
  ...closed('How manifests differ between two environments: the output of compare --format json.', {
    version,
    from: text('Name of the first environment.'),
    to: text('Name of the second.'),
    summary: closed(
      'Counts of campaigns.',
      counts({
        campaigns: 'All of them.',
        content: 'That differ in what recipients get, or when.',
        only_from: 'That the second has not.',
        only_to: 'That the first has not.',
        environment: 'That differ in id, caps, leads, template or status only.',
        same: 'That are the same.',
      }),
    ),
    campaigns: listOf(
      closed('One campaign.', {
        manifest,
        name: text('Its name in the first environment that has it.'),
        verdict: oneOf('What it differs in; see summary.', VERDICTS),
        content: listOf('difference', 'Name, sequence, hours, all settings but the caps.'),
        environment: listOf('difference', 'Id, caps, leads, template, status.'),
      }),
      'What differs in content first.',
    ),
  }),
  definitions: { difference },
});
