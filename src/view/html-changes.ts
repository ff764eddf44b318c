/** Changes and emails on a page. */
import { renderMail, variableNames } from '../email/mail.js';
import { sampleLeads } from '../email/sample-leads.js';
import type { ContentEmail } from '../model/outputs.js';
import { SECTION_LABELS, SETTINGS } from '../model/sections.js';
import { count } from '../model/words.js';
import { type ChangeView, type EmailView, emailsOf } from './changes.js';
import { diffLines, foldUnchanged, isSame, isUnseen, type Stretch, stretchText } from './diffs.js';
import { FATE_LOOKS, type Part } from './document.js';
import { copied, type Fragment, fold, type Html, html, mailCard } from './html-page.js';
import { linkTo } from './html-parts.js';
import type { CampaignLink } from './plan-notices.js';
import { settingWords } from './setting-words.js';
import { spintaxPart } from './spintax-html.js';
import { capital } from './words.js';

/** `edits`: changes of emails, each of which stands with its email. */
interface PartOptions {
  inFrame: boolean;
  isOpen: boolean;
  edits: readonly ChangeView[];
}

export function partHtml(part: Part, options: PartOptions): Html | null {
  const { edits } = options;
  if (part.is === 'emails')
    return html`<section class="section"><h4>Emails</h4>${emailCards(part.emails, { ...options, ...part, isGone: false })}</section>`;
  const { section: name, mark, compared, sameAs, sides = ['Current', 'Planned'], isPlain } = part;
  const changes = part.changes.filter((change) => !edits.includes(change));
  const isElsewhere = changes.length === 0 && part.changes.length > 0;
  if (name === 'campaign' || (isElsewhere && mark === null && compared === '')) return null;
  const label = SECTION_LABELS[name];
  const values = changes.filter(({ form }) => form === 'update' || form === 'value');
  const isNew = values.every((change) => 'isNew' in change && change.isNew);
  const isWithheld = mark === 'cannot be applied';
  const shownEmails = { ...options, isPlain, isOpen: true, withheld: isWithheld ? null : NONE, sameAs };
  const blocks = changes.map((change) => changeBlock(change, shownEmails));
  const chip = mark && html` <span class="chip ${FATE_LOOKS[mark]}">${mark}</span>`;
  const shown =
    name === 'settings' && isNew
      ? settingsSentence(values)
      : values.length === 1 && name !== 'settings'
        ? values.map(valueLine)
        : valuesTable(label, values, isNew ? sides.slice(1) : sides);
  return html`<section class="section"><h4>${label}${chip}</h4>${compared && html`<p class="quiet">${capital(compared)}.</p>`}${values.length === 0 ? null : shown}${blocks}</section>`;
}

const NONE: ReadonlySet<string> = new Set();

/** "At most 200 emails a day, HTML, no open tracking." */
function settingsSentence(values: readonly ChangeView[]): Html {
  const words = values.flatMap((change) =>
    change.form === 'value'
      ? [
          html`<ins title="${change.name}: ${change.whole}">${copied(settingWords(change.name, change.whole))}</ins>${change.note && ` (${change.note})`}`,
        ]
      : [],
  );
  return html`<p class="sentence">${words.map((part, at) => html`${at > 0 ? ' · ' : ''}${part}`)}</p>`;
}

/** "draft → running", "2 individual leads 5, 6" */
function valueLine(change: ChangeView): Html {
  const [before, after] = splitChange(change);
  const [from, to] = [
    before && html`<del>${copied(before)}</del>`,
    after && html`<ins>${copied(after)}</ins>`,
  ];
  const name = change.name && html`${renderLabel(change.name)} `;
  return html`<p class="value">${name}${from}${from && to ? ' → ' : null}${to}${wholeValue(change)}${change.note && html`<small>${change.note}</small>`}</p>`;
}

/** `sides`: the heads of the columns; one if all values are new. */
function valuesTable(label: string, values: readonly ChangeView[], sides: readonly string[]): Html {
  const cells = ['What', ...sides].map((head) => html`<th scope="col">${head}</th>`);
  const rows = values.map((change) => changeRow(label, change, sides.length === 1));
  return html`<table class="compared"><thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table>`;
}

function changeRow(label: string, change: ChangeView, isNew: boolean): Html {
  const [from, to] = splitChange(change);
  const [before, after] = [valueWords(change.name, from), valueWords(change.name, to)];
  const current = isNew ? null : html`<td>${before && html`<del>${copied(before)}</del>`}</td>`;
  const note = change.note && html`<small>${change.note}</small>`;
  return html`<tr><th scope="row">${renderLabel(change.name || label)}</th>${current}<td>${after && html`<ins>${copied(after)}</ins>`}${wholeValue(change)}${note}</td></tr>`;
}

/** A flag in words: "open tracking on". */
function valueWords(name: string, value: string | null): string | null {
  const isFlag = value === 'true' || value === 'false';
  return isFlag && SETTINGS.some((row) => row.name === name) ? settingWords(name, value) : value;
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

function changeBlock(
  change: ChangeView,
  options: Omit<EmailOptions, 'isGone'> & { sameAs: CampaignLink | null },
): Html | null {
  const note = change.note && html`<p class="quiet">(${change.note})</p>`;
  if (change.form === 'text')
    return html`<h5>${renderLabel(change.name)}</h5>${note}${changedText(change.from, change.to)}`;
  if (change.form !== 'emails') return null;
  const cards = emailCards(change.emails, { ...options, isGone: !change.isNew });
  if (options.sameAs !== null)
    return html`<p>${change.name}, the same as those of ${linkTo(options.sameAs)}</p>${fold('Show them here, too', cards)}`;
  const name = change.name && html`<p>${change.name}</p>`;
  return html`${name}${note}${cards}`;
}

function renderLabel(name: string): Fragment {
  const setting = SETTINGS.find((row) => row.name === name);
  return setting === undefined ? name : html`${setting.label}<small><code>${name}</code></small>`;
}

/** `withheld`: labels of emails that apply does not send; `null` for all. */
interface EmailOptions extends PartOptions {
  isPlain: boolean;
  /** True if the manifest no longer has the email. */
  isGone: boolean;
  withheld: ReadonlySet<string> | null;
}

function emailCards(emails: readonly EmailView[], options: EmailOptions): Html {
  const texts = emails.flatMap(({ email, before }) =>
    [email, ...(before === null ? [] : [before])].flatMap((each) => [each.email_subject, each.email_body]),
  );
  const [lead = { label: '', values: {}, pick: 'first' as const }] = sampleLeads(variableNames(texts));
  const cards = emails.map((view) => emailCard(view, lead, options));
  const values = Object.entries(lead.values).map(
    ([name, value]) => html`<span class="value"><code>{${name}}</code> ${value}</span> `,
  );
  const line =
    values.length === 0 ? null : html`<p class="quiet values">Values of the sample lead: ${values}</p>`;
  return html`${cards}${line}`;
}

function afterWords({
  isGone,
  isWithheld,
  isNew,
}: Record<'isGone' | 'isWithheld' | 'isNew', boolean>): string {
  if (isGone) return isWithheld ? 'Goes on being sent' : 'Until now';
  if (isWithheld) return 'In the manifest, cannot be applied';
  return isNew ? 'How it looks' : 'After this plan';
}

/** An email as recipients get it; of a changed one, what changes, and beside the current one how it will look. */
function emailCard(
  { email, before, label, how }: EmailView,
  lead: Parameters<typeof renderMail>[1],
  { withheld, isPlain: plain, inFrame, isOpen, isGone, edits }: EmailOptions,
): Html {
  const isWithheld = withheld === null || withheld.has(label);
  const shown = (each: ContentEmail, words: string) => {
    const { email_subject: subject, email_body: body, thread_reply: isReply } = each;
    const mail = renderMail({ subject, body, plain, isReply }, lead);
    return html`<figure><figcaption>${words}</figcaption>${mailCard(mail, { title: `${label}: ${words}`, inFrame })}</figure>`;
  };
  const after = shown(email, afterWords({ isGone, isWithheld, isNew: before === null }));
  const { email_subject: subject, email_body: body } = email;
  const own = edits.filter((change) => emailsOf(change).includes(label));
  const chip = own.some(({ form }) => form === 'emails') ? html`<span class="chip new">new</span> ` : null;
  const looks =
    before === null
      ? after
      : html`<details class="looks"><summary>Today and after this plan, as recipients get it</summary><div class="pair">${[shown(before, 'Today'), after]}</div></details>`;
  return html`<details class="email"${isOpen || own.length > 0 ? html` open` : null}><summary><h5>${label}</h5> <q>${copied(email.email_subject)}</q> ${chip}<span class="quiet">${isGone ? 'removed by the manifest' : isWithheld ? 'cannot be applied' : how}</span></summary>${own.map(editPart)}${looks}${spintaxPart({ subject, body, plain })}</details>`;
}

/** A new email itself follows. */
function editPart(change: ChangeView): Fragment {
  const note = change.note && html`<p class="quiet">(${change.note})</p>`;
  if (change.form === 'emails') return note;
  if (change.form !== 'text') return valueLine(change);
  return html`<h6>${change.name}</h6>${note}${changedText(change.from, change.to)}`;
}

export function changedText(from: string, to: string): Html {
  const lines = diffLines(paragraphs(from), paragraphs(to));
  if (lines.every(isSame)) return html`<p class="quiet">Only line breaks differ.</p>`;
  const parts = foldUnchanged(lines, 1).map((row) =>
    typeof row === 'number'
      ? html`<p class="line quiet">${count(row, 'unchanged line')}</p>`
      : html`<p class="${isSame(row) ? 'line' : 'line touched'}">${row.map(mark)}</p>`,
  );
  return html`<div class="diff">${parts}</div>`;
}

export function mark({ kind, text }: Stretch): Html {
  if (kind === 'same') return copied(text);
  const shown = isUnseen(text) ? stretchText({ kind, text }).replace(/\n/g, '⏎') || '⏎' : copied(text);
  return kind === 'added' ? html`<ins>${shown}</ins>` : html`<del>${shown}</del>`;
}

function paragraphs(text: string): string {
  return text.replace(/(<\/(?:p|div|li|tr|h[1-6])>|<br *\/?>)(?!\s*\n)/gi, '$1\n');
}
