/** campaignctl as a library: the values it works with and the functions between them. The command line is built on the same. */
export { type ApplyTools, applyPlan, type Refresh, refresh } from './apply/index.js';
export type { Environment, Hazard } from './model/environment.js';
export { Failure } from './model/failure.js';
export type {
  ApplyEvent,
  ApplyResult,
  BeforeAfter,
  CampaignOutcome,
  CampaignPlan,
  Change,
  Content,
  Impact,
  Plan,
  Step,
  StepOutcome,
  Summary,
} from './model/outputs.js';
export type { LocatedFinding, Problem } from './model/problem.js';
export type { Campaign, CampaignSpec } from './model/spec.js';
export { loadCampaigns, type Project, readProject, selectEnvironment } from './project/index.js';
export { startSandbox } from './sandbox/index.js';
export { openReader, openWriter, type Reader, type ServiceOptions, type Writer } from './service/index.js';
export { openStore, type Store } from './state/index.js';
export { plain, renderPlanMarkdown, renderPlanText } from './view/index.js';
export { renderPlanHtml } from './view/plan-html.js';
