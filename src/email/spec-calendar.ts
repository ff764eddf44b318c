import type { CampaignSpec } from '../model/spec.js';
import { buildCalendar, type CampaignCalendar } from './calendar.js';
import { replySubject, sequenceOf } from './mail/index.js';
import { isZone } from './zone.js';

/** When a calendar begins, for whom, and for how many leads; null: not known. `from` in milliseconds since 1970. */
export interface CalendarView {
  from: number;
  leads: number | null;
  readerZone: string;
}

/**
 * The sending calendar of a manifest; null where it has no sequence, or where the hours are not known: there is no schedule,
 * it is a template's, or this Node does not know its time zone. A cap that is not written is not known.
 */
export function specCalendar(spec: CampaignSpec, view: CalendarView): CampaignCalendar | null {
  const { name, schedule, sequence, settings } = spec;
  if (sequence === undefined || schedule === undefined || 'template' in schedule) return null;
  if (!isZone(schedule.timezone) || !isZone(view.readerZone)) return null;
  const { steps } = sequenceOf(sequence);
  const rules = {
    schedule,
    waits: steps.map(({ wait_in_days }) => wait_in_days),
    max_emails_per_day: settings?.max_emails_per_day ?? null,
    max_new_leads_per_day: settings?.max_new_leads_per_day ?? null,
  };
  const subjects = steps.map(({ email_subject, thread_reply }) =>
    thread_reply ? replySubject(email_subject) : email_subject,
  );
  return buildCalendar({ name, rules, subjects, ...view });
}
