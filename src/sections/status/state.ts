import type { CampaignSpec } from '../../model/spec.js';
import { record, text } from '../decode.js';
import type { CampaignContext } from '../section.js';
import { type Meaning, meaningOf } from './words.js';

export type Desired = 'running' | 'paused';

/** `word` is what the service says; null where it says nothing, or before the campaign exists. */
export interface Live {
  word: string | null;
  meaning: Meaning;
}

export function normalize(spec: CampaignSpec): Desired | null {
  return spec.status ?? null;
}

export function decode(context: CampaignContext): Live {
  const answer = context.answers?.campaign ?? null;
  const word =
    answer === null ? null : text({ endpoint: answer.endpoint, record: record(answer), at: '' }, 'status');
  return { word, meaning: meaningOf(word, context.environment.service.statuses) };
}
