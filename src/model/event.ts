import type { StepResult } from './outcome.js';

/** What happens while a plan is applied, for progress and logs. `campaign` is the campaign's name. */
export type ApplyEvent =
  | { type: 'step-started'; campaign: string; step: string; title: string }
  | { type: 'step-ended'; campaign: string; step: string; title: string; result: StepResult }
  | { type: 'waiting'; campaign: string; status: string | null }
  | { type: 'trouble'; message: string };
