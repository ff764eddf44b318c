import { survey } from '../../apply/index.js';
import { EXIT, type ExitCode } from '../../model/failure.js';
import type { Plan } from '../../model/plan.js';
import { renderJson, renderPlanText } from '../../report/index.js';
import { openReader } from '../../service/index.js';
import type { PlanningFlags } from '../flags.js';
import { connect, openSession } from '../session.js';
import type { Shell } from '../shell.js';

export interface PlanFlags extends PlanningFlags {
  detailedExitcode: boolean;
}

/** Shows what apply would do. Holds a reader only: there is no way to write from here. */
export async function plan(flags: PlanFlags, shell: Shell): Promise<ExitCode> {
  const session = await openSession(flags, shell);
  const { environment, service, close } = await connect(session, flags.debug, shell);
  try {
    const reader = openReader(service);
    try {
      const records = await session.store.readAll();
      const holdLaunch = flags.hold.includes('launch');
      const made = await survey({
        environment,
        campaigns: session.campaigns,
        targets: flags.target,
        records,
        reader,
        holdLaunch,
      });
      shell.out(flags.format === 'json' ? renderJson(made.plan) : renderPlanText(made.plan, shell.onOut));
      return flags.detailedExitcode && isPending(made.plan) ? EXIT.pending : EXIT.ok;
    } finally {
      await reader.close();
    }
  } finally {
    await close();
  }
}

/** Live does not match the manifests, whether or not it can be made to. */
export function isPending(plan: Plan): boolean {
  return plan.campaigns.some(({ action }) => action !== 'none');
}
