import { isObject, type Json } from './json.js';
import type { Manifest, SequenceSpec, StepSpec, VariantSpec } from './manifest.generated.js';
import type { ContentEmail, Problem } from './outputs.js';

/**
 * One manifest, validated and resolved for one environment: overlay applied, body and id files read in. Names of
 * lead lists and templates are still names. A key that is absent is not managed.
 */
export interface CampaignSpec extends Omit<Manifest, Resolved> {
  sequence?: ResolvedSequence;
  leads?: ResolvedLeads;
}

/** Which campaign a manifest is of. */
export type Described = Pick<CampaignSpec, 'name' | 'id'>;

/** What a manifest says that is used up, or filled in, once it is resolved. */
type Resolved = 'sequence' | 'leads' | 'environments' | 'for_each' | 'lint' | 'waive';

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

/** A sequence with every default filled in. */
export interface DesiredSequence {
  title: string;
  steps: DesiredStep[];
}
export type DesiredStep = ContentEmail & { variants: ContentEmail[] };

/** A variant has what it leaves out from its step. */
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

/** The email of a change, which is plain JSON there. */
export function emailOf(json: Json): ContentEmail {
  const { email_subject, email_body, wait_in_days, thread_reply } = isObject(json) ? json : {};
  return {
    email_subject: String(email_subject ?? ''),
    email_body: String(email_body ?? ''),
    wait_in_days: Number(wait_in_days ?? 0),
    thread_reply: thread_reply === true,
  };
}

/** The same of a step, with its variants. */
export function stepOf(json: Json): DesiredStep {
  const variants = isObject(json) && Array.isArray(json.variants) ? json.variants : [];
  return { ...emailOf(json), variants: variants.map(emailOf) };
}

/** `ids` holds those of the manifest and of its file. */
export interface ResolvedLeads {
  lists?: (number | string)[];
  ids?: number[];
}

/** What tells which campaign a manifest is of, or is to take the place of. */
export const IDENTITY = ['name', 'id', 'replaces'] as const;
export type IdentityKey = (typeof IDENTITY)[number];

/**
 * How a manifest writes that, where the spec does not tell: with the expressions of a `for_each`, or in an overlay. `base` and
 * `overlay` hold what stands in the document itself, and below the environment that it was resolved for.
 */
export interface WrittenIdentity {
  base: Partial<Record<IdentityKey, string | number>>;
  overlay: Partial<Record<IdentityKey, string | number>>;
  for_each: boolean;
}

/**
 * A spec and where it comes from, with what its plan has to show besides: policies that warn or are waived. `manifest` is how
 * plans, messages and the state name it: the file relative to the project, with `#2` for the second document of a file and
 * `[France]` for one campaign of a `for_each`. `document` counts from 0.
 */
export interface Campaign {
  manifest: string;
  file: string;
  document: number;
  spec: CampaignSpec;
  identity?: WrittenIdentity;
  remarks: Problem[];
  /** What the linter found, with file and line: the plan shows it. */
  found?: Problem[];
}
