/** campaignctl as a library: projects, the operations on them, and their results and views. */

export type { Comparison } from './model/compare.js';
export type { Environment, Hazard } from './model/environment.js';
export { type ExitCode, Failure } from './model/failure.js';
export type { ImportResult, UpdateResult } from './model/import.js';
export type {
  ApplyEvent,
  ApplyResult,
  CampaignOutcome,
  CampaignPlan,
  Change,
  Content,
  Impact,
  LocatedFinding,
  Plan,
  Problem,
  Step,
  StepOutcome,
  Summary,
} from './model/outputs.js';
export type { Run } from './model/run.js';
export type { CampaignSpec } from './model/spec.js';
export type { PendingOperations, RunStart, StateEntry } from './model/state.js';
export type {
  ApplyChoice,
  Choice,
  CompareChoice,
  EnvironmentChoice,
  FileChoice,
  HistoryChoice,
  ImportChoice,
  PlanChoice,
  ProjectOptions,
  UpdateChoice,
} from './operations/choices.js';
export { type OpenProject, openProject } from './operations/project.js';
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox/index.js';
export type { Clock } from './service/index.js';
export type { Journal } from './state/journal.js';
export type { Store } from './state/store.js';
export { renderPlanHtml } from './view/plan-html.js';
export { renderPlanMarkdown } from './view/plan-markdown.js';
export { renderPlanText } from './view/plan-text.js';
export { plain, type TextOptions } from './view/terminal.js';
