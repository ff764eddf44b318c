import type { ManifestDocument } from '../manifest/documents.js';
import { didYouMean, errorAt, quoted, type SourceFinding } from '../manifest/errors.js';
import type { ReadFile } from '../manifest/files.js';
import { nearest } from '../manifest/nearest.js';
import { type RuleSwitch, resolve, type WrittenCampaign } from '../manifest/resolve.js';
import type { Violation } from '../manifest/violation.js';
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
import { bodyFormOf, collectEmails, collectTexts } from './emails.js';
import { LINK_RULES } from './link-targets.js';
import { PASTED_RULES } from './pasted.js';
import { type Policy, RECOMMENDED_CODES } from './policies.js';
import { type CampaignRule, type Flaw, isInForce, type ParsedCampaign, type Rule } from './rule.js';
import { SCHEDULE_RULES } from './schedule.js';
import { SEQUENCE_RULES } from './sequence.js';
import { SETTINGS_RULES } from './settings.js';
import { templateOf, wordedAsWritten } from './templates.js';
import { TEXT_RULES } from './text.js';
import { tokenFindings } from './tokens.js';

/** They need no more than the texts, so that they also apply to a campaign with errors. */
const RULES_FOR_TEXTS: readonly CampaignRule[] = [
  ...COPY_RULES,
  ...TEXT_RULES,
  ...PASTED_RULES,
  ...LINK_RULES,
];

/** All built-in rules, in the order of `docs/rules.md`. */
export const RULES: readonly Rule[] = [
  ...COPY_RULES,
  ...SEQUENCE_RULES,
  ...TEXT_RULES,
  ...PASTED_RULES,
  ...LINK_RULES,
  ...SETTINGS_RULES,
  ...SCHEDULE_RULES,
  ...CAMPAIGN_RULES,
];

const RULES_FOR_ONE = RULES.filter((rule): rule is CampaignRule => 'check' in rule);

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

/** `texts`: what can be read of the texts of a campaign with errors in them; `null` if it has none. */
export function checkCampaign(
  {
    campaign,
    texts,
    isValid,
  }: Pick<CheckedCampaign, 'campaign' | 'isValid'> & { texts: WrittenCampaign | null },
  environment: Environment,
  { rules = {}, policies = [] }: RuleContext,
): CheckedCampaign {
  const inForce = policies.filter((policy) => isInForce(policy, environment.name));
  const parsed = parseTexts(campaign, environment);
  const legible = texts === null ? parsed : parseTexts(texts, environment);
  const lint = RULES_FOR_ONE.flatMap((rule) =>
    checkRule(rule, RULES_FOR_TEXTS.includes(rule) ? legible : parsed, { environment, rules }),
  );
  const unknown = switchViolations(campaign.lint, RULES_FOR_ONE).map((violation) =>
    errorAt(campaign.at(violation.path, { target: 'key' }), violation),
  );
  return {
    campaign,
    isValid,
    lint,
    misused: [...unknown, ...badWaivers(campaign, policies)],
    ...enforce(parsed, environment, inForce),
  };
}

/** The findings of a campaign without a valid name. */
function checkTexts(texts: WrittenCampaign, environment: Environment, { rules = {} }: RuleContext) {
  const parsed = parseTexts(texts, environment);
  return RULES_FOR_TEXTS.flatMap((rule) => checkRule(rule, parsed, { environment, rules }));
}

/** With the texts of the file, so that what a hint proposes can be written there: with expressions, not with the values of one entry. */
function inTemplate(
  campaign: ParsedCampaign,
  environment: Environment,
  check: (campaign: ParsedCampaign) => Iterable<Flaw>,
): Flaw[] {
  const flaws = [...check(campaign)];
  if (!flaws.some(({ path }) => campaign.valuesAt(path) !== null)) return flaws;
  return wordedAsWritten(flaws, campaign, [...check(parseTexts(templateOf(campaign), environment))]);
}

/** The parsed emails are not kept, because they would use too much memory. */
function parseTexts(campaign: WrittenCampaign, environment: Environment): ParsedCampaign {
  const bodyForm = bodyFormOf(campaign);
  const emails = collectEmails(campaign.spec, { bodyForm, environment });
  return { ...campaign, bodyForm, emails, texts: collectTexts(campaign.spec, emails, environment) };
}

function checkRule(
  rule: CampaignRule,
  campaign: ParsedCampaign,
  { environment, rules }: { environment: Environment; rules: RuleSwitches },
): LintFinding[] {
  const switches = { ...rules, ...campaign.lint };
  return withSeverity(rule, switches, () =>
    placed(
      campaign,
      inTemplate(campaign, environment, (each) => rule.check(each, environment)),
    ),
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
          withSeverity(rule, rules, () => placed(campaign, [flaw])).map((finding) => ({ campaign, finding })),
        )
      : [],
  );
  const findings = groupBy(found, ({ campaign }) => campaign);
  return checked.map((each) => {
    const more = findings.get(each.campaign) ?? [];
    return more.length === 0
      ? each
      : { ...each, lint: [...each.lint, ...more.map(({ finding }) => finding)] };
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

function withSeverity<Code extends string>(
  rule: { code: Code; severity: Rule['severity'] },
  switches: RuleSwitches,
  find: () => Placed[],
): (Finding & { code: Code })[] {
  const { code } = rule;
  const severity = (Object.hasOwn(switches, code) ? switches[code] : undefined) ?? rule.severity;
  return severity === 'off' ? [] : find().map((finding) => ({ code, severity, ...finding }));
}

/** A waived violation becomes a remark in the plan. */
function enforce(
  campaign: ParsedCampaign,
  environment: Environment,
  policies: readonly Policy[],
): Pick<CheckedCampaign, 'breaches' | 'remarks'> {
  const { waive } = campaign;
  const breaches: (Finding & { code: PolicyCode })[] = [];
  const waivers: PlanProblem[] = [];
  for (const policy of hasValidSections(campaign) ? policies : []) {
    const { name } = policy;
    const flaws = placed(campaign, policy.check(campaign, environment));
    const reason = policy.waivable && Object.hasOwn(waive, name) ? waive[name] : undefined;
    if (reason === undefined)
      breaches.push(...withSeverity(policy, {}, () => flaws.map((flaw) => ofPolicy(policy, flaw))));
    else if (flaws.length > 0) waivers.push(waived(name, flaws, reason));
  }
  const warnings = breaches.filter(({ severity }) => severity === 'warning');
  return {
    breaches,
    remarks: [...warnings.map(({ place: _, scope: __, ...problem }) => problem), ...waivers],
  };
}

/** A flaw in the words of the policy that it breaks. */
function ofPolicy(
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

export function switchViolations(switches: Json | undefined, rules: readonly Rule[] = RULES): Violation[] {
  const known = rules.map(({ code }) => code);
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
  if (RULES.some((rule) => rule.code === code))
    return {
      message: `A manifest cannot switch ${code}, because it compares campaigns.`,
      hint: 'Remove the key, or write it under lint in the project file, for all campaigns.',
    };
  const hint = didYouMean(nearest(code, known)) ?? `Choose one of: ${listed(known, known.length)}.`;
  return { message: `There is no lint rule named ${quoted(code)}.`, hint };
}

/** Policies and waivers are checked only if all other sections are valid. */
function hasValidSections({ invalid }: WrittenCampaign): boolean {
  return [...invalid].every((section) => section === 'waive');
}

function badWaivers(campaign: WrittenCampaign, policies: readonly Policy[]): Finding[] {
  const { waive, at } = campaign;
  const names = policies.map(({ name }) => name);
  const known = [...new Set([...names, ...RECOMMENDED_CODES])];
  return Object.keys(hasValidSections(campaign) ? waive : {}).flatMap((name) => {
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
 * `campaigns`: the valid ones. `lint`: their findings, for a plan. `written`: all campaigns, including invalid ones, with
 * the positions of their values.
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

/** `rules` of the context applies to the linter, but not to policies. */
export function createChecker(environment: Environment, context: RuleContext): Checker {
  const checked: CheckedCampaign[] = [];
  const findings: SourceFinding[] = [];
  return {
    add(document, readFile) {
      const resolved = resolve(document, environment, readFile);
      const { campaign, texts, isValid } = resolved;
      findings.push(...resolved.findings);
      if (campaign === null) {
        if (texts !== null) findings.push(...checkTexts(texts, environment, context));
        return;
      }
      const written = { ...campaign.spec, waive: campaign.waive } as unknown as Json;
      findings.push(...tokenFindings(written, campaign.at, context.tokens ?? []));
      checked.push(checkCampaign({ campaign, texts, isValid }, environment, context));
    },
    finish() {
      const compared = compareCampaigns(checked, environment, context);
      const written = compared.map(({ campaign }) => campaign);
      const valid = compared.filter(({ isValid }) => isValid);
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
          ...findings,
          ...findContradictions(written),
          ...compared.flatMap(({ misused, lint, breaches }) => [...misused, ...lint, ...breaches]),
        ],
      };
    },
  };
}

export function checkCampaigns(
  documents: readonly ManifestDocument[],
  environment: Environment,
  { readFile, ...context }: RuleContext & { readFile: ReadFile },
): CheckedCampaigns {
  const checker = createChecker(environment, context);
  for (const document of documents) checker.add(document, readFile);
  return checker.finish();
}
