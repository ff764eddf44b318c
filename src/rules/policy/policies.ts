import type { Policies, PolicyConfig } from './config.generated.js';
import { RECOMMENDED, RECOMMENDED_NAMES, type RecommendedName } from './recommended.js';

/** A policy that is to hold. `name` is what a waiver calls it, `code` what its findings are called; `environments`: null for all. */
export interface Policy {
  name: string;
  code: string;
  severity: 'error' | 'warning';
  reason: string | null;
  environments: readonly string[] | null;
  waivable: boolean;
  config: PolicyConfig;
}

/** A waiver that hides nothing yet. */
export const UNUSED_WAIVER = {
  code: 'unused-waiver',
  severity: 'warning',
  summary: 'A waiver that waives nothing in any environment.',
} as const;

/** The policies of a project file, with every default filled in: the built-in ones that are on, then its own. */
export function policiesOf(policies: Policies): Policy[] {
  return [...builtIn(policies.recommended), ...ownPolicies(policies).map(policyOf)];
}

/** The policies that a project declares itself, by name. */
export function ownPolicies(policies: Policies): [name: string, policy: PolicyConfig][] {
  return Object.entries(policies).flatMap(([name, policy]): [string, PolicyConfig][] =>
    isOwn(name, policy) ? [[name, policy]] : [],
  );
}

function isOwn(name: string, policy: Policies[string]): policy is PolicyConfig {
  return name !== 'recommended' && typeof policy === 'object';
}

/** What a policy of the built-in set is called in waivers and findings. */
export function recommendedName(name: RecommendedName): string {
  return `recommended/${name}`;
}

/** What policies can find, by code, in a line each, and where more is said of it. */
export function policyTexts(policies: readonly Policy[]) {
  const own = policies.filter(({ code }) => code.startsWith('policy/'));
  const page = (code: string) => `Explained under ${code} in docs/policies.md of campaignctl.`;
  return [
    ...own.map(({ name, code, severity, reason }) => ({
      code,
      severity,
      summary: reason ?? `Policy ${name} of the project is broken.`,
      explained: `Declared in campaignctl.yaml under policies, ${name}.`,
    })),
    ...RECOMMENDED_NAMES.map((name) => {
      const code = recommendedName(name);
      const { severity, reason } = RECOMMENDED[name];
      const used = policies.find((policy) => policy.code === code);
      return { code, severity: used?.severity ?? severity, summary: reason, explained: page(code) };
    }),
    { ...UNUSED_WAIVER, explained: page(UNUSED_WAIVER.code) },
  ];
}

function builtIn(chosen: Policies['recommended'] = false): Policy[] {
  if (chosen === false) return [];
  const weights = chosen === true ? {} : chosen;
  return RECOMMENDED_NAMES.flatMap((name) => {
    const config: PolicyConfig = RECOMMENDED[name];
    const severity = weights[name] ?? RECOMMENDED[name].severity;
    const code = recommendedName(name);
    return severity === 'off' ? [] : [{ ...policyOf([code, { ...config, severity }]), code }];
  });
}

function policyOf([name, config]: [string, PolicyConfig]): Policy {
  return {
    name,
    code: `policy/${name}`,
    severity: config.severity ?? 'error',
    reason: config.reason ?? null,
    environments: config.environments ?? null,
    waivable: config.waivable ?? true,
    config,
  };
}
