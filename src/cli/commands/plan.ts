import { resolve } from 'node:path';
import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import type { Plan } from '../../model/outputs.js';
import { planProject } from '../../operations/plan.js';
import { isPending } from '../../operations/run.js';
import { openSession } from '../../operations/session.js';
import { askedEnvironment } from '../../operations/world.js';
import { driftOf } from '../../plan/index.js';
import {
  defineCommand,
  detailedExitcode,
  events,
  type Flags,
  files,
  flag,
  hold,
  isRecursive,
  parallelism,
  planOutputs,
  projects,
  refresh,
  target,
  text,
} from '../options.js';
import { refusePage, showPlan, showPlans } from '../outputs.js';
import { openEvents, plannedEvent } from '../progress.js';
import { type Shell, watchInterrupts } from '../shell.js';

const positionals = { files };
const options = {
  ...planOutputs,
  ...projects,
  target,
  hold,
  refresh,
  parallelism,
  events,
  out: text('Save the plan to this file, with --recursive the plans to this folder, for apply --plan'),
  drift: flag('Show only drift: what changed outside campaignctl since the last apply'),
  detailedExitcode: detailedExitcode('changes are pending'),
};
type PlanFlags = Flags<typeof positionals & typeof options>;

export const command = defineCommand({
  positionals,
  options,
  examples: [
    ['campaignctl plan --env production', 'against the live service'],
    ['campaignctl plan --target "Spring installers"', 'one campaign'],
    ['campaignctl plan --output markdown=plan.md', 'for a comment on the pull request as well'],
    ['campaignctl plan --refresh changed', 'on a pull request: reads only campaigns that may have changed'],
    ['campaignctl plan --out plan.json', 'review it, then campaignctl apply --plan plan.json'],
    ['campaignctl plan --drift --detailed-exitcode', 'for a nightly check: exit code 2 means drift'],
  ],
  run: plan,
});

/** Shows what apply would do. */
async function plan(flags: PlanFlags, shell: Shell): Promise<ExitCode> {
  const { drift, out, refresh } = flags;
  if (drift && refresh === 'changed')
    throw usage(
      '--drift looks for what changed outside campaignctl, and --refresh changed leaves campaigns unread in which such a change may not show.',
      'Leave one of the two out. Nothing was read.',
    );
  if (drift && out !== null) {
    throw usage(
      '--drift shows drift only, so there is no plan to save with --out.',
      'Leave one of the two out.',
    );
  }
  if (isRecursive(flags)) return planAll(flags, shell);
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

/** The plans of several projects in one report. */
async function planAll(flags: PlanFlags, shell: Shell): Promise<ExitCode> {
  refusePage(flags);
  const { inProjects, chooseProjects } = await import('../projects.js');
  const { beginPlans, planFileOf, saveFailures } = await import('../../operations/plan-sets.js');
  const { out } = flags;
  const chosen = await chooseProjects(flags, shell);
  if (out !== null) await beginPlans(out, { ...chosen, env: askedEnvironment(flags, shell) }, shell);
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
