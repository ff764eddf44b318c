import { Failure } from '../../model/failure.js';
import { isObject } from '../../model/json.js';
import type { LeadRefs } from '../../model/memory.js';
import type { CampaignSpec } from '../../model/spec.js';
import type { Context, Subject } from '../aspect.js';

/**
 * What state says is attached. `certain` is false where nothing was ever recorded of a campaign that exists. Only where
 * something is in doubt: the number of leads that the service showed `before`, and shows `now`; null: not shown.
 */
export interface Live {
  attached: LeadRefs;
  doubtful: LeadRefs;
  certain: boolean;
  before: number | null;
  now: number | null;
}

export function normalize(spec: CampaignSpec, context: Context): LeadRefs | null {
  if (spec.leads === undefined) return null;
  const { lists = [], ids = [] } = spec.leads;
  return { lists: sorted(lists.map((list) => listId(list, context))), ids: sorted(ids) };
}

/** The service shows nowhere what is attached: the memory is all there is. */
export function decode(subject: Subject): Live {
  const { attached, doubtful, known: certain, total_before } = subject.memory;
  const sure = certain && isEmpty(doubtful);
  return { attached, doubtful, certain, before: total_before, now: sure ? null : totalLeads(subject) };
}

/** `total_leads` of the campaign's record, null where it is not shown or cannot be read: it is only ever shown. */
export function totalLeads({ answers }: Pick<Subject, 'answers'>): number | null {
  const body = answers?.campaign?.body ?? null;
  const total = isObject(body) ? Number(body.total_leads ?? Number.NaN) : Number.NaN;
  return Number.isSafeInteger(total) && total >= 0 ? total : null;
}

export function isEmpty({ lists, ids }: LeadRefs): boolean {
  return lists.length === 0 && ids.length === 0;
}

export function sorted(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

function listId(list: number | string, { environment }: Context): number {
  const id = typeof list === 'number' ? list : environment.lead_lists[list];
  if (id !== undefined) return id;
  throw new Failure({
    code: 'unknown-lead-list',
    message: `The environment ${environment.name} names no lead list "${list}".`,
    hint: 'Add it under lead_lists of the environment, with its id in this workspace.',
  });
}
