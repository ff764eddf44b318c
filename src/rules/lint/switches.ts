import type { RuleSwitch } from '../../manifest/resolve.js';
import type { Violation } from '../../manifest/wording.js';
import { didYouMean, listed, nearest, quoted } from '../../manifest/words.js';
import { isObject, type Json } from '../../model/json.js';
import type { Finding } from '../../model/problem.js';

/** A finding with the weight that its rule was given, if any; nothing where the rule is off. */
export function weighed(finding: Finding, rules: Readonly<Record<string, RuleSwitch>>): Finding[] {
  const weight = Object.hasOwn(rules, finding.code) ? rules[finding.code] : undefined;
  if (weight === 'off') return [];
  return [weight === undefined ? finding : { ...finding, severity: weight }];
}

/** Codes under `lint` that no rule has. */
export function switchViolations(switches: Json | undefined, known: readonly string[]): Violation[] {
  return Object.keys(isObject(switches) ? switches : {})
    .filter((code) => !known.includes(code))
    .map((code) => ({
      code: 'unknown-key',
      message: `The linter has no rule ${quoted(code)}.`,
      hint: didYouMean(nearest(code, known)) ?? `It has: ${listed(known, known.length)}.`,
      path: ['lint', code],
      target: 'key',
    }));
}
