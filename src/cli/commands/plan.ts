import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import { planProject } from '../../operations/plan.js';
import { isPending } from '../../operations/run.js';
import { openSession } from '../../operations/session.js';
import { driftOf } from '../../plan/index.js';
import {
  defineCommand,
  detailedExitcode,
  events,
  type Flags,
  files,
  flag,
  hold,
  parallelism,
  planOutputs,
  target,
  text,
} from '../options.js';
import { showPlan } from '../outputs.js';
import { openEvents, plannedEvent } from '../progress.js';
import { type Shell, watchInterrupts } from '../shell.js';

const positionals = { files };
const options = {
  ...planOutputs,
  target,
  hold,
  parallelism,
  events,
  out: text('Save the plan to this file, for apply --plan'),
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
    ['campaignctl plan --out plan.json', 'review it, then campaignctl apply --plan plan.json'],
    ['campaignctl plan --drift --detailed-exitcode', 'for a nightly check: exit code 2 means drift'],
  ],
  run: plan,
});

/** Shows what apply would do. */
async function plan(flags: PlanFlags, shell: Shell): Promise<ExitCode> {
  const { drift, out } = flags;
  if (drift && out !== null) {
    throw usage(
      '--drift shows drift only, so there is no plan to save with --out.',
      'Leave one of the two out.',
    );
  }
  const session = await openSession(flags, shell);
  const events = openEvents(flags.events, shell);
  try {
    const made = await planProject(session, out, watchInterrupts(shell));
    events.note(plannedEvent(made.plan));
    if (out !== null) shell.err(`Saved the plan to ${out}. Apply it with campaignctl apply --plan ${out}.\n`);
    const shown = drift ? driftOf(made.plan, made.renamed) : made.plan;
    await showPlan(shown, flags, shell);
    return flags.detailedExitcode && isPending(shown) ? EXIT.pending : EXIT.ok;
  } finally {
    events.close();
  }
}
