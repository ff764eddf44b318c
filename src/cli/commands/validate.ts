import { CODES } from '../../manifest/index.js';
import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import type { LocatedFinding } from '../../model/problem.js';
import { loadCampaigns, type Project, readProject, selectEnvironment } from '../../project/index.js';
import { type Policy, policyTexts, RULES } from '../../rules/index.js';
import {
  findingsSummary,
  renderFindingsGithub,
  renderFindingsJunit,
  renderFindingsText,
} from '../../view/findings.js';
import { type RuleText, renderFindingsSarif } from '../../view/sarif.js';
import { renderJson } from '../../view/terminal.js';
import type { CommonFlags } from '../flags.js';
import { namesInRepository } from '../repository.js';
import type { Shell } from '../shell.js';
import { version } from '../version.js';

export interface ValidateFlags extends CommonFlags {
  files: string[];
  /** For people, for programs, or as annotations, code scanning and test report of a pipeline. */
  format: 'text' | 'json' | 'github' | 'sarif' | 'junit';
}

/** Files that were looked at and what is wrong in them, all named relative to `folder`, and the policies of their project. */
interface Checked {
  folder: string;
  policies: readonly Policy[];
  files: readonly string[];
  findings: readonly LocatedFinding[];
}

/** Checks manifests without a service: for one environment if it is named, else for all. */
export async function validate(flags: ValidateFlags, shell: Shell): Promise<ExitCode> {
  const project = projectOf(flags, shell);
  const named = flags.env ?? (shell.env.CAMPAIGNCTL_ENV || null);
  const environments =
    named === null ? Object.values(project.environments) : [selectEnvironment(project, named)];
  const { findings, manifests, sources } = await loadCampaigns(project, {
    environments,
    files: flags.files,
    cwd: shell.cwd,
  });
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const { root: folder, policies } = project;
  showToPipeline({ folder, policies, files: Object.keys(sources), findings }, flags.format, shell);
  if (flags.format === 'json') {
    const summary = { manifests, errors, warnings: findings.length - errors };
    shell.out(renderJson({ version: 1, summary, findings }));
  }
  if (flags.format === 'text' || flags.format === 'github') {
    shell.out(renderFindingsText(findings, shell.onOut));
    shell.out(`${findingsSummary(findings, manifests)}\n`);
  }
  return errors > 0 ? EXIT.error : EXIT.ok;
}

/** The project. What is wrong in its file is shown to a pipeline too, before it stops the command. */
function projectOf({ config, format }: ValidateFlags, shell: Shell): Project {
  try {
    return readProject({ cwd: shell.cwd, config });
  } catch (error) {
    if (error instanceof Failure && error.findings.length > 0)
      showToPipeline({ folder: shell.cwd, policies: [], files: [], findings: error.findings }, format, shell);
    throw error;
  }
}

function showToPipeline(
  { folder, policies, ...found }: Checked,
  format: ValidateFlags['format'],
  shell: Shell,
): void {
  if (format === 'text' || format === 'json') return;
  const named = namesInRepository(folder);
  const files = found.files.map(named);
  const findings = found.findings.map((finding) => ({ ...finding, file: named(finding.file) }));
  if (format === 'github') shell.annotate(renderFindingsGithub(findings));
  else if (format === 'sarif')
    shell.out(renderFindingsSarif(findings, { rules: ruleTexts(policies), version }));
  else shell.out(renderFindingsJunit(findings, files));
}

/** All that `validate` can find, in the order of docs/rules.md, the policies and the catalogue of errors. */
function ruleTexts(policies: readonly Policy[]): RuleText[] {
  const rules = RULES.map(({ code, severity, summary }) => ({ code, severity, summary, switchable: true }));
  const asked = policyTexts(policies).map((policy) => ({ ...policy, switchable: false }));
  const errors = Object.entries(CODES).map(
    ([code, summary]): RuleText => ({ code, summary, severity: 'error', switchable: false }),
  );
  return [...rules, ...asked, ...errors];
}
