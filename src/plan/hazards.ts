/**
 * All hazards of the planner, one entry each. Sections add those of their requests (`launch`, `repeat-attach`,
 * `reset-unreadable`), matching `rename` and `missing`, `leads.ts` `shared-leads`. Words: `messages.ts`.
 */
import type { ListedCampaign } from '../model/answer.js';
import type { CampaignPlan, Change, Problem, Step } from '../model/outputs.js';
import { isScratch } from '../model/probe.js';
import type { StateEntry } from '../model/state.js';
import type { CampaignContext } from '../sections/index.js';
import { hasRun, mayBePaused, sending, sendingStatus } from '../sections/sending.js';
import { noLeads, ownLeadHazards } from './leads.js';
import { isReplacedBy } from './match.js';
import { problem } from './messages.js';
import { revivedEmails } from './revived.js';
import { sequenceMissing } from './sequence-missing.js';
import type { PlannedWork, ReconciledWork } from './work.js';

/** `changes`: all differences. `steps`: the remaining requests. */
export interface PlannedCampaign {
  work: ReconciledWork;
  context: CampaignContext;
  changes: readonly Change[];
  steps: readonly Step[];
  predecessor: PlannedWork | null;
}

type CampaignHazard = (campaign: PlannedCampaign) => Problem[];

const CAMPAIGN_HAZARDS: Readonly<Record<string, CampaignHazard>> = {
  adopt,
  'replace-sequence': replacedSequence,
  'sequence-missing': ({ context, changes, steps }) =>
    sequenceMissing(context, changes, (name) => steps.some(({ section }) => section === name)),
  'revives-inactive-step': ({ context, steps, predecessor }) =>
    predecessor === null ? [] : revivedEmails(predecessor.context, context.spec, steps),
  'no-leads': checkNoLeads,
  'attach-running': ({ context, steps }) => ownLeadHazards(context, steps),
};

/** In the order of the table. */
export function campaignHazards(campaign: PlannedCampaign): Problem[] {
  return Object.values(CAMPAIGN_HAZARDS).flatMap((rule) => rule(campaign));
}

export interface PlannedWhole {
  campaigns: readonly CampaignPlan[];
  listed: readonly Pick<ListedCampaign, 'id' | 'name'>[];
  entries: readonly Pick<StateEntry, 'id'>[];
  unkept: UnkeptState | null;
}

/** `ci`: the job discards the folder. `tracked`: git tracks its files. `folder`: for messages. */
export interface UnkeptState {
  reason: 'ci' | 'tracked';
  folder: string;
}

type PlanHazard = (plan: PlannedWhole) => Problem[];

const PLAN_HAZARDS: Readonly<Record<string, PlanHazard>> = {
  missing: lostWorkspace,
  'unkept-state': unkeptState,
  'mass-change': massChange,
};

/** In the order of the table. `volume.ts` adds `over-capacity`. */
export function planHazards(plan: PlannedWhole): Problem[] {
  return Object.values(PLAN_HAZARDS).flatMap((rule) => rule(plan));
}

/** A sending campaign that the state does not know may be someone else's. Pauses asked for by a manifest need no approval. */
function adopt({ work, context, steps }: PlannedCampaign): Problem[] {
  const { entry, listed, isKnown, role } = work;
  const isRenamed = role !== 'declared' && entry !== null && listed?.name !== entry.name;
  const isHarmless = role !== 'removed' && !isRenamed && steps.every(({ id }) => id === 'pause');
  const status = isHarmless || isKnown ? null : sendingStatus(context);
  return status === null ? [] : [problem('adopt', { status, steps, renamed: isRenamed ? listed : null })];
}

/** Leads may be in the middle of the sequence, and no document says what becomes of them. */
function replacedSequence({ context, steps }: PlannedCampaign): Problem[] {
  const { id, answers, environment } = context;
  const isPosted = steps.some((step) => step.id === 'sequence');
  const isReplaced = environment.service.sequence_repost === 'replace' && answers?.sequence?.none === false;
  const mayHaveRun = () => hasRun(context) ?? mayBePaused(sending(context));
  if (id === null || !isPosted || !isReplaced || !mayHaveRun()) return [];
  return [problem('replace-sequence', { status: sendingStatus(context) })];
}

function checkNoLeads({ work, context, steps, predecessor }: PlannedCampaign): Problem[] {
  const paused = isReplacedBy(predecessor?.entry ?? null, work.id) ? null : predecessor;
  return noLeads(context, [...(paused?.plan.steps ?? []), ...steps], paused);
}

/** None of the applied campaigns is listed: this may be another workspace. */
function lostWorkspace({ campaigns, listed, entries }: PlannedWhole): Problem[] {
  const shown = new Set(listed.map(({ id }) => id));
  const creates = campaigns.some(({ id, steps }) => id === null && steps.length > 0);
  const isTold = campaigns.some(({ problems }) => problems.some(({ code }) => code === 'missing'));
  if (!creates || isTold || entries.length === 0 || entries.some(({ id }) => shown.has(id))) return [];
  return [problem('missing/workspace', { entries: entries.length })];
}

function unkeptState({ campaigns, unkept }: PlannedWhole): Problem[] {
  return unkept === null || !campaigns.some(isChanged) ? [] : [problem('unkept-state', unkept)];
}

/** Thresholds of octoDNS. */
const MASS_FLOOR = 25;
const MASS_SHARE = 0.3;

/** Changes to many campaigns often mean a wrong token or folder. */
function massChange({ campaigns, listed }: PlannedWhole): Problem[] {
  const changed = campaigns.filter(isChanged);
  const [changing, all] = [changed.length, campaigns.length];
  const isEmpty = listed.every(({ name }) => isScratch(name));
  const allNew = isEmpty && changed.every(({ id }) => id === null);
  if (allNew || changing <= MASS_FLOOR || changing <= MASS_SHARE * all) return [];
  return [problem('mass-change', { changing, all })];
}

/** A pause needs no approval. */
function isChanged({ steps }: CampaignPlan): boolean {
  return steps.some(({ id }) => id !== 'pause');
}
