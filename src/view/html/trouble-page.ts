import { html, type PageScript, page } from '../html-page.js';

/** What is wrong instead of what was to be seen, as a terminal would tell it. */
export function renderTroubleHtml(text: string, script: PageScript | null): string {
  const header = html`<p class="eyebrow">campaignctl preview</p><h1>There is nothing to see yet</h1><p>The page comes back as soon as this is corrected.</p>`;
  return page({ title: 'Preview', header, main: html`<pre class="trouble">${text}</pre>`, script });
}
