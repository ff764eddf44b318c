import { sampleLeads } from '../email/leads.js';
import { renderMail, threadSubject, variableNames } from '../email/mail.js';
import type { BeforeAfter, ContentSequence } from '../model/outputs.js';
import { count } from '../model/words.js';
import type { EmailView } from './changes.js';
import { cutExcerpt, diffLines, isSame, type Stretch, stretchText } from './diffs.js';
import { copied, type Html, html, mailCard } from './html-page.js';

/** `inFrame`: rendered, not as text. `isOpen`: unfolded. */
export interface EmailOptions {
  isWithheld: boolean;
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
  const sequence = content?.after.sequence ?? null;
  const plain = (content?.after.settings?.plain_text ?? content?.before?.settings?.plain_text) === true;
  const cards = emails.map(({ email, label, how, step }) => {
    const { email_subject: subject, email_body: body, thread_reply } = email;
    const thread = thread_reply && sequence !== null ? threadSubject(sequence, step) : null;
    const mail = renderMail({ subject, body, plain, thread }, lead);
    const words = isWithheld ? 'In the manifest, not sent' : 'How it looks';
    const card = mailCard(mail, { title: `${label}: ${words}`, inFrame });
    return html`<details class="email"${isOpen ? html` open` : null}><summary><h5>${label}</h5> <q>${copied(subject)}</q> <span class="quiet">${how}</span></summary><figure><figcaption>${words}</figcaption>${card}</figure></details>`;
  });
  const values = Object.entries(lead.values).map(
    ([name, value]) => html`<span class="value"><code>{${name}}</code> ${value}</span> `,
  );
  const line =
    values.length === 0 ? null : html`<p class="quiet values">Shown to a sample lead: ${values}</p>`;
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

/** Shows added and removed line breaks as symbols. */
function mark({ kind, text }: Stretch): Html {
  if (kind === 'same') return copied(text);
  const shown = text.trim() === '' ? stretchText({ kind, text }).replace(/\n/g, '⏎') || '⏎' : copied(text);
  return kind === 'added' ? html`<ins>${shown}</ins>` : html`<del>${shown}</del>`;
}

function paragraphs(text: string): string {
  return text.replace(/(<\/(?:p|div|li|tr|h[1-6])>|<br *\/?>)(?!\s*\n)/gi, '$1\n');
}
