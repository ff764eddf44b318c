import { setTimeout as wait } from 'node:timers/promises';
import { applyPlan, type Survey, survey } from '../../apply/index.js';
import type { Hazard } from '../../model/environment.js';
import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import type { Plan } from '../../model/plan.js';
import { refusals } from '../../plan/index.js';
import {
  renderApplyText,
  renderJson,
  renderPlanText,
  renderRequestsText,
  visibleLine,
} from '../../report/index.js';
import { openReader, openWriter } from '../../service/index.js';
import type { PlanningFlags } from '../flags.js';
import { openProgress } from '../progress.js';
import { type Connection, connect, openSession, type Session } from '../session.js';
import type { Shell } from '../shell.js';
import { isPending } from './plan.js';

export interface ApplyFlags extends PlanningFlags {
  allow: Hazard[];
  dryRun: boolean;
  yes: boolean;
}

/** Plans, asks, sends, reads back. With --dry-run it holds a reader only and shows the requests instead. */
export async function apply(flags: ApplyFlags, shell: Shell): Promise<ExitCode> {
  const session = await openSession(flags, shell);
  const connection = await connect(session, flags.debug, shell);
  try {
    return await (flags.dryRun
      ? rehearse(flags, shell, session, connection)
      : carryOut(flags, shell, session, connection));
  } finally {
    await connection.close();
  }
}

/** Every request in order, none sent. What would refuse an apply is said on stderr. */
async function rehearse(
  flags: ApplyFlags,
  shell: Shell,
  session: Session,
  { service, environment }: Connection,
): Promise<ExitCode> {
  const reader = openReader(service);
  try {
    const { plan } = await look(flags, session, { environment, reader });
    shell.out(flags.format === 'json' ? renderJson(requestsOf(plan)) : renderRequestsText(plan));
    const { requests, blocked } = plan.summary;
    shell.err(`Dry run: ${requests} ${requests === 1 ? 'request' : 'requests'}, none sent.\n`);
    if (blocked > 0) shell.err(`${blocked} with blocked changes: campaignctl plan shows them.\n`);
    for (const { hazard } of refusals(plan, accepted(flags, session))) {
      shell.err(`apply would be refused: --allow ${hazard} is missing.\n`);
    }
    return EXIT.ok;
  } finally {
    await reader.close();
  }
}

function requestsOf({ environment, campaigns }: Plan) {
  const requests = campaigns.flatMap(({ name, steps }) =>
    steps.map(({ method, path, body }) => ({ campaign: name, method, path, body })),
  );
  return { version: 1, environment, requests };
}

async function carryOut(
  flags: ApplyFlags,
  shell: Shell,
  session: Session,
  { service, environment }: Connection,
): Promise<ExitCode> {
  const writer = openWriter(service);
  try {
    const made = await look(flags, session, { environment, reader: writer });
    const { plan } = made;
    const show = flags.format === 'json' ? shell.err : shell.out;
    if (flags.format === 'text' || plan.summary.requests > 0) {
      show(renderPlanText(plan, flags.format === 'json' ? shell.onErr : shell.onOut));
    }
    if (plan.summary.requests > 0) {
      refuseHazards(plan, accepted(flags, session));
      await confirm(plan, flags, shell);
    }
    const sure =
      flags.yes || plan.summary.requests === 0
        ? made
        : await unchanged(plan, () => look(flags, session, { environment, reader: writer }));
    return await send(sure, { flags, shell, session, service: writer });
  } finally {
    await writer.close();
  }
}

async function look(
  flags: ApplyFlags,
  { campaigns, store }: Session,
  {
    environment,
    reader,
  }: Pick<Connection, 'environment'> & { reader: Parameters<typeof survey>[0]['reader'] },
): Promise<Survey> {
  const records = await store.readAll();
  return survey({
    environment,
    campaigns,
    targets: flags.target,
    records,
    reader,
    holdLaunch: flags.hold.includes('launch'),
  });
}

function accepted(flags: ApplyFlags, { environment }: Session): Hazard[] {
  return [...environment.allow, ...flags.allow];
}

function refuseHazards(plan: Plan, allowed: readonly Hazard[]): void {
  const [first, ...others] = refusals(plan, allowed).map(({ hazard, problem, names }) => ({
    code: hazard,
    severity: 'error' as const,
    message:
      names.length > 1
        ? `${names.length} campaigns: ${problem.message}`
        : `${names[0] === undefined ? '' : `${visibleLine(names[0])}: `}${problem.message}`,
    hint: problem.hint,
  }));
  if (first === undefined) return;
  throw new Failure(first, { exitCode: EXIT.refused, others });
}

async function confirm(plan: Plan, flags: ApplyFlags, shell: Shell): Promise<void> {
  if (flags.yes) return;
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
async function unchanged(shown: Plan, lookAgain: () => Promise<Survey>): Promise<Survey> {
  const again = await lookAgain();
  if (again.plan.fingerprint === shown.fingerprint) return again;
  throw new Failure(
    {
      code: 'plan-stale',
      message:
        'The service or the manifests changed while you were looking at the plan, so nothing was sent.',
      hint: 'Run apply again and look at the new plan.',
    },
    { exitCode: EXIT.refused },
  );
}

async function send(
  made: Survey,
  {
    flags,
    shell,
    session,
    service,
  }: { flags: ApplyFlags; shell: Shell; session: Session; service: ReturnType<typeof openWriter> },
): Promise<ExitCode> {
  let interrupted = false;
  shell.onInterrupt(() => {
    interrupted = true;
    shell.err('\nStopping: requests in flight are finished and recorded. Once more stops at once.\n');
  });
  const progress = openProgress(made.plan, shell);
  const result = await applyPlan(made, {
    service,
    store: session.store,
    parallelism: session.environment.limits.parallelism,
    now: Date.now,
    sleep: wait,
    emit: progress.note,
    stopping: () => interrupted,
  });
  progress.close();
  if (flags.format === 'json') shell.out(renderJson(result));
  else if (isPending(made.plan)) shell.out(`\n${renderApplyText(result, shell.onOut)}`);
  if (interrupted) return EXIT.interrupted;
  return result.result === 'done' ? EXIT.ok : EXIT.incomplete;
}
