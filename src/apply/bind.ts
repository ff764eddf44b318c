import { Failure } from '../model/failure.js';
import { isObject, type JsonObject } from '../model/json.js';
import type { Step } from '../model/step.js';
import { type CampaignContext, replan } from '../plan/index.js';
import { lookFor, PATIENT } from './readback.js';
import type { ApplyTools } from './tools.js';

/**
 * Fills in what was not known when the step was planned: the campaign's id, and the ids of base steps, which are
 * read from the service. The service is planned against anew for that: only if it now asks for just this step, with
 * every other value as planned, is the step sent.
 */
export async function bind(step: Step, context: CampaignContext, tools: ApplyTools): Promise<Step> {
  const addressed = { ...step, path: step.path.replace('{campaign_id}', String(context.id)) };
  if (!hasPlaceholder(step.body)) return addressed;
  const look = { context, sections: [step.section], tools, looks: PATIENT };
  const bound = await lookFor(look, (seen) => {
    const [same, ...others] = replan(seen, [step.section]).steps;
    return same?.id === step.id && others.length === 0 ? same : null;
  });
  if (bound !== null) return bound;
  throw new Failure({
    code: 'base-steps-differ',
    message:
      'The base steps were sent, but the service does not show them as they were sent; the variants were not sent.',
    hint: 'Plan again to see the difference.',
  });
}

/** A step's id is a number; its placeholder `{step N}` a text. */
function hasPlaceholder(body: JsonObject | null): boolean {
  const list = body?.sequence_steps;
  return (
    Array.isArray(list) && list.some((step) => isObject(step) && typeof step.variant_from_step === 'string')
  );
}
