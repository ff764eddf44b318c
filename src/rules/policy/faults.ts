import type { Violation } from '../../manifest/wording.js';
import { didYouMean, listed, nearest, quoted } from '../../manifest/words.js';
import { CHECKS } from './checks.js';
import type { Policies, PolicyConfig } from './config.generated.js';
import { ownPolicies } from './policies.js';

/** What no schema can say of the policies of a project file. `environments`: those that there are. */
export function policyViolations(policies: Policies, environments: readonly string[]): Violation[] {
  return ownPolicies(policies).flatMap(([name, policy]) => [
    ...withoutCheck(name, policy),
    ...unknownEnvironments(name, policy, environments),
    ...CHECKS.flatMap((check) =>
      check.faults(policy).map(({ path, message, hint }): Violation => {
        const at = { path: ['policies', name, ...path], target: 'value' } as const;
        return { code: 'bad-policy', message: `Policy ${name}: ${message}`, hint, ...at };
      }),
    ),
  ]);
}

function withoutCheck(name: string, policy: PolicyConfig): Violation[] {
  if (CHECKS.some(({ key }) => policy[key] !== undefined)) return [];
  const keys = CHECKS.map(({ key }) => key);
  return [
    {
      code: 'bad-policy',
      message: `Policy ${name} asks for nothing.`,
      hint: `Say what it is about: ${listed(keys)}.`,
      path: ['policies', name],
      target: 'key',
    },
  ];
}

function unknownEnvironments(name: string, policy: PolicyConfig, known: readonly string[]): Violation[] {
  return (policy.environments ?? []).flatMap((environment, index): Violation[] => {
    if (known.includes(environment)) return [];
    return [
      {
        code: 'unknown-environment',
        message: `Policy ${name}: there is no environment named ${quoted(environment)}.`,
        hint: didYouMean(nearest(environment, known)) ?? `There are: ${listed(known)}.`,
        path: ['policies', name, 'environments', index],
        target: 'value',
      },
    ];
  });
}
