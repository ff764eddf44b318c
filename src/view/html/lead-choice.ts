import type { SampleLead } from '../../email/mail.js';
import { type Html, html } from '../html-page.js';

/** Whose mails are in sight: one lead's, or all side by side. Works by style alone; without it, all are in sight. */
export function leadChoice(leads: readonly SampleLead[]): Html | null {
  if (leads.length < 2) return null;
  const option = (id: string, words: string, checked: boolean) =>
    html`<label><input type="radio" name="lead" id="${id}"${checked ? html` checked` : null}> ${words}</label>`;
  const options = leads.map(({ label }, at) => option(`lead-${at}`, label, at === 0));
  return html`<fieldset class="choice"><legend>Show the emails to</legend>${options}${option('lead-all', 'Everybody, side by side', false)}</fieldset>`;
}

/** The style behind the choice. */
export function leadStyle(leads: readonly SampleLead[]): string {
  if (leads.length < 2) return '';
  const rules = leads.map((_, at) => `body:has(#lead-${at}:checked) .as:not(.as-${at}) { display: none; }`);
  return `${rules.join('\n')}\nbody:not(:has(#lead-all:checked)) .whom { display: none; }\n`;
}

/** What is known of each lead, as a table. */
export function leadValues(leads: readonly SampleLead[], variables: readonly string[]): Html | null {
  if (variables.length === 0) return null;
  const heads = leads.map(({ label }) => html`<th scope="col">${label}</th>`);
  const rows = variables.map((name) => {
    const cells = leads.map(
      ({ values }) => html`<td>${values[name] ?? html`<span class="quiet">none</span>`}</td>`,
    );
    return html`<tr><th scope="row"><code>${name}</code></th>${cells}</tr>`;
  });
  return html`<section aria-labelledby="values"><h2 id="values">The leads</h2><div class="scroll" tabindex="0" role="region" aria-labelledby="values"><table><thead><tr><th scope="col">Variable</th>${heads}</tr></thead><tbody>${rows}</tbody></table></div></section>`;
}
