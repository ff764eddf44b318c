import type { ApplyResult, StepResult } from './outcome.js';
import type { Plan } from './plan.js';

/** What happens while a plan is applied, for progress and logs. `campaign` is the campaign's name. */
export type ApplyEvent =
  | { type: 'step-started'; campaign: string; step: string; title: string }
  | { type: 'step-ended'; campaign: string; step: string; title: string; result: StepResult }
  | { type: 'waiting'; campaign: string; status: string | null }
  | { type: 'trouble'; message: string };

/** What a run of plan or apply tells other programs, in order. Its JSON schema is `schemas/event.schema.json`. */
export type RunEvent =
  | ({ type: 'planned' } & Pick<Plan, 'environment' | 'fingerprint' | 'summary'>)
  | ApplyEvent
  | ({ type: 'applied' } & Pick<ApplyResult, 'environment' | 'fingerprint' | 'result' | 'summary'>);
