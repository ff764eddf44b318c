import type { Memory } from '../../model/memory.js';
import type { Step } from '../../model/step.js';
import type { Recorded } from '../aspect.js';
import type { Desired, Live } from './state.js';

const STEPS: Record<Desired, Step> = {
  running: {
    id: 'launch',
    aspect: 'status',
    title: 'launch the campaign',
    method: 'PATCH',
    path: '/api/campaigns/{campaign_id}/resume',
    body: null,
    one_way: true,
  },
  paused: {
    id: 'pause',
    aspect: 'status',
    title: 'pause the campaign',
    method: 'PATCH',
    path: '/api/campaigns/{campaign_id}/pause',
    body: null,
    one_way: false,
  },
};

export function steps(_live: Live, desired: Desired): Step[] {
  return [STEPS[desired]];
}

/** Keeps what was last set, in case the service's word for it is unknown. */
export function remember(memory: Memory, step: Step, recorded: Recorded): Memory {
  if (step.aspect !== 'status') return memory;
  if (recorded === 'in_doubt') return { ...memory, status: null };
  return { ...memory, status: step.id === 'launch' ? 'running' : 'paused' };
}
