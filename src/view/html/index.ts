/**
 * The same views as pages for a browser. They promise one file that loads nothing and runs nothing, whatever the texts in
 * it say: all markup comes from the templates of `markup.ts`, and mails stand behind the glass of `frame.ts`.
 */

export type { PageScript } from '../html-page.js';
export { renderPlanHtml } from './plan-page.js';
export { type PreviewInput, renderPreviewHtml, usedVariables } from './preview-page.js';
export { renderTroubleHtml } from './trouble-page.js';
