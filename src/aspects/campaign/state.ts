import { UnreadableAnswer } from '../../model/failure.js';
import type { CampaignSpec } from '../../model/spec.js';
import type { Subject } from '../aspect.js';
import { record, seen, text } from '../decode.js';
import { canonicalText } from '../text.js';

export interface Desired {
  name: string;
}

/** The live campaign; null while it does not exist. */
export type Live = { id: number; name: string; status: string | null } | null;

export function normalize(spec: CampaignSpec): Desired {
  return { name: spec.name };
}

/** From the list, or, for a pinned campaign, from its own record. */
export function decode(subject: Subject): Live {
  if (subject.listed !== null) return subject.listed;
  const answer = subject.answers?.campaign ?? null;
  if (answer === null || subject.id === null) return null;
  const fields = { endpoint: answer.endpoint, record: record(answer), at: '' };
  const name = text(fields, 'name');
  if (name === null)
    throw new UnreadableAnswer(answer.endpoint, 'field name: it is missing', seen(answer.body));
  return { id: subject.id, name: canonicalText(name), status: text(fields, 'status') };
}
