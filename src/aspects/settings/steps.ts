import type { Memory } from '../../model/memory.js';
import type { Step } from '../../model/step.js';
import type { Context, Recorded } from '../aspect.js';
import { wholeSettings } from './diff.js';
import type { SomeSettings } from './state.js';

export function steps(live: SomeSettings, desired: SomeSettings, context: Context): Step[] {
  return [
    {
      id: 'settings',
      aspect: 'settings',
      title: 'update the settings',
      method: 'PATCH',
      path: '/api/campaigns/{campaign_id}/update',
      body: { ...wholeSettings(live, desired, context.memory) },
      one_way: false,
    },
  ];
}

/** Keeps the whole update, since some of it may never be shown again. */
export function remember(memory: Memory, step: Step, recorded: Recorded): Memory {
  if (step.id !== 'settings' || recorded !== 'done') return memory;
  return { ...memory, fresh: false, applied: { ...memory.applied, settings: step.body } };
}
