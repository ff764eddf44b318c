import type { ManifestDocument } from '../manifest/documents.js';
import type { SourceFinding } from '../manifest/errors.js';
import type { ReadFile } from '../manifest/files.js';
import { type LintSubject, type RuleSwitch, resolve } from '../manifest/resolve.js';
import { findingOf } from '../manifest/wording.js';
import type { Environment } from '../model/environment.js';
import type { Problem } from '../model/problem.js';
import type { Campaign } from '../model/spec.js';
import { lint, RULES } from './lint/index.js';
import { switchViolations } from './lint/switches.js';
import { enforce } from './policy/index.js';
import type { Policy } from './policy/policies.js';
import type { Waiver } from './policy/waivers.js';

/**
 * The campaigns of one environment, in the order of the documents, what is wrong, and what they waive. `subjects`: the same and
 * those with errors, with the places of their values.
 */
export interface ResolvedCampaigns {
  campaigns: Campaign[];
  subjects: LintSubject[];
  findings: SourceFinding[];
  waivers: Waiver[];
}

/** Documents → campaigns of one environment. A campaign with errors is left out; `rules` switches the linter, not the policies. */
export function resolveCampaigns(
  documents: readonly ManifestDocument[],
  environment: Environment,
  {
    readFile,
    rules,
    policies = [],
  }: {
    readFile: ReadFile;
    rules: Readonly<Record<string, RuleSwitch>>;
    policies?: readonly Policy[];
  },
): ResolvedCampaigns {
  const resolved = documents.map((document) => resolve(document, environment, readFile));
  const subjects = resolved.flatMap(({ subject }) => (subject === null ? [] : [subject]));
  const held = resolved.flatMap(({ subject, sound, whole }) =>
    subject !== null && whole ? [{ subject, sound, ...enforce(subject, policies, environment) }] : [],
  );
  return {
    campaigns: held
      .filter(({ sound }) => sound)
      .map(({ subject, remarks: told }) => campaignOf(subject, told)),
    subjects,
    findings: [
      ...resolved.flatMap(({ findings }) => findings),
      ...subjects.flatMap(strangeSwitches),
      ...lint(subjects, environment, rules),
      ...held.flatMap(({ findings }) => findings),
    ],
    waivers: held.flatMap(({ waivers }) => waivers),
  };
}

const LINT_CODES = RULES.map(({ code }) => code);

/** What a manifest switches and there is no rule of that name. */
function strangeSwitches({ lint, at }: LintSubject): SourceFinding[] {
  return switchViolations(lint, LINT_CODES).map((one) => findingOf(at(one.path), one));
}

function campaignOf({ manifest, file, document, spec }: LintSubject, remarks: Problem[]): Campaign {
  return { manifest, file, document, spec, remarks };
}
