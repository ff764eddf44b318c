import type { Violation } from '../manifest/case.js';
import type { ManifestDocument } from '../manifest/documents.js';
import { didYouMean, errorAt, nearest, quoted, type SourceFinding } from '../manifest/errors.js';
import type { ReadFile } from '../manifest/files.js';
import { type RuleSwitch, resolve, type WrittenCampaign } from '../manifest/resolve.js';
import type { PolicyCode } from '../model/codes.js';
import type { Environment } from '../model/environment.js';
import { groupBy, isObject, type Json } from '../model/json.js';
import type { KnownToken } from '../model/mask.js';
import type { Finding, LintFinding, PlanProblem } from '../model/outputs.js';
import type { Campaign } from '../model/spec.js';
import { listed } from '../model/words.js';
import { CAMPAIGN_RULES } from './campaigns.js';
import { CONTRACT_CODES, findContradictions } from './contract.js';
import { COPY_RULES } from './copy.js';
import { collectEmails, collectTexts } from './emails.js';
import { PASTED_RULES } from './pasted.js';
import { type Policy, RECOMMENDED_CODES } from './policies.js';
import { type CampaignRule, type Flaw, isInForce, type ReadCampaign, type Rule } from './rule.js';
import { SCHEDULE_RULES } from './schedule.js';
import { SEQUENCE_RULES } from './sequence.js';
import { SETTINGS_RULES } from './settings.js';
import { TEXT_RULES } from './text.js';
import { tokenFindings } from './tokens.js';

/** They need no more than the texts, so that they also apply to a campaign with errors. */
const RULES_FOR_TEXTS: readonly CampaignRule[] = [...COPY_RULES, ...TEXT_RULES, ...PASTED_RULES];

/** All built-in rules, in the order of `docs/rules.md`. */
export const RULES: readonly Rule[] = [
  ...COPY_RULES,
  ...SEQUENCE_RULES,
  ...TEXT_RULES,
  ...PASTED_RULES,
  ...SETTINGS_RULES,
  ...SCHEDULE_RULES,
  ...CAMPAIGN_RULES,
];

type RuleSwitches = Readonly<Record<string, RuleSwitch>>;

/**
 * `rules`: the project's severities. A manifest can override them for rules that concern a single campaign. `tokens`: must
 * not be in a manifest.
 */
interface RuleContext {
  rules?: RuleSwitches;
  policies?: readonly Policy[];
  tokens?: readonly KnownToken[];
}

/**
 * `lint`: its findings, including those of rules that compare campaigns. `misused`: unknown names under `lint` and `waive`.
 * `remarks`: findings of policies that warn or are waived.
 */
interface CheckedCampaign {
  campaign: WrittenCampaign;
  isValid: boolean;
  lint: LintFinding[];
  misused: Finding[];
  breaches: Finding[];
  remarks: PlanProblem[];
}

/** `hasTexts`: false if `checkTexts` checks them. */
export function checkCampaign(
  {
    campaign,
    isValid,
    hasTexts = true,
  }: Pick<CheckedCampaign, 'campaign' | 'isValid'> & { hasTexts?: boolean },
  environment: Environment,
  { rules = {}, policies = [] }: RuleContext,
): CheckedCampaign {
  const inForce = policies.filter((policy) => isInForce(policy, environment.name));
  const read = readTexts(campaign, environment);
  const all = RULES.filter((rule): rule is CampaignRule => 'check' in rule);
  const inUse = hasTexts ? all : all.filter((rule) => !RULES_FOR_TEXTS.includes(rule));
  const lint = checkRules(inUse, read, { environment, rules });
  const unknown = switchViolations(campaign.lint).map((violation) =>
    errorAt(campaign.at(violation.path, { target: 'key' }), violation),
  );
  return {
    campaign,
    isValid,
    lint,
    misused: [...unknown, ...badWaivers(campaign, policies)],
    ...enforce(read, environment, inForce),
  };
}

function checkTexts(campaign: WrittenCampaign, environment: Environment, { rules = {} }: RuleContext) {
  return checkRules(RULES_FOR_TEXTS, readTexts(campaign, environment), { environment, rules });
}

/** The parsed emails are not kept, because they would use too much memory. */
function readTexts(campaign: WrittenCampaign, environment: Environment): ReadCampaign {
  const emails = collectEmails(campaign.spec, environment);
  return { emails, texts: collectTexts(campaign.spec, emails, environment), ...campaign };
}

function checkRules(
  rules: readonly CampaignRule[],
  campaign: ReadCampaign,
  how: { environment: Environment; rules: RuleSwitches },
): LintFinding[] {
  const switches = { ...how.rules, ...campaign.lint };
  return rules.flatMap((rule) =>
    weighed(rule, switches, () => placed(campaign, rule.check(campaign, how.environment))),
  );
}

/** The campaigns with the findings of the rules that compare them. */
export function compareCampaigns(
  checked: readonly CheckedCampaign[],
  environment: Environment,
  { rules = {} }: RuleContext,
): CheckedCampaign[] {
  const campaigns = checked.map(({ campaign }) => campaign);
  const found = RULES.flatMap((rule) =>
    'compare' in rule
      ? [...rule.compare(campaigns, environment)].flatMap(([campaign, flaw]) =>
          weighed(rule, rules, () => placed(campaign, [flaw])).map((finding) => ({ campaign, finding })),
        )
      : [],
  );
  const findings = groupBy(found, ({ campaign }) => campaign);
  return checked.map((one) => {
    const more = findings.get(one.campaign) ?? [];
    return more.length === 0 ? one : { ...one, lint: [...one.lint, ...more.map(({ finding }) => finding)] };
  });
}

type Placed = Omit<Finding, 'code' | 'severity'>;

function placed({ at, file, document }: WrittenCampaign, flaws: Iterable<Flaw>): Placed[] {
  return Array.from(flaws, ({ path, place, message, hint, ...piece }) => ({
    message,
    hint,
    place: place ?? at(path, piece),
    scope: `${file}#${document}`,
  }));
}

function weighed<Code extends string>(
  rule: { code: Code; severity: Rule['severity'] },
  switches: RuleSwitches,
  find: () => Placed[],
): (Finding & { code: Code })[] {
  const { code } = rule;
  const severity = (Object.hasOwn(switches, code) ? switches[code] : undefined) ?? rule.severity;
  return severity === 'off' ? [] : find().map((finding) => ({ code, severity, ...finding }));
}

/** Checks policies only if all sections are valid. A waived violation becomes a remark in the plan. */
function enforce(
  campaign: ReadCampaign,
  environment: Environment,
  policies: readonly Policy[],
): Pick<CheckedCampaign, 'breaches' | 'remarks'> {
  const { waive } = campaign;
  const breaches: (Finding & { code: PolicyCode })[] = [];
  const waivers: PlanProblem[] = [];
  for (const policy of isWhole(campaign) ? policies : []) {
    const { name } = policy;
    const flaws = placed(campaign, policy.check(campaign, environment));
    const reason = policy.waivable && Object.hasOwn(waive, name) ? waive[name] : undefined;
    if (reason === undefined)
      breaches.push(...weighed(policy, {}, () => flaws.map((flaw) => broken(policy, flaw))));
    else if (flaws.length > 0) waivers.push(waived(name, flaws, reason));
  }
  const warnings = breaches.filter(({ severity }) => severity === 'warning');
  return {
    breaches,
    remarks: [...warnings.map(({ place: _, scope: __, ...problem }) => problem), ...waivers],
  };
}

function broken(
  { name, reason, environments, waivable }: Policy,
  { message, hint, ...where }: Placed,
): Placed {
  const only = environments === null ? '' : ` (${environments.join(', ')})`;
  const why = reason === null || /[.!?…]\s*$/.test(reason) ? reason : `${reason}.`;
  const parts = [
    hint,
    ...(why === null ? [] : [`Why: ${why}`]),
    ...(waivable ? [`Or waive the policy here, with a reason: waive: { ${name}: … }`] : []),
  ];
  return { message: `Policy ${name}${only}: ${message}`, hint: parts.join(' '), ...where };
}

function waived(name: string, flaws: readonly Placed[], reason: string): PlanProblem {
  const [first, ...others] = flaws;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return {
    code: 'policy-waived',
    severity: 'warning',
    message: `Policy ${name} is waived: ${first?.message.replace(/\.$/, '')}${more}. Why: ${reason}`,
    hint: 'Remove the waiver from the manifest when it is no longer needed.',
  };
}

export function switchViolations(switches: Json | undefined): Violation[] {
  const known = RULES.map(({ code }) => code);
  return Object.keys(isObject(switches) ? switches : {})
    .filter((code) => !known.some((rule) => rule === code))
    .map((code) => ({
      code: 'unknown-key',
      ...unknownRule(code, known),
      path: ['lint', code],
      target: 'key',
    }));
}

function unknownRule(code: string, known: readonly string[]): Pick<Violation, 'message' | 'hint'> {
  if (CONTRACT_CODES.some((contract) => contract === code))
    return { message: `${code} is not a lint rule: it is always an error.`, hint: 'Remove the key.' };
  const hint = didYouMean(nearest(code, known)) ?? `Choose one of: ${listed(known, known.length)}.`;
  return { message: `There is no lint rule named ${quoted(code)}.`, hint };
}

function isWhole({ invalid }: WrittenCampaign): boolean {
  return [...invalid].every((section) => section === 'waive');
}

function badWaivers(campaign: WrittenCampaign, policies: readonly Policy[]): Finding[] {
  const { waive, at } = campaign;
  const names = policies.map(({ name }) => name);
  const known = [...new Set([...names, ...RECOMMENDED_CODES])];
  return Object.keys(isWhole(campaign) ? waive : {}).flatMap((name) => {
    const place = at(['waive', name], { target: 'key' });
    if (!known.includes(name)) {
      const all =
        names.length === 0 ? 'The project file has no policies.' : `Choose one of: ${listed(names)}.`;
      const message = `There is no policy named ${quoted(name)}.`;
      const hint = didYouMean(nearest(name, known)) ?? all;
      return [errorAt(place, { code: 'unknown-policy', message, hint })];
    }
    const policy = policies.find((candidate) => candidate.name === name);
    if (policy?.waivable !== false) return [];
    const reason = policy.reason === null ? '' : ` Why: ${policy.reason}`;
    const message = `Policy ${name} cannot be waived: the project file forbids it.`;
    return [errorAt(place, { code: 'policy-not-waivable', message, hint: `Remove the waiver.${reason}` })];
  });
}

/**
 * `written`: all campaigns, including invalid ones, with the positions of their values. `lint`: findings for the valid
 * ones, for a plan.
 */
interface CheckedCampaigns {
  campaigns: Campaign[];
  lint: LintFinding[][];
  written: WrittenCampaign[];
  findings: SourceFinding[];
}

interface Checker {
  add(document: ManifestDocument, readFile: ReadFile): void;
  finish(): CheckedCampaigns;
}

/** `campaigns` and `lint` omit invalid campaigns; `written` does not. `rules` applies to the linter, but not to policies. */
export function createChecker(environment: Environment, how: RuleContext): Checker {
  const alone: CheckedCampaign[] = [];
  const unresolved: SourceFinding[] = [];
  return {
    add(document, readFile) {
      const { campaign, texts, isValid, findings } = resolve(document, environment, readFile);
      unresolved.push(...findings);
      if (texts !== null) unresolved.push(...checkTexts(texts, environment, how));
      if (campaign === null) return;
      unresolved.push(...tokenFindings(campaign.spec as unknown as Json, campaign.at, how.tokens ?? []));
      alone.push(checkCampaign({ campaign, isValid, hasTexts: texts === null }, environment, how));
    },
    finish() {
      const checked = compareCampaigns(alone, environment, how);
      const written = checked.map(({ campaign }) => campaign);
      const valid = checked.filter(({ isValid }) => isValid);
      return {
        campaigns: valid.map(({ campaign, remarks }) => {
          const { manifest, file, document, spec } = campaign;
          return { manifest, file, document, spec, remarks };
        }),
        // The plan itself checks the capacity.
        lint: valid.map(({ lint }) =>
          lint.filter(({ severity, code }) => severity === 'warning' && code !== 'caps-above-capacity'),
        ),
        written,
        findings: [
          ...unresolved,
          ...findContradictions(written),
          ...checked.flatMap(({ misused, lint, breaches }) => [...misused, ...lint, ...breaches]),
        ],
      };
    },
  };
}

export function checkCampaigns(
  documents: readonly ManifestDocument[],
  environment: Environment,
  { readFile, ...how }: RuleContext & { readFile: ReadFile },
): CheckedCampaigns {
  const checker = createChecker(environment, how);
  for (const document of documents) checker.add(document, readFile);
  return checker.finish();
}
