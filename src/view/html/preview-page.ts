import type { CampaignCalendar } from '../../email/calendar.js';
import { sampleLeads } from '../../email/leads.js';
import { LONG_SUBJECT, type SampleLead, variablesOf } from '../../email/mail.js';
import type { Campaign, CampaignSpec } from '../../model/spec.js';
import { type Html, html, type PageScript, page } from '../html-page.js';
import { count } from '../words.js';
import { leadChoice, leadStyle, leadValues } from './lead-choice.js';
import { framed } from './mail-card.js';
import { previewCampaign, type ShownCampaign, shownCampaign } from './preview-campaign.js';
import type { ShownEmail } from './preview-mail.js';

/**
 * Manifests to be looked at. `leads`: null for built-in ones. `calendars`: by `manifest`, where
 * there is one. `script` is for a page that we serve ourselves.
 */
export interface PreviewInput {
  environment: string;
  campaigns: readonly Campaign[];
  leads: readonly SampleLead[] | null;
  calendars: { readonly [manifest: string]: CampaignCalendar };
  script: PageScript | null;
}

/** Every email of some manifests as each of some leads gets it, as one page that needs nothing but a browser. */
export function renderPreviewHtml({
  environment,
  campaigns,
  leads: given,
  calendars,
  script,
}: PreviewInput): string {
  const variables = usedVariables(campaigns.map(({ spec }) => spec));
  const leads = given ?? sampleLeads(variables);
  const shown = campaigns.map((campaign, at) => shownCampaign(campaign, `campaign-${at + 1}`, leads));
  const emails = shown.flatMap(emailsOf);
  const frames = framed(shown.map((one) => leads.length * emailsOf(one).length));
  const parts = shown.map((one, at) => {
    const calendar = calendars[one.campaign.manifest] ?? null;
    const inFrame = frames[at] === true;
    return previewCampaign(one, { calendar, inFrame });
  });
  const header = html`<p class="eyebrow">campaignctl preview</p><h1>${count(emails.length, 'email')} of ${count(campaigns.length, 'campaign')}</h1><p class="where">Environment ${environment}. Nothing here was read from a service.</p>`;
  const main = html`${leadChoice(leads)}${longSubjects(shown)}${remarks(emails, frames)}${index(shown)}<section class="campaigns" aria-labelledby="emails"><h2 class="unseen" id="emails">Emails</h2>${parts}</section>${leadValues(leads, variables)}`;
  return page({ title: `Preview: ${environment}`, header, main, style: leadStyle(leads), script });
}

/** The variables that these campaigns use. */
export function usedVariables(specs: readonly CampaignSpec[]): string[] {
  const steps = specs.flatMap(({ sequence }) => sequence?.steps ?? []);
  const emails = steps.flatMap((step) => [step, ...(step.variants ?? [])]);
  return variablesOf(...emails.flatMap(({ email_subject, email_body }) => [email_subject, email_body]));
}

function emailsOf({ steps }: ShownCampaign): ShownEmail[] {
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

/** Subjects that mail programs cut, and for whom. */
function longSubjects(shown: readonly ShownCampaign[]): Html | null {
  const items = shown.flatMap((one) =>
    emailsOf(one).flatMap(({ label, anchor, mails }) => {
      const long = mails.filter(({ mail }) => mail.length > LONG_SUBJECT);
      if (long.length === 0) return [];
      const told = long.map(({ lead, mail }) => `${mail.length} for “${lead.label}”`).join(', ');
      return [
        html`<li><a href="#${anchor}">${one.campaign.spec.name}, ${label.toLowerCase()}</a>: ${told}</li>`,
      ];
    }),
  );
  if (items.length === 0) return null;
  return html`<section class="notice hazard"><h2>${count(items.length, 'subject')} longer than ${LONG_SUBJECT} characters</h2><ul class="links">${items}</ul></section>`;
}

/** What has to be known to read the page rightly. */
function remarks(emails: readonly ShownEmail[], frames: readonly boolean[]): Html[] {
  const isMissing = emails.some(({ mails }) => mails.some(({ mail }) => mail.missing.length > 0));
  const told = [
    ...(isMissing
      ? ['A value that is missing is shown as nothing. What the service puts in its place is not documented.']
      : []),
    ...(frames.includes(false)
      ? [
          'This page holds many emails: the last ones are shown as text. A preview of fewer files shows them as they look.',
        ]
      : []),
  ];
  return told.map((text) => html`<p class="quiet">${text}</p>`);
}
