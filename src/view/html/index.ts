/**
 * The same views as pages for a browser. They promise one file that loads nothing and runs nothing, whatever the texts in
 * it say: all markup comes from the templates of `markup.ts`, and mails stand behind the glass of `frame.ts`.
 */

export { renderPlanHtml } from './plan-page.js';
