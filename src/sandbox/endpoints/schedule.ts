import { TIMEZONES } from '../../model/timezones.js';
import { WEEKDAYS } from '../../model/weekdays.js';
import { boolean, type Fields, integer, invalid, oneOf, required, time } from '../fields.js';
import { accepted, answered, type Call, type CampaignCall, refused, type Verdict } from '../rule.js';
import type { Schedule } from '../state.js';

export const schedule: Fields = {
  ...Object.fromEntries(WEEKDAYS.map((day) => [day, required(boolean)])),
  start_time: required(time),
  end_time: required(time),
  timezone: required(oneOf(TIMEZONES)),
  save_as_template: required(boolean),
};

export const templateChoice: Fields = { schedule_id: required(integer) };

export function listTemplates({ state, terms }: Call): Verdict {
  return answered(terms.profile.templates(state.templates));
}

export function readSchedule({ campaign, terms }: CampaignCall): Verdict {
  return answered(terms.profile.schedule(campaign));
}

export function createSchedule(call: CampaignCall): Verdict {
  const { save_as_template, ...fields } = call.body as Schedule & { save_as_template: boolean };
  return setSchedule(call, fields, save_as_template);
}

/** Copies the template: a later change of the one does not reach the other. */
export function createFromTemplate(call: CampaignCall): Verdict {
  const template = call.state.templates[Number(call.body.schedule_id) - 1];
  if (template === undefined) return refused([invalid('schedule_id')]);
  const { id: _, ...fields } = template;
  return setSchedule(call, fields, false);
}

function setSchedule({ campaign, terms }: CampaignCall, fields: Schedule, saveAsTemplate: boolean): Verdict {
  const { schedule, scheduleExists } = terms.profile;
  if (campaign.schedule !== null && scheduleExists !== null) return answered(scheduleExists(campaign));
  const event = { type: 'schedule-set', campaign: campaign.id, schedule: fields, saveAsTemplate } as const;
  return accepted(event, campaign.id, schedule);
}
