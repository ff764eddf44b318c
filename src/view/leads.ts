/** Which rows of a CSV file lack a value for a variable of the copy. */
import type { CampaignLeads, LeadReport, LeadVariable } from '../model/reports.js';
import { count, listed, thousands } from '../model/words.js';
import { type Block, paragraph } from './document.js';
import { documentText } from './document-text.js';
import { type Html, html } from './html-page.js';
import { type TextOptions, visibleLine } from './terminal.js';
import { alike } from './words.js';

export function renderLeadsText(report: LeadReport, options: TextOptions): string {
  const { campaigns, unused_columns } = report;
  const rows = campaigns.flatMap(({ name, place, variables }) =>
    variables.map((variable, at) => [
      at === 0 ? [{ name, anchor: null, manifest: place }] : '',
      variable.name,
      sourceOf(variable),
      { look: 'quiet' as const, words: thousands(variable.rows_without) },
      variable.rows_without === 0 ? '–' : firstRows(variable),
    ]),
  );
  const table: Block = {
    ...{ is: 'table', id: 'leads', title: 'Variables', number: campaigns.length, rows, isRepeated: false },
    columns: [
      { head: 'Campaign', isName: true, least: 12 },
      { head: 'Variable' },
      { head: 'Column', least: 8 },
      { head: 'Rows without', isRight: true },
      { head: 'First rows', least: 10, drop: 1 },
    ],
  };
  const unused = unused_columns.length === 0 ? [] : [visibleLine(unusedWords(report))];
  const all = campaigns.flatMap(({ variables }) => variables);
  const missing = all.filter(({ column, from_sender }) => column === null && !from_sender);
  const unmatched = [...new Set(missing.map(({ name }) => name))];
  return documentText(
    [
      ...paragraph([visibleLine(`${report.file}: ${count(report.rows, 'lead')}`)]),
      ...(rows.length === 0 ? [] : [table]),
      ...paragraph(unused),
      ...paragraph(unmatched.length === 0 ? [] : [visibleLine(renaming(unmatched))]),
    ],
    options,
  );
}

/** For people who look at the page: only what is missing, one line each. */
export function leadWarnings({ campaigns, rows }: LeadReport): string[] {
  return campaigns.flatMap((campaign) =>
    campaign.variables.flatMap((variable) =>
      variable.rows_without === 0 ? [] : [`${campaign.name}: ${lackWords(variable, rows)}`],
    ),
  );
}

function lackWords(variable: LeadVariable, rows: number): string {
  if (variable.column === null)
    return `no column matches ${variable.name}, so no row has it: rename the column that contains it to ${variable.name}`;
  const { rows_without } = variable;
  const have = rows_without === 1 ? 'has' : 'have';
  return `${thousands(rows_without)} of ${count(rows, 'row')} ${have} no ${variable.name} (${rows_without === 1 ? 'row' : 'rows'} ${firstRows(variable)})`;
}

function firstRows({ first_rows, rows_without }: LeadVariable): string {
  const more = rows_without - first_rows.length;
  return `${first_rows.join(', ')}${more > 0 ? ` and ${thousands(more)} more` : ''}`;
}

function sourceOf({ column, from_sender }: LeadVariable): string {
  return column ?? (from_sender ? '(from the sender)' : '(none)');
}

function unusedWords({ unused_columns }: LeadReport): string {
  return `Columns that no email uses: ${listed(unused_columns)}.`;
}

function renaming(names: readonly string[]): string {
  return names.length === 1
    ? `No column matches ${names[0]}. Rename the column that contains it to ${names[0]}.`
    : `No column matches ${listed(names)}. Rename the columns that contain them to these names.`;
}

export function leadsNotice(report: LeadReport): Html {
  const { file, rows, campaigns, unused_columns } = report;
  const isMissing = campaigns.some(({ rows_without }) => rows_without > 0);
  const parts = alike(campaigns, ({ variables }) => JSON.stringify(variables)).map(campaignLines);
  const unused = unused_columns.length === 0 ? null : html`<p class="quiet">${unusedWords(report)}</p>`;
  return html`<section class="notice ${isMissing ? 'warning' : 'accepted'}" aria-labelledby="leads"><h2 id="leads">${count(rows, 'lead')} in ${file}</h2><ul class="links">${parts}</ul>${unused}</section>`;

  function campaignLines(same: readonly [CampaignLeads, ...CampaignLeads[]]): Html {
    const [{ rows_without, variables }] = same;
    const lines = variables.map((variable) => {
      const words =
        variable.rows_without === 0 ? `${variable.name}: ${sourceOf(variable)}` : lackWords(variable, rows);
      return html`<li>${variable.rows_without === 0 ? html`<span class="quiet">${words}</span>` : words}</li>`;
    });
    const names = same.map(({ name }) => name);
    const verdict =
      rows_without === 0
        ? html`<span class="chip new">every lead has all values</span>`
        : html`<span class="chip warning">${thousands(rows_without)} of ${thousands(rows)} lack a value</span>`;
    return html`<li><strong>${listed(names, 5)}</strong> ${verdict}<ul>${lines}</ul></li>`;
  }
}

/** Rows to go to; `null` if there is none. `lacking`: the next one without a value. */
export interface LeadStep {
  row: number;
  first: number;
  last: number;
  previous: number | null;
  next: number | null;
  lacking: number | null;
}

/** Goes from lead to lead. Links work without the script. */
export function leadSteps({ row, first, last, previous, next, lacking }: LeadStep): Html {
  const link = (to: number | null, words: string) =>
    to === null
      ? html`<span class="quiet">${words}</span>`
      : html`<a href="?row=${to}" data-row="${to}">${words}</a>`;
  return html`<nav class="choice" aria-label="Leads">${link(previous, '← previous lead')}<label>Row <input type="number" id="row" value="${row}" min="${first}" max="${last}"></label>${link(next, 'next lead →')}${link(lacking, 'next lead without a value →')}</nav>`;
}
