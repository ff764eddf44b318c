import { EXIT, type ExitCode } from '../../model/failure.js';
import { readPlanFile } from '../../operations/plan.js';
import { isFolder, plansOf, readPlans } from '../../operations/projects.js';
import type { Flags } from '../commands.js';
import { showPlan, showPlans } from '../outputs.js';
import type { Shell } from '../shell.js';

export async function run(flags: Flags<'show'>, shell: Shell): Promise<ExitCode> {
  if (isFolder(flags.file, shell))
    return showPlans(plansOf(await readPlans(flags.file, shell)), flags, shell);
  const { plan } = await readPlanFile(flags.file, shell);
  await showPlan(plan, flags, shell);
  return EXIT.ok;
}
