import type { LintSubject } from '../../manifest/resolve.js';
import type { Environment } from '../../model/environment.js';
import type { Finding } from '../../model/problem.js';
import type { Email } from './email.js';

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
