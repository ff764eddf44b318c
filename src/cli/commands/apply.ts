import { applyPlan, type Refresh } from '../../apply/index.js';
import { HAZARD_NAMES, type Hazard } from '../../model/environment.js';
import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import type { ApplyResult, Plan } from '../../model/outputs.js';
import type { Problem } from '../../model/problem.js';
import { refusals, refuseOtherLive, type SavedPlan } from '../../plan/index.js';
import type { Reader, Writer } from '../../service/index.js';
import {
  renderApplyText,
  renderJson,
  renderPlanText,
  renderRequestsText,
  visibleLine,
} from '../../view/index.js';
import {
  choices,
  defineCommand,
  events,
  type Flags,
  files,
  flag,
  format,
  hold,
  lockTimeout,
  parallelism,
  target,
  text,
  usage,
  yes,
} from '../options.js';
import { readPlanFile } from '../outputs.js';
import {
  describeRun,
  type Events,
  isPending,
  openEvents,
  openProgress,
  plannedEvent,
  refreshProject,
  withLock,
} from '../run.js';
import { openSession, type Session, withoutStage, withReader, withWriter } from '../session.js';
import { confirm, type Interrupt, pause, type Shell, watchInterrupts } from '../shell.js';

const positionals = { files };
const options = {
  format,
  target,
  hold,
  parallelism,
  events,
  plan: text('Apply this saved plan, if nothing has changed since'),
  lockTimeout,
  allow: choices(HAZARD_NAMES, 'Accept this hazard; repeatable'),
  requireApplied: text('Apply only what this environment has already, with the same content'),
  dryRun: flag('Print every request in order and send none'),
  yes,
};
type ApplyFlags = Flags<typeof positionals & typeof options>;

export const command = defineCommand({
  positionals,
  options,
  examples: [
    ['campaignctl apply', 'plan, ask, send'],
    ['campaignctl apply --dry-run', 'every request, none sent'],
    ['campaignctl apply --yes --allow launch', 'in a pipeline, launches included'],
    ['campaignctl apply --yes --hold launch', 'everything but the launches'],
    [
      'campaignctl apply --env production --require-applied staging --yes',
      'what staging has already, and nothing else',
    ],
    ['campaignctl apply --plan plan.json --yes', 'exactly what was reviewed, or nothing'],
  ],
  run: apply,
});

/** What every part of an apply needs. */
interface Apply {
  flags: ApplyFlags;
  shell: Shell;
  session: Session;
  saved: SavedPlan | null;
  events: Events;
  interrupt: Interrupt;
}

/** Plans or takes a saved plan, asks, sends, reads back. With --dry-run it holds a reader only and shows the requests. */
async function apply(flags: ApplyFlags, shell: Shell): Promise<ExitCode> {
  refuseSelection(flags);
  const saved = flags.plan === null ? null : await readPlanFile(flags.plan, shell);
  const session = await openSession(flags, shell, saved);
  const events = openEvents(flags.events, shell);
  const interrupt = watchInterrupts(shell);
  const run = { flags, shell, session, saved, events, interrupt };
  try {
    if (flags.dryRun) return await withReader(session, (reader) => rehearse(run, reader));
    // One apply at a time: what a second one plans must see what the first one did.
    const waiting = { seconds: flags.lockTimeout, signal: interrupt.signal };
    return await withLock(session, waiting, () => withWriter(session, (service) => carryOut(run, service)));
  } finally {
    events.close();
  }
}

/** What a saved plan is of was said when it was made. */
function refuseSelection({ plan, files, target, hold }: ApplyFlags): void {
  const more = [...files, ...target.map(() => '--target'), ...hold.map(() => '--hold')];
  if (plan === null || more.length === 0) return;
  throw usage(
    `--plan applies the saved plan as it is; it does not go with ${more.join(', ')}.`,
    'Select campaigns and hold launches when you save the plan.',
  );
}

/** Every request in order, none sent. What would refuse an apply is said on stderr. */
async function rehearse(run: Apply, reader: Reader): Promise<ExitCode> {
  const { flags, shell, session } = run;
  const made = await planned(run, reader);
  const { plan } = made;
  shell.out(flags.format === 'json' ? renderJson(requestsOf(plan)) : renderRequestsText(plan));
  const { requests, blocked } = plan.summary;
  shell.err(`Dry run: ${requests} ${requests === 1 ? 'request' : 'requests'}, none sent.\n`);
  if (blocked > 0) shell.err(`${blocked} with blocked changes: campaignctl plan shows them.\n`);
  for (const { code } of refusals(plan, accepted(run)))
    shell.err(`apply would refuse this: --allow ${code} is missing.\n`);
  for (const { message } of await withoutStage(made, session, requiredStage(run)))
    shell.err(`apply would refuse this: ${visibleLine(message)}\n`);
  return EXIT.ok;
}

function requestsOf({ environment, campaigns }: Plan) {
  const requests = campaigns.flatMap(({ name, steps }) =>
    steps.map(({ method, path, body }) => ({ campaign: name, method, path, body })),
  );
  return { version: 1, environment, requests };
}

/** Shows, refuses, asks, sends: the order in which the promises hold. */
async function carryOut(run: Apply, service: Reader & Writer): Promise<ExitCode> {
  const { flags, session } = run;
  const made = await planned(run, service);
  show(made.plan, run);
  refuse(await withoutStage(made, session, requiredStage(run)));
  if (made.plan.summary.requests === 0) return send(made, run, service);
  refuse(hazards(made.plan, accepted(run)));
  return send(flags.yes ? made : await confirmed(made, run, service), run, service);
}

/** The plan of this moment; a saved plan has to be the same, or is refused. */
async function planned({ session, saved, events, interrupt }: Apply, reader: Reader): Promise<Refresh> {
  const { guard, signal } = interrupt;
  const made = await guard(refreshProject(session, reader, signal));
  if (saved !== null) refuseOtherLive(saved, made);
  events.note(plannedEvent(made.plan));
  return made;
}

function show(plan: Plan, { flags, shell }: Apply): void {
  if (flags.format === 'text') shell.out(renderPlanText(plan, shell.onOut));
  else if (plan.summary.requests > 0) shell.err(renderPlanText(plan, shell.onErr));
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
function hazards(plan: Plan, allowed: readonly Hazard[]): Problem[] {
  return refusals(plan, allowed).flatMap(({ code, sayings }) =>
    sayings.map(({ message, hint, campaigns }) => {
      const names = campaigns.slice(0, MOST_NAMED).map(({ name }) => visibleLine(name));
      const more = campaigns.length - names.length;
      const whom = [...names, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
      return { code, severity: 'error' as const, message: `${whom}${whom && ': '}${message}`, hint };
    }),
  );
}

/** The plan of the moment after the answer. The service may have changed meanwhile: what was shown is sent, or nothing is. */
async function confirmed({ plan }: Refresh, run: Apply, reader: Reader): Promise<Refresh> {
  const { shell, interrupt } = run;
  const { requests } = plan.summary;
  const what = requests === 1 ? 'this request' : `these ${requests} requests`;
  const question = `\nSend ${what} to ${plan.environment}? Only "yes" sends: `;
  const asked = { signal: interrupt.signal, kept: 'nothing was sent' };
  await interrupt.guard(confirm(shell, question, asked));
  const again = await planned(run, reader);
  if (again.plan.fingerprint === plan.fingerprint) return again;
  throw new Failure(
    {
      code: 'plan-stale',
      message: 'The service changed while you were looking at the plan, so nothing was sent.',
      hint: 'Run apply again and review the new plan.',
    },
    { exitCode: EXIT.refused },
  );
}

async function send(made: Refresh, run: Apply, service: Reader & Writer): Promise<ExitCode> {
  const { shell, session, events, interrupt } = run;
  const { signal } = interrupt;
  const stop = () =>
    shell.err(
      '\nStopping: campaignctl finishes and records the requests in flight. Press Ctrl-C again to stop at once.\n',
    );
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
  signal.removeEventListener('abort', stop);
  return tell(result, made.plan, run);
}

function tell(result: ApplyResult, plan: Plan, { flags, shell, events, interrupt }: Apply): ExitCode {
  const { environment, fingerprint, summary } = result;
  events.note({ type: 'applied', environment, fingerprint, result: result.result, summary });
  if (flags.format === 'json') shell.out(renderJson(result));
  else if (isPending(plan)) shell.out(`\n${renderApplyText(result, shell.onOut)}`);
  if (interrupt.signal.aborted) return EXIT.interrupted;
  return result.result === 'done' ? EXIT.ok : EXIT.incomplete;
}
