import { renderMail, sampleLeads, variableNames } from '../email/mail.js';
import type { BeforeAfter, ContentSequence } from '../model/outputs.js';
import { SECTION_LABELS, SETTINGS } from '../model/sections.js';
import { count } from '../model/words.js';
import { type ChangeView, type EmailView, labelOf, viewChanges } from './changes.js';
import { cutExcerpt, diffLines, isSame, type Stretch, stretchText } from './diffs.js';
import { copied, type Fragment, fold, type Html, html, mailCard } from './html-page.js';
import type { CampaignBlock, CampaignView, SectionView } from './plan-view.js';
import { capital } from './words.js';

export function sectionParts(
  { campaigns: [view], sections, title }: CampaignBlock,
  inFrame: boolean,
): Html[] {
  const { emails, isLaunch, mailsNewLeads, campaign } = view;
  const shown = sections.filter(({ section }) => section !== 'campaign');
  const parts = shown.map((section) => sectionPart(section, view, inFrame));
  const sequence = shown.find(({ section }) => section === 'sequence');
  const hasEmails = emails.length > 0 && (mailsNewLeads || (sequence !== undefined && title === null));
  if (!hasEmails) return parts;
  const changed = new Set(sequence?.changes.map(({ path }) => labelOf(path)));
  const isWithheld = (label: string) => sequence?.isWithheld === true && changed.has(label);
  const options = { isWithheld, inFrame, isOpen: isLaunch };
  const cards = emailCards(emails, campaign.content, options);
  return [...parts, html`<section class="section"><h4>Emails</h4>${cards}</section>`];
}

function sectionPart(
  { section, changes, isWithheld, compared }: SectionView,
  { campaign }: CampaignView,
  inFrame: boolean,
): Html {
  const label = SECTION_LABELS[section];
  const views = viewChanges(changes);
  const values = views.filter(({ form }) => form === 'update' || form === 'value');
  const isNew = values.every((change) => 'isNew' in change && change.isNew);
  const rows = values.map((change) => changeRow(label, change, isNew));
  const emails = { isWithheld: () => isWithheld, inFrame, isOpen: true };
  const blocks = views.map((change) => changeBlock(change, campaign.content, emails));
  const word = isWithheld ? 'not applied' : campaign.action === 'blocked' ? 'applied' : null;
  const chip = word && html` <span class="chip change">${word}</span>`;
  const heads = ['What', ...(isNew ? [] : ['Current']), 'Planned'];
  const cells = heads.map((head) => html`<th scope="col">${head}</th>`);
  const table = html`<table><thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table>`;
  return html`<section class="section"><h4>${label}${chip}</h4>${compared && html`<p class="quiet">${capital(compared)}.</p>`}${rows.length === 0 ? null : table}${blocks}</section>`;
}

function changeRow(label: string, change: ChangeView, isNew: boolean): Html {
  const [before, after] = splitChange(change);
  const current = isNew ? null : html`<td>${before && html`<del>${copied(before)}</del>`}</td>`;
  const note = change.note && html`<small>${change.note}</small>`;
  return html`<tr><th scope="row">${renderLabel(change.name || label)}</th>${current}<td>${after && html`<ins>${copied(after)}</ins>`}${wholeValue(change)}${note}</td></tr>`;
}

function wholeValue(change: ChangeView): Html | null {
  if (change.form !== 'value' || change.whole === change.value) return null;
  return fold('Show all', html`<ins>${copied(change.whole)}</ins>`);
}

function splitChange(change: ChangeView): [before: string | null, after: string | null] {
  if (change.form === 'update') return [change.from, change.to];
  if (change.form !== 'value') return [null, null];
  return change.isNew ? [null, change.value] : [change.value, null];
}

function changeBlock(change: ChangeView, content: BeforeAfter | null, options: EmailOptions): Html | null {
  const note = change.note && html`<p class="quiet">(${change.note})</p>`;
  if (change.form === 'text')
    return html`<h5>${renderLabel(change.name)}</h5>${note}${changedText(change.from, change.to)}`;
  if (change.form !== 'emails') return null;
  const name = change.name && html`<p>${change.name}</p>`;
  return html`${name}${change.isNew ? null : html`<p>Removed</p>`}${note}${emailCards(change.emails, content, options)}`;
}

function renderLabel(name: string): Fragment {
  const setting = SETTINGS.find((row) => row.name === name);
  return setting === undefined ? name : html`${setting.label}<small><code>${name}</code></small>`;
}

/** `inFrame`: true if the email is rendered, not shown as text. `isOpen`: true if it is expanded. */
export interface EmailOptions {
  isWithheld(label: string): boolean;
  inFrame: boolean;
  isOpen: boolean;
}

export function emailCards(
  emails: readonly EmailView[],
  content: BeforeAfter | null,
  options: EmailOptions,
): Html {
  const { isWithheld, inFrame, isOpen } = options;
  const texts = emails.flatMap(({ email }) => [email.email_subject, email.email_body]);
  const [lead = { label: '', values: {}, pick: 'first' as const }] = sampleLeads(variableNames(...texts));
  const plain = (content?.after.settings?.plain_text ?? content?.before?.settings?.plain_text) === true;
  const cards = emails.map(({ email, label, how }) => {
    const { email_subject: subject, email_body: body, thread_reply: isReply } = email;
    const mail = renderMail({ subject, body, plain, isReply }, lead);
    const words = isWithheld(label) ? 'In the manifest, not applied' : 'How it looks';
    const card = mailCard(mail, { title: `${label}: ${words}`, inFrame });
    return html`<details class="email"${isOpen ? html` open` : null}><summary><h5>${label}</h5> <q>${copied(subject)}</q> <span class="quiet">${isWithheld(label) ? 'not applied' : how}</span></summary><figure><figcaption>${words}</figcaption>${card}</figure></details>`;
  });
  const values = Object.entries(lead.values).map(
    ([name, value]) => html`<span class="value"><code>{${name}}</code> ${value}</span> `,
  );
  const line =
    values.length === 0 ? null : html`<p class="quiet values">Values of the sample lead: ${values}</p>`;
  return html`${line}${cards}`;
}

export function countMails(sequence: ContentSequence | null): number {
  return (sequence?.steps ?? []).reduce((sum, { variants }) => sum + 1 + variants.length, 0);
}

export function changedText(from: string, to: string): Html {
  const lines = diffLines(paragraphs(from), paragraphs(to));
  if (lines.every(isSame)) return html`<p class="quiet">Only line breaks differ.</p>`;
  const parts = cutExcerpt(lines, 1).map((row) =>
    typeof row === 'number'
      ? html`<p class="line quiet">${count(row, 'unchanged line')}</p>`
      : html`<p class="${isSame(row) ? 'line' : 'line touched'}">${row.map(mark)}</p>`,
  );
  return html`<div class="diff">${parts}</div>`;
}

function mark({ kind, text }: Stretch): Html {
  if (kind === 'same') return copied(text);
  const shown = text.trim() === '' ? stretchText({ kind, text }).replace(/\n/g, '⏎') || '⏎' : copied(text);
  return kind === 'added' ? html`<ins>${shown}</ins>` : html`<del>${shown}</del>`;
}

function paragraphs(text: string): string {
  return text.replace(/(<\/(?:p|div|li|tr|h[1-6])>|<br *\/?>)(?!\s*\n)/gi, '$1\n');
}
