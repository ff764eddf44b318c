import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import { compareProject } from '../../operations/validate.js';
import { readProject } from '../../project/project.js';
import { renderCompareText } from '../../view/compare.js';
import type { Flags } from '../commands.js';
import type { Shell } from '../shell.js';

export async function run(flags: Flags<'compare'>, shell: Shell): Promise<ExitCode> {
  if (flags.env !== null)
    throw usage(
      'compare takes its two environments as arguments, not with --env.',
      'For example: campaignctl compare staging production.',
    );
  const project = await readProject({ cwd: shell.cwd, config: flags.config, env: shell.env });
  const comparison = await compareProject(project, flags, shell);
  shell.out(renderCompareText(comparison, shell.onOut));
  return EXIT.ok;
}
