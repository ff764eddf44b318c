import type { JsonObject } from '../model/json.js';
import type { Plan, Step } from '../model/outputs.js';
import { PROBE } from '../model/probe.js';
import { WEEKDAYS } from '../model/sections.js';

/** Everything that a probe may send. There are no leads among these, and no launch. */

/** An email of a scratch campaign: no lead ever gets it. */
export interface ScratchEmail {
  email_subject: string;
  email_body: string;
  wait_in_days: number;
  thread_reply: boolean;
}

const email = (subject: string, body = 'Made to find out how the service behaves.'): ScratchEmail => ({
  email_subject: `${PROBE}, ${subject}`,
  email_body: body,
  wait_in_days: 1,
  thread_reply: false,
});

/** White space around it and inside of it, as manifests write it. */
export const FIRST = email('first email', '  Two blanks in front.\n\nA line end behind.  \n');
export const REPLY: ScratchEmail = { ...email('second email'), thread_reply: true };
export const LATER = email('posted later');
export const VARIANT = email('a variant');
export const TITLE = `${PROBE}, a sequence`;

/** Waits before each reading, in milliseconds, as apply waits: what was written may show a moment later. */
export const WAITS = [0, 500, 2000, 5000];

/** When the first schedule starts, and the one that is posted after it. */
export const STARTS = { first: '09:00', second: '10:00' } as const;

export function create(name: string): Step {
  return step('create', 'campaign', `create the scratch campaign "${name}"`, '/api/campaigns', { name });
}

export function schedule(which: keyof typeof STARTS): Step {
  const days = Object.fromEntries(WEEKDAYS.map((day) => [day, day === 'monday']));
  const hours = { start_time: STARTS[which], end_time: '17:00', timezone: 'Europe/London' };
  const body = { ...days, ...hours, save_as_template: false };
  const id = which === 'first' ? 'schedule' : 'schedule-again';
  return step(id, 'schedule', `post a schedule from ${STARTS[which]}`, `${OWN}/schedule`, body);
}

/** Emails at the positions from `order` on. */
export function emails(id: string, title: string, some: readonly ScratchEmail[], order: number): Step {
  return sequence(
    id,
    title,
    some.map((one, at) => ({ title: TITLE, ...one, order: order + at })),
  );
}

export function variantById(parent: number): Step {
  return sequence('variant', `add a variant by the id of its email, ${parent}`, [variantOf(parent)]);
}

export function variantByOrder(): Step {
  const base = { title: TITLE, ...FIRST, order: 1 };
  return sequence('sequence', 'create a sequence with a variant by position', [base, variantOf(1)]);
}

function variantOf(parent: number): JsonObject {
  return { title: TITLE, ...VARIANT, variant: true, variant_from_step: parent };
}

const OWN = '/api/campaigns/{campaign_id}';

function sequence(id: string, title: string, sequence_steps: JsonObject[]): Step {
  return step(id, 'sequence', title, `${OWN}/sequence-steps`, { title: TITLE, sequence_steps });
}

function step(id: string, section: Step['section'], title: string, path: string, body: JsonObject): Step {
  return { id, section, title, method: 'POST', path, body, irreversible: true };
}

/** What a probe may send to its first scratch campaign, and to its second, which not every service needs. */
export function scratchSteps([first, second]: readonly [string, string]): [Step[], Step[]] {
  return [
    [
      create(first),
      schedule('first'),
      schedule('second'),
      emails('sequence', 'create a sequence of 2 emails', [FIRST, REPLY], 1),
      emails('sequence-again', 'post another email', [LATER], 3),
      // Its id is not known yet: what is sent is noted right before.
      sequence('variant', 'add a variant by the id of its email', []),
    ],
    [create(second), variantByOrder()],
  ];
}

/** How many requests change something, at most. */
export const MOST_REQUESTS = scratchSteps(['', '']).flat().length;

/** What a probe is about to do, as the journal keeps it of every run. */
export function probePlan(
  { environment, base_url, fingerprint }: Pick<Plan, 'environment' | 'base_url' | 'fingerprint'>,
  names: readonly [string, string],
): Plan {
  const none = { changes: [], problems: [], content: null, impact: null, last: null };
  const steps = scratchSteps(names);
  const campaigns = names.map((name, at) => ({
    ...none,
    ...{ manifest: PROBE, name, id: null, action: 'create' as const, steps: steps[at] ?? [] },
  }));
  const counts = { change: 0, unchanged: 0, not_read: 0, blocked: 0, launch: 0, pause: 0, removed: 0 };
  const summary = { ...counts, create: names.length, requests: MOST_REQUESTS };
  const head = { version: 1, environment, base_url, fingerprint, mode: 'all' } as const;
  return { ...head, summary, problems: [], campaigns, removed: [], by_hand: [] };
}
