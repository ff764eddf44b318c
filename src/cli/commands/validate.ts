import { posix } from 'node:path';
import { asYaml } from '../../manifest/as-yaml.js';
import { CODES } from '../../manifest/errors.js';
import { EXIT, type ExitCode, Failure, inFiles } from '../../model/failure.js';
import type { LocatedFinding } from '../../model/outputs.js';
import type { Findings } from '../../model/reports.js';
import { listed } from '../../model/words.js';
import { type UncheckedVariables, validateProject, withManifestFindings } from '../../operations/validate.js';
import { version } from '../../operations/world.js';
import { type OpenManifests, openManifests } from '../../project/open-manifests.js';
import { type Project, readProject } from '../../project/project.js';
import { RULES } from '../../rules/check.js';
import { type Policy, policyTexts } from '../../rules/policies.js';
import { placedCommands } from '../../view/placed.js';
import { findingsSummary, renderFindingsText } from '../../view/problems.js';
import type { ProjectPart } from '../../view/projects.js';
import type { RuleText } from '../../view/reports.js';
import { renderJson, type TextOptions, visibleLine } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import { namesInRepository, slashed } from '../links.js';
import { isRecursive } from '../options.js';
import type { Shell } from '../shell.js';

type ValidateFlags = Flags<'validate'>;

/** Paths are relative to `folder`. */
interface CheckedFiles {
  folder: string;
  policies: readonly Policy[];
  files: readonly string[];
  findings: readonly LocatedFinding[];
}

export async function run(flags: ValidateFlags, shell: Shell): Promise<ExitCode> {
  if (isRecursive(flags, shell)) return validateAll(flags, shell);
  const opened = openManifests(await openProject(flags, shell));
  const { code, result, checked, unchecked } = await validateOne(opened, flags, shell);
  await showToPipeline(checked, flags.format, shell);
  if (flags.format === 'json') shell.out(renderJson(result));
  if (flags.format === 'text' || flags.format === 'github') shell.out(resultText(result, shell.onOut));
  if (flags.format === 'text' && code === EXIT.ok && unchecked !== null)
    shell.err(`${visibleLine(uncheckedNote(unchecked, opened.project.file))}\n`);
  return code;
}

function uncheckedNote({ names, sections }: UncheckedVariables, file: string): string {
  const line = `custom_variables: ${asYaml(names)}`;
  return `Variables are not checked, because ${file} lists none under ${listed(sections)}. To check them, list those of the workspace there, for example ${line}.`;
}

async function validateOne(
  opened: OpenManifests,
  flags: ValidateFlags,
  shell: Shell,
): Promise<{
  code: ExitCode;
  result: Findings;
  checked: CheckedFiles;
  unchecked: UncheckedVariables | null;
}> {
  const { project } = opened;
  const { findings, manifests, files, unchecked } = await validateProject(opened, flags, shell);
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const summary = { manifests, errors, warnings: findings.length - errors };
  return {
    code: errors > 0 ? EXIT.error : EXIT.ok,
    result: { version: 1, summary, findings },
    checked: { folder: project.root, policies: project.policies, files, findings },
    unchecked,
  };
}

function resultText({ findings, summary }: Findings, options: TextOptions): string {
  return `${renderFindingsText(findings, options)}${findingsSummary(findings, summary.manifests)}\n`;
}

async function validateAll(flags: ValidateFlags, shell: Shell): Promise<ExitCode> {
  const { chooseProjects, inProjects, showProjects } = await import('../projects.js');
  const chosen = await chooseProjects(flags, shell, { whole: true });
  const reports: CheckedFiles[] = [];
  const runs = await inProjects(chosen, flags, shell, async ({ unit, ...inUnit }) => {
    const { code, result, checked } = await validateOne(unit.manifests, inUnit.flags, inUnit.shell);
    const named = (file: string) => posix.join(unit.project, slashed(file));
    const report = renamed(checked, named);
    reports.push(report);
    return { code, result: { ...result, findings: [...report.findings] } };
  });
  const unread = runs.flatMap(({ project, failure }) => {
    if (failure === null) return [];
    const { code, message, hint } = failure;
    const place = {
      file: posix.join(project, 'campaignctl.yaml'),
      line: 1,
      column: 1,
      length: 1,
      excerpt: '',
    };
    const unlocated: LocatedFinding = { code, message, hint, severity: 'error', ...place };
    return failure.findings.length > 0 ? failure.findings : [unlocated];
  });
  const all = {
    folder: shell.cwd,
    policies: reports.flatMap(({ policies }) => policies),
    files: reports.flatMap(({ files }) => files).sort(),
    findings: unique([...unread, ...reports.flatMap(({ findings }) => findings)]),
  };
  await showToPipeline(all, flags.format, shell);
  const views = {
    done: 'valid',
    totals: (results: readonly Findings[]) => {
      const manifests = results.reduce((sum, { summary }) => sum + summary.manifests, 0);
      const findings = results.flatMap((result) => result.findings);
      return findingsSummary(findings, manifests);
    },
    isOpen: ({ findings }: Findings) => findings.length > 0,
    text: ({ project, result }: ProjectPart<Findings>, options: TextOptions) =>
      result === null || result.findings.length === 0
        ? ''
        : placedCommands(resultText(result, options), project),
  };
  const isSilent = flags.format === 'sarif' || flags.format === 'junit';
  return showProjects(runs, flags.format, views, isSilent ? { ...shell, out: () => {} } : shell);
}

/** Several projects may have the same finding in a file that they share. */
function unique(findings: readonly LocatedFinding[]): LocatedFinding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}

async function openProject({ config, format, files }: ValidateFlags, shell: Shell): Promise<Project> {
  try {
    return await readProject({ cwd: shell.cwd, config, env: shell.env });
  } catch (error) {
    if (!(error instanceof Failure) || error.findings.length === 0) throw error;
    const failure = await withManifestFindings(error, { config, files }, shell);
    const { findings } = failure;
    await showToPipeline({ folder: shell.cwd, policies: [], files: [], findings }, format, shell);
    throw failure;
  }
}

async function showToPipeline(
  checked: CheckedFiles,
  format: ValidateFlags['format'],
  shell: Shell,
): Promise<void> {
  if (format === 'text' || format === 'json') return;
  const { files, findings, policies } = renamed(checked, namesInRepository(checked.folder));
  const { renderFindingsGithub, renderFindingsJunit, renderFindingsSarif } = await import(
    '../../view/reports.js'
  );
  if (format === 'github') shell.annotate(renderFindingsGithub(findings));
  else if (format === 'junit') shell.out(renderFindingsJunit(findings, files));
  else shell.out(renderFindingsSarif(findings, { rules: ruleTexts(policies), version }));
}

function renamed(checked: CheckedFiles, nameOf: (file: string) => string): CheckedFiles {
  const findings = checked.findings.map((finding) => inFiles(finding, nameOf));
  return { ...checked, files: checked.files.map(nameOf), findings };
}

function ruleTexts(policies: readonly Policy[]): RuleText[] {
  const rules = RULES.map(({ code, severity, summary }): RuleText => {
    const help = `To turn off this rule, write lint: { ${code}: off } in campaignctl.yaml. See docs/rules.md in the campaignctl repository.`;
    return { code, severity, summary, help };
  });
  const errors = Object.entries(CODES).map(([code, summary]): RuleText => {
    return { code, summary, severity: 'error', help: 'See docs/errors.md in the campaignctl repository.' };
  });
  return [...rules, ...policyTexts(policies), ...errors];
}
