import { isObject, type Json } from './json.js';
import type { LeadList, Manifest, SequenceSpec, StepSpec, VariantSpec } from './manifest.generated.js';
import type { ContentEmail, ContentSequence, ContentStep, PlanProblem } from './outputs.js';

/**
 * A manifest resolved for one environment, with its overlay applied and its files read. Lead lists and templates keep their
 * names.
 */
export interface CampaignSpec
  extends Omit<Manifest, 'sequence' | 'leads' | 'environments' | 'for_each' | 'lint' | 'waive'> {
  sequence?: ResolvedSequence;
  /** `ids`: those in the manifest and those in its ids file. */
  leads?: { lists?: LeadList[]; ids?: number[] };
}

export type Described = Pick<CampaignSpec, 'name' | 'id'>;

export interface ResolvedSequence extends Omit<SequenceSpec, 'steps'> {
  steps: ResolvedStep[];
}

export interface ResolvedStep extends Omit<StepSpec, 'email_body' | 'email_body_file' | 'variants'> {
  email_body: string;
  variants?: ResolvedVariant[];
}

export interface ResolvedVariant extends Omit<VariantSpec, 'email_body' | 'email_body_file'> {
  email_body: string;
}

export interface DesiredSequence extends ContentSequence {
  title: string;
}

export function desiredSequence({ title, steps }: ResolvedSequence): DesiredSequence {
  return {
    title,
    steps: steps.map(({ email_subject, email_body, wait_in_days, thread_reply = false, variants = [] }) => {
      const email: ContentEmail = { email_subject, email_body, wait_in_days, thread_reply };
      const whole = variants.map((variant) => ({ ...email, ...variant }));
      return { email_subject, email_body, wait_in_days, thread_reply, variants: whole };
    }),
  };
}

function decodeEmail(json: Json): ContentEmail {
  const { email_subject, email_body, wait_in_days, thread_reply } = isObject(json) ? json : {};
  return {
    email_subject: String(email_subject ?? ''),
    email_body: String(email_body ?? ''),
    wait_in_days: Number(wait_in_days ?? 0),
    thread_reply: thread_reply === true,
  };
}

export function decodeStep(json: Json): ContentStep {
  const variants = isObject(json) && Array.isArray(json.variants) ? json.variants : [];
  return { ...decodeEmail(json), variants: variants.map(decodeEmail) };
}

/**
 * A spec and its source. `manifest`: project-relative file, with `#2` for a second document, `[France]` for an instance.
 * `document` counts from 0. `remarks`: findings of policies that warn or are waived and, in a plan, lint findings.
 */
export interface Campaign {
  manifest: string;
  file: string;
  document: number;
  spec: CampaignSpec;
  remarks: PlanProblem[];
}
