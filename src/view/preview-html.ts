import {
  earliestDays,
  LONG_SUBJECT,
  type Mail,
  renderMail,
  type SampleLead,
  sampleLeads,
  usedVariables,
  type WrittenMail,
} from '../email/mail.js';
import { type Campaign, type CampaignSpec, desiredSequence } from '../model/spec.js';
import { count } from '../model/words.js';
import { emailLabel } from './changes.js';
import { asSeen, copied, framed, type Html, html, mailBody, page, subjectSeen } from './html-page.js';
import { scheduleLine } from './words.js';

export interface PreviewInput {
  environment: string;
  campaigns: readonly Campaign[];
}

export function renderPreviewHtml({ environment, campaigns }: PreviewInput): string {
  const leads = sampleLeads(usedVariables(campaigns.map(({ spec }) => spec)));
  const shown = campaigns.map((campaign, at) => shownCampaign(campaign, `campaign-${at + 1}`, leads));
  const emails = shown.flatMap(listEmails);
  const frames = framed(shown.map((preview) => leads.length * listEmails(preview).length));
  const parts = shown.map((preview, at) => previewCampaign(preview, frames[at] === true));
  const header = html`<p class="eyebrow">campaignctl preview</p><h1>${count(emails.length, 'email')} of ${count(campaigns.length, 'campaign')}</h1><p class="where">Environment ${environment}. Nothing here was read from a service.</p>`;
  const main = html`${leadChoice(leads)}${remarks(emails, frames)}${index(shown)}<section class="campaigns" id="list" tabindex="-1" aria-labelledby="emails"><h2 class="unseen" id="emails">Emails</h2>${parts}</section>`;
  return page({ title: `Preview: ${environment}`, header, main, style: leadStyle(leads) });
}

/** `anchor`: the campaign's link target on the page. `wait`: days before the next step; `null` after the last step. */
interface ShownCampaign {
  campaign: Campaign;
  anchor: string;
  steps: { day: number; wait: string | null; emails: ShownEmail[] }[];
}

interface ShownEmail {
  label: string;
  anchor: string;
  written: WrittenMail;
  mails: { lead: SampleLead; mail: Mail }[];
}

function shownCampaign(campaign: Campaign, anchor: string, leads: readonly SampleLead[]): ShownCampaign {
  const { sequence, settings } = campaign.spec;
  if (sequence === undefined) return { campaign, anchor, steps: [] };
  const whole = desiredSequence(sequence);
  const days = earliestDays(whole);
  const plain = settings?.plain_text === true;
  const steps = whole.steps.map(({ variants, ...email }, index) => {
    const emails = [email, ...variants].map((message, at): ShownEmail => {
      const { email_subject: subject, email_body: body, thread_reply: isReply } = message;
      const written = { subject, body, plain, isReply };
      const mails = leads.map((lead) => ({ lead, mail: renderMail(written, lead) }));
      return { label: emailLabel(index, at), anchor: `${anchor}-${index + 1}-${at}`, written, mails };
    });
    const isLast = index === whole.steps.length - 1;
    return { day: days[index] ?? 1, wait: isLast ? null : count(email.wait_in_days, 'day'), emails };
  });
  return { campaign, anchor, steps };
}

function listEmails({ steps }: ShownCampaign): ShownEmail[] {
  return steps.flatMap(({ emails }) => emails);
}

function index(shown: readonly ShownCampaign[]): Html | null {
  if (shown.length < 2) return null;
  const items = shown.map(
    ({ campaign, anchor, steps }) =>
      html`<li><a href="#${anchor}">${campaign.spec.name}</a> <span class="quiet">${count(steps.length, 'step')}</span></li>`,
  );
  return html`<nav aria-labelledby="index"><h2 id="index">Campaigns</h2><ol class="index">${items}</ol></nav>`;
}

const MISSING =
  'Missing values are left blank here, because the API does not document what the service sends for them.';
const AS_TEXT =
  'This page contains many emails, so the last ones are shown as text. To see them rendered, preview fewer files.';

function remarks(emails: readonly ShownEmail[], frames: readonly boolean[]): Html[] {
  const isMissing = emails.some(({ mails }) => mails.some(({ mail }) => mail.missing.length > 0));
  const sentences = [...(isMissing ? [MISSING] : []), ...(frames.includes(false) ? [AS_TEXT] : [])];
  return sentences.map((text) => html`<p class="quiet">${text}</p>`);
}

/** Switches between leads using only CSS; without CSS, all leads are visible. */
function leadChoice(leads: readonly SampleLead[]): Html {
  const option = (id: string, words: string, checked: boolean) =>
    html`<label><input type="radio" name="lead" id="${id}"${checked ? html` checked` : null}> ${words}</label>`;
  const options = leads.map(({ label }, at) => option(`lead-${at}`, label, at === 0));
  return html`<fieldset class="choice"><legend>Show the emails to</legend>${options}${option('lead-all', 'All of them, side by side', false)}</fieldset>`;
}

function leadStyle(leads: readonly SampleLead[]): string {
  const rules = leads.map((_, at) => `body:has(#lead-${at}:checked) .as:not(.as-${at}) { display: none; }`);
  return `${rules.join('\n')}\nbody:not(:has(#lead-all:checked)) .whom { display: none; }\n`;
}

function previewCampaign(
  { campaign: { spec, manifest }, anchor, steps }: ShownCampaign,
  inFrame: boolean,
): Html {
  const days = steps.map(({ day, wait, emails }) => {
    const shown = emails.map((email) => previewEmail(email, inFrame));
    const earliest = day > 1 ? html` <span class="quiet">at the earliest</span>` : null;
    const after = wait === null ? null : html`<p class="wait">wait ${wait}</p>`;
    return html`<li><p class="day">Day ${day}${earliest}</p>${shown}${after}</li>`;
  });
  const none = html`<p class="quiet">The manifest has no sequence.</p>`;
  const emails = days.length === 0 ? none : html`<ol class="timeline">${days}</ol>`;
  return html`<details class="campaign" open><summary><h3>${spec.name}</h3><span class="where">${manifest}</span></summary><div class="inside" id="${anchor}">${facts(spec)}${schedule(spec)}${emails}</div></details>`;
}

function facts({ settings }: CampaignSpec): Html {
  const { plain_text, can_unsubscribe, unsubscribe_text } = settings ?? {};
  const asHtml = plain_text === undefined ? 'HTML, unless plain text is set in the service' : 'HTML';
  const words = unsubscribe_text ? html`: “${copied(unsubscribe_text)}”` : null;
  const link = can_unsubscribe ? html`<dt>Below the email</dt><dd>an unsubscribe link${words}</dd>` : null;
  return html`<dl class="facts"><dt>Sent as</dt><dd>${plain_text ? 'plain text' : asHtml}</dd>${link}</dl>`;
}

function schedule({ schedule: hours }: CampaignSpec): Html | null {
  if (hours === undefined) return null;
  return 'template' in hours
    ? html`<p class="quiet">Sending hours: those of schedule template ${hours.template}.</p>`
    : html`<p>Sends ${scheduleLine({ ...hours })}</p>`;
}

function previewEmail({ label, anchor, written, mails }: ShownEmail, inFrame: boolean): Html {
  const reply = written.isReply ? html` <span class="chip">reply in the thread</span>` : null;
  const shown = mails.map((sample, at) => leadMail(sample, { label, at, inFrame }));
  return html`<article class="email" id="${anchor}"><header><h4>${label}</h4>${reply}</header><div class="leads">${shown}</div></article>`;
}

function leadMail(
  { lead, mail }: ShownEmail['mails'][number],
  { label, at, inFrame }: { label: string; at: number; inFrame: boolean },
): Html {
  const title = `${label} as ${lead.label.toLowerCase()} gets it`;
  return html`<section class="as as-${at}" aria-label="${title}"><p class="whom">${lead.label}</p>${inbox(mail)}<div class="card">${mailBody(mail, { title, inFrame })}</div></section>`;
}

function inbox(mail: Mail): Html {
  const long = mail.length > LONG_SUBJECT;
  const length = html`<span class="chip ${long ? 'warning' : 'quiet'}">subject of ${count(mail.length, 'character')}${long ? ', cut off on most phones' : null}</span>`;
  const missing = mail.missing.map((name) => html` <span class="chip warning">no value for ${name}</span>`);
  return html`<div class="inbox"><p class="line"><strong>${subjectSeen(mail)}</strong> <span class="quiet">${asSeen(mail.snippet)}</span></p><p>${length}${missing}</p></div>`;
}
