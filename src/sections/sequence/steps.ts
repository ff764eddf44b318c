import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { RecordedState } from '../../model/state-entry.js';
import type { Step } from '../../model/step.js';
import type { SectionContext, StepEffect } from '../section.js';
import { pairVariants } from './compare.js';
import { wayTo } from './diff.js';
import { type Desired, type Email, emailJson, type Live } from './state.js';

/**
 * Variants name their parent. By id (as documented) the base steps go first and the ids are read; by order all
 * go in one request.
 */
export function steps(live: Live, desired: Desired, context: SectionContext): Step[] {
  const way = wayTo(live, desired, context);
  if (way === 'nothing' || way === 'blocked') return [];
  const kept: Live = way === 'create' || way === 'replace' ? { title: null, steps: [] } : live;
  const base = desired.steps
    .slice(kept.steps.length)
    .map((step, index) => baseStep(desired, step, kept.steps.length + index));
  if (context.environment.service.variant_reference === 'order') {
    const variants = missingVariants(kept, desired, (index) => index + 1);
    return [request('sequence', titleOf(way, base.length, variants.length), desired, [...base, ...variants])];
  }
  const variants = missingVariants(kept, desired, (index) => kept.steps[index]?.id ?? `{step ${index + 1}}`);
  return [
    ...(base.length > 0 ? [request('sequence', titleOf(way, base.length, 0), desired, base)] : []),
    ...(variants.length > 0
      ? [request('variants', counted('add', variants.length, 'variant'), desired, variants)]
      : []),
  ];
}

function titleOf(way: string, base: number, variants: number): string {
  const verb =
    way === 'append' ? 'append' : way === 'replace' ? 'replace the sequence with' : 'create the sequence of';
  const extra = variants > 0 ? ` and ${counted('', variants, 'variant')}` : '';
  return `${counted(verb, base, 'email')}${extra}`;
}

function counted(verb: string, count: number, noun: string): string {
  return `${verb} ${count} ${noun}${count === 1 ? '' : 's'}`.trim();
}

/** The title goes at the top and, since the step table lists it, in each step too. */
function baseStep(sequence: Desired, step: Email, index: number): JsonObject {
  return { title: sequence.title, ...emailJson(step), order: index + 1 };
}

function missingVariants(kept: Live, desired: Desired, reference: (index: number) => Json): JsonObject[] {
  return desired.steps.flatMap((step, index) => {
    const { missing } = pairVariants(kept.steps[index]?.variants ?? [], step.variants);
    return missing.map((variant) => ({
      title: desired.title,
      ...emailJson(variant),
      variant: true,
      variant_from_step: reference(index),
    }));
  });
}

function request(id: string, title: string, sequence: Desired, sequence_steps: JsonObject[]): Step {
  return {
    id,
    section: 'sequence',
    title,
    method: 'POST',
    path: '/api/campaigns/{campaign_id}/sequence-steps',
    body: { title: sequence.title, sequence_steps },
    irreversible: true,
  };
}

/** Keeps the title, which most services never show. In doubt, it is known only if it would be the same either way. */
export function remember(recorded: RecordedState, step: Step, effect: StepEffect): RecordedState {
  if (step.section !== 'sequence') return recorded;
  const sequence = { title: step.body?.title ?? null };
  if (effect === 'done') return { ...recorded, applied: { ...recorded.applied, sequence } };
  const { sequence: before, ...applied } = recorded.applied;
  return isObject(before) && before.title === sequence.title ? recorded : { ...recorded, applied };
}
