import type { Json } from '../../model/json.js';
import type { LeadRefs, RecordedState } from '../../model/state-entry.js';
import type { Step } from '../../model/step.js';
import type { StepEffect } from '../section.js';
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
  return { id, section: 'leads', title, method: 'POST', path, body, irreversible: true };
}

/** Attached is what the service accepted; doubtful what may or may not have reached it. */
export function remember(recorded: RecordedState, step: Step, effect: StepEffect): RecordedState {
  if (step.section !== 'leads') return recorded;
  const sent = sentBy(step);
  if (effect === 'in_doubt') return { ...recorded, doubtful: union(recorded.doubtful, sent) };
  const doubtful = without(recorded.doubtful, sent);
  return {
    ...recorded,
    known: true,
    attached: union(recorded.attached, sent),
    doubtful,
    total_before: isEmpty(doubtful) ? null : recorded.total_before,
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
