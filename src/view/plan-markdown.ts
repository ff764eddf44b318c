import type { Plan } from '../model/outputs.js';
import { type DocumentMarkdownOptions, documentMarkdown } from './document-markdown.js';
import { planDocument } from './plan-document.js';

/** `place`: flags that select the project. */
export interface PlanMarkdownOptions extends DocumentMarkdownOptions {
  place?: string;
}

export function renderPlanMarkdown(plan: Plan, limit = 60_000, options: PlanMarkdownOptions = {}): string {
  const { place } = options;
  const document = planDocument(plan, place === undefined ? {} : { placeOf: () => place });
  return documentMarkdown(document, limit, options);
}
