import type { Plan } from '../model/outputs.js';
import { documentHtml } from './document-html.js';
import type { PlanDocumentOptions } from './options.js';
import { planDocument } from './plan-document.js';

export function renderPlanHtml(plan: Plan, options: PlanDocumentOptions = {}): string {
  return documentHtml(planDocument(plan, options));
}
