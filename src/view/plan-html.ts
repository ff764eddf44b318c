import type { Plan } from '../model/outputs.js';
import { documentHtml } from './document-html.js';
import { type PlanDocumentOptions, planDocument } from './plan-document.js';
import { plansDocument } from './plans.js';
import type { ProjectPart } from './projects.js';

export function renderPlanHtml(plan: Plan, options: PlanDocumentOptions = {}): string {
  return documentHtml(planDocument(plan, options));
}

/** Plans of several projects on one page. */
export function renderPlansHtml(
  parts: readonly ProjectPart<Plan>[],
  options: Pick<PlanDocumentOptions, 'about'> = {},
): string {
  return documentHtml(plansDocument(parts, options));
}
