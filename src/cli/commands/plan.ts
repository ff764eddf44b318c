import { resolve } from 'node:path';
import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import type { Plan } from '../../model/outputs.js';
import { planProject } from '../../operations/plan.js';
import { isPending } from '../../operations/run.js';
import { openSession } from '../../operations/session.js';
import { askedEnvironment } from '../../operations/world.js';
import { driftOf } from '../../plan/drift.js';
import type { Flags } from '../commands.js';
import { isRecursive } from '../options.js';
import { showPlan, showPlans } from '../outputs.js';
import { openEvents, plannedEvent } from '../progress.js';
import { type Shell, watchInterrupts } from '../shell.js';

type PlanFlags = Flags<'plan'>;

export async function run(flags: PlanFlags, shell: Shell): Promise<ExitCode> {
  const { drift, refresh } = flags;
  if (drift && refresh === 'changed')
    throw usage(
      '--drift looks for what changed outside campaignctl, and --refresh changed leaves campaigns unread in which such a change may not show.',
      'Leave one of the two out. Nothing was read.',
    );
  if (isRecursive(flags, shell)) return planAll(flags, shell);
  const { code, result } = await planOne(flags, shell);
  await showPlan(result, flags, shell);
  return code;
}

async function planOne(
  flags: PlanFlags,
  shell: Shell,
  { silent = false } = {},
): Promise<{ code: ExitCode; result: Plan }> {
  const { drift, out } = flags;
  const interrupt = watchInterrupts(shell);
  const session = await interrupt.guard(openSession(flags, shell));
  const events = openEvents(flags.events, shell);
  try {
    const made = await planProject(session, out, interrupt);
    events.note(plannedEvent(made.plan));
    if (out !== null && !silent)
      shell.err(`Saved the plan to ${out}. Apply it with campaignctl apply --plan ${out}.\n`);
    const result = drift ? driftOf(made.plan, made.renamed) : made.plan;
    return { code: flags.detailedExitcode && isPending(result) ? EXIT.pending : EXIT.ok, result };
  } finally {
    events.close();
  }
}

async function planAll(flags: PlanFlags, shell: Shell): Promise<ExitCode> {
  const { inProjects, chooseProjects } = await import('../projects.js');
  const { beginPlans, planFileOf, saveFailures } = await import('../../operations/plan-sets.js');
  const { out } = flags;
  const chosen = await chooseProjects(flags, shell);
  if (out !== null)
    await beginPlans(
      out,
      { ...chosen, env: askedEnvironment(flags, shell), recursive: flags.recursive },
      shell,
    );
  const runs = await inProjects(chosen, flags, shell, (one) => {
    const file = out === null ? null : resolve(shell.cwd, out, planFileOf(one.unit));
    return planOne({ ...one.flags, out: file }, one.shell, { silent: true });
  });
  if (out !== null) {
    await saveFailures(out, runs, shell);
    shell.err(`Saved the plans in ${out}. Apply them with campaignctl apply --plan ${out}.\n`);
  }
  return showPlans(runs, flags, shell);
}
