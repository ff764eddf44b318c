/** The last look: what has to hold right before a write leaves. Each rule returns what speaks against sending it, or null. */
import equal from 'fast-deep-equal';
import type { ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import type { Step } from '../model/outputs.js';
import { NO_LEADS } from '../model/state.js';
import { count, listed as inOneLine } from '../model/words.js';
import {
  againstHolders,
  type CampaignContext,
  campaignThat,
  explainedLeads,
  howToDeclare,
  isAtRest,
  isSameStatus,
  type LiveStatus,
  liveOf,
  liveStatus,
  meaningOf,
  readableSections,
  sendingStatus,
  sentLeads,
  setBack,
  strangerStatus,
  totalLeads,
  union,
  type Work,
  withPause,
  wordOf,
} from '../plan/index.js';
import { MADE_AT_ONCE, sharing } from './lists.js';
import { differences, readAgain, readings } from './readback.js';
import type { Beforehand, LookTools, Progress } from './tools.js';

/** `seen`: the campaign now. `rows`: the complete list, for kinds of steps that read it. `service` reads in the turn of the write. */
export interface CheckContext {
  step: Step;
  campaign: Progress;
  beforehand: Beforehand;
  tools: LookTools;
  service: LookTools['service'];
  seen: CampaignContext;
  rows: readonly ListedCampaign[];
}

export type CheckRule = (look: CheckContext) => string | null | Promise<string | null>;

const AGAIN = 'Plan again';
const OUTSIDE = `it was changed outside this run. ${AGAIN} to see it`;

/** The workspace has to be the one that was planned: tokens may follow the workspace that a person has open. */
export function isSameWorkspace({
  campaign: { context },
  beforehand: { ids, ours },
  rows,
}: CheckContext): string | null {
  const { workspace } = context.environment;
  const pinned = workspace && rows.find(({ id }) => id === workspace.campaign_id);
  if (workspace && !(pinned && isSameName(pinned.name, workspace.name)))
    return `wrong workspace: the list of campaigns does not show campaign ${workspace.campaign_id} as "${workspace.name}", by which the project file pins the workspace. Check the token, then plan again`;
  const known = [...ours].filter((id) => ids.has(id));
  const expected = new Set(known.length > 0 ? known : ids);
  if (expected.size === 0 || rows.some(({ id }) => expected.has(id))) return null;
  return `wrong workspace: the list of campaigns shows none of the ${count(expected.size, 'campaign')} that it showed when this was planned. Check the token, then plan again`;
}

/** No other campaign has taken the name, or one that reads the same, since the plan. */
export function isNameFree({ campaign, beforehand: { ids, names }, rows }: CheckContext): string | null {
  const { name } = campaign.context.spec;
  const isNew = (row: ListedCampaign) => !ids.has(row.id) && !names.has(row.name);
  const taken = rows.find((row) => row.name === name || (isNew(row) && isSameName(row.name, name)));
  if (taken === undefined) return null;
  return `campaign ${taken.id} is called "${taken.name}" now, and was not there when this was planned. ${MADE_AT_ONCE}. ${AGAIN}`;
}

/** The list shows the campaign, under its name unless it is pinned. */
export function isListed({ campaign: { context }, rows }: CheckContext): string | null {
  const { id, spec } = context;
  if (rows.some((row) => row.id === id && (spec.id !== undefined || row.name === spec.name))) return null;
  return `the list of campaigns does not show campaign ${id} under the name "${spec.name}". ${AGAIN}`;
}

/**
 * No other campaign has its name. A pin tells it from others that are known to state or manifests, or gone; not from one that another
 * run has created and may launch.
 */
export function isAlone({ campaign: { context }, beforehand: { ours }, rows }: CheckContext): string | null {
  const { id, spec, environment } = context;
  const isGone = (row: ListedCampaign) => meaningOf(row.status, environment.service.statuses) === 'gone';
  const isMeant = (row: ListedCampaign) => spec.id !== undefined && (ours.has(row.id) || isGone(row));
  const others = rows.filter((row) => row.name === spec.name && row.id !== id && !isMeant(row));
  if (others.length === 0) return null;
  const whose = spec.id === undefined ? MADE_AT_ONCE : 'Neither the state nor a manifest knows the other';
  return `${sharing(spec.name, id, others)}. ${whose}. ${AGAIN}`;
}

export function isThere({ campaign: { context }, seen }: CheckContext): string | null {
  if (seen.answers?.campaign?.none !== true) return null;
  return `the service does not show campaign ${context.id} any more. ${AGAIN}`;
}

/** The state did not know the campaign when it was planned, and it was not accepted that it may send for someone else. */
function isStrange({ work: { isKnown, plan } }: Progress): boolean {
  return !isKnown && plan.id !== null && plan.problems.every(({ code }) => code !== 'adopt');
}

function isPaused({ outcomes }: Progress): boolean {
  return outcomes.some(({ id }) => id === 'pause');
}

/** It was planned as one that does not send, so it was not approved that it mails what is added now. */
function isPlannedIdle(campaign: Progress): boolean {
  return isPaused(campaign) || sendingStatus(campaign.work.context) === null;
}

/** Whether the check of a step needs the status; `mails`: the step adds what a sending campaign would mail. */
export function needsStatus(campaign: Progress, mails: boolean): boolean {
  return isStrange(campaign) || (mails && isPlannedIdle(campaign));
}

function sendsNow(status: LiveStatus, then: string): string {
  return `it is ${campaignThat(status)} now, which it was not when ${then}`;
}

/** A campaign that may be someone else's does not send. */
export function isOurs({ campaign, seen }: CheckContext): string | null {
  const status = isStrange(campaign) ? strangerStatus(seen, false) : null;
  if (status === null) return null;
  return `${sendsNow(status, 'this was planned')}, and the state does not know it: it may be someone else's. ${AGAIN}`;
}

/** A pause that this run sent shows. */
export function isPauseVisible({ campaign, seen }: CheckContext): string | null {
  const status = isPaused(campaign) ? sendingStatus(seen) : null;
  return status && `the service accepted the pause, but this is still ${campaignThat(status)}. ${AGAIN}`;
}

/** A campaign that was planned as idle, or was just created, does not send. */
export function isStillIdle({ campaign, seen }: CheckContext): string | null {
  const { work, context } = campaign;
  const isCreated = work.plan.id === null;
  const madeAs = isCreated ? sendingStatus(context) : null;
  if (madeAs !== null)
    return `the service made it as ${campaignThat(madeAs)}. ${AGAIN} to see what needs approval${howToDeclare(madeAs)}`;
  const status = isPlannedIdle(campaign) ? sendingStatus(seen) : null;
  return status && `${sendsNow(status, isCreated ? 'it was created' : 'this was planned')}. ${AGAIN}`;
}

/** Emails, and a schedule that is set as a whole, are sent only if the service shows what they were planned from. */
export function isSectionUnchanged({ step, campaign: { context, work }, seen }: CheckContext): string | null {
  const { section } = step;
  const isWhole = work.plan.changes.some((change) => change.section === section && change.path === '');
  // A service may give a new campaign a default schedule, which the manifest's schedule replaces.
  if (section === 'schedule' && (!isWhole || work.plan.id === null)) return null;
  if (equal(liveOf(context, section), liveOf(seen, section))) return null;
  return `its ${section} is another now than when this was planned: ${OUTSIDE}`;
}

/** An update of settings, and a changed schedule, set more than what differs: none of that has changed since the plan. */
export function setsNothingBack({ step, campaign: { context, work }, seen }: CheckContext): string | null {
  const { changes, id } = work.plan;
  const fields = setBack(step, context, seen, changes);
  if (fields.length === 0) return null;
  const names = inOneLine(fields.map((field) => `${step.section}.${field}`));
  const then = id === null ? 'the campaign was created' : 'the plan';
  return `${names} changed in the service since ${then}, and the request would set that back. ${AGAIN} to see it`;
}

/** Other campaigns that have the same leads were idle when this was planned, and still are. */
export async function leadsAreNotMailed({
  campaign,
  tools,
  service,
  rows,
}: CheckContext): Promise<string | null> {
  const holders = rows.filter((row) => campaign.work.resting.includes(row.id));
  const now = [];
  for (const row of holders) {
    const words = [row.status, wordOf(await service.read('campaign', row.id))];
    now.push({ ...row, words });
  }
  for (const holder of now) if (againstHolders([holder]) !== null) tools.woken.add(holder.id);
  return againstHolders(now);
}

/** A launch goes out in the status for which it was planned. */
export function isStatusUnchanged({ campaign: { context, work }, seen }: CheckContext): string | null {
  const isCreated = work.plan.id === null;
  const madeAs = isCreated ? sendingStatus(context) : null;
  if (madeAs !== null)
    return `the service made it as ${campaignThat(madeAs)}. ${AGAIN} to see what needs approval${howToDeclare(madeAs)}`;
  const now = liveStatus(seen);
  const before = liveStatus(isCreated ? context : work.context).word;
  // A status that is never shown cannot be seen to change.
  if (now.believed) return null;
  const shown = now.word === null ? 'the service shows no status now' : `its status is "${now.word}" now`;
  if (before === null) return now.meaning === 'stopped' ? null : `${shown}. ${AGAIN}`;
  if (now.word !== null && isSameStatus(now.word, before)) return null;
  return `${shown} and was "${before}" when ${isCreated ? 'it was created' : 'this was planned'}: ${OUTSIDE}`;
}

/** A replaced campaign does not send beside its successor. */
export function predecessorIsIdle({
  campaign: { work },
  tools,
}: CheckContext): Promise<string | null> | null {
  return work.succession && whyNotIdle(work, { tools, since: Number.NEGATIVE_INFINITY });
}

/** True if this plan pauses the replaced campaign, or that one's own manifest does. */
export function isPausing({ changes }: Work['plan']): boolean {
  return changes.some(({ section, path }) => section === 'campaign' && path === 'replaces');
}

/** Reads until the replaced campaign is idle, up to a minute after `since`. Returns what it is otherwise, or null. */
export async function whyNotIdle(
  { plan, succession }: Pick<Work, 'plan' | 'succession'>,
  { tools, since, isPaused = isPausing(plan) }: { tools: LookTools; since: number; isPaused?: boolean },
): Promise<string | null> {
  if (succession === null) return null;
  const old = succession.context;
  const context = isPaused ? { ...old, recorded: withPause(old.recorded) } : old;
  let seen = context;
  for await (const _ of readings(since, tools)) {
    seen = await readAgain(context, ['status'], tools);
    if (isAtRest(seen)) return null;
  }
  const status = liveStatus(seen);
  return `campaign ${old.id} "${old.spec.name}", which this one replaces, is ${campaignThat(status)} now${howToDeclare(status)}`;
}

/** A launch needs everything that the manifest manages as it was read back. */
export function isVerified({ campaign: { context }, seen }: CheckContext): string | null {
  const sections = readableSections(context);
  const changed = [...new Set(differences(seen, sections).map(({ section }) => section))];
  if (changed.length === 0) return null;
  return `${inOneLine(changed)} changed in the service since it was read back: ${OUTSIDE}`;
}

/** `total_leads` before the first attachment of this run; after it, the number means something else. */
export function leadsBefore({ work: { plan, context }, outcomes }: Progress): number | null {
  const steps = new Set(plan.steps.filter(({ section }) => section === 'leads').map(({ id }) => id));
  if (outcomes.some(({ id }) => steps.has(id))) return null;
  return plan.id === null ? 0 : totalLeads(context);
}

/** There are no more leads than the plan showed: those of a launch are mailed, and others may be the same leads attached by another run. */
export function hasApprovedLeads({ step, campaign, seen }: CheckContext): string | null {
  const approved = step.id === 'launch' ? launchedLeads(campaign) : leadsSoFar(campaign);
  const total = totalLeads(seen);
  if (approved === null || total === null || total <= approved) return null;
  return `the plan told of ${count(approved, 'lead')}, and the service shows ${total} now: the others came since. ${AGAIN} to see what needs approval`;
}

/** The number of leads that the plan showed for a launch; null if it showed none. */
function launchedLeads({ work: { plan, context } }: Progress): number | null {
  const { impact, steps } = plan;
  if (impact?.and_more === true) return null;
  const hasNone = totalLeads(context) === 0 && steps.every(({ section }) => section !== 'leads');
  return impact?.leads ?? (hasNone ? 0 : null);
}

/** Leads that were there, that the state explains, or that this run has attached; null if a list may add any number. */
function leadsSoFar({ work: { plan, context }, outcomes }: Progress): number | null {
  const isSent = ({ id }: Step) => outcomes.some((outcome) => outcome.id === id);
  const sent = plan.steps.filter(isSent).map(sentLeads).reduce(union, NO_LEADS);
  if (sent.lists.length > 0 || context.recorded.late !== null) return null;
  if (plan.id === null) return sent.ids.length;
  const shown = totalLeads(context);
  return shown === null ? null : Math.max(shown, explainedLeads(context.recorded)) + sent.ids.length;
}
