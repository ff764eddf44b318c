import { type Memory, NEWBORN } from '../../model/memory.js';
import type { Step } from '../../model/step.js';
import type { Recorded } from '../aspect.js';
import type { Desired, Live } from './state.js';

export function steps(_live: Live, desired: Desired): Step[] {
  return [
    {
      id: 'create',
      aspect: 'campaign',
      title: 'create the campaign',
      method: 'POST',
      path: '/api/campaigns',
      body: { name: desired.name },
      one_way: true,
    },
  ];
}

export function remember(memory: Memory, step: Step, recorded: Recorded): Memory {
  return step.id === 'create' && recorded === 'done' ? NEWBORN : memory;
}
