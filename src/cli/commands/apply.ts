import { applyPlan, type Refresh } from '../../apply/index.js';
import type { Hazard } from '../../model/environment.js';
import type { RunEvent } from '../../model/event.js';
import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import type { ApplyResult } from '../../model/outcome.js';
import type { Plan } from '../../model/plan.js';
import type { Problem } from '../../model/problem.js';
import { refusals, refuseOtherLive, type SavedPlan } from '../../plan/index.js';
import { openReader, openWriter, type Reader, type Writer } from '../../service/index.js';
import {
  renderApplyText,
  renderJson,
  renderPlanText,
  renderRequestsText,
  visibleLine,
} from '../../view/index.js';
import { type Events, openEvents } from '../events.js';
import type { PlanningFlags } from '../flags.js';
import { type Interrupt, watchInterrupts } from '../interrupt.js';
import { withLock } from '../lock.js';
import { pause } from '../pause.js';
import { readPlanFile } from '../plan-file.js';
import { openProgress } from '../progress.js';
import { withoutStage } from '../promotion.js';
import { describeRun } from '../run-head.js';
import { type Connection, connect, openSession, type Session } from '../session.js';
import type { Shell } from '../shell.js';
import { isPending, plannedEvent, refreshProject } from './plan.js';

export interface ApplyFlags extends PlanningFlags {
  format: 'text' | 'json';
  allow: Hazard[];
  /** Where the campaigns have to have been applied before; null: as the project file says. */
  requireApplied: string | null;
  dryRun: boolean;
  yes: boolean;
  /** A plan that was saved, instead of a new one. */
  plan: string | null;
  /** Milliseconds to wait for another apply. */
  lockTimeout: number;
}

/** What every part of an apply needs. */
interface Apply {
  flags: ApplyFlags;
  shell: Shell;
  session: Session;
  saved: SavedPlan | null;
  events: Events;
}

/** Plans or takes a saved plan, asks, sends, reads back. With --dry-run it holds a reader only and shows the requests. */
export async function apply(flags: ApplyFlags, shell: Shell): Promise<ExitCode> {
  const saved = flags.plan === null ? null : readPlanFile(flags.plan, shell);
  const session = await openSession(flags, shell, saved);
  const events = openEvents(flags.events, shell);
  try {
    const run = { flags, shell, session, saved, events };
    return await (flags.dryRun ? rehearse(run) : alone(run));
  } finally {
    events.close();
  }
}

/** Every request in order, none sent. What would refuse an apply is said on stderr. */
async function rehearse(run: Apply): Promise<ExitCode> {
  const { flags, shell, session } = run;
  const connection = await connect(session, flags.debug, shell);
  const reader = openReader(connection.service);
  try {
    const interrupt = watchInterrupts(shell);
    const { signal } = interrupt;
    const made = await interrupt.guard(planned(run, connection, { reader, signal }));
    const { plan } = made;
    shell.out(flags.format === 'json' ? renderJson(requestsOf(plan)) : renderRequestsText(plan));
    const { requests, blocked } = plan.summary;
    shell.err(`Dry run: ${requests} ${requests === 1 ? 'request' : 'requests'}, none sent.\n`);
    if (blocked > 0) shell.err(`${blocked} with blocked changes: campaignctl plan shows them.\n`);
    for (const { code } of refusals(plan, accepted(run))) {
      shell.err(`apply would be refused: --allow ${code} is missing.\n`);
    }
    for (const { message } of await withoutStage(made, session, requiredStage(run)))
      shell.err(`apply would be refused: ${visibleLine(message)}\n`);
    return EXIT.ok;
  } finally {
    await reader.close();
    await connection.close();
  }
}

function requestsOf({ environment, campaigns }: Plan) {
  const requests = campaigns.flatMap(({ name, steps }) =>
    steps.map(({ method, path, body }) => ({ campaign: name, method, path, body })),
  );
  return { version: 1, environment, requests };
}

/** One apply at a time: what a second one plans must see what the first one did. */
async function alone(run: Apply): Promise<ExitCode> {
  const { flags, shell, session } = run;
  const interrupt = watchInterrupts(shell);
  return withLock(session, { timeout: flags.lockTimeout, signal: interrupt.signal }, shell, async () => {
    const connection = await connect(session, flags.debug, shell);
    const service = openWriter(connection.service);
    try {
      return await carryOut(run, { connection, service, interrupt });
    } finally {
      await service.close();
      await connection.close();
    }
  });
}

interface Tools {
  connection: Connection;
  service: Reader & Writer;
  interrupt: Interrupt;
}

async function carryOut(run: Apply, tools: Tools): Promise<ExitCode> {
  const { flags, shell, session } = run;
  const { connection, service, interrupt } = tools;
  const looked = { reader: service, signal: interrupt.signal };
  const made = await interrupt.guard(planned(run, connection, looked));
  const { plan } = made;
  const show = flags.format === 'json' ? shell.err : shell.out;
  if (flags.format === 'text' || plan.summary.requests > 0) {
    show(renderPlanText(plan, flags.format === 'json' ? shell.onErr : shell.onOut));
  }
  refuse(await withoutStage(made, session, requiredStage(run)));
  if (plan.summary.requests === 0) return send(made, run, tools);
  refuseHazards(plan, accepted(run));
  if (flags.yes) return send(made, run, tools);
  await interrupt.guard(confirm(plan, shell, interrupt.signal));
  const again = await interrupt.guard(planned(run, connection, looked));
  if (again.plan.fingerprint !== plan.fingerprint) throw changedMeanwhile();
  return send(again, run, tools);
}

/** The plan of this moment; a saved plan has to be the same, or is refused. */
async function planned(
  { shell, session, saved, events }: Apply,
  { environment }: Connection,
  { reader, signal }: { reader: Reader; signal: AbortSignal },
) {
  const made = await refreshProject(session, { environment, reader }, { shell, signal });
  if (saved !== null) refuseOtherLive(saved, made);
  events.note(plannedEvent(made.plan));
  return made;
}

function accepted({ flags, session }: Apply): Hazard[] {
  return [...session.environment.allow, ...flags.allow];
}

function requiredStage({ flags, session }: Apply): string | null {
  return flags.requireApplied ?? session.environment.require_applied;
}

function refuse([first, ...others]: readonly Problem[]): void {
  if (first !== undefined) throw new Failure(first, { exitCode: EXIT.refused, others });
}

/** So many campaigns of which the same is said are named, the rest counted. */
const MOST_NAMED = 20;

/** Every campaign's own message: what is accepted for one of them is accepted for all. */
function refuseHazards(plan: Plan, allowed: readonly Hazard[]): void {
  const problems = refusals(plan, allowed).flatMap(({ code, sayings }) =>
    sayings.map(({ message, hint, campaigns }) => {
      const names = campaigns.slice(0, MOST_NAMED).map(({ name }) => visibleLine(name));
      const more = campaigns.length - names.length;
      const whom = [...names, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
      return { code, severity: 'error' as const, message: `${whom}${whom && ': '}${message}`, hint };
    }),
  );
  refuse(problems);
}

async function confirm(plan: Plan, shell: Shell, signal: AbortSignal): Promise<void> {
  if (shell.ask === null) {
    throw new Failure(
      {
        code: 'not-confirmed',
        message: 'Nobody can be asked here whether to apply, so nothing was sent.',
        hint: 'Look at the plan above, then run apply with --yes.',
      },
      { exitCode: EXIT.refused },
    );
  }
  const { requests } = plan.summary;
  const answer = await shell.ask(
    `\nSend ${requests === 1 ? 'this request' : `these ${requests} requests`} to ${plan.environment}? Only "yes" sends: `,
    signal,
  );
  if (answer.trim() === 'yes') return;
  throw new Failure(
    {
      code: 'not-confirmed',
      message: 'Not confirmed, so nothing was sent.',
      hint: 'Only the answer "yes" sends.',
    },
    { exitCode: EXIT.refused },
  );
}

/** While somebody was asked, the service may have changed: what was shown is what is sent, or nothing is. */
function changedMeanwhile(): Failure {
  return new Failure(
    {
      code: 'plan-stale',
      message: 'The service changed while you were looking at the plan, so nothing was sent.',
      hint: 'Run apply again and look at the new plan.',
    },
    { exitCode: EXIT.refused },
  );
}

async function send(
  made: Refresh,
  { flags, shell, session, events }: Apply,
  { service, interrupt }: Tools,
): Promise<ExitCode> {
  const { signal } = interrupt;
  const stop = () =>
    shell.err('\nStopping: requests in flight are finished and recorded. Once more stops at once.\n');
  const head = await interrupt.guard(describeRun(session.project.root, shell));
  signal.addEventListener('abort', stop, { once: true });
  const progress = openProgress(made.plan, shell);
  const result = await applyPlan(made, head, {
    service,
    store: session.store,
    parallelism: session.environment.limits.parallelism,
    now: Date.now,
    sleep: (milliseconds) => pause(milliseconds, signal),
    emit(event) {
      progress.note(event);
      events.note(event);
    },
    stopping: () => signal.aborted,
    stop: signal,
  });
  progress.close();
  events.note(appliedEvent(result));
  signal.removeEventListener('abort', stop);
  if (flags.format === 'json') shell.out(renderJson(result));
  else if (isPending(made.plan)) shell.out(`\n${renderApplyText(result, shell.onOut)}`);
  if (signal.aborted) return EXIT.interrupted;
  return result.result === 'done' ? EXIT.ok : EXIT.incomplete;
}

function appliedEvent({ environment, fingerprint, result, summary }: ApplyResult): RunEvent {
  return { type: 'applied', environment, fingerprint, result, summary };
}
