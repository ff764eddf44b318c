import {
  boolean,
  type Fault,
  type Fields,
  integer,
  invalid,
  listOf,
  nullable,
  objectWith,
  optional,
  position,
  required,
  says,
  text,
} from '../fields.js';
import { accepted, answered, type CampaignCall, refused, some, type Verdict } from '../rule.js';
import type { Step } from '../state.js';

const step: Fields = {
  title: required(text),
  email_subject: required(text),
  email_body: required(text),
  wait_in_days: required(integer),
  variant: nullable(boolean),
  variant_from_step: nullable(integer),
  thread_reply: required(boolean),
  order: optional(position),
};

export const sequence: Fields = {
  title: required(text),
  sequence_steps: required(listOf(objectWith(step))),
};

interface SentStep {
  title: string;
  email_subject: string;
  email_body: string;
  wait_in_days: number;
  variant?: boolean | null;
  variant_from_step?: number | null;
  thread_reply: boolean;
  order?: number;
}

export function readSteps({ campaign, terms }: CampaignCall): Verdict {
  return answered(terms.profile.steps(campaign));
}

/** Adds the steps to those that are there: a second post appends. */
export function createSequence(call: CampaignCall): Verdict {
  const { campaign, terms } = call;
  const { title, sequence_steps: sent } = call.body as unknown as {
    title: string;
    sequence_steps: SentStep[];
  };
  const faults = sent.flatMap((each, index) => stepFaults(each, `sequence_steps.${index}`, call));
  if (some(faults)) return refused(faults);
  const event = {
    type: 'steps-added',
    campaign: campaign.id,
    title,
    steps: storedSteps(sent, call),
  } as const;
  return accepted(event, campaign.id, terms.profile.sequence);
}

function stepFaults(sent: SentStep, path: string, { campaign, terms }: CampaignCall): Fault[] {
  const faults: Fault[] = [];
  const { leastWait } = terms.profile;
  if (leastWait !== null && sent.wait_in_days < leastWait) {
    faults.push(says(`${path}.wait_in_days`, `must be at least ${leastWait}`));
  }
  if (sent.variant !== true) return faults;
  const parent = sent.variant_from_step ?? null;
  const isBase = campaign.steps.some((each) => each.id === parent && !each.variant);
  if (parent === null) faults.push(says(`${path}.variant_from_step`, 'is required when variant is true'));
  else if (!isBase) faults.push(invalid(`${path}.variant_from_step`));
  return faults;
}

/** Base steps first, in the order they ask for, numbered on from those that are there; then the variants. */
function storedSteps(sent: readonly SentStep[], { campaign, state, terms }: CampaignCall): Step[] {
  const bases = sent
    .map((each, index) => ({ each, place: each.order ?? index + 1 }))
    .filter(({ each }) => each.variant !== true)
    .sort((a, b) => a.place - b.place)
    .map(({ each }) => each);
  const variants = sent.filter((each) => each.variant === true);
  const before = campaign.steps.filter((each) => !each.variant).length;
  return [...bases, ...variants].map((each, index) => ({
    id: state.lastStepId + 1 + index,
    order: each.variant === true ? null : before + 1 + index,
    title: each.title,
    email_subject: terms.profile.storedSubject(each.email_subject, each.thread_reply),
    email_body: each.email_body,
    wait_in_days: each.wait_in_days,
    variant: each.variant === true,
    variant_from_step: each.variant === true ? (each.variant_from_step ?? null) : null,
    thread_reply: each.thread_reply,
  }));
}
