import type { WrittenCampaign } from '../manifest/resolve.js';
import type { RuleCode } from '../model/codes.js';
import type { Environment } from '../model/environment.js';
import type { JsonObject } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import type { BodyForm, Email, Text } from './emails.js';
import type { PolicyConfig } from './policies.generated.js';

/** `bodyForm`: how bodies are sent; `null` if an error hides it. */
export interface ParsedCampaign extends WrittenCampaign {
  bodyForm: BodyForm | null;
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
  check(campaign: ParsedCampaign, environment: Environment): Iterable<Flaw>;
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

/** Reports a path that is not set, unless the policy is optional. */
type ReportMissing = (path: readonly string[], hint: string) => Flaw[];

export interface PolicyKind<Key extends PolicyKey = PolicyKey> {
  key: Key;
  schema: JsonObject;
  faults?(wanted: NonNullable<PolicyConfig[Key]>): Flaw[];
  check(
    wanted: NonNullable<PolicyConfig[Key]>,
    campaign: ParsedCampaign,
    missing: ReportMissing,
  ): Iterable<Flaw>;
}

export function isInForce(
  { environments }: { environments: readonly string[] | null },
  name: string,
): boolean {
  return environments?.includes(name) ?? true;
}

export const NON_EMPTY_LIST = { type: 'array', minItems: 1, uniqueItems: true };
