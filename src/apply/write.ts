/**
 * Performs one write. A run never sends the same write twice, whatever the outcome.
 *
 *    journal ──── cannot be written ─────────────────────────▶ failed
 *       │
 *       ▼
 *     look ────── not as the plan saw it ────────────────────▶ failed
 *       │  ▲
 *       │  └───── earlier writes are not visible yet: wait, up to a minute after the last one
 *       ▼
 *     send ────── refused (4xx, success: false) ─────────────▶ failed
 *       │ │ └──── was not sent ─────────────────────────────▶ failed, or not_run after an interrupt
 *       │ └────── accepted ──────────────────────────────────▶ done; a launch is watched first
 *       ▼ unknown: lost, timeout, 5xx, unreadable response
 *   reconcile ─── the effect shows within a minute ──────────▶ done
 *       └──────── it does not ───────────────────────────────▶ in_doubt
 *
 * The look comes during the request's turn, so no wait (429, rate limit, connection) comes between the two. After a 429, it
 * reads everything again, because the request may have taken effect. The journal records every outcome immediately. Unknown
 * outcomes are also recorded before they are reconciled, because the run may be killed meanwhile.
 */
import { isNone } from '../model/live.js';
import type { Step } from '../model/outputs.js';
import type { StepResult } from '../model/reports.js';
import type { Stage } from '../model/sections.js';
import { SHOWN_WITHIN } from '../model/state.js';
import type { Target } from '../model/target.js';
import { REFUSED } from '../model/words.js';
import { NO_EFFECT, showsEffect } from '../plan/reconcile.js';
import { recordStep } from '../sections/all.js';
import { sentLeads, totalLeads } from '../sections/leads.js';
import { isVanished } from '../sections/sending.js';
import { withFacts } from '../sections/target.js';
import type { Sent } from '../service/index.js';
import { findCreated, judgeCreation } from './created.js';
import { type EarlierAttempt, leadsBefore, look, type Mismatch } from './look.js';
import { readAgain, whileAwaited } from './readback.js';
import {
  asFailure,
  type Progress,
  type ReadTools,
  type SendingRun,
  type Write,
  type WriteResult,
  withOutcome,
} from './run.js';

/** How to find out whether a request with an unknown outcome took effect; the others are awaited by `awaitEffect`. */
const RECONCILE: Partial<Record<Stage, (sent: WriteResult, write: Write) => Promise<WriteResult>>> = {
  create: findCreated,
  leads: mentionLeads,
  launch: watchLaunch,
};

export async function write(step: Step, progress: Progress, run: SendingRun): Promise<WriteResult> {
  const { now, planned, sentAt } = progress;
  const { journal } = run;
  const about = { manifest: planned.plan.manifest, name: now.spec.name };
  const total_leads = step.section === 'leads' ? leadsBefore(progress) : null;
  try {
    await journal.intend({ ...about, id: now.id, step, total_leads });
  } catch (error) {
    return { result: 'failed', detail: unsent(asFailure(error).message), id: now.id, sentAt };
  }
  const conclude = async (written: WriteResult): Promise<WriteResult> => {
    const { id, result, detail } = written;
    const visible_in = visibleIn(step, written, run.elapsed());
    await journal.conclude({ ...about, step: step.id, id, result, detail, visible_in });
    return written;
  };
  const sent = await checkAndSend({ step, progress, run });
  const isAccepted = sent.result === 'done';
  if (sent.result !== 'in_doubt' && !(isAccepted && step.stage === 'launch')) return conclude(sent);
  const isKnown = isAccepted && assumeLaunched(step, now).status.basis === 'set';
  await conclude({ ...sent, result: isKnown ? 'done' : 'in_doubt' });
  return conclude({ ...(await resolveOutcome(sent, { step, progress, run })), isDoubted: !isAccepted });
}

function visibleIn({ section }: Step, { result, sentAt }: WriteResult, now: number): number | null {
  if (result === 'failed' || result === 'not_run' || section === 'leads') return null;
  return Math.max(0, Math.round(sentAt + SHOWN_WITHIN - now));
}

function unsent(why: string): string {
  return `it was not sent: ${why}`;
}

function unsentAgain(why: string): string {
  return `the service answered with status 429; it was not sent again: ${why}`;
}

/** Loops only while the look refuses because earlier writes are not visible yet, so nothing has been sent. */
async function checkAndSend(write: Write): Promise<WriteResult> {
  const { step, progress, run } = write;
  const { method, path, body } = step;
  const { stop, service, elapsed } = run;
  let sent: Sent = { kind: 'unsent', message: 'the run was interrupted' };
  let isLimited = false;
  let timing: Mismatch['timing'] = null;
  let attempt: EarlierAttempt | null = null;
  let { readAhead } = progress;
  let isRepeated = false;
  const guard = async (reader: ReadTools['service']) => {
    // Only a 429 asks again once the look let the write pass.
    isRepeated ||= attempt !== null;
    const { difference, total } = await look(write, reader, { attempt, readAhead });
    readAhead = null;
    timing = difference?.timing ?? null;
    if (difference === null) attempt = { at: elapsed(), total };
    return difference?.why ?? null;
  };
  const awaited = { campaign: progress.planned.plan.name, what: 'earlier requests' };
  for await (const _ of whileAwaited(progress.sentAt, run, awaited)) {
    timing = null;
    sent = await service.send({ method, path, body }, { stop, guard });
    isLimited ||= sent.kind === 'unsent' && sent.limited === true;
    if (timing !== 'early') break;
  }
  const written = judgeSent(sent, write, { isLimited, isDoubtful: isLimited && timing === 'doubtful' });
  return { ...written, isDoubted: isRepeated };
}

function judgeSent(
  sent: Sent,
  write: Write,
  { isLimited, isDoubtful }: { isLimited: boolean; isDoubtful: boolean },
): WriteResult {
  const { step, progress, run } = write;
  const { id } = progress.now;
  const { elapsed, stopping } = run;
  const written = (result: StepResult, detail: string | null, sentAt = elapsed()): WriteResult => {
    return { result, detail, id, sentAt };
  };
  switch (sent.kind) {
    case 'refused':
      return written('failed', refused(sent, write));
    case 'unsent': {
      const detail = isLimited ? unsentAgain(sent.message) : unsent(sent.message);
      if (isDoubtful) return written('in_doubt', detail);
      return written(stopping() ? 'not_run' : 'failed', detail, progress.sentAt);
    }
    case 'in_doubt':
      return written('in_doubt', sent.message);
    case 'accepted':
      return step.stage === 'create' ? judgeCreation(sent, write) : written('done', null);
  }
}

function refused({ status, message }: Extract<Sent, { kind: 'refused' }>, { step, progress }: Write): string {
  const reason = `${REFUSED} (HTTP ${status}): ${message}`;
  const cause = UNKNOWN_IDS.includes(status) ? unknownList(step, progress) : null;
  return cause === null ? reason : `${reason}. ${cause}`;
}

/** Statuses with which services answer ids that they do not know. */
const UNKNOWN_IDS = [400, 404, 422];

function unknownList(step: Step, { now, planned }: Progress): string | null {
  const [id] = sentLeads(step).lists;
  if (id === undefined) return null;
  const { environment } = now;
  const names = Object.keys(environment.lead_lists).filter((name) => environment.lead_lists[name] === id);
  const place =
    names.length === 0
      ? `it under leads in ${planned.plan.manifest}`
      : `the id of ${names.join(', ')} under environments.${environment.name}.lead_lists in the project file`;
  return `This workspace probably has no lead list ${id}. Correct ${place}`;
}

async function resolveOutcome(sent: WriteResult, write: Write): Promise<WriteResult> {
  try {
    const reconcile = RECONCILE[write.step.stage] ?? awaitEffect;
    return await reconcile(sent, write);
  } catch (error) {
    const reason = sent.detail ?? 'the service accepted it';
    return withOutcome(sent, 'in_doubt', reason, `its effect could not be read: ${asFailure(error).message}`);
  }
}

async function awaitEffect(sent: WriteResult, { step, progress, run }: Write): Promise<WriteResult> {
  const { now, planned } = progress;
  const before = planned.plan.changes.filter(({ section }) => section === step.section);
  const awaited = { campaign: planned.plan.name, what: `the effect of "${step.title}"` };
  for await (const _ of whileAwaited(sent.sentAt, run, awaited)) {
    const seen = await readAgain(now, [step.section], run);
    if (showsEffect(step, before, seen))
      return withOutcome(sent, 'done', sent.detail, 'the read-back shows that it took effect');
    if (step.section === 'status' && isNeverShown(seen))
      return withOutcome(sent, 'in_doubt', sent.detail, 'the service shows no status');
  }
  return withOutcome(sent, 'in_doubt', sent.detail, NO_EFFECT);
}

function isNeverShown({ live, status }: Target): boolean {
  const isThere = live === null || !isNone(live.record);
  return isThere && status.basis !== 'shown' && !isVanished(status);
}

async function mentionLeads(sent: WriteResult, { progress, run }: Write): Promise<WriteResult> {
  const now = totalLeads(await readAgain(progress.now, ['leads'], run));
  const before = leadsBefore(progress);
  const was = before === null ? '' : ` (${before} before)`;
  const total = now === null ? '' : `; total_leads is now ${now}${was}`;
  return withOutcome(
    sent,
    'in_doubt',
    sent.detail,
    `the service does not show which leads are attached${total}`,
  );
}

/** Milliseconds for which the service must keep showing a launch as failed. */
const SETTLED = 5_000;

/** The campaign as it is if the service accepted the launch. */
function assumeLaunched(step: Step, now: Target): Target {
  return withFacts(now, { recorded: recordStep(now.recorded, step, 'done') });
}

async function watchLaunch(accepted: WriteResult, { step, progress, run }: Write): Promise<WriteResult> {
  const now = assumeLaunched(step, progress.now);
  const sent = { ...accepted };
  const isLost = sent.result === 'in_doubt';
  // The service may first show a failure from before the launch.
  let hasMoved = !progress.now.status.failed;
  let failedAt: number | null = null;
  let word: string | null = null;
  const awaited = { campaign: now.spec.name, what: 'the launched campaign as running' };
  for await (const _ of whileAwaited(sent.sentAt, run, awaited)) {
    const seen = await readAgain(now, ['status'], run);
    sent.live = seen.live;
    const live = seen.status;
    word = live.word;
    if (live.basis === 'set')
      return isLost
        ? withOutcome(sent, 'in_doubt', sent.detail, 'the service shows no status')
        : withOutcome(sent, 'done', 'launched; the service shows no status');
    if (live.meaning === 'running' || live.meaning === 'finished')
      return isLost
        ? withOutcome(sent, 'done', sent.detail, 'the campaign is running')
        : withOutcome(sent, 'done');
    hasMoved ||= !live.failed;
    failedAt = live.failed && hasMoved ? (failedAt ?? run.elapsed()) : null;
    if (failedAt !== null && run.elapsed() - failedAt >= SETTLED)
      return withOutcome(
        sent,
        'failed',
        `${sent.detail ?? 'the service accepted the launch'}, then showed "${word}"`,
      );
  }
  const status = word === null ? 'the service showed no status' : `the service showed "${word}"`;
  const when = run.stopping() ? 'when the run was interrupted' : 'after 60 s';
  return withOutcome(sent, 'in_doubt', sent.detail ?? 'the launch was accepted', `${when}, ${status}`);
}
