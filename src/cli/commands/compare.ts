import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import { compareProject } from '../../operations/compare.js';
import { openManifests } from '../../project/open-manifests.js';
import { readProject } from '../../project/project.js';
import { compareDocument, comparesDocument } from '../../view/compare.js';
import { projectsReport } from '../../view/projects.js';
import type { Flags } from '../commands.js';
import { isRecursive } from '../options.js';
import { printDocument } from '../print.js';
import type { Shell } from '../shell.js';

type CompareFlags = Flags<'compare'>;

export async function run(flags: CompareFlags, shell: Shell): Promise<ExitCode> {
  if (flags.env !== null)
    throw usage(
      'compare takes its two environments as arguments, not with --env.',
      'For example: campaignctl compare staging production.',
    );
  if (isRecursive(flags, { env: {} })) return compareAll(flags, shell);
  const project = await readProject({ cwd: shell.cwd, config: flags.config, env: shell.env });
  const comparison = await compareProject(openManifests(project), flags, shell);
  await printDocument({ document: compareDocument(comparison), value: comparison }, flags, shell);
  return EXIT.ok;
}

async function compareAll(flags: CompareFlags, shell: Shell): Promise<ExitCode> {
  const { worstExit } = await import('../../operations/projects.js');
  const { chooseProjects, inProjects } = await import('../projects.js');
  // The two environments are arguments.
  const { CAMPAIGNCTL_ENV: _, ...env } = shell.env;
  const inBoth = { ...shell, env };
  const chosen = await chooseProjects(flags, inBoth, { whole: true });
  const runs = await inProjects(chosen, flags, inBoth, async (project) => {
    const { from, to, files, target } = flags;
    const asked = { from, to, files, target };
    return { code: EXIT.ok, result: await compareProject(project.unit.manifests, asked, project.shell) };
  });
  const worst = worstExit(runs.map(({ exit_code }) => exit_code));
  await printDocument({ document: comparesDocument(runs), value: projectsReport(runs, worst) }, flags, shell);
  return worst;
}
