import type { LintSubject } from '../../manifest/resolve.js';
import type { Environment } from '../../model/environment.js';
import type { Finding, Problem } from '../../model/problem.js';
import { emailsOf } from '../lint/email.js';
import type { Remark } from '../lint/rule.js';
import type { ReadCampaign } from './check.js';
import { CHECKS } from './checks.js';
import { linksInHtml, linksInText } from './links-in.js';
import type { Policy } from './policies.js';
import { readHtml, readText } from './readable.js';
import { type Waiver, waived, waiverFindings } from './waivers.js';

/**
 * Policies: what a project asks of its campaigns, as it declares it itself. It promises a finding with code, place and reason for
 * each thing that breaks a policy, in proportion to what is written, and that nothing is waived silently. It must not read files,
 * look up lines, or guess what a service does where a manifest is silent.
 */

/** What policies say of one campaign: `findings` of its manifest, and `remarks` that its plan has to show. */
export interface Enforced {
  findings: Finding[];
  remarks: Problem[];
  waivers: Waiver[];
}

/** Holds a campaign against the policies of its environment. What is waived is no finding, but a remark. */
export function enforce(
  subject: LintSubject,
  policies: readonly Policy[],
  { name }: Pick<Environment, 'name'>,
): Enforced {
  const names = Object.keys(subject.waive);
  const strange = names.length === 0 ? [] : waiverFindings(subject, policies);
  const inForce = policies.filter(({ environments }) => environments?.includes(name) ?? true);
  if (inForce.length === 0 && names.length === 0) return { findings: [], remarks: [], waivers: [] };
  const campaign = readCampaign(subject);
  const broken = inForce.map((policy) => ({ policy, breaches: breachesOf(policy, campaign) }));
  const left = broken.filter(({ policy }) => !(policy.waivable && names.includes(policy.name)));
  const excused = broken.filter((one) => !left.includes(one) && one.breaches.length > 0);
  const findings = left.flatMap(({ policy, breaches }) =>
    breaches.map((breach) => findingOf(policy, breach)),
  );
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  return {
    findings: [...strange, ...findings],
    remarks: [
      ...warnings.map(({ place: _, ...problem }) => problem),
      ...excused.map(({ policy, breaches }) => waived(policy, breaches, subject.waive[policy.name] ?? '')),
    ],
    waivers: names.map((waiver) => ({
      name: waiver,
      place: subject.at(['waive', waiver], { target: 'key' }),
      used: excused.some(({ policy }) => policy.name === waiver),
    })),
  };
}

function readCampaign(subject: LintSubject): ReadCampaign {
  const isText = subject.spec.settings?.plain_text === true;
  const emails = emailsOf(subject.spec).map((email) => ({
    ...email,
    links: (isText ? linksInText : linksInHtml)(email.body.value),
    read: {
      subject: readText(email.subject.value),
      body: (isText ? readText : readHtml)(email.body.value),
    },
  }));
  return { subject, emails };
}

function breachesOf({ config }: Policy, campaign: ReadCampaign): Remark[] {
  return CHECKS.flatMap((check) => check.breaches(config, campaign));
}

function sentence(text: string): string {
  return /[.!?…]\s*$/.test(text) ? text : `${text}.`;
}

function findingOf(policy: Policy, { message, hint, place }: Remark): Finding {
  const { code, severity, name, reason, environments, waivable } = policy;
  const where = environments === null ? '' : ` (${environments.join(', ')})`;
  const parts = [
    hint,
    ...(reason === null ? [] : [`Why: ${sentence(reason)}`]),
    ...(waivable ? [`Or waive it here, and say why: waive: { ${name}: … }`] : []),
  ];
  return { code, severity, message: `Policy ${name}${where}: ${message}`, hint: parts.join(' '), place };
}
