import { type Refresh, refresh } from '../../apply/index.js';
import type { Environment } from '../../model/environment.js';
import type { RunEvent } from '../../model/event.js';
import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import type { Plan } from '../../model/plan.js';
import { driftOf, savePlan } from '../../plan/index.js';
import { openReader, type Reader } from '../../service/index.js';
import { applyAtWork } from '../at-work.js';
import { openEvents } from '../events.js';
import type { OutputFlags, PlanningFlags } from '../flags.js';
import { watchInterrupts } from '../interrupt.js';
import { showPlan } from '../outputs.js';
import { pause } from '../pause.js';
import { writePlanFile } from '../plan-file.js';
import { describeRun } from '../run-head.js';
import { connect, openSession, type Session } from '../session.js';
import type { Shell } from '../shell.js';

export interface PlanFlags extends PlanningFlags, OutputFlags {
  detailedExitcode: boolean;
  /** Where to save the plan. */
  out: string | null;
  /** Show only what was changed in the service. */
  drift: boolean;
}

/** Shows what apply would do. Holds a reader only: there is no way to write from here. */
export async function plan(flags: PlanFlags, shell: Shell): Promise<ExitCode> {
  refuseDriftToSave(flags);
  const session = await openSession(flags, shell);
  const events = openEvents(flags.events, shell);
  const { environment, service, close } = await connect(session, flags.debug, shell);
  try {
    const reader = openReader(service);
    try {
      const interrupt = watchInterrupts(shell);
      const { signal } = interrupt;
      const made = await interrupt.guard(refreshProject(session, { environment, reader }, { shell, signal }));
      events.note(plannedEvent(made.plan));
      if (flags.out !== null) await save(made, flags.out, { session, shell });
      const shown = flags.drift ? driftOf(made.plan) : made.plan;
      await showPlan(shown, flags, shell);
      return flags.detailedExitcode && isPending(shown) ? EXIT.pending : EXIT.ok;
    } finally {
      await reader.close();
    }
  } finally {
    events.close();
    await close();
  }
}

function refuseDriftToSave({ drift, out }: PlanFlags): void {
  if (!drift || out === null) return;
  throw new Failure({
    code: 'usage',
    message: '--drift only shows what was changed in the service; there is nothing to save with --out.',
    hint: 'Leave one of the two out.',
  });
}

export function plannedEvent({ environment, fingerprint, summary }: Plan): RunEvent {
  return { type: 'planned', environment, fingerprint, summary };
}

/** Reads the service and what is remembered of it, and plans. */
export async function refreshProject(
  { campaigns, store, selection, folder }: Session,
  { environment, reader }: { environment: Environment; reader: Reader },
  { shell, signal }: { shell: Shell; signal: AbortSignal },
): Promise<Refresh> {
  const [entries, left] = await Promise.all([store.readAll(), store.pending()]);
  const pending = isAtWork(folder, shell) ? [] : left;
  const { target: targets, hold } = selection;
  return refresh({
    environment,
    campaigns,
    targets,
    entries,
    pending,
    reader,
    holdLaunch: hold.includes('launch'),
    today: shell.now(),
    now: Date.now,
    async wait(milliseconds) {
      const seconds = Math.ceil(milliseconds / 1000);
      shell.err(
        `An earlier run ended before it had read back what it sent: waiting ${seconds} s until that would show.\n`,
      );
      await pause(milliseconds, signal);
    },
  });
}

/** Another apply at work settles by itself what is open: nothing of it is in doubt, and it is told that it is there. */
function isAtWork(folder: string, shell: Shell): boolean {
  const holder = applyAtWork(folder);
  if (holder === null) return false;
  shell.err(
    `! Another apply is at work (${holder}): what it sends is not in this plan. Plan again when it is done.\n`,
  );
  return true;
}

async function save(
  made: Refresh,
  file: string,
  { session, shell }: { session: Session; shell: Shell },
): Promise<void> {
  const { project, selection, sources } = session;
  const environment = project.environments[session.environment.name] ?? session.environment;
  const { at, who, commit, tool } = await describeRun(project.root, shell);
  await writePlanFile(
    file,
    savePlan(made, { selection, sources, environment }, { at, who, commit, tool }),
    shell,
  );
  shell.err(`Saved the plan in ${file}: campaignctl apply --plan ${file}\n`);
}

/** Live does not match the manifests, whether or not it can be made to. */
export function isPending(plan: Plan): boolean {
  return plan.campaigns.some(({ action }) => action !== 'none');
}
