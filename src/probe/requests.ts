/** Every request that a probe may send: none attaches leads, none launches. */
import type { JsonObject } from '../model/json.js';
import type { Step } from '../model/outputs.js';
import { PROBE } from '../model/probe.js';
import { WEEKDAYS } from '../model/sections.js';

/** The largest number of requests that change something: six on the first campaign, two on the second. */
export const MOST_REQUESTS = 8;

const email = (subject: string, thread_reply = false) => ({
  email_subject: `${PROBE}, ${subject}`,
  email_body: 'Made to find out how the service behaves.',
  wait_in_days: 1,
  thread_reply,
});

export const EMAILS = {
  first: email('first email'),
  reply: email('second email', true),
  later: email('posted later'),
  variant: email('a variant'),
};

/** Start of the first schedule and of the one that is posted after it. */
export const STARTS = { first: '09:00', second: '10:00' } as const;

export function create(name: string): Step {
  return step('create', 'campaign', `create the scratch campaign "${name}"`, '/api/campaigns', { name });
}

export function schedule(which: keyof typeof STARTS): Step {
  const days = Object.fromEntries(WEEKDAYS.map((day) => [day, day === 'monday']));
  const hours = { start_time: STARTS[which], end_time: '17:00', timezone: 'Europe/London' };
  const id = which === 'first' ? 'schedule' : 'schedule-again';
  const path = '/api/campaigns/{campaign_id}/schedule';
  const body = { ...days, ...hours, save_as_template: false };
  return step(id, 'schedule', `post a schedule from ${STARTS[which]}`, path, body);
}

export function firstEmails(): Step {
  const emails = [base(EMAILS.first, 1), base(EMAILS.reply, 2)];
  return sequence('sequence', 'create a sequence of 2 emails', emails);
}

export function laterEmail(): Step {
  return sequence('sequence-again', 'post another email', [base(EMAILS.later, 3)]);
}

export function variantById(parent: number): Step {
  return sequence('variant', `add a variant by the id of its email, ${parent}`, [variantOf(parent)]);
}

export function variantByOrder(): Step {
  const emails = [base(EMAILS.first, 1), variantOf(1)];
  return sequence('sequence', 'create a sequence with a variant by position', emails);
}

const TITLE = `${PROBE}, a sequence`;

function base(content: typeof EMAILS.first, order: number) {
  return { title: TITLE, ...content, order };
}

function variantOf(parent: number) {
  return { title: TITLE, ...EMAILS.variant, variant: true, variant_from_step: parent };
}

function sequence(id: string, title: string, sequence_steps: JsonObject[]): Step {
  const path = '/api/campaigns/{campaign_id}/sequence-steps';
  return step(id, 'sequence', title, path, { title: TITLE, sequence_steps });
}

function step(id: string, section: Step['section'], title: string, path: string, body: JsonObject): Step {
  return { id, section, title, method: 'POST', path, body, irreversible: true };
}
