import type { ServiceBehaviour } from '../../src/model/environment.js';
import type { Json, JsonObject } from '../../src/model/json.js';
import type { ResolvedSequence } from '../../src/model/spec.js';
import type { RecordedState } from '../../src/model/state.js';
import { sequence } from '../../src/sections/sequence.js';
import { coded, liveContext } from './context.js';
import { changeIn } from './plans.js';

/** Emails as written in manifests and as shown by services. */
export const QUESTION = {
  email_subject: '{FIRST_NAME}, a question',
  email_body: '<p>Hi {FIRST_NAME},</p>\n',
  wait_in_days: 3,
  thread_reply: false,
};
export const NEWS = {
  email_subject: 'Any news?',
  email_body: '<p>Any news, {FIRST_NAME}?</p>\n',
  wait_in_days: 4,
  thread_reply: true,
};
export const INSTALLERS = { ...QUESTION, email_subject: 'Installers at {COMPANY}' };
export const PARTNERS = { ...QUESTION, email_subject: 'Partners of {COMPANY}', wait_in_days: 5 };

export const PLAIN: ResolvedSequence = { title: 'Spring sequence', steps: [QUESTION, NEWS] };
export const VARIED: ResolvedSequence = {
  title: 'Spring sequence',
  steps: [{ ...QUESTION, variants: [INSTALLERS, PARTNERS] }, NEWS],
};

/** A row as a service shows it: trimmed, with `Re: ` before the subject of a thread reply. */
export const row = (id: number, order: number | null, email: typeof QUESTION, more: JsonObject = {}) => ({
  id,
  order,
  active: true,
  ...email,
  email_body: email.email_body.trim(),
  variant: false,
  variant_from_step: null,
  ...more,
});
export const ROW_1 = row(174, 1, QUESTION);
export const ROW_2 = row(175, 2, { ...NEWS, email_subject: 'Re: Any news?' });
export const ROW_A = row(176, null, INSTALLERS, { variant: true, variant_from_step: 174 });
export const ROW_B = row(177, null, PARTNERS, { variant: true, variant_from_step: 174 });

export const plan = (
  written: ResolvedSequence,
  rows: Json,
  {
    service = {},
    recorded = {},
    title = null,
  }: {
    service?: Partial<ServiceBehaviour>;
    recorded?: Partial<RecordedState>;
    title?: string | null;
  } = {},
) =>
  coded(
    sequence.plan(
      liveContext(
        { sequence: written },
        { sequence: rows === null ? null : { title, steps: rows } },
        { service, recorded },
      ),
    ),
  );

export const change = changeIn('sequence');
export const post = (stage: string, title: string, sequence_steps: unknown[]) => ({
  id: stage,
  stage,
  section: 'sequence',
  title,
  method: 'POST',
  path: '/api/campaigns/42/sequence-steps',
  body: { title: 'Spring sequence', sequence_steps },
  irreversible: true,
});
export const sent = (email: JsonObject, more: JsonObject) => ({
  title: 'Spring sequence',
  ...email,
  ...more,
});
export const variant = (email: JsonObject, parent: Json) =>
  sent(email, { variant: true, variant_from_step: parent });
export const whole = (email: JsonObject, variants: JsonObject[] = []) => ({ ...email, variants });
