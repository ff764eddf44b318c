import type { CampaignSpec } from '../../model/spec.js';
import { record, text } from '../decode.js';
import type { CampaignContext } from '../section.js';
import { canonicalText } from '../text.js';

export interface Desired {
  name: string;
}

/** The live campaign; null while it does not exist. Name and status are null where nothing that was read shows them. */
export type Live = { id: number; name: string | null; status: string | null } | null;

export function normalize(spec: CampaignSpec): Desired {
  return { name: spec.name };
}

/** From the campaign's own record where it was read, else from the list. */
export function decode({ id, listed, answers }: CampaignContext): Live {
  if (id === null) return null;
  const answer = answers?.campaign ?? null;
  if (answer === null) return { id, name: listed?.name ?? null, status: listed?.status ?? null };
  const fields = { endpoint: answer.endpoint, record: record(answer), at: '' };
  const name = text(fields, 'name');
  return {
    id,
    name: listed?.name ?? (name === null ? null : canonicalText(name)),
    status: text(fields, 'status') ?? listed?.status ?? null,
  };
}
