import { EXIT, type ExitCode } from '../../model/failure.js';
import { readPlanFile } from '../../operations/plan.js';
import { isFolder, plansOf, readPlans, sourceOf } from '../../operations/plan-set.js';
import type { Flags } from '../commands.js';
import { showPlan, showPlans } from '../outputs.js';
import type { Shell } from '../shell.js';

export async function run(flags: Flags<'show'>, shell: Shell): Promise<ExitCode> {
  if (isFolder(flags.file, shell)) {
    const set = await readPlans(flags.file, shell);
    const source = { file: flags.file, created: sourceOf(set) };
    return showPlans({ runs: plansOf(set), lost: set.lost, source, env: set.env }, flags, shell);
  }
  const { plan, created } = await readPlanFile(flags.file, shell);
  await showPlan(plan, flags, shell, { file: flags.file, created });
  return EXIT.ok;
}
