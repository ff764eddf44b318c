import type { Environment } from '../model/environment.js';
import type { Campaign } from '../model/spec.js';
import type { ReadFile } from './file-text.js';
import type { SourceFinding } from './finding.js';
import { lint } from './lint/index.js';
import type { LintSubject } from './lint/rule.js';
import { type ManifestDocument, resolve } from './resolve.js';

/** How a project weighs a rule of the linter. */
export type RuleSwitch = 'off' | 'warning' | 'error';

/** The campaigns of one environment, in the order of the documents, and what is wrong. */
export interface ResolvedCampaigns {
  campaigns: Campaign[];
  findings: SourceFinding[];
}

/** Documents → campaigns of one environment. A campaign with errors is left out; `rules` switches the linter. */
export function resolveCampaigns(
  documents: readonly ManifestDocument[],
  environment: Environment,
  { readFile, rules }: { readFile: ReadFile; rules: Readonly<Record<string, RuleSwitch>> },
): ResolvedCampaigns {
  const resolved = documents.map((document) => resolve(document, environment, readFile));
  const subjects = resolved.flatMap(({ subject }) => (subject === null ? [] : [subject]));
  const remarks = lint(subjects, environment).flatMap((finding): SourceFinding[] => {
    const weight = Object.hasOwn(rules, finding.code) ? rules[finding.code] : undefined;
    if (weight === 'off') return [];
    return [weight === undefined ? finding : { ...finding, severity: weight }];
  });
  return {
    campaigns: resolved.flatMap(({ subject, sound }) =>
      subject !== null && sound ? [campaignOf(subject)] : [],
    ),
    findings: [...resolved.flatMap(({ findings }) => findings), ...remarks],
  };
}

function campaignOf({ manifest, file, document, spec }: LintSubject): Campaign {
  return { manifest, file, document, spec };
}
