/** campaignctl as a library: the values it works with and the functions between them. The command line is built on the same. */
export { type ApplyTools, applyPlan, type Refresh, refresh } from './apply/index.js';
export type { Change } from './model/change.js';
export type { BeforeAfter, Content } from './model/content.js';
export type { Environment, Hazard } from './model/environment.js';
export type { ApplyEvent } from './model/event.js';
export { Failure } from './model/failure.js';
export type { Impact } from './model/impact.js';
export type { ApplyResult, CampaignOutcome, StepOutcome } from './model/outcome.js';
export type { CampaignPlan, Plan, Summary } from './model/plan.js';
export type { LocatedFinding, Problem } from './model/problem.js';
export type { Campaign, CampaignSpec } from './model/spec.js';
export type { Step } from './model/step.js';
export { loadCampaigns, type Project, readProject, selectEnvironment } from './project/index.js';
export { startSandbox } from './sandbox/index.js';
export { openReader, openWriter, type Reader, type ServiceOptions, type Writer } from './service/index.js';
export { openStore, type Store } from './state/index.js';
export { plain, renderPlanMarkdown, renderPlanText } from './view/index.js';
export { renderPlanHtml } from './view/plan-html.js';
