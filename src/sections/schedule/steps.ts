import { isObject, type JsonObject } from '../../model/json.js';
import type { RecordedState } from '../../model/state-entry.js';
import type { Step } from '../../model/step.js';
import type { StepEffect } from '../section.js';
import { WEEKDAYS } from './schema.js';
import type { Desired, Live, Window } from './state.js';

export function steps(live: Live, desired: Desired): Step[] {
  const verb = live === null ? 'set' : 'replace';
  const request =
    desired.template !== null
      ? fromTemplate(verb, desired.template)
      : desired.window !== null
        ? ownFields(verb, desired.window, desired.save_as_template)
        : null;
  return request === null ? [] : [{ id: 'schedule', section: 'schedule', method: 'POST', ...request }];
}

type Request = Pick<Step, 'title' | 'path' | 'body' | 'irreversible'>;

function fromTemplate(verb: string, template: number): Request {
  return {
    title: `${verb} the schedule from template ${template}`,
    path: '/api/campaigns/{campaign_id}/create-schedule-from-template',
    body: { schedule_id: template },
    irreversible: false,
  };
}

/** A template that is saved along the way cannot be deleted again. */
function ownFields(verb: string, window: Window, save: boolean): Request {
  const { days, ...rest } = window;
  const weekdays: JsonObject = Object.fromEntries(WEEKDAYS.map((day) => [day, days.includes(day)]));
  return {
    title: save ? `${verb} the schedule and save it as a template` : `${verb} the schedule`,
    path: '/api/campaigns/{campaign_id}/schedule',
    body: { ...weekdays, ...rest, save_as_template: save },
    irreversible: save,
  };
}

/** Keeps the template's id, which the service does not show on the campaign. In doubt, it is not known any more. */
export function remember(recorded: RecordedState, step: Step, effect: StepEffect): RecordedState {
  if (step.id !== 'schedule') return recorded;
  const schedule = { template: step.body?.schedule_id ?? null };
  if (effect === 'done') return { ...recorded, applied: { ...recorded.applied, schedule } };
  const { schedule: before, ...applied } = recorded.applied;
  return isObject(before) && before.template === schedule.template ? recorded : { ...recorded, applied };
}
