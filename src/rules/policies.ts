import { unknownEnvironment } from '../manifest/errors.js';
import type { Violation } from '../manifest/violation.js';
import type { PolicyCode } from '../model/codes.js';
import { type JsonObject, type Path, property } from '../model/json.js';
import { listed } from '../model/words.js';
import { linksPolicy } from './links.js';
import { namePolicy } from './name.js';
import type { Policies, PolicyConfig } from './policies.generated.js';
import { type ResultLimits, resultsPolicy } from './results.js';
import {
  type CampaignRule,
  type Flaw,
  NON_EMPTY_LIST,
  type ParsedCampaign,
  type PolicyKind,
} from './rule.js';
import { sendingPolicy } from './schedule.js';
import { stepsPolicy, subjectPolicy } from './sequence.js';
import { rangePolicy, requirePolicy } from './settings.js';
import { wordsPolicy } from './words.js';

export const POLICY_KINDS: readonly PolicyKind[] = [
  requirePolicy,
  rangePolicy,
  sendingPolicy,
  wordsPolicy,
  linksPolicy,
  subjectPolicy,
  stepsPolicy,
  namePolicy,
  resultsPolicy,
];

/** `name`: the name by which manifests waive it. `results`: limits for `list`. */
export interface Policy extends CampaignRule<PolicyCode> {
  name: string;
  reason: string | null;
  environments: readonly string[] | null;
  waivable: boolean;
  results: ResultLimits | null;
}

const RECOMMENDED = {
  unsubscribe: {
    severity: 'error',
    reason: 'Requires an unsubscribe link, so that recipients can stop the emails.',
    require: { 'settings.can_unsubscribe': true, 'settings.unsubscribe_text': 'any' },
  },
  'daily-limit': {
    severity: 'warning',
    reason: "Without a limit in the manifest, the service's default applies.",
    range: { 'settings.max_emails_per_day': { max: 1000 } },
  },
  'subject-length': {
    severity: 'warning',
    reason: 'Mail programs cut off longer subjects.',
    subject: { longest: 70 },
  },
  'few-links': {
    severity: 'warning',
    reason: 'A first email full of links looks like an advertisement.',
    links: { most: 5 },
  },
  'https-links': {
    severity: 'warning',
    reason: 'Browsers warn about unencrypted pages.',
    links: { https: true },
  },
  'link-shorteners': {
    severity: 'warning',
    reason: 'Spam filters distrust links that hide where they lead.',
    links: {
      never_hosts: 'bit.ly buff.ly cutt.ly goo.gl is.gd ow.ly rb.gy t.co t.ly tiny.cc tinyurl.com'.split(' '),
    },
  },
  'follow-up': {
    severity: 'warning',
    reason: 'Most replies come after a second email.',
    optional: true,
    steps: { least: 2 },
  },
  patience: {
    severity: 'warning',
    reason: 'Emails on consecutive days annoy recipients.',
    steps: { shortest_wait: 2 },
    optional: true,
  },
} as const satisfies Record<string, PolicyConfig & { severity: 'error' | 'warning'; reason: string }>;

const RECOMMENDED_NAMES = Object.keys(RECOMMENDED) as (keyof typeof RECOMMENDED)[];

export const RECOMMENDED_CODES = RECOMMENDED_NAMES.map((name) => `recommended/${name}` as const);

export function compilePolicies(
  { recommended = false, ...others }: Policies,
  environments: readonly string[],
): { policies: Policy[]; violations: Violation[] } {
  const configs = Object.entries(others).filter(
    (entry): entry is [string, PolicyConfig] => typeof entry[1] === 'object',
  );
  const weights = typeof recommended === 'object' ? recommended : {};
  const builtIn = RECOMMENDED_NAMES.flatMap((name): Policy[] => {
    const severity = weights[name] ?? RECOMMENDED[name].severity;
    if (recommended === false || severity === 'off') return [];
    const code = `recommended/${name}` as const;
    return [policyOf({ ...RECOMMENDED[name], severity }, { name: code, code })];
  });
  const declared = configs.map(([name, config]) => policyOf(config, { name, code: `policy/${name}` }));
  return {
    policies: [...builtIn, ...declared],
    violations: configs.flatMap(([name, policy]) => violationsOf(name, policy, environments)),
  };
}

function policyOf(config: PolicyConfig, { name, code }: Pick<Policy, 'name' | 'code'>): Policy {
  const { reason = null, optional = false } = config;
  return {
    name,
    code,
    severity: config.severity ?? 'error',
    summary: reason ?? `The manifest breaks policy ${name} of the project.`,
    reason,
    environments: config.environments ?? null,
    waivable: config.waivable ?? true,
    results: config.results ?? null,
    *check(campaign) {
      const missing = (path: readonly string[], hint: string): Flaw[] =>
        optional ? [] : [notWritten(campaign, path, hint)];
      for (const { key, check } of POLICY_KINDS) {
        const wanted = config[key];
        if (wanted !== undefined) yield* check(wanted, campaign, missing);
      }
    },
  };
}

function notWritten({ spec }: ParsedCampaign, path: readonly string[], hint: string): Flaw {
  const [section = ''] = path;
  return {
    ...(path.length > 1 && Object.hasOwn(spec, section)
      ? { path: [section], target: 'key' }
      : { path: ['name'] }),
    message: `${path.join('.')} is not set in the manifest, so its value in the service is unknown.`,
    hint,
  };
}

export function policyTexts(policies: readonly Policy[]) {
  const page = (code: string) => `See ${code} in docs/policies.md in the campaignctl repository.`;
  return [
    ...policies
      .filter(({ code }) => code.startsWith('policy/'))
      .map(({ name, code, severity, summary }) => ({
        code,
        severity,
        summary,
        help: `Declared under policies, ${name}, in the project file or the file that it extends.`,
      })),
    ...Object.entries(RECOMMENDED).map(([name, { severity, reason }]) => {
      const code = `recommended/${name}`;
      const used = policies.find((policy) => policy.code === code) ?? { severity };
      return { code, severity: used.severity, summary: reason, help: page(code) };
    }),
  ];
}

function violationsOf(name: string, policy: PolicyConfig, environments: readonly string[]): Violation[] {
  const at = (path: Path, target: Violation['target'] = 'value') => ({
    path: ['policies', name, ...path],
    target,
  });
  const keys = POLICY_KINDS.map(({ key }) => key);
  const empty: Violation = {
    code: 'bad-policy',
    message: `Policy ${name} has no requirement.`,
    hint: `Add at least one of: ${listed(keys)}.`,
    ...at([], 'key'),
  };
  return [
    ...(keys.some((key) => policy[key] !== undefined) ? [] : [empty]),
    ...(policy.environments ?? []).flatMap((environment, index): Violation[] => {
      if (environments.includes(environment)) return [];
      return [{ ...unknownEnvironment(environment, environments), ...at(['environments', index]) }];
    }),
    ...POLICY_KINDS.flatMap(({ key, faults }) => {
      const wanted = policy[key];
      const flaws = wanted === undefined ? [] : (faults?.(wanted) ?? []);
      return flaws.map(({ path, message, hint }): Violation => {
        return { code: 'bad-policy', message: `Policy ${name}: ${message}`, hint, ...at(path) };
      });
    }),
  ];
}

/** Of a requirement that can be empty, nothing would be checked. */
function sectionOf(schema: JsonObject): JsonObject {
  const atLeast = schema.required === undefined ? { minProperties: 1 } : {};
  return { type: 'object', additionalProperties: false, ...atLeast, ...schema };
}

const policy: JsonObject = {
  title: 'PolicyConfig',
  type: 'object',
  additionalProperties: false,
  description: 'Requirements on campaigns, each with a reason.',
  properties: {
    reason: property(
      { type: 'string', minLength: 1, pattern: '\\S' },
      'Why the policy exists; shown with each violation.',
      'Required by our privacy promise.',
    ),
    severity: property(
      { type: 'string', enum: ['error', 'warning'], default: 'error' },
      'An error stops validate, plan and apply; validate and every plan show a warning.',
      'warning',
    ),
    environments: property(
      { ...NON_EMPTY_LIST, items: { type: 'string', minLength: 1 } },
      'Environments that the policy applies to. Default: all.',
      ['production'],
    ),
    waivable: property({ type: 'boolean', default: true }, 'True if a manifest can waive the policy.', false),
    optional: property(
      { type: 'boolean', default: false },
      'True if a manifest may omit the checked values. Otherwise, omitting them breaks the policy, because their values in the service are unknown.',
      true,
    ),
    ...Object.fromEntries(POLICY_KINDS.map(({ key, schema }) => [key, sectionOf(schema)])),
  },
};

export const policiesSchema: JsonObject = {
  title: 'Policies',
  type: 'object',
  description: 'Requirements on campaigns: the built-in set and your own policies, by name.',
  examples: [
    {
      recommended: true,
      caps: { reason: 'Agreed with legal.', range: { 'settings.max_emails_per_day': { max: 500 } } },
    },
  ],
  propertyNames: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' },
  properties: {
    recommended: {
      type: ['boolean', 'object'],
      additionalProperties: false,
      description: 'The built-in set: true enables all of it; an object sets each policy. Default: off.',
      examples: [true, { 'follow-up': 'off', 'few-links': 'error' }],
      properties: Object.fromEntries(
        Object.entries(RECOMMENDED).map(([name, { severity, reason }]) => [
          name,
          property({ type: 'string', enum: ['off', 'warning', 'error'], default: severity }, reason, 'off'),
        ]),
      ),
    },
  },
  additionalProperties: policy,
};
