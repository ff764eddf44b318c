import { earliestDays, renderMail, variablesOf } from '../email/mail.js';
import { type SampleLead, sampleLeads } from '../email/sample-leads.js';
import { groupBy } from '../model/json.js';
import type { LocatedFinding } from '../model/outputs.js';
import type { LiveSource, PreviewedCampaign } from '../model/preview.js';
import type { LeadReport } from '../model/reports.js';
import { count } from '../model/words.js';
import { emailLabel } from './changes.js';
import type { Failures } from './document.js';
import { copied, framed, type Html, html, page } from './html-page.js';
import { failuresPart } from './html-parts.js';
import { type LeadStep, leadSteps, leadsNotice } from './leads.js';
import { previewEmail, type ShownEmail } from './preview-email.js';
import {
  entriesOf,
  findingList,
  generalProblems,
  type PreviewEntry,
  type PreviewProblems,
  problemChip,
  problemTitle,
} from './preview-problems.js';
import { scheduleLine } from './words.js';

/**
 * `environment`: `null` for several. `leads`: `null` for sample leads. `live`: `null` for emails of manifests. `served`: `null`
 * for a page in a file. `failures`: projects without emails; absent for a single project.
 */
export interface PreviewInput {
  environment: string | null;
  failures?: readonly Failures[];
  campaigns: readonly PreviewedCampaign[];
  leads: { report: LeadReport; shown: readonly SampleLead[] } | null;
  live: LiveSource | null;
  served: ServedPreview | null;
}

/** `script`: reloads the page when its version changes. `step`: `null` without leads of a file. */
export interface ServedPreview extends PreviewProblems {
  version: number;
  script: string;
  step: LeadStep | null;
}

export function renderPreviewHtml({
  environment,
  campaigns,
  leads: real,
  live,
  served,
  failures = [],
}: PreviewInput): string {
  const hasRows = real !== null && real.shown.length > 0;
  const leads = hasRows ? real.shown : sampleLeads(variablesOf(campaigns));
  const entries = entriesOf(campaigns, served);
  const shown = entries.map((entry, at) => shownCampaign(entry, `campaign-${at + 1}`, leads));
  const emails = shown.flatMap(listEmails);
  const frames = framed(shown.map((preview) => leads.length * listEmails(preview).length));
  const parts = shown.map((preview, at) => previewCampaign(preview, frames[at] === true));
  const source = live === null ? 'Nothing here was read from a service.' : `Read from ${live.service}.`;
  const from = `${source}${real === null ? '' : ' Contains data of the leads shown: keep it private.'}`;
  const projects = new Set(campaigns.flatMap(({ project }) => project ?? []));
  const where = projects.size === 0 ? '' : ` in ${count(projects.size, 'project')}`;
  const place = environment === null ? 'Several environments.' : `Environment ${environment}.`;
  const header = html`<p class="eyebrow">campaignctl preview</p><h1>${count(emails.length, 'email')} of ${count(campaigns.length, 'campaign')}${where}</h1><p class="where">${place} ${from}</p>${served && servedLines(served, shown)}`;
  const counts = real === null ? null : leadsNotice(real.report);
  const choice = served?.step ? leadSteps(served.step) : leadChoice(leads);
  const main = html`${failures.map(failuresPart)}${served && generalProblems(served)}${live && unreadNotice(live)}${counts}${choice}${remarks(emails, frames)}${index(shown)}<section class="campaigns" id="list" tabindex="-1" aria-labelledby="emails"><h2 class="unseen" id="emails">Emails</h2>${shown.map((preview, at) => html`${projectHeading(preview, shown[at - 1])}${parts[at] ?? null}`)}</section>`;
  return page({
    title: `${served === null ? '' : problemTitle(served)}Preview: ${environment ?? 'several environments'}`,
    header,
    main,
    style: leadStyle(leads),
    ...(served && { script: served.script, isServed: true }),
  });
}

function unreadNotice({ unread }: LiveSource): Html | null {
  if (unread.length === 0) return null;
  const items = unread.map(
    ({ id, name, reason }) => html`<li><strong>${name}</strong> (id ${id}): ${reason}</li>`,
  );
  return html`<section class="notice error" aria-labelledby="unread"><h2 id="unread">Not everything could be read</h2><ul>${items}</ul></section>`;
}

function servedLines(served: ServedPreview, shown: readonly ShownCampaign[]): Html {
  return html`<p class="where" id="served" role="status" data-version="${served.version}">${problemChip(served, shown)}Reloads when a file changes.</p><p class="chip warning" id="ended" hidden>campaignctl does not respond, so this page is no longer reloaded.</p>`;
}

/** `anchor`: the campaign's link target on the page. `wait`: days before the next step; `null` after the last step. */
interface ShownCampaign extends PreviewEntry {
  anchor: string;
  steps: { day: number; wait: string | null; emails: ShownEmail[] }[];
}

function shownCampaign(entry: PreviewEntry, anchor: string, leads: readonly SampleLead[]): ShownCampaign {
  const { sequence = null, settings, variables: declared = [] } = entry.campaign ?? {};
  if (sequence === null) return { ...entry, anchor, steps: [] };
  const days = earliestDays(sequence);
  const plain = settings?.plain_text === true;
  const steps = sequence.steps.map(({ variants, ...email }, index) => {
    const emails = [email, ...variants].map((message, at): ShownEmail => {
      const { email_subject: subject, email_body: body, thread_reply: isReply } = message;
      const written = { subject, body, plain, isReply, declared };
      const mails = leads.map((lead) => ({ lead, mail: renderMail(written, lead) }));
      const isOff = message.active === false;
      return {
        label: emailLabel(index, at),
        anchor: `${anchor}-${index + 1}-${at}`,
        written,
        isOff,
        mails,
      };
    });
    const isLast = index === sequence.steps.length - 1;
    return { day: days[index] ?? 1, wait: isLast ? null : count(email.wait_in_days, 'day'), emails };
  });
  return { ...entry, anchor, steps };
}

function listEmails({ steps }: ShownCampaign): ShownEmail[] {
  return steps.flatMap(({ emails }) => emails);
}

/** Campaigns of the same project follow one another. */
function projectHeading({ campaign }: ShownCampaign, before: ShownCampaign | undefined): Html | null {
  const project = campaign?.project;
  return project === undefined || project === before?.campaign?.project ? null : html`<h2>${project}</h2>`;
}

function index(shown: readonly ShownCampaign[]): Html | null {
  if (shown.length < 2) return null;
  const lists = [...groupBy(shown, ({ campaign }) => campaign?.project)].map(([project, own]) => {
    const items = own.map(
      ({ name, campaign, anchor, steps }) =>
        html`<li><a href="#${anchor}">${name}</a> <span class="quiet">${campaign === null ? 'not valid' : count(steps.length, 'step')}</span></li>`,
    );
    return html`${project === undefined ? null : html`<h3>${project}</h3>`}<ol class="index">${items}</ol>`;
  });
  return html`<nav aria-labelledby="index"><h2 id="index">Campaigns</h2>${lists}</nav>`;
}

const MISSING = 'Places without a value are marked. The API does not document what the service sends there.';
const AS_TEXT =
  'This page contains many emails, so the last ones are shown as text. To see them rendered, preview fewer files.';

function remarks(emails: readonly ShownEmail[], frames: readonly boolean[]): Html[] {
  const isMissing = emails.some(({ mails }) => mails.some(({ mail }) => mail.missing.length > 0));
  const sentences = [...(isMissing ? [MISSING] : []), ...(frames.includes(false) ? [AS_TEXT] : [])];
  return sentences.map((text) => html`<p class="quiet">${text}</p>`);
}

/** Switches between leads using only CSS; without CSS, all leads are visible. */
function leadChoice(leads: readonly SampleLead[]): Html | null {
  if (leads.length < 2) return null;
  const option = (id: string, words: string, checked: boolean) =>
    html`<label><input type="radio" name="lead" id="${id}"${checked ? html` checked` : null}> ${words}</label>`;
  const options = leads.map(({ label }, at) => option(`lead-${at}`, label, at === 0));
  return html`<fieldset class="choice"><legend>Show the emails to</legend>${options}${option('lead-all', 'All of them, side by side', false)}</fieldset>`;
}

function leadStyle(leads: readonly SampleLead[]): string {
  if (leads.length < 2) return '';
  const rules = leads.map((_, at) => `body:has(#lead-${at}:checked) .as:not(.as-${at}) { display: none; }`);
  return `${rules.join('\n')}\nbody:not(:has(#lead-all:checked)) .whom { display: none; }\n`;
}

const OF_EMAIL = /\bstep (\d+)(?:, variant (\d+))?/;

/** The findings of each email, by the label of the email; the others are about the campaign or an email that is not shown. */
function findingsByEmail({ findings, steps }: ShownCampaign) {
  const labels = new Set(steps.flatMap(({ emails }) => emails.map(({ label }) => label)));
  const byEmail = groupBy(findings, ({ message }) => {
    const [, step, variant = 0] = OF_EMAIL.exec(message) ?? [];
    const label = step === undefined ? null : emailLabel(Number(step) - 1, Number(variant));
    return label !== null && labels.has(label) ? label : null;
  });
  return (label: string | null): readonly LocatedFinding[] => byEmail.get(label) ?? [];
}

function previewCampaign(shown: ShownCampaign, inFrame: boolean): Html {
  const { campaign, name, place, anchor, steps } = shown;
  const findingsOf = findingsByEmail(shown);
  const days = steps.map(({ day, wait, emails }) => {
    const cards = emails.map((email) => previewEmail(email, inFrame, findingList(findingsOf(email.label))));
    const earliest = day > 1 ? html` <span class="quiet">at the earliest</span>` : null;
    const after = wait === null ? null : html`<p class="wait">wait ${wait}</p>`;
    return html`<li><p class="day">Day ${day}${earliest}</p><div class="variants">${cards}</div>${after}</li>`;
  });
  const none = html`<p class="quiet">${campaign?.source === null ? 'The campaign has no emails.' : 'The manifest has no sequence.'}</p>`;
  const emails = days.length === 0 ? none : html`<ol class="timeline">${days}</ol>`;
  const content = campaign && html`${facts(campaign)}${schedule(campaign)}${emails}`;
  return html`<details class="campaign" open><summary><h3>${name}</h3><span class="where">${place}</span></summary><div class="inside" id="${anchor}">${findingList(findingsOf(null))}${content}</div></details>`;
}

function facts({ settings }: PreviewedCampaign): Html {
  const { plain_text, can_unsubscribe, unsubscribe_text } = settings ?? {};
  const asHtml = plain_text === undefined ? 'HTML, unless plain text is set in the service' : 'HTML';
  const words = unsubscribe_text ? html`: “${copied(unsubscribe_text)}”` : null;
  const link = can_unsubscribe ? html`<dt>Below the email</dt><dd>an unsubscribe link${words}</dd>` : null;
  return html`<dl class="facts"><dt>Sent as</dt><dd>${plain_text ? 'plain text' : asHtml}</dd>${link}</dl>`;
}

function schedule({ schedule: hours }: PreviewedCampaign): Html | null {
  if (hours === undefined) return null;
  return 'template' in hours
    ? html`<p class="quiet">Sending hours: those of schedule template ${hours.template}.</p>`
    : html`<p>Sends ${scheduleLine({ ...hours })}</p>`;
}
