import { DEFAULT_SETTINGS } from '../../model/settings.js';
import type { RecordedState } from '../../model/state-entry.js';
import type { Step } from '../../model/step.js';
import type { SectionContext, StepEffect } from '../section.js';
import { wholeSettings } from './diff.js';
import type { SomeSettings } from './state.js';

export function steps(live: SomeSettings, desired: SomeSettings, context: SectionContext): Step[] {
  return [
    {
      id: 'settings',
      section: 'settings',
      title: 'update the settings',
      method: 'PATCH',
      path: '/api/campaigns/{campaign_id}/update',
      body: { ...wholeSettings(live, desired, context.recorded) },
      irreversible: false,
    },
  ];
}

/**
 * Keeps the whole update, since some of it may never be shown again; while its outcome is in doubt, beside what was
 * applied before. A campaign is made with the documented defaults.
 */
export function remember(recorded: RecordedState, step: Step, effect: StepEffect): RecordedState {
  if (step.id === 'create' && effect === 'done')
    return { ...recorded, applied: { ...recorded.applied, settings: { ...DEFAULT_SETTINGS } } };
  if (step.id !== 'settings') return recorded;
  if (effect === 'in_doubt')
    return { ...recorded, applied: { ...recorded.applied, settings_in_doubt: step.body } };
  const { settings_in_doubt: _, ...applied } = recorded.applied;
  return { ...recorded, at_defaults: false, applied: { ...applied, settings: step.body } };
}
