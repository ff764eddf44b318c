import { applyPlan } from '../apply/apply.js';
import type { Allowed } from '../model/approvals.js';
import { visibleLine } from '../model/characters.js';
import { EXIT, Failure, toProblem } from '../model/failure.js';
import { otherCampaigns, type Plan, type Problem } from '../model/outputs.js';
import type { ApplyEvent, ApplyResult } from '../model/reports.js';
import { argumentOf, count, listed } from '../model/words.js';
import { refusals } from '../plan/hazards.js';
import type { Refresh } from '../plan/refresh.js';
import { alreadyApplied, launchesWithMoreLeads, otherLive, type SavedPlan } from '../plan/saved-plan.js';
import { commitsOf } from '../sections/applies.js';
import type { Reader, Writer } from '../service/index.js';
import type { Lease } from '../state/backend.js';
import type { Store } from '../state/store.js';
import { askHistory, type Checkout, readCheckout } from './checkout.js';
import { withReader, withWriter } from './connect.js';
import { describeRun, withLock } from './lock.js';
import type { ProjectPlace } from './place.js';
import { refreshProject } from './plan.js';
import type { Session } from './session.js';
import type { Interrupt } from './world.js';

export interface ApplyRequest {
  session: Session;
  saved: SavedPlan | null;
  allow: readonly Allowed[];
  lockTimeout: number;
}

export interface ApplyListener {
  /** Called once, before the plan may be refused. */
  review(plan: Plan): void;
  /** Rejects to stop the apply; `null` if no confirmation is needed. */
  confirm: ((plan: Plan) => Promise<void>) | null;
  /** Called just before sending starts. From then on, an interrupt only requests a stop. */
  sending(plan: Plan): void;
  emit(event: ApplyEvent): void;
}

export async function rehearseApply(
  request: ApplyRequest,
  interrupt: Interrupt,
): Promise<{ plan: Plan; refused: Problem[] }> {
  return withReader(request.session.place, async (reader) => {
    const { plan } = await planOf(request, { reader, interrupt });
    return { plan, refused: refusedBy(plan) };
  });
}

export async function applyProject(
  request: ApplyRequest,
  listener: ApplyListener,
  interrupt: Interrupt,
): Promise<{ plan: Plan; result: ApplyResult }> {
  const { session, lockTimeout } = request;
  const { place } = session;
  // Asked before the lock and the question, because another commit may be checked out meanwhile.
  const checkout = readCheckout(place, session.files);
  const waiting = { seconds: lockTimeout, signal: interrupt.signal };
  const planAndSend = (lease: Lease) =>
    withWriter(place, lease, async (service) => {
      const around = { reader: service, interrupt };
      const first = await planOf(request, around);
      listener.review(first.plan);
      refuse(first.plan);
      const asks = listener.confirm !== null && first.plan.summary.requests > 0;
      const refresh = asks ? await confirmed(first, request, listener, around) : first;
      return {
        plan: refresh.plan,
        result: await send(refresh, place, listener, {
          ...{ service, store: lease.store, interrupt },
          checkout: await interrupt.guard(checkout),
        }),
      };
    });
  return withLock(place, waiting, planAndSend, ({ plan, result }, failure) => {
    return { plan, result: unkept(result, toProblem(failure)) };
  });
}

function unkept(result: ApplyResult, problem: Problem): ApplyResult {
  const { done, incomplete, ...rest } = result.summary;
  return {
    ...result,
    result: 'incomplete',
    summary: { ...rest, done: 0, created: 0, changed: 0, incomplete: incomplete + done },
    campaigns: result.campaigns.map((campaign) =>
      campaign.result === 'done' ? { ...campaign, result: 'incomplete' } : campaign,
    ),
    problems: [...result.problems, problem],
  };
}

interface Around {
  reader: Reader;
  interrupt: Interrupt;
}

async function planOf(
  { session, saved, allow }: ApplyRequest,
  { reader, interrupt: { guard, signal } }: Around,
): Promise<Refresh> {
  const refresh = await guard(refreshProject(session, reader, signal, { allow }));
  const refusal = saved === null ? null : otherLive(saved, refresh);
  if (saved === null || refusal === null) return refresh;
  const runs = await guard(session.place.store.runs({ limit: MAX_RUNS, prefix: '' }));
  throw alreadyApplied(saved, runs) ?? refusal;
}

/** Number of runs among which one may have applied a saved plan. */
const MAX_RUNS = 100;

/** Names the command that pauses campaigns, because a refused apply pauses none. */
function refuse(plan: Plan): void {
  const [first, ...others] = refusedBy(plan);
  if (first === undefined) return;
  const { campaigns, environment } = plan;
  const paused = [
    ...campaigns.filter(({ steps }) => steps.some(({ stage }) => stage === 'pause')),
    ...otherCampaigns(plan).filter(({ step }) => step !== null),
  ];
  const pause = ` Nothing was paused either. To send this plan's ${count(paused.length, 'pause')} now, run campaignctl pause ${paused.map(argumentOf).join(' ')} --env ${environment}.`;
  const hint = `${first.hint} Nothing was sent.${paused.length === 0 ? '' : pause}`;
  throw new Failure({ ...first, hint }, { exitCode: EXIT.refused, others });
}

const MAX_NAMED = 20;

function refusedBy(plan: Plan): Problem[] {
  if (plan.summary.requests === 0) return [];
  return refusals(plan).flatMap(({ code, messages }) =>
    messages.map(({ message, hint, campaigns }) => {
      const whom = listed(
        campaigns.map(({ name }) => visibleLine(name)),
        MAX_NAMED,
      );
      return { code, severity: 'error' as const, message: `${whom}${whom && ': '}${message}`, hint };
    }),
  );
}

/** Plans again after confirmation. Refuses to apply if the plan differs or would mail more leads. */
async function confirmed(
  { plan }: Refresh,
  request: ApplyRequest,
  listener: ApplyListener,
  around: Around,
): Promise<Refresh> {
  await around.interrupt.guard(listener.confirm?.(plan) ?? Promise.resolve());
  const again = await planOf(request, around);
  refuse(again.plan);
  const grown = launchesWithMoreLeads(plan, again.plan);
  if (again.plan.fingerprint === plan.fingerprint && grown.length === 0) return again;
  throw new Failure(
    {
      code: 'plan-stale',
      message: 'The service or the state changed while you were reviewing the plan, so nothing was sent.',
      hint: 'Run apply again and review the new plan.',
    },
    { exitCode: EXIT.refused, details: grown },
  );
}

interface SendTools {
  service: Reader & Writer;
  store: Store;
  interrupt: Interrupt;
  /** `null` if git cannot say which commit is checked out. */
  checkout: Checkout | null;
}

async function send(
  refresh: Refresh,
  place: ProjectPlace,
  listener: ApplyListener,
  { service, store, interrupt, checkout }: SendTools,
): Promise<ApplyResult> {
  const { environment, world, waits } = place;
  const { signal, guard } = interrupt;
  const { clock } = world;
  const commits = new Set(refresh.works.flatMap(({ target }) => commitsOf(target.recorded)));
  const isAsked = checkout?.isClean === true && commits.size > 0;
  const history = isAsked ? await guard(askHistory(place, commits, checkout.commit)) : null;
  listener.sending(refresh.plan);
  return applyPlan(refresh, describeRun(world, { command: 'apply', checkout }), {
    service,
    store,
    parallelism: environment.limits.parallelism,
    now: clock.now,
    elapsed: clock.elapsed,
    sleep: (milliseconds) => clock.sleep(milliseconds, signal),
    emit: listener.emit,
    waits,
    stopping: () => signal.aborted,
    stop: signal,
    ...(history && { included: history.ancestors }),
  });
}
