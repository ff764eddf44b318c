import { CREATED_STATE, type RecordedState } from '../../model/state-entry.js';
import type { Step } from '../../model/step.js';
import type { StepEffect } from '../section.js';
import type { Desired, Live } from './state.js';

export function steps(_live: Live, desired: Desired): Step[] {
  return [
    {
      id: 'create',
      section: 'campaign',
      title: 'create the campaign',
      method: 'POST',
      path: '/api/campaigns',
      body: { name: desired.name },
      irreversible: true,
    },
  ];
}

export function remember(recorded: RecordedState, step: Step, effect: StepEffect): RecordedState {
  return step.id === 'create' && effect === 'done' ? CREATED_STATE : recorded;
}
