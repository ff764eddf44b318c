/** Checks that run just before a write. Each returns the reason not to send it, or `null`. */
import equal from 'fast-deep-equal';
import type { ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import { greater } from '../model/json.js';
import { isNone, NOT_READ, statusIn } from '../model/live.js';
import type { Step } from '../model/outputs.js';
import { NO_LEADS } from '../model/state.js';
import { liveSection, readableSections, record } from '../plan/order.js';
import type { CampaignContext } from '../sections/index.js';
import { explainedLeads, sentLeads, totalLeads, union } from '../sections/leads.js';
import { classifyStatus, isDraft, isSameStatus, sending, sendingStatus } from '../sections/sending.js';
import { overwrittenSettings } from '../sections/settings.js';
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
  seen: CampaignContext;
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
  campaign: { context },
  beforehand: { ids, knownIds },
  rows,
}: CheckContext): string | null {
  const { workspace } = context.environment;
  const pinned = workspace && rows.find(({ id }) => id === workspace.campaign_id);
  if (workspace && !(pinned && isSameName(pinned.name, workspace.name)))
    return refusal('wrong-workspace/pin', workspace);
  const known = [...knownIds].filter((id) => ids.has(id));
  const expected = new Set(known.length > 0 ? known : ids);
  if (expected.size === 0 || rows.some(({ id }) => expected.has(id))) return null;
  return refusal('wrong-workspace', { expected: expected.size });
}

export function isNameFree({ campaign, beforehand: { ids, names }, rows }: CheckContext): string | null {
  const { name } = campaign.context.spec;
  const isNew = (row: ListedCampaign) => !ids.has(row.id) && !names.has(row.name);
  const taken = rows.find((row) => row.name === name || (isNew(row) && isSameName(row.name, name)));
  return taken === undefined ? null : refusal('name-taken', taken);
}

export function isListed({ campaign: { context }, rows }: CheckContext): string | null {
  const { id, spec } = context;
  if (rows.some((row) => row.id === id && (spec.id !== undefined || row.name === spec.name))) return null;
  return refusal('not-listed', { id, name: spec.name });
}

/** If the manifest pins an id, known or gone campaigns may have the same name. */
export function isAlone({
  campaign: { context },
  beforehand: { knownIds },
  rows,
}: CheckContext): string | null {
  const { id, spec, environment } = context;
  const isGone = (row: ListedCampaign) => classifyStatus(row.status, environment.service.statuses) === 'gone';
  const isMeant = (row: ListedCampaign) => spec.id !== undefined && (knownIds.has(row.id) || isGone(row));
  const others = rows.filter((row) => row.name === spec.name && row.id !== id && !isMeant(row));
  if (others.length === 0) return null;
  return refusal('not-alone', { id, name: spec.name, others, isPinned: spec.id !== undefined });
}

export function isThere({ campaign: { context }, seen }: CheckContext): string | null {
  return seen.live !== null && isNone(seen.live.record) ? refusal('gone', { id: context.id }) : null;
}

export function isUnknown({ work: { isKnown, plan } }: Progress): boolean {
  return !isKnown && plan.id !== null && plan.problems.every(({ code }) => code !== 'adopt');
}

export function isKnownOrIdle({ campaign, seen }: CheckContext): string | null {
  const status = isUnknown(campaign) ? sendingStatus(seen) : null;
  return status && refusal('not-in-state', { status });
}

export function isPauseVisible({ campaign, seen }: CheckContext): string | null {
  const status = isPaused(campaign) ? sendingStatus(seen) : null;
  return status && refusal('pause-not-shown', { status });
}

export function isStillIdle({ campaign, seen }: CheckContext): string | null {
  const { work, context } = campaign;
  const isCreated = work.plan.id === null;
  const createdAs = isCreated ? sendingStatus(context) : null;
  if (createdAs !== null) return refusal('created-as', { status: createdAs });
  const status = isPlannedIdle(campaign) ? sendingStatus(seen) : null;
  return status && refusal('sending', { status, isCreated });
}

/** A write of emails or a schedule may replace only content that the plan showed. */
export function isSectionUnchanged({ step, campaign: { context, work }, seen }: CheckContext): string | null {
  const { section } = step;
  // A service may give a new campaign a default schedule.
  if (section === 'schedule' && work.plan.id === null) return null;
  if (equal(liveSection(context, section), liveSection(seen, section))) return null;
  return refusal('section-changed', { section });
}

/** An update sets every field, so no field outside the plan may have changed since the plan was made. */
export function overwritesNothing({ step, campaign: { work }, seen }: CheckContext): string | null {
  const { changes, id } = work.plan;
  const isShown = (name: string) =>
    changes.some(({ section, path }) => section === 'settings' && path === name);
  const names = overwrittenSettings(step, seen).filter((name) => !isShown(name));
  const fields = names.map((name) => `settings.${name}`);
  return fields.length === 0 ? null : refusal('overwrites-change', { fields, isCreated: id === null });
}

export async function leadsAreNotMailed({ campaign, service, rows }: CheckContext): Promise<string | null> {
  for (const { id, status } of campaign.work.idleOwners) {
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
export async function isNotPaused({
  campaign: { context },
  beforehand,
}: CheckContext): Promise<string | null> {
  const paused = await beforehand.paused();
  return context.id !== null && paused.has(context.id) ? refusal('paused-meanwhile', {}) : null;
}

export function isStatusUnchanged({ campaign: { context, work }, seen }: CheckContext): string | null {
  const isCreated = work.plan.id === null;
  const createdAs = isCreated ? sendingStatus(context) : null;
  if (createdAs !== null) return refusal('created-as', { status: createdAs });
  const now = sending(seen);
  const before = sending(isCreated ? context : work.context);
  const shown = before.basis === 'shown' ? before.word : null;
  const isSame = shown === null ? now.meaning === 'stopped' : isSameStatus(now.word ?? '', shown);
  return isSame ? null : refusal('status-changed', { now, before: shown, isCreated });
}

export async function predecessorIsIdle({
  campaign: { work },
  tools,
  service,
}: CheckContext): Promise<string | null> {
  const predecessor = work.waitsFor;
  if (predecessor === null) return null;
  const { context, plan } = predecessor;
  const pause = plan.steps.find(({ stage }) => stage === 'pause');
  const now = pause ? { ...context, recorded: record(context.recorded, pause, 'done') } : context;
  const seen = await readAgain(now, ['status'], { ...tools, service });
  if (isIdle(seen)) return null;
  return refusal('predecessor-sends', { id: plan.id, name: plan.name, status: sending(seen) });
}

function isIdle(context: CampaignContext): boolean {
  const { live } = context;
  if (live === null || !isNone(live.record)) return sending(context).state === 'no';
  return live.row === null || sending({ ...context, live: { ...live, record: NOT_READ } }).state === 'no';
}

export function isVerified({ campaign: { context }, seen }: CheckContext): string | null {
  const sections = readableSections(context);
  const changed = [...new Set(differences(seen, sections).map(({ section }) => section))];
  return changed.length === 0 ? null : refusal('not-as-read-back', { sections: changed });
}

/** Returns `null` if the number is unknown, for example after this run has attached leads. */
export function leadsBefore({ work: { plan, context }, outcomes }: Progress): number | null {
  const steps = new Set(plan.steps.filter(({ section }) => section === 'leads').map(({ id }) => id));
  if (outcomes.some(({ id }) => steps.has(id))) return null;
  return plan.id === null ? 0 : totalLeads(context);
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
export function hasSomebody({ campaign: { context, work }, seen, rows }: CheckContext): string | null {
  const row = rows.find(({ id }) => id === seen.id);
  const total = greater(totalLeads(seen), row?.total_leads ?? null);
  const isApproved = work.plan.problems.some(({ code }) => code === 'no-leads');
  const isRecent = context.recorded.attached_at !== null;
  return total !== 0 || isApproved || isRecent ? null : refusal('nobody', {});
}

function launchedLeads({ work: { plan, context } }: Progress): number | null {
  const { impact, steps } = plan;
  if (impact?.and_more === true) return null;
  const hasNone = totalLeads(context) === 0 && steps.every(({ section }) => section !== 'leads');
  return impact?.leads ?? (hasNone ? 0 : null);
}

/** Returns `null` if the number is unknown, for example after a list was attached. */
function leadsSoFar({ work: { plan, context }, outcomes }: Progress): number | null {
  const isSent = ({ id }: Step) => outcomes.some((outcome) => outcome.id === id);
  const sent = plan.steps.filter(isSent).map(sentLeads).reduce(union, NO_LEADS);
  if (sent.lists.length > 0 || context.recorded.attached_at !== null) return null;
  if (plan.id === null) return sent.ids.length;
  const shown = totalLeads(context);
  return shown === null ? null : Math.max(shown, explainedLeads(context.recorded)) + sent.ids.length;
}
