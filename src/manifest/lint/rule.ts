import type { Environment } from '../../model/environment.js';
import type { Finding, Path, Place } from '../../model/problem.js';
import type { Campaign } from '../../model/spec.js';
import type { Email } from './email.js';
import type { RuleSwitch } from './switches.js';

/**
 * A campaign to be linted. `at` tells where a value of the resolved spec was written (base, overlay, shared piece or body file);
 * `unused`: values of `for_each` that nothing uses, and where the first of the name is given; `waive`: the policies that its
 * manifest waives, with the reasons; `lint`: the rules that it weighs differently.
 */
export interface LintSubject extends Omit<Campaign, 'remarks'> {
  unused?: readonly GivenValue[];
  waive: Readonly<Record<string, string>>;
  lint: Readonly<Record<string, RuleSwitch>>;
  at(path: Path, options?: { text?: string; target?: 'key' | 'value' }): Place;
}

/** A value of `for_each`: its name, and its path in the document. */
export interface GivenValue {
  name: string;
  path: Path;
}

/** A campaign with its emails read, once for all rules. */
export interface LintCampaign {
  subject: LintSubject;
  emails: readonly Email[];
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
  scope: 'campaign';
  check(campaign: LintCampaign, environment: Environment): Remark[];
}

/** A rule that compares all campaigns of one environment. */
export interface ProjectRule extends Described {
  scope: 'project';
  check(subjects: readonly LintSubject[], environment: Environment): Remark[];
}

export type Rule = CampaignRule | ProjectRule;
