import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import { withReader } from '../../operations/connect.js';
import { savePlanAs } from '../../operations/plan-file.js';
import { isPending, refreshProject } from '../../operations/run.js';
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

/** Shows what apply would do. Holds a reader only: there is no way to write from here. */
async function plan(flags: PlanFlags, shell: Shell): Promise<ExitCode> {
  if (flags.drift && flags.out !== null) {
    throw usage(
      '--drift shows drift only, so there is no plan to save with --out.',
      'Leave one of the two out.',
    );
  }
  const session = await openSession(flags, shell);
  const events = openEvents(flags.events, shell);
  try {
    return await withReader(session, async (reader) => {
      const { guard, signal } = watchInterrupts(shell);
      const made = await guard(refreshProject(session, reader, signal));
      events.note(plannedEvent(made.plan));
      if (flags.out !== null) {
        await savePlanAs(flags.out, made, session);
        shell.err(`Saved the plan to ${flags.out}. Apply it with campaignctl apply --plan ${flags.out}.\n`);
      }
      const shown = flags.drift ? driftOf(made.plan, made.renamed) : made.plan;
      await showPlan(shown, flags, shell);
      return flags.detailedExitcode && isPending(shown) ? EXIT.pending : EXIT.ok;
    });
  } finally {
    events.close();
  }
}
