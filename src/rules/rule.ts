import type { WrittenCampaign } from '../manifest/resolve.js';
import type { RuleCode } from '../model/codes.js';
import type { Environment } from '../model/environment.js';
import type { JsonObject } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import type { Email, Text } from './emails.js';
import type { PolicyConfig } from './policies.generated.js';

export interface ReadCampaign extends WrittenCampaign {
  emails: readonly Email[];
  texts: readonly Text[];
}

/** `path`: in the spec. `text`: the part of the value to mark. */
export interface Flaw {
  path: Path;
  /** Instead of the place of the path, for a text that is not in the spec. */
  place?: Place;
  target?: Place['target'];
  text?: string;
  message: string;
  hint: string;
}

interface RuleFacts<Code> {
  /** Stable code, which is also the heading in `docs/rules.md`. */
  code: Code;
  severity: 'error' | 'warning';
  summary: string;
}

export interface CampaignRule<Code = RuleCode> extends RuleFacts<Code> {
  check(campaign: ReadCampaign, environment: Environment): Iterable<Flaw>;
}

export interface ProjectRule extends RuleFacts<RuleCode> {
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

/** `missing` reports a path that is not set, unless the policy is optional. */
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

export function isInForce(
  { environments }: { environments: readonly string[] | null },
  name: string,
): boolean {
  return environments?.includes(name) ?? true;
}

export const LIST = { type: 'array', minItems: 1, uniqueItems: true };

interface NumberRange {
  min?: number | undefined;
  max?: number | undefined;
}

export function inWords({ min, max }: NumberRange): string {
  if (min === undefined) return `${max} or less`;
  return max === undefined ? `${min} or more` : `a number from ${min} to ${max}`;
}

/** `more than 500`; `null` if the number is within its bounds. */
export function breach(value: number, { min, max }: NumberRange): string | null {
  if (max !== undefined && value > max) return `more than ${max}`;
  return min !== undefined && value < min ? `less than ${min}` : null;
}

export function reversed({ min, max }: NumberRange, path: Path): Flaw[] {
  if (min === undefined || max === undefined || min <= max) return [];
  const message = `${path.join('.')}: the minimum, ${min}, is greater than the maximum, ${max}.`;
  return [{ path, message, hint: 'Swap the two values, or remove one.' }];
}
