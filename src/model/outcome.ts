export type { ApplyResult, CampaignOutcome, StepOutcome, StepResult } from './outputs.generated.js';
