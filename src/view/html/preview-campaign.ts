import type { CampaignCalendar } from '../../email/calendar.js';
import { earliestDays, type SampleLead, sequenceOf, threadSubject } from '../../email/mail.js';
import type { ContentSequence } from '../../model/content.js';
import type { Campaign, CampaignSpec } from '../../model/spec.js';
import { type Html, html } from '../html-page.js';
import { count } from '../words.js';
import { calendarPart } from './calendar-part.js';
import { previewEmail, type ShownEmail, shownEmail } from './preview-mail.js';
import { weekPicture } from './week.js';

/** A step with its other wordings. `wait`: days before the next one; null behind the last. */
interface ShownStep {
  day: number;
  wait: number | null;
  emails: ShownEmail[];
}

/** A campaign of a preview with its emails rendered. `anchor` names it in the page. */
export interface ShownCampaign {
  campaign: Campaign;
  anchor: string;
  steps: ShownStep[];
}

/** Renders every email of a campaign for each lead. */
export function shownCampaign(
  campaign: Campaign,
  anchor: string,
  leads: readonly SampleLead[],
): ShownCampaign {
  const { sequence, settings } = campaign.spec;
  if (sequence === undefined) return { campaign, anchor, steps: [] };
  const whole: ContentSequence = sequenceOf(sequence);
  const days = earliestDays(whole);
  const steps = whole.steps.map(({ variants, ...email }, index) => {
    const context = { plain: settings?.plain_text === true, thread: threadSubject(whole, index), leads };
    const emails = [email, ...variants].map((one, at) => {
      const label = at === 0 ? `Email ${index + 1}` : `Email ${index + 1}, variant ${at}`;
      return shownEmail({ label, anchor: `${anchor}-${index + 1}-${at}` }, one, context);
    });
    const wait = index < whole.steps.length - 1 ? email.wait_in_days : null;
    return { day: days[index] ?? 1, wait, emails };
  });
  return { campaign, anchor, steps };
}

/** A campaign as a part of the page: how it is sent, when, and its emails on a line of time. */
export function previewCampaign(
  { campaign: { spec, manifest }, anchor, steps }: ShownCampaign,
  { calendar, inFrame }: { calendar: CampaignCalendar | null; inFrame: boolean },
): Html {
  const emails =
    steps.length === 0
      ? html`<p class="quiet">The manifest has no sequence.</p>`
      : html`<ol class="timeline">${steps.map((step) => stepPart(step, inFrame))}</ol>`;
  return html`<details class="campaign" open><summary><h3>${spec.name}</h3><span class="where">${manifest}</span></summary><div class="inside" id="${anchor}">${facts(spec)}${schedule(spec)}${calendar && calendarPart(calendar)}${emails}</div></details>`;
}

function stepPart({ day, wait, emails }: ShownStep, inFrame: boolean): Html {
  const after = wait === null ? null : html`<p class="wait">wait ${count(wait, 'day')}</p>`;
  const earliest = day > 1 ? html` <span class="quiet">at the earliest</span>` : null;
  const shown = emails.map((email) => previewEmail(email, inFrame));
  return html`<li><p class="day">Day ${day}${earliest}</p>${shown}${after}</li>`;
}

function facts({ settings }: CampaignSpec): Html {
  const { plain_text, can_unsubscribe, unsubscribe_text } = settings ?? {};
  const form =
    plain_text === undefined
      ? 'HTML, unless the service is set to plain text'
      : plain_text
        ? 'plain text'
        : 'HTML';
  const words = unsubscribe_text ? html`: “${unsubscribe_text}”` : null;
  const link = can_unsubscribe ? html`<dt>Below it</dt><dd>a link to unsubscribe${words}</dd>` : null;
  return html`<dl class="facts"><dt>Sent as</dt><dd>${form}</dd>${link}</dl>`;
}

function schedule({ schedule: hours }: CampaignSpec): Html | null {
  if (hours === undefined) return null;
  return 'template' in hours
    ? html`<p class="quiet">Sending hours: those of schedule template ${hours.template}.</p>`
    : weekPicture(null, hours, false);
}
