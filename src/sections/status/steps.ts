import type { RecordedState } from '../../model/state-entry.js';
import type { Step } from '../../model/step.js';
import type { StepEffect } from '../section.js';
import type { Desired, Live } from './state.js';

const STEPS: Record<Desired, Step> = {
  running: {
    id: 'launch',
    section: 'status',
    title: 'launch the campaign',
    method: 'PATCH',
    path: '/api/campaigns/{campaign_id}/resume',
    body: null,
    irreversible: true,
  },
  paused: {
    id: 'pause',
    section: 'status',
    title: 'pause the campaign',
    method: 'PATCH',
    path: '/api/campaigns/{campaign_id}/pause',
    body: null,
    irreversible: false,
  },
};

export function steps(_live: Live, desired: Desired): Step[] {
  return [STEPS[desired]];
}

/** Keeps what was last set, in case the service's word for it is unknown. */
export function remember(recorded: RecordedState, step: Step, effect: StepEffect): RecordedState {
  if (step.section !== 'status') return recorded;
  if (effect === 'in_doubt') return { ...recorded, status: null };
  return { ...recorded, status: step.id === 'launch' ? 'running' : 'paused' };
}
