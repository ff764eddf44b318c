import { type Survey, survey } from '../../apply/index.js';
import type { Environment } from '../../model/environment.js';
import type { RunEvent } from '../../model/event.js';
import { EXIT, type ExitCode } from '../../model/failure.js';
import type { Plan } from '../../model/plan.js';
import { savePlan } from '../../plan/index.js';
import { openReader, type Reader } from '../../service/index.js';
import { openEvents } from '../events.js';
import type { OutputFlags, PlanningFlags } from '../flags.js';
import { showPlan } from '../outputs.js';
import { writePlanFile } from '../plan-file.js';
import { describeRun } from '../run-head.js';
import { connect, openSession, type Session } from '../session.js';
import type { Shell } from '../shell.js';

export interface PlanFlags extends PlanningFlags, OutputFlags {
  detailedExitcode: boolean;
  /** Where to save the plan. */
  out: string | null;
}

/** Shows what apply would do. Holds a reader only: there is no way to write from here. */
export async function plan(flags: PlanFlags, shell: Shell): Promise<ExitCode> {
  const session = await openSession(flags, shell);
  const events = openEvents(flags.events, shell);
  const { environment, service, close } = await connect(session, flags.debug, shell);
  try {
    const reader = openReader(service);
    try {
      const made = await look(session, { environment, reader, now: shell.now() });
      events.note(plannedEvent(made.plan));
      if (flags.out !== null) await save(made, flags.out, { session, shell });
      showPlan(made.plan, flags, shell);
      return flags.detailedExitcode && isPending(made.plan) ? EXIT.pending : EXIT.ok;
    } finally {
      await reader.close();
    }
  } finally {
    events.close();
    await close();
  }
}

export function plannedEvent({ environment, fingerprint, summary }: Plan): RunEvent {
  return { type: 'planned', environment, fingerprint, summary };
}

/** Reads the service and what is remembered of it, and plans. */
export async function look(
  { campaigns, store, selection }: Session,
  { environment, reader, now }: { environment: Environment; reader: Reader; now: number },
): Promise<Survey> {
  const [records, trails] = await Promise.all([store.readAll(), store.trails()]);
  const { target: targets, hold } = selection;
  const holdLaunch = hold.includes('launch');
  return survey({ environment, campaigns, targets, records, trails, reader, holdLaunch, now });
}

async function save(
  made: Survey,
  file: string,
  { session, shell }: { session: Session; shell: Shell },
): Promise<void> {
  const { project, selection, sources } = session;
  const environment = project.environments[session.environment.name] ?? session.environment;
  const { at, who, commit, tool } = await describeRun(project.root, shell);
  writePlanFile(file, savePlan(made, { selection, sources, environment }, { at, who, commit, tool }), shell);
  shell.err(`Saved the plan in ${file}: campaignctl apply --plan ${file}\n`);
}

/** Live does not match the manifests, whether or not it can be made to. */
export function isPending(plan: Plan): boolean {
  return plan.campaigns.some(({ action }) => action !== 'none');
}
