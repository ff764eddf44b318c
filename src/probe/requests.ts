/** All requests of a probe. None attaches leads or launches a campaign. */
import type { JsonObject } from '../model/json.js';
import type { Step } from '../model/outputs.js';
import { PROBE } from '../model/scratch.js';
import { WEEKDAYS } from '../model/sections.js';

/** Six writes on the first campaign, and two on the second. */
export const MAX_REQUESTS = 8;

const TITLE = `${PROBE}: a sequence`;

export const SUBJECT = `${PROBE}: `;

export function create(name: string): Step {
  return step('create', 'campaign', `create the scratch campaign "${name}"`, '', { name });
}

export function schedule(id: string, start_time: string): Step {
  const days = Object.fromEntries(WEEKDAYS.map((day) => [day, day === 'monday']));
  const body = { ...days, start_time, end_time: '17:00', timezone: 'Europe/London', save_as_template: false };
  return step(id, 'schedule', `post a schedule from ${start_time}`, '/{campaign_id}/schedule', body);
}

export function sequence(id: string, title: string, sequence_steps: JsonObject[]): Step {
  return step(id, 'sequence', title, '/{campaign_id}/sequence-steps', { title: TITLE, sequence_steps });
}

export function email(name: string, order: number): JsonObject {
  return { ...content(name), order };
}

export function buildVariant(parent: number): JsonObject {
  return { ...content('variant'), variant: true, variant_from_step: parent };
}

function content(name: string): JsonObject {
  const email_body = 'Created to find out how the service behaves.';
  return {
    title: TITLE,
    email_subject: `${SUBJECT}${name}`,
    email_body,
    wait_in_days: 1,
    thread_reply: false,
  };
}

function step(id: string, section: Step['section'], title: string, path: string, body: JsonObject): Step {
  return { id, section, title, method: 'POST', path: `/api/campaigns${path}`, body, irreversible: true };
}
