import type { Plan } from '../model/outputs.js';
import { documentMarkdown } from './document-markdown.js';
import type { PlanMarkdownOptions } from './options.js';
import { planDocument } from './plan-document.js';

export function renderPlanMarkdown(plan: Plan, limit = 60_000, options: PlanMarkdownOptions = {}): string {
  const { place } = options;
  const document = planDocument(plan, place === undefined ? {} : { placeOf: () => place });
  return documentMarkdown(document, limit, options);
}
