import { EXIT, type ExitCode } from '../../model/failure.js';
import { loadCampaigns, readProject, selectEnvironment } from '../../project/index.js';
import { findingsSummary, renderFindingsText } from '../../report/findings-text.js';
import { renderJson } from '../../report/json.js';
import type { CommonFlags } from '../flags.js';
import type { Shell } from '../shell.js';

export interface ValidateFlags extends CommonFlags {
  files: string[];
  format: 'text' | 'json';
}

/** Checks manifests without a service: for one environment if it is named, else for all. */
export async function validate(flags: ValidateFlags, shell: Shell): Promise<ExitCode> {
  const project = readProject({ cwd: shell.cwd, config: flags.config });
  const named = flags.env ?? shell.env.CAMPAIGNCTL_ENV ?? null;
  const environments =
    named === null ? Object.values(project.environments) : [selectEnvironment(project, named)];
  const { findings, manifests } = await loadCampaigns(project, {
    environments,
    files: flags.files,
    cwd: shell.cwd,
  });
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (flags.format === 'json') {
    const summary = { manifests, errors, warnings: findings.length - errors };
    shell.out(renderJson({ version: 1, summary, findings }));
  } else {
    shell.out(renderFindingsText(findings, shell.onOut));
    shell.out(`${findingsSummary(findings, manifests)}\n`);
  }
  return errors > 0 ? EXIT.error : EXIT.ok;
}
