import type { ApplyEvent } from '../model/event.js';
import type { ApplyResult, CampaignOutcome } from '../model/outcome.js';
import type { Reader, Writer } from '../service/index.js';
import type { Store } from '../state/index.js';
import { applyCampaign, untouched } from './campaign.js';
import type { Survey } from './survey.js';

/** What an apply needs of the world. `sleep` waits milliseconds; `now` is a clock in milliseconds. */
export interface ApplyTools {
  service: Reader & Writer;
  store: Store;
  parallelism: number;
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  emit(event: ApplyEvent): void;
  /** True once somebody asked to stop: what is in flight is finished, nothing further is sent. */
  stopping(): boolean;
}

/**
 * Sends the steps of a plan: campaigns side by side, the steps of one campaign in order. A failed step stops its
 * campaign, not the others. Never throws for what the service does: the result tells every step.
 */
export async function applyPlan({ plan, work }: Survey, tools: ApplyTools): Promise<ApplyResult> {
  const outcomes: CampaignOutcome[] = work.map(untouched);
  const queue = work.map((_, index) => index).filter((index) => (work[index]?.plan.steps.length ?? 0) > 0);
  const worker = async () => {
    for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
      const one = work[index];
      if (one !== undefined) outcomes[index] = await applyCampaign(one, tools);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2 * tools.parallelism, queue.length) }, worker));
  const told = outcomes.filter(({ steps, result }) => steps.length > 0 || result !== 'done');
  const count = (result: CampaignOutcome['result']) =>
    told.filter((outcome) => outcome.result === result).length;
  const summary = {
    campaigns: outcomes.length,
    unchanged: outcomes.length - told.length,
    done: count('done'),
    incomplete: count('incomplete'),
    blocked: count('blocked'),
  };
  const { environment, fingerprint } = plan;
  const result = summary.incomplete + summary.blocked > 0 ? 'incomplete' : 'done';
  return { version: 1, environment, fingerprint, result, summary, campaigns: told };
}
