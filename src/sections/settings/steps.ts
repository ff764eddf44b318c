import type { Memory } from '../../model/memory.js';
import type { Step } from '../../model/step.js';
import type { Context, Recorded } from '../aspect.js';
import { wholeSettings } from './diff.js';
import { DEFAULTS, type SomeSettings } from './state.js';

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

/**
 * Keeps the whole update, since some of it may never be shown again; while its outcome is in doubt, beside what was
 * applied before. A campaign is made with the documented defaults.
 */
export function remember(memory: Memory, step: Step, recorded: Recorded): Memory {
  if (step.id === 'create' && recorded === 'done')
    return { ...memory, applied: { ...memory.applied, settings: { ...DEFAULTS } } };
  if (step.id !== 'settings') return memory;
  if (recorded === 'in_doubt')
    return { ...memory, applied: { ...memory.applied, settings_in_doubt: step.body } };
  const { settings_in_doubt: _, ...applied } = memory.applied;
  return { ...memory, fresh: false, applied: { ...applied, settings: step.body } };
}
