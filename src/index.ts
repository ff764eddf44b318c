/** campaignctl as a library: a project, what can be done with it, and the values and views of that. */
export type { Environment, Hazard } from './model/environment.js';
export { Failure } from './model/failure.js';
export type {
  ApplyEvent,
  ApplyResult,
  CampaignOutcome,
  CampaignPlan,
  Change,
  Comparison,
  Content,
  Impact,
  Plan,
  Step,
  StepOutcome,
  Summary,
} from './model/outputs.js';
export type { LocatedFinding, Problem } from './model/problem.js';
export type { CampaignSpec } from './model/spec.js';
export {
  type ApplyChoice,
  type Choice,
  type OpenProject,
  openProject,
  type ProjectOptions,
} from './operations/project.js';
export { startSandbox } from './sandbox/index.js';
export { plain, renderPlanMarkdown, renderPlanText } from './view/index.js';
export { renderPlanHtml } from './view/plan-html.js';
