import { posix } from 'node:path';
import { CODES } from '../../manifest/errors.js';
import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import type { Findings, LocatedFinding } from '../../model/outputs.js';
import { validateProject } from '../../operations/validate.js';
import { version } from '../../operations/version.js';
import { type Project, readProject } from '../../project/project.js';
import { RULES } from '../../rules/check.js';
import { type Policy, policyTexts } from '../../rules/policies.js';
import { findingsSummary, renderFindingsText } from '../../view/problems.js';
import type { RuleText } from '../../view/reports.js';
import { renderJson, type TextOptions } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import { namesInRepository, slashed } from '../links.js';
import { isRecursive } from '../options.js';
import type { Shell } from '../shell.js';

type ValidateFlags = Flags<'validate'>;

/** Checked files and findings, named relative to `folder`. */
interface CheckedFiles {
  folder: string;
  policies: readonly Policy[];
  files: readonly string[];
  findings: readonly LocatedFinding[];
}

/** For one environment, or for all. */
export async function run(flags: ValidateFlags, shell: Shell): Promise<ExitCode> {
  if (isRecursive(flags, shell)) return validateAll(flags, shell);
  const project = await projectOf(flags, shell);
  const { findings, manifests, files } = await validateProject(project, flags, shell);
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const { root: folder, policies } = project;
  await showToPipeline({ folder, policies, files, findings }, flags.format, shell);
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

/** All projects in one report. */
async function validateAll(flags: ValidateFlags, shell: Shell): Promise<ExitCode> {
  const { chooseProjects, inProjects, showProjects } = await import('../projects.js');
  const chosen = await chooseProjects(flags, shell, { whole: true });
  const checked: CheckedFiles[] = [];
  const runs = await inProjects(chosen, flags, shell, async (one) => {
    const project = await readProject({ cwd: one.shell.cwd, config: null });
    const { findings, manifests, files } = await validateProject(project, one.flags, one.shell);
    const errors = findings.filter(({ severity }) => severity === 'error').length;
    const named = (file: string) => posix.join(one.unit.project, slashed(file));
    checked.push({
      folder: shell.cwd,
      policies: project.policies,
      files: files.map(named),
      findings: findings.map((finding) => ({ ...finding, file: named(finding.file) })),
    });
    const summary = { manifests, errors, warnings: findings.length - errors };
    return { code: errors > 0 ? EXIT.error : EXIT.ok, result: { version: 1 as const, summary, findings } };
  });
  const unread = runs.flatMap(({ project, failure }) => {
    if (failure === null) return [];
    const { code, message, hint, findings } = failure;
    const whole = { code, message, hint, severity: 'error' as const, file: 'campaignctl.yaml' };
    const found = findings.length > 0 ? findings : [{ ...whole, line: 1, column: 1, length: 1, excerpt: '' }];
    return found.map((finding) => ({ ...finding, file: posix.join(project, finding.file) }));
  });
  const all = {
    folder: shell.cwd,
    policies: checked.flatMap(({ policies }) => policies),
    files: checked.flatMap(({ files }) => files).sort(),
    findings: [...unread, ...checked.flatMap(({ findings }) => findings)],
  };
  await showToPipeline(all, flags.format, shell);
  const views = {
    done: 'valid',
    totals: (results: readonly Findings[]) => {
      const manifests = results.reduce((sum, { summary }) => sum + summary.manifests, 0);
      return findingsSummary(
        results.flatMap(({ findings }) => findings),
        manifests,
      );
    },
    text: ({ result }: { result: Findings | null }, text: TextOptions) =>
      result === null
        ? ''
        : `${renderFindingsText(result.findings, text)}${findingsSummary(result.findings, result.summary.manifests)}\n`,
  };
  const isSilent = flags.format === 'sarif' || flags.format === 'junit';
  return showProjects(runs, flags.format, views, isSilent ? { ...shell, out: () => {} } : shell);
}

/** Reports errors of the project file in the requested format. */
async function projectOf({ config, format }: ValidateFlags, shell: Shell): Promise<Project> {
  try {
    return await readProject({ cwd: shell.cwd, config });
  } catch (error) {
    if (error instanceof Failure && error.findings.length > 0)
      await showToPipeline(
        { folder: shell.cwd, policies: [], files: [], findings: error.findings },
        format,
        shell,
      );
    throw error;
  }
}

async function showToPipeline(
  { folder, policies, ...found }: CheckedFiles,
  format: ValidateFlags['format'],
  shell: Shell,
): Promise<void> {
  if (format === 'text' || format === 'json') return;
  const named = namesInRepository(folder);
  const files = found.files.map(named);
  const findings = found.findings.map((finding) => ({ ...finding, file: named(finding.file) }));
  const { renderFindingsGithub, renderFindingsJunit, renderFindingsSarif } = await import(
    '../../view/reports.js'
  );
  if (format === 'github') shell.annotate(renderFindingsGithub(findings));
  else if (format === 'junit') shell.out(renderFindingsJunit(findings, files));
  else shell.out(renderFindingsSarif(findings, { rules: ruleTexts(policies), version }));
}

/** All codes, in the order of the documentation. */
function ruleTexts(policies: readonly Policy[]): RuleText[] {
  const rules = RULES.map(({ code, severity, summary }) => ({ code, severity, summary, switchable: true }));
  const asked = policyTexts(policies).map((policy) => ({ ...policy, switchable: false }));
  const errors = Object.entries(CODES).map(
    ([code, summary]): RuleText => ({ code, summary, severity: 'error', switchable: false }),
  );
  return [...rules, ...asked, ...errors];
}
