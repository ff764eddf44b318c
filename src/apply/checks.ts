/** Checks that run just before a write. Each returns the reason not to send it, or `null`. */
import equal from 'fast-deep-equal';
import type { ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import { greater } from '../model/json.js';
import { isNone, statusIn } from '../model/live.js';
import type { Step } from '../model/outputs.js';
import { NO_LEADS } from '../model/state.js';
import type { Target } from '../model/target.js';
import { liveSection, readableSections, record } from '../plan/order.js';
import { explainedLeads, sentLeads, totalLeads, union } from '../sections/leads.js';
import { classifyStatus, isDraft, isSameStatus, mailing } from '../sections/sending.js';
import { overwrittenSettings } from '../sections/settings.js';
import { withFacts } from '../sections/target.js';
import { refusal } from './messages.js';
import { differences, readAgain } from './readback.js';
import { type Beforehand, isPaused, isPlannedIdle, type LookTools, type Progress } from './tools.js';

/**
 * `seen`: the campaign as it is now. `rows`: the complete list; empty if not read. `service`: reads without giving up the
 * write's turn. `attempt`: an earlier attempt of the same write, which was answered with 429 or found no connection.
 */
export interface CheckContext {
  step: Step;
  campaign: Progress;
  beforehand: Beforehand;
  tools: LookTools;
  service: LookTools['service'];
  seen: Target;
  rows: readonly ListedCampaign[];
  attempt: EarlierAttempt | null;
}

/** `at`: when the check let it pass. `total`: the number of leads then. */
export interface EarlierAttempt {
  at: number;
  total: number | null;
}

export type CheckRule = (look: CheckContext) => string | null | Promise<string | null>;

export function isSameWorkspace({
  campaign: { now },
  beforehand: { ids, knownIds },
  rows,
}: CheckContext): string | null {
  const { workspace } = now.environment;
  const pinned = workspace && rows.find(({ id }) => id === workspace.campaign_id);
  if (workspace && !(pinned && isSameName(pinned.name, workspace.name)))
    return refusal('wrong-workspace/pin', workspace);
  const known = [...knownIds].filter((id) => ids.has(id));
  const expected = new Set(known.length > 0 ? known : ids);
  if (expected.size === 0 || rows.some(({ id }) => expected.has(id))) return null;
  return refusal('wrong-workspace', { expected: expected.size });
}

export function isNameFree({ campaign, beforehand: { ids, names }, rows }: CheckContext): string | null {
  const { name } = campaign.now.spec;
  const isNew = (row: ListedCampaign) => !ids.has(row.id) && !names.has(row.name);
  const taken = rows.find((row) => row.name === name || (isNew(row) && isSameName(row.name, name)));
  return taken === undefined ? null : refusal('name-taken', taken);
}

export function isListed({ campaign: { now }, rows }: CheckContext): string | null {
  const { id, spec } = now;
  if (rows.some((row) => row.id === id && (spec.id !== undefined || row.name === spec.name))) return null;
  return refusal('not-listed', { id, name: spec.name });
}

/** If the manifest pins an id, known or gone campaigns may have the same name. */
export function isAlone({ campaign: { now }, beforehand: { knownIds }, rows }: CheckContext): string | null {
  const { id, spec, environment } = now;
  const isGone = (row: ListedCampaign) => classifyStatus(row.status, environment.service.statuses) === 'gone';
  const isMeant = (row: ListedCampaign) => spec.id !== undefined && (knownIds.has(row.id) || isGone(row));
  const others = rows.filter((row) => row.name === spec.name && row.id !== id && !isMeant(row));
  if (others.length === 0) return null;
  return refusal('not-alone', { id, name: spec.name, others, isPinned: spec.id !== undefined });
}

export function isThere({ campaign: { now }, seen }: CheckContext): string | null {
  return seen.live !== null && isNone(seen.live.record) ? refusal('gone', { id: now.id }) : null;
}

export function isUnknown({ planned: { target, plan } }: Progress): boolean {
  return !target.isKnown && plan.id !== null && plan.problems.every(({ code }) => code !== 'adopt');
}

export function isKnownOrIdle({ campaign, seen }: CheckContext): string | null {
  const status = isUnknown(campaign) ? mailing(seen) : null;
  return status && refusal('not-in-state', { status });
}

export function isPauseVisible({ campaign, seen }: CheckContext): string | null {
  const status = isPaused(campaign) ? mailing(seen) : null;
  return status && refusal('pause-not-shown', { status });
}

export function isStillIdle({ campaign, seen }: CheckContext): string | null {
  const { planned, now } = campaign;
  const isCreated = planned.plan.id === null;
  const createdAs = isCreated ? mailing(now) : null;
  if (createdAs !== null) return refusal('created-as', { status: createdAs });
  const status = isPlannedIdle(campaign) ? mailing(seen) : null;
  return status && refusal('sending', { status, isCreated });
}

/** A write of emails or a schedule may replace only content that the plan showed. */
export function isSectionUnchanged({ step, campaign: { now, planned }, seen }: CheckContext): string | null {
  const { section } = step;
  // A service may give a new campaign a default schedule.
  if (section === 'schedule' && planned.plan.id === null) return null;
  if (equal(liveSection(now, section), liveSection(seen, section))) return null;
  return refusal('section-changed', { section });
}

/** An update sets every field, so no field outside the plan may have changed since the plan was made. */
export function overwritesNothing({ step, campaign: { planned }, seen }: CheckContext): string | null {
  const { changes, id } = planned.plan;
  const isShown = (name: string) =>
    changes.some(({ section, path }) => section === 'settings' && path === name);
  const names = overwrittenSettings(step, seen).filter((name) => !isShown(name));
  const fields = names.map((name) => `settings.${name}`);
  return fields.length === 0 ? null : refusal('overwrites-change', { fields, isCreated: id === null });
}

export async function leadsAreNotMailed({ campaign, service, rows }: CheckContext): Promise<string | null> {
  for (const { id, status } of campaign.planned.idleOwners) {
    const row = rows.find((other) => other.id === id);
    if (row === undefined) continue;
    const record = statusIn(await service.read('campaign', id));
    const shown = [row.status, record].filter((word) => word !== null);
    const word = shown.find((other) => !isDraft(other)) ?? null;
    const isVanished = shown.length === 0 && status !== null;
    if (word !== null || isVanished) return refusal('draft-started', { ...row, word });
  }
  return null;
}

/** `campaignctl pause` ignores the lock, so it may have been run since this apply began. */
export async function isNotPaused({ campaign: { now }, beforehand }: CheckContext): Promise<string | null> {
  const paused = await beforehand.paused();
  return now.id !== null && paused.has(now.id) ? refusal('paused-meanwhile', {}) : null;
}

export function isStatusUnchanged({ campaign: { now, planned }, seen }: CheckContext): string | null {
  const isCreated = planned.plan.id === null;
  const createdAs = isCreated ? mailing(now) : null;
  if (createdAs !== null) return refusal('created-as', { status: createdAs });
  const { status } = seen;
  const before = (isCreated ? now : planned.target).status;
  const shown = before.basis === 'shown' ? before.word : null;
  const isSame = shown === null ? status.meaning === 'stopped' : isSameStatus(status.word ?? '', shown);
  return isSame ? null : refusal('status-changed', { now: status, before: shown, isCreated });
}

export async function predecessorIsIdle({
  campaign: { planned },
  tools,
  service,
}: CheckContext): Promise<string | null> {
  const predecessor = planned.waitsFor;
  if (predecessor === null) return null;
  const { target, plan } = predecessor;
  const pause = plan.steps.find(({ stage }) => stage === 'pause');
  const now = pause ? withFacts(target, { recorded: record(target.recorded, pause, 'done') }) : target;
  const seen = await readAgain(now, ['status'], { ...tools, service });
  if (isIdle(seen)) return null;
  return refusal('predecessor-sends', { id: plan.id, name: plan.name, status: seen.status });
}

/** True also if it is no longer there. */
function isIdle({ live, status }: Target): boolean {
  const isGone = live !== null && isNone(live.record) && live.row === null;
  return isGone || status.state === 'no';
}

export function isVerified({ campaign: { now }, seen }: CheckContext): string | null {
  const sections = readableSections(now);
  const changed = [...new Set(differences(seen, sections).map(({ section }) => section))];
  return changed.length === 0 ? null : refusal('not-as-read-back', { sections: changed });
}

/** Returns `null` if the number is unknown, for example after this run has attached leads. */
export function leadsBefore({ planned: { plan, target }, outcomes }: Progress): number | null {
  const steps = new Set(plan.steps.filter(({ section }) => section === 'leads').map(({ id }) => id));
  if (outcomes.some(({ id }) => steps.has(id))) return null;
  return plan.id === null ? 0 : totalLeads(target);
}

/** Additional leads would be mailed without approval, or attached twice. */
export function hasApprovedLeads({ step, campaign, seen, rows }: CheckContext): string | null {
  const approved = step.stage === 'launch' ? launchedLeads(campaign) : leadsSoFar(campaign);
  const row = rows.find(({ id }) => id === seen.id);
  const total = greater(totalLeads(seen), row?.total_leads ?? null);
  if (approved === null || total === null || total <= approved) return null;
  return refusal('more-leads', { approved, total });
}

/** A service may attach leads although it answers with 429. On a sending campaign, the number is minutes late. */
export function hasNotGrown({ step, campaign, seen, attempt }: CheckContext): string | null {
  const [before, total] = [attempt?.total ?? null, totalLeads(seen)];
  const isCompared = step.section === 'leads' && isPlannedIdle(campaign);
  if (!isCompared || before === null || total === null || total <= before) return null;
  return refusal('leads-grew', { before, total });
}

/** Unless that is approved, a campaign without leads is not launched. */
export function hasSomebody({ campaign: { now, planned }, seen, rows }: CheckContext): string | null {
  const row = rows.find(({ id }) => id === seen.id);
  const total = greater(totalLeads(seen), row?.total_leads ?? null);
  const isApproved = planned.plan.problems.some(({ code }) => code === 'no-leads');
  const isRecent = now.recorded.attached_at !== null;
  return total !== 0 || isApproved || isRecent ? null : refusal('nobody', {});
}

function launchedLeads({ planned: { plan, target } }: Progress): number | null {
  const { impact, steps } = plan;
  if (impact?.and_more === true) return null;
  const hasNone = totalLeads(target) === 0 && steps.every(({ section }) => section !== 'leads');
  return impact?.leads ?? (hasNone ? 0 : null);
}

/** Returns `null` if the number is unknown, for example after a list was attached. */
function leadsSoFar({ planned: { plan, target }, outcomes }: Progress): number | null {
  const isSent = ({ id }: Step) => outcomes.some((outcome) => outcome.id === id);
  const sent = plan.steps.filter(isSent).map(sentLeads).reduce(union, NO_LEADS);
  if (sent.lists.length > 0 || target.recorded.attached_at !== null) return null;
  if (plan.id === null) return sent.ids.length;
  const shown = totalLeads(target);
  return shown === null ? null : Math.max(shown, explainedLeads(target.recorded)) + sent.ids.length;
}
