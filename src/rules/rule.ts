import type { WrittenCampaign } from '../manifest/resolve.js';
import type { Environment } from '../model/environment.js';
import type { JsonObject } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import type { Email, Text } from './emails.js';
import type { PolicyConfig } from './policies.generated.js';

/** A campaign with its emails, which are read once for all rules; `texts`: subject and body of every one. */
export interface ReadCampaign extends WrittenCampaign {
  emails: readonly Email[];
  texts: readonly Text[];
}

/** An error in a spec or a policy. `path` leads into it; `text` narrows it to a piece of the value. */
export interface Flaw {
  path: Path;
  target?: Place['target'];
  text?: string;
  message: string;
  hint: string;
  /** False: the plan, which knows the live values, says it itself. */
  inPlan?: false;
}

interface RuleFacts {
  /** Stable: projects switch rules by it, and `docs/rules.md` has a section under its name. */
  code: string;
  severity: 'error' | 'warning';
  /** One line for lists of rules. */
  summary: string;
}

/** A rule that looks at one campaign at a time. */
export interface CampaignRule extends RuleFacts {
  check(campaign: ReadCampaign, environment: Environment): Iterable<Flaw>;
}

/** A rule that compares all campaigns of one environment, and says at which of them it finds something. */
export interface ProjectRule extends RuleFacts {
  compare(
    campaigns: readonly WrittenCampaign[],
    environment: Environment,
  ): Iterable<[campaign: WrittenCampaign, flaw: Flaw]>;
}

export type Rule = CampaignRule | ProjectRule;

type PolicyKey = Exclude<
  keyof PolicyConfig,
  'reason' | 'severity' | 'environments' | 'waivable' | 'optional'
>;

/**
 * One kind of thing that a policy can ask for: a rule with parameters, which stand under `key` and are as `schema` says: an object
 * with at least one of its properties. `missing` says that a path is not written, or nothing where the policy is optional.
 */
export interface PolicyKind<Key extends PolicyKey = PolicyKey> {
  key: Key;
  schema: JsonObject;
  faults?(wanted: NonNullable<PolicyConfig[Key]>): Flaw[];
  check(
    wanted: NonNullable<PolicyConfig[Key]>,
    campaign: ReadCampaign,
    tools: { missing(path: readonly string[], hint: string): Flaw[] },
  ): Iterable<Flaw>;
}

/** Schema of a list in a policy. */
export const LIST = { type: 'array', minItems: 1, uniqueItems: true };

/** Bounds of a number; either may be left out. */
export interface NumberRange {
  min?: number | undefined;
  max?: number | undefined;
}

/** The range of a number in words: `500 or less`. */
export function inWords({ min, max }: NumberRange): string {
  if (min === undefined) return `${max} or less`;
  return max === undefined ? `${min} or more` : `a number from ${min} to ${max}`;
}

/** How a number breaks its bounds, `more than 500`; null where it keeps them. */
export function breach(found: number, { min, max }: NumberRange): string | null {
  if (max !== undefined && found > max) return `more than ${max}`;
  return min !== undefined && found < min ? `less than ${min}` : null;
}

/** Two bounds the wrong way round. */
export function reversed({ min, max }: NumberRange, path: Path): Flaw[] {
  if (min === undefined || max === undefined || min <= max) return [];
  const message = `${path.join('.')}: no number is at least ${min} and at most ${max}.`;
  return [{ path, message, hint: 'Swap the two, or leave one out.' }];
}
