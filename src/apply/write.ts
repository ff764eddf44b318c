/**
 * Performs one write. A run never sends the same write twice, whatever the outcome.
 *
 *    journal ──── cannot be written ─────────────────────────▶ failed
 *       │
 *       ▼
 *     check ───── not as the plan saw it ────────────────────▶ failed
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
 * The check runs during the request's turn, so no wait (429, rate limit, connection) comes between the two. After a 429, it
 * reads everything again, because the request may have taken effect. The journal records every outcome immediately. Unknown
 * outcomes are also recorded before they are reconciled, because the run may be killed meanwhile.
 */
import { isNone } from '../model/live.js';
import type { SectionName, Step } from '../model/outputs.js';
import type { StepResult } from '../model/reports.js';
import { SHOWN_WITHIN } from '../model/state.js';
import type { Target } from '../model/target.js';
import { readableSections, record } from '../plan/order.js';
import { NO_EFFECT, showsEffect } from '../plan/reconcile.js';
import { totalLeads } from '../sections/leads.js';
import { isVanished } from '../sections/sending.js';
import { withFacts } from '../sections/target.js';
import type { Sent } from '../service/index.js';
import {
  type CheckContext,
  type CheckRule,
  type EarlierAttempt,
  hasApprovedLeads,
  hasNotGrown,
  hasSomebody,
  isAlone,
  isKnownOrIdle,
  isListed,
  isNameFree,
  isNotPaused,
  isPauseVisible,
  isSameWorkspace,
  isSectionUnchanged,
  isStatusUnchanged,
  isStillIdle,
  isThere,
  isUnknown,
  isVerified,
  leadsAreNotMailed,
  leadsBefore,
  overwritesNothing,
  predecessorIsIdle,
} from './checks.js';
import { created, findCreated } from './created.js';
import { readAgain, readings } from './readback.js';
import { type ApplyRun, asFailure, ended, type Progress, type Write, type WriteResult } from './tools.js';

/**
 * `reads`: sections that the checks need. `list`: the complete list, read in the last few seconds (`recent`) or since the
 * campaign was created or paused (`current`). `awaits`: checks that earlier writes are visible.
 */
interface StepKind {
  reads(campaign: Progress): readonly SectionName[];
  list: 'recent' | 'current' | null;
  awaits: readonly CheckRule[];
  requires: readonly CheckRule[];
  reconcile(sent: WriteResult, write: Write): Promise<WriteResult>;
}

const withStatus =
  (section: SectionName) =>
  (campaign: Progress): SectionName[] =>
    isUnknown(campaign) ? [section, 'campaign'] : [section];
const emails: StepKind = {
  reads: () => ['sequence', 'campaign'],
  list: 'recent',
  awaits: [isPauseVisible],
  requires: [isSameWorkspace, isThere, isKnownOrIdle, isStillIdle, isSectionUnchanged, hasApprovedLeads],
  reconcile: awaitEffect,
};

const KINDS: Readonly<Record<string, StepKind>> = {
  pause: { reads: () => [], list: null, awaits: [], requires: [], reconcile: awaitEffect },
  create: {
    reads: () => [],
    list: 'current',
    awaits: [],
    requires: [isSameWorkspace, isNameFree, predecessorIsIdle],
    reconcile: findCreated,
  },
  settings: {
    reads: withStatus('settings'),
    list: null,
    awaits: [],
    requires: [isThere, isKnownOrIdle, overwritesNothing],
    reconcile: awaitEffect,
  },
  schedule: {
    reads: withStatus('schedule'),
    list: null,
    awaits: [],
    requires: [isThere, isKnownOrIdle, isSectionUnchanged],
    reconcile: awaitEffect,
  },
  sequence: emails,
  variants: emails,
  leads: {
    reads: () => ['campaign', 'leads'],
    list: 'current',
    awaits: [isPauseVisible],
    requires: [isSameWorkspace, isThere, isKnownOrIdle, isStillIdle, leadsAreNotMailed, hasApprovedLeads],
    reconcile: mentionLeads,
  },
  launch: {
    reads: ({ now }) => [...readableSections(now), 'campaign', 'status', 'leads'],
    list: 'current',
    awaits: [isListed, hasSomebody],
    requires: [
      isSameWorkspace,
      isAlone,
      isThere,
      leadsAreNotMailed,
      isNotPaused,
      isStatusUnchanged,
      predecessorIsIdle,
      isVerified,
      hasApprovedLeads,
    ],
    reconcile: watchLaunch,
  },
};

function findKind({ id }: Step): StepKind {
  const kind = KINDS[id.split('/', 1)[0] ?? ''];
  if (kind === undefined) throw new Error(`no kind of step is called ${id}`);
  return kind;
}

export async function write(step: Step, campaign: Progress, run: ApplyRun): Promise<WriteResult> {
  const { now, planned, sentAt } = campaign;
  const { journal, tools } = run;
  const about = { manifest: planned.plan.manifest, name: now.spec.name };
  const total_leads = step.section === 'leads' ? leadsBefore(campaign) : null;
  try {
    await journal.intend({ ...about, id: now.id, step, total_leads });
  } catch (error) {
    return { result: 'failed', detail: unsent(asFailure(error).message), id: now.id, sentAt };
  }
  const conclude = async (written: WriteResult): Promise<WriteResult> => {
    const { id, result, detail } = written;
    const visible_in = visibleIn(step, written, tools.elapsed());
    await journal.conclude({ ...about, step: step.id, id, result, detail, visible_in });
    return written;
  };
  const sent = await checkAndSend({ step, campaign, run });
  const isAccepted = sent.result === 'done';
  if (sent.result !== 'in_doubt' && !(isAccepted && step.stage === 'launch')) return conclude(sent);
  const isKnown = isAccepted && launched({ step, campaign }).status.basis === 'set';
  await conclude({ ...sent, result: isKnown ? 'done' : 'in_doubt' });
  return conclude(await resolveOutcome(sent, { step, campaign, run }));
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

/** Loops only while the check refuses because earlier writes are not visible yet, so nothing has been sent. */
async function checkAndSend(write: Write): Promise<WriteResult> {
  const { step, campaign, run } = write;
  const { method, path, body } = step;
  const { stop, service, elapsed } = run.tools;
  let sent: Sent = { kind: 'unsent', message: 'the run was interrupted' };
  let isLimited = false;
  let verdict = PASSED;
  let attempt: EarlierAttempt | null = null;
  const guard = async (reader: CheckContext['service']) => {
    verdict = await check(write, reader, attempt);
    if (verdict.why === null) attempt = { at: elapsed(), total: verdict.total };
    return verdict.why;
  };
  const awaited = { campaign: campaign.planned.plan.name, what: 'earlier requests' };
  for await (const _ of readings(campaign.sentAt, run.tools, awaited)) {
    verdict = PASSED;
    sent = await service.send({ method, path, body }, { stop, guard });
    isLimited ||= sent.kind === 'unsent' && sent.limited === true;
    if (verdict.timing !== 'early') break;
  }
  return answered(sent, write, { isLimited, isDoubtful: isLimited && verdict.timing === 'doubtful' });
}

function answered(
  sent: Sent,
  write: Write,
  { isLimited, isDoubtful }: { isLimited: boolean; isDoubtful: boolean },
): WriteResult {
  const { step, campaign, run } = write;
  const { id } = campaign.now;
  const { elapsed, stopping } = run.tools;
  const written = (result: StepResult, detail: string | null, sentAt = elapsed()): WriteResult => {
    return { result, detail, id, sentAt };
  };
  switch (sent.kind) {
    case 'refused':
      return written('failed', `the service refused it (HTTP ${sent.status}): ${sent.message}`);
    case 'unsent': {
      const detail = isLimited ? unsentAgain(sent.message) : unsent(sent.message);
      if (isDoubtful) return written('in_doubt', detail);
      return written(stopping() ? 'not_run' : 'failed', detail, campaign.sentAt);
    }
    case 'in_doubt':
      return written('in_doubt', sent.message);
    case 'accepted':
      return step.stage === 'create' ? created(sent, write) : written('done', null);
  }
}

/**
 * `why`: why not to send; `null` to send. `timing`: `early` if an earlier write is not visible yet, `doubtful` if an earlier
 * attempt seems to have taken effect. `total`: the number of leads seen.
 */
interface Verdict {
  why: string | null;
  timing: 'early' | 'doubtful' | null;
  total: number | null;
}

const PASSED: Verdict = { why: null, timing: null, total: null };

/** `attempt`: an earlier attempt of this write. */
async function check(
  { step, campaign, run }: Write,
  service: CheckContext['service'],
  attempt: EarlierAttempt | null,
): Promise<Verdict> {
  const kind = findKind(step);
  const { now, movedAt } = campaign;
  const tools = { ...run.tools, service };
  const sections = kind.reads(campaign);
  const never = Number.NEGATIVE_INFINITY;
  const since = Math.max(kind.list === 'current' ? movedAt : never, attempt?.at ?? never);
  const rows = kind.list === null ? null : await tools.list(since, service);
  // An older list may not contain the campaign yet.
  const shown = { rows: kind.list === 'current' ? rows : null };
  const seen = sections.length === 0 ? now : await readAgain(now, sections, tools, shown);
  const look: CheckContext = {
    step,
    campaign,
    beforehand: run.beforehand,
    tools,
    service,
    seen,
    rows: rows ?? [],
    attempt,
  };
  const total = totalLeads(seen);
  const stages = [
    { rules: [hasNotGrown], timing: 'doubtful' },
    { rules: kind.awaits, timing: 'early' },
    { rules: kind.requires, timing: null },
  ] as const;
  for (const { rules, timing } of stages)
    for (const rule of rules) {
      const why = await rule(look);
      if (why !== null) return { why, timing, total };
    }
  return { ...PASSED, total };
}

async function resolveOutcome(sent: WriteResult, write: Write): Promise<WriteResult> {
  try {
    return await findKind(write.step).reconcile(sent, write);
  } catch (error) {
    const reason = sent.detail ?? 'the service accepted it';
    return ended(sent, 'in_doubt', reason, `its effect could not be read: ${asFailure(error).message}`);
  }
}

async function awaitEffect(sent: WriteResult, { step, campaign, run }: Write): Promise<WriteResult> {
  const { now, planned } = campaign;
  const before = planned.plan.changes.filter(({ section }) => section === step.section);
  const awaited = { campaign: planned.plan.name, what: `the effect of "${step.title}"` };
  for await (const _ of readings(sent.sentAt, run.tools, awaited)) {
    const seen = await readAgain(now, [step.section], run.tools);
    if (showsEffect(step, before, seen))
      return ended(sent, 'done', sent.detail, 'the read-back shows that it took effect');
    if (step.section === 'status' && isNeverShown(seen))
      return ended(sent, 'in_doubt', sent.detail, 'the service shows no status');
  }
  return ended(sent, 'in_doubt', sent.detail, NO_EFFECT);
}

function isNeverShown({ live, status }: Target): boolean {
  const isThere = live === null || !isNone(live.record);
  return isThere && status.basis !== 'shown' && !isVanished(status);
}

async function mentionLeads(sent: WriteResult, { campaign, run }: Write): Promise<WriteResult> {
  const now = totalLeads(await readAgain(campaign.now, ['leads'], run.tools));
  const before = leadsBefore(campaign);
  const was = before === null ? '' : ` (${before} before)`;
  const total = now === null ? '' : `; total_leads is now ${now}${was}`;
  return ended(sent, 'in_doubt', sent.detail, `the service does not show which leads are attached${total}`);
}

/** Milliseconds for which the service must keep showing a launch as failed. */
const SETTLED = 5_000;

/** The campaign as it is if the service accepted the launch. */
function launched({ step, campaign: { now } }: Pick<Write, 'step' | 'campaign'>): Target {
  return withFacts(now, { recorded: record(now.recorded, step, 'done') });
}

async function watchLaunch(
  accepted: WriteResult,
  { step, campaign, run: { tools } }: Write,
): Promise<WriteResult> {
  const now = launched({ step, campaign });
  const sent = { ...accepted };
  const isLost = sent.result === 'in_doubt';
  // The service may first show a failure from before the launch.
  let hasMoved = !campaign.now.status.failed;
  let failedAt: number | null = null;
  let word: string | null = null;
  const awaited = { campaign: now.spec.name, what: 'the launched campaign as running' };
  for await (const _ of readings(sent.sentAt, tools, awaited)) {
    const seen = await readAgain(now, ['status'], tools);
    sent.live = seen.live;
    const live = seen.status;
    word = live.word;
    if (live.basis === 'set')
      return isLost
        ? ended(sent, 'in_doubt', sent.detail, 'the service shows no status')
        : ended(sent, 'done', 'launched; the service shows no status');
    if (live.meaning === 'running' || live.meaning === 'finished')
      return isLost ? ended(sent, 'done', sent.detail, 'the campaign is running') : ended(sent, 'done');
    hasMoved ||= !live.failed;
    failedAt = live.failed && hasMoved ? (failedAt ?? tools.elapsed()) : null;
    if (failedAt !== null && tools.elapsed() - failedAt >= SETTLED)
      return ended(
        sent,
        'failed',
        `${sent.detail ?? 'the service accepted the launch'}, then showed "${word}"`,
      );
  }
  const status = word === null ? 'the service showed no status' : `the service showed "${word}"`;
  const when = tools.stopping() ? 'when the run was interrupted' : 'after 60 s';
  return ended(sent, 'in_doubt', sent.detail ?? 'the launch was accepted', `${when}, ${status}`);
}
