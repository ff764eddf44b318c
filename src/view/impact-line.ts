import type { Impact } from '../model/impact.js';
import { dateWords, monthName } from './dates.js';
import { count, thousands } from './words.js';

/**
 * What a launch sets going: "starts sending to about 1,200 leads, up to 200 a day; first mail Mon 2 March 09:00, last about
 * 3 April (Europe/Paris)". What is not known is left out.
 */
export function impactLine(reach: Impact): string {
  const { timezone, first, emails_per_day } = reach;
  const zone = timezone === null ? '' : ` (${timezone})`;
  if (timezone !== null && first === null) {
    const cause =
      emails_per_day === 0 ? 'max_emails_per_day is 0' : 'its schedule and limits let no email out';
    return `starts, but sends nothing: ${cause}${zone}`;
  }
  const rate = emails_per_day === null ? '' : `, up to ${thousands(emails_per_day)} a day`;
  const start = when(reach);
  return `starts sending${whom(reach)}${rate}${start === '' ? '' : `; ${start}${zone}`}`;
}

/** How many leads a list holds is not shown by the service. */
function whom({ leads, and_more }: Impact): string {
  if (leads === null) return '';
  if (and_more) return ` to more than ${count(leads, 'lead')}`;
  return leads === 0 ? ' as soon as there are leads' : ` to about ${count(leads, 'lead')}`;
}

function when({ first, last, leads, emails, emails_per_day }: Impact): string {
  if (first === null) return '';
  const start = `first mail ${dayWords(first)} ${first.slice(11, 16)}`;
  if (leads === 0) return `${start} at the earliest`;
  if (last === null)
    return leads === null || emails === null ? start : `${start}, last in more than 10 years`;
  const year = last.slice(0, 4) === first.slice(0, 4) ? '' : ` ${last.slice(0, 4)}`;
  const about = emails_per_day === null ? 'not before' : 'about';
  return `${start}, last ${about} ${Number(last.slice(8, 10))} ${monthName(last)}${year}`;
}

/** "Mon 2 March" */
function dayWords(stamp: string): string {
  const [weekday, day] = dateWords(stamp.slice(0, 10)).split(' ');
  return `${weekday} ${day} ${monthName(stamp)}`;
}
