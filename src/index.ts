/** campaignctl as a library: projects, the operations on them, and their results and views. */

export type { Hazard } from './model/codes.js';
export type { Environment } from './model/environment.js';
export { type ExitCode, Failure } from './model/failure.js';
export type {
  CampaignPlan,
  Change,
  Content,
  Impact,
  LocatedFinding,
  Plan,
  Problem,
  Step,
  Summary,
} from './model/outputs.js';
export type { ApplyResult, CampaignOutcome, StepOutcome } from './model/reports.js';
export type { CampaignSpec } from './model/spec.js';
export {
  type ApplyChoice,
  type Choice,
  type FileChoice,
  type OpenProject,
  openProject,
  type PlanChoice,
  type ProjectOptions,
} from './operations/library.js';
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox/index.js';
export { renderPlanHtml } from './view/plan-html.js';
export { renderPlanMarkdown } from './view/plan-markdown.js';
export { renderPlanText } from './view/plan-text.js';
export { plain, type TextOptions } from './view/terminal.js';
