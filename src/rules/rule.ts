import type { WrittenCampaign } from '../manifest/resolve.js';
import type { Environment } from '../model/environment.js';
import type { JsonObject } from '../model/json.js';
import type { Finding, Path } from '../model/problem.js';
import type { Email, Text } from './emails.js';
import type { PolicyConfig } from './policies.generated.js';

/** A campaign with its emails, which are read once for all rules; `texts`: subject and body of every one. */
export interface ReadCampaign extends WrittenCampaign {
  emails: readonly Email[];
  texts: readonly Text[];
}

/** What a rule found; code and severity are the rule's. */
export type Remark = Pick<Finding, 'message' | 'hint' | 'place'>;

interface Described {
  /** Stable: projects switch rules by it, and `docs/rules.md` has a section under its name. */
  code: string;
  severity: 'error' | 'warning';
  /** One line for lists of rules. */
  summary: string;
}

/** A rule that looks at one campaign at a time. */
export interface CampaignRule extends Described {
  check(campaign: ReadCampaign, environment: Environment): Remark[];
}

/** A rule that compares all campaigns of one environment. */
export interface ProjectRule extends Described {
  compare(campaigns: readonly WrittenCampaign[], environment: Environment): Remark[];
}

export type Rule = CampaignRule | ProjectRule;

/** What a policy says that cannot be meant: `path` leads into the policy. */
export interface Fault {
  path: Path;
  message: string;
  hint: string;
}

type PolicyKey = Exclude<
  keyof PolicyConfig,
  'reason' | 'severity' | 'environments' | 'waivable' | 'optional'
>;

/** A regular expression that takes time in proportion to the text, or what is wrong with it. */
export type Pattern = { test(text: string): boolean } | { problem: string };

/** The patterns of policies, compiled, by how they are written. */
export type Patterns = ReadonlyMap<string, Pattern>;

/** One kind of thing that a policy can ask for: a rule with parameters. Each leaves a policy alone that has not its key. */
export interface PolicyKind {
  key: PolicyKey;
  schema: JsonObject;
  faults(policy: PolicyConfig, patterns: Patterns): Fault[];
  check(policy: PolicyConfig, campaign: ReadCampaign, patterns: Patterns): Remark[];
}

/** How a kind is written down: with what a policy says under its key, which is as the schema says. */
interface KindOf<Key extends PolicyKey> {
  key: Key;
  schema: JsonObject;
  faults?(wanted: NonNullable<PolicyConfig[Key]>, patterns: Patterns): Fault[];
  /** `missing`: what is said of a path that is not written, which is nothing where the policy is optional. */
  check(
    wanted: NonNullable<PolicyConfig[Key]>,
    campaign: ReadCampaign,
    how: { missing(path: readonly string[], hint: string): Remark[]; patterns: Patterns },
  ): Remark[];
}

export function policyKind<Key extends PolicyKey>(kind: KindOf<Key>): PolicyKind {
  const { key, schema } = kind;
  return {
    key,
    schema,
    faults({ [key]: wanted }, patterns) {
      return wanted === undefined ? [] : (kind.faults?.(wanted, patterns) ?? []);
    },
    check({ [key]: wanted, optional = false }, campaign, patterns) {
      if (wanted === undefined) return [];
      const missing = (path: readonly string[], hint: string) =>
        optional ? [] : [notWritten(campaign, path, hint)];
      return kind.check(wanted, campaign, { missing, patterns });
    },
  };
}

/** What is asked for is not there: said at its section, or at the name of the campaign where there is none. */
function notWritten({ spec, at }: WrittenCampaign, path: readonly string[], hint: string): Remark {
  const [section = ''] = path;
  const hasSection = path.length > 1 && Object.hasOwn(spec, section);
  return {
    message: `${path.join('.')} is not written, so what holds in the service is not known.`,
    hint,
    place: hasSection ? at([section], { target: 'key' }) : at(['name']),
  };
}

/** Two bounds the wrong way round. */
export function reversed(low: number | undefined, high: number | undefined, path: Path): Fault[] {
  if (low === undefined || high === undefined || low <= high) return [];
  const message = `${path.join('.')}: no number is at least ${low} and at most ${high}.`;
  return [{ path, message, hint: 'Swap the two, or leave one out.' }];
}
