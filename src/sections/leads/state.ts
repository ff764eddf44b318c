import { Failure } from '../../model/failure.js';
import { isObject } from '../../model/json.js';
import type { CampaignSpec } from '../../model/spec.js';
import type { LeadRefs } from '../../model/state-entry.js';
import type { CampaignContext, SectionContext } from '../section.js';

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

export function normalize(spec: CampaignSpec, context: SectionContext): LeadRefs | null {
  if (spec.leads === undefined) return null;
  const { lists = [], ids = [] } = spec.leads;
  return { lists: sorted(lists.map((list) => listId(list, context))), ids: sorted(ids) };
}

/** The service shows nowhere what is attached: the recorded is all there is. */
export function decode(context: CampaignContext): Live {
  const { attached, doubtful, known: certain, total_before } = context.recorded;
  const sure = certain && isEmpty(doubtful);
  return { attached, doubtful, certain, before: total_before, now: sure ? null : totalLeads(context) };
}

/** `total_leads` of the campaign's record, null where it is not shown or cannot be read: it is only ever shown. */
export function totalLeads({ answers }: Pick<CampaignContext, 'answers'>): number | null {
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

function listId(list: number | string, { environment }: SectionContext): number {
  const id = typeof list === 'number' ? list : environment.lead_lists[list];
  if (id !== undefined) return id;
  throw new Failure({
    code: 'unknown-lead-list',
    message: `The environment ${environment.name} names no lead list "${list}".`,
    hint: 'Add it under lead_lists of the environment, with its id in this workspace.',
  });
}
