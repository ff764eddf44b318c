import type { Json } from '../../model/json.js';
import type { LeadRefs, Memory } from '../../model/memory.js';
import type { Step } from '../../model/step.js';
import type { Recorded } from '../aspect.js';
import { without } from './diff.js';
import { isEmpty, type Live, sorted } from './state.js';

/** 40,000 ids in one call are reported to time out, 1,000 to work: half of that. */
const BATCH = 500;

export function steps(live: Live, desired: LeadRefs): Step[] {
  const missing = without(desired, live.attached);
  const lists = missing.lists.map((id) =>
    request(`leads/list-${id}`, `attach lead list ${id}`, 'attach-lead-list', { lead_list_id: id }),
  );
  const count = Math.ceil(missing.ids.length / BATCH);
  const batches = Array.from({ length: count }, (_, index) => {
    const lead_ids = missing.ids.slice(index * BATCH, (index + 1) * BATCH);
    const part = count > 1 ? ` (batch ${index + 1} of ${count})` : '';
    const title = `attach ${lead_ids.length} lead${lead_ids.length > 1 ? 's' : ''}${part}`;
    return request(`leads/batch-${index + 1}`, title, 'attach-leads', { lead_ids });
  });
  return [...lists, ...batches];
}

function request(id: string, title: string, operation: string, body: { [key: string]: Json }): Step {
  const path = `/api/campaigns/{campaign_id}/leads/${operation}`;
  return { id, aspect: 'leads', title, method: 'POST', path, body, one_way: true };
}

/** Attached is what the service accepted; doubtful what may or may not have reached it. */
export function remember(memory: Memory, step: Step, recorded: Recorded): Memory {
  if (step.aspect !== 'leads') return memory;
  const sent = sentBy(step);
  if (recorded === 'in_doubt') return { ...memory, doubtful: union(memory.doubtful, sent) };
  const doubtful = without(memory.doubtful, sent);
  return {
    ...memory,
    known: true,
    attached: union(memory.attached, sent),
    doubtful,
    total_before: isEmpty(doubtful) ? null : memory.total_before,
  };
}

function sentBy({ body }: Step): LeadRefs {
  const list = body?.lead_list_id;
  const ids = body?.lead_ids;
  return {
    lists: typeof list === 'number' ? [list] : [],
    ids: Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : [],
  };
}

function union(a: LeadRefs, b: LeadRefs): LeadRefs {
  return { lists: sorted([...a.lists, ...b.lists]), ids: sorted([...a.ids, ...b.ids]) };
}
