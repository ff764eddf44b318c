import { errorAt } from '../../manifest/errors.js';
import type { LintSubject } from '../../manifest/resolve.js';
import { didYouMean, listed, nearest, quoted } from '../../manifest/words.js';
import type { Finding, Place, Problem } from '../../model/problem.js';
import type { Remark } from '../lint/rule.js';
import { type Policy, recommendedName, UNUSED_WAIVER } from './policies.js';
import { RECOMMENDED_NAMES } from './recommended.js';

/** A waiver and where it is written. `used`: whether it waived anything. */
export interface Waiver {
  place: Place;
  name: string;
  used: boolean;
}

/** Waivers of policies that do not exist, or that nobody may waive. One of the built-in set may be switched off. */
export function waiverFindings(subject: LintSubject, policies: readonly Policy[]): Finding[] {
  const own = policies.map(({ name }) => name);
  const known = [...new Set([...own, ...RECOMMENDED_NAMES.map(recommendedName)])];
  return Object.keys(subject.waive).flatMap((name) => {
    const place = subject.at(['waive', name], { target: 'key' });
    if (!known.includes(name)) {
      const there = own.length === 0 ? 'The project file has no policies.' : `There are: ${listed(own)}.`;
      const message = `There is no policy named ${quoted(name)}.`;
      return [
        errorAt(place, { code: 'unknown-policy', message, hint: didYouMean(nearest(name, known)) ?? there }),
      ];
    }
    const policy = policies.find((one) => one.name === name);
    if (policy?.waivable !== false) return [];
    const reason = policy.reason === null ? '' : ` Why it holds: ${policy.reason}`;
    const message = `Policy ${name} cannot be waived: the project file says so.`;
    return [errorAt(place, { code: 'policy-not-waivable', message, hint: `Take the waiver out.${reason}` })];
  });
}

/** What a plan says of a policy that was waived. */
export function waived({ name }: Policy, breaches: readonly Remark[], reason: string): Problem {
  const [first, ...others] = breaches;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return {
    code: 'policy-waived',
    severity: 'warning',
    message: `Policy ${name} is waived: ${first?.message.replace(/\.$/, '')}${more}. Why: ${reason}`,
    hint: 'The manifest says so under waive; take it out there once it is not needed any more.',
  };
}

/** Waivers that waived nothing in any environment: all of them have to have been looked at. */
export function unusedWaivers(waivers: readonly Waiver[]): Finding[] {
  const keyOf = ({ place }: Waiver) => JSON.stringify(place);
  const used = new Set(waivers.filter((waiver) => waiver.used).map(keyOf));
  return waivers
    .filter((waiver) => !used.has(keyOf(waiver)))
    .map(({ name, place }) => ({
      code: UNUSED_WAIVER.code,
      severity: UNUSED_WAIVER.severity,
      message: `The waiver of ${name} waives nothing: no environment has a campaign of this manifest that breaks the policy.`,
      hint: 'Take it out; it would hide what comes later.',
      place,
    }));
}
