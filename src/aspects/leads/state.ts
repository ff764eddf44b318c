import { Failure } from '../../model/failure.js';
import type { LeadRefs } from '../../model/memory.js';
import type { CampaignSpec } from '../../model/spec.js';
import type { Context, Subject } from '../aspect.js';

/** What state says is attached. `certain` is false where nothing was ever recorded of a campaign that exists. */
export interface Live {
  attached: LeadRefs;
  doubtful: LeadRefs;
  certain: boolean;
}

export function normalize(spec: CampaignSpec, context: Context): LeadRefs | null {
  if (spec.leads === undefined) return null;
  const { lists = [], ids = [] } = spec.leads;
  return { lists: sorted(lists.map((list) => listId(list, context))), ids: sorted(ids) };
}

/** The service shows nowhere what is attached: the memory is all there is. */
export function decode({ memory }: Subject): Live {
  return { attached: memory.attached, doubtful: memory.doubtful, certain: memory.known };
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
