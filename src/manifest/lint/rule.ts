import type { Environment } from '../../model/environment.js';
import type { Finding, Path, Place } from '../../model/problem.js';
import type { Campaign } from '../../model/spec.js';

/** A campaign to be linted. `at` tells where a value of the resolved spec was written (base, overlay or body file). */
export interface LintSubject extends Campaign {
  at(path: Path, options?: { text?: string; target?: 'key' | 'value' }): Place;
}

/** A rule with a stable code and a page in `docs/rules.md`. It sees all campaigns of one environment at once. */
export interface Rule {
  code: string;
  severity: 'error' | 'warning';
  /** One line for lists of rules. */
  summary: string;
  check(subjects: readonly LintSubject[], environment: Environment): Finding[];
}
