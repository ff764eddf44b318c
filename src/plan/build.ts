import { addressOf } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import {
  type Action,
  type CampaignPlan,
  isPauseOfReplaced,
  type Plan,
  type Problem,
  type RemovedCampaign,
  type Summary,
} from '../model/outputs.js';
import { isScratch } from '../model/probe.js';
import type { PendingOperations, RecordedState } from '../model/state.js';
import { deleteByHand, leftOver, renameByHand, scratchOf } from './by-hand.js';
import {
  ALL,
  isAllowed,
  isFull,
  nameOf,
  type PlannerInput,
  planCampaign,
  type RefreshedCampaign,
  reconcileCampaign,
} from './campaign.js';
import { fingerprint, planFingerprint } from './fingerprint.js';
import { applyAtWork, lostWorkspace, massChange, unfinishedProbes, withApprovals } from './hazards.js';
import { holdersOf } from './holders.js';
import { createImpact } from './impact.js';
import { mailedTwice } from './lead-hazards.js';
import type { Work } from './reconcile.js';
import { planRemoval, type RefreshedRemoval } from './removed.js';
import { leftBehind } from './succession.js';

/** `removals`: entries whose manifests were removed; none where not every manifest is planned. */
export interface PlanInput extends Omit<PlannerInput, 'campaigns'> {
  refreshed: readonly RefreshedCampaign[];
  removals?: readonly RefreshedRemoval[];
}

/** A plan, and the work behind each of its campaigns in the same order. `removal`: the work that concerns campaigns without a manifest. */
interface BuiltPlan {
  plan: Plan;
  work: Work[];
  removal: Work[];
}

/** The plan of campaigns that were all read. Failure for any error among them. */
export function buildPlan(input: PlanInput): BuiltPlan {
  const { environment, entries, entryLeads = [], listed, pending, refreshed, removals = [] } = input;
  const { selection = ALL, refresh: mode = 'all' } = input;
  const known = new Map(entries.map(({ id, recorded }) => [id, recorded]));
  const each = withoutTwoPauses(planEach(input, known));
  const left = without(pending, each);
  const planned = removals.flatMap((one) => planRemoval(one, { environment, pending: left }, known) ?? []);
  const removal = planned.flatMap((one) => one.work ?? []);
  const removed = planned.filter(({ isTold }) => isTold).map(({ campaign }) => campaign);
  const approvals = [...environment.allow, ...(input.approvals ?? [])];
  const twice = mailedTwice(each, entryLeads, environment);
  const launched = new Set(
    each.filter(({ plan }) => plan.steps.some(({ id }) => id === 'launch')).map(({ context }) => context.id),
  );
  const work = each.map((one): Work => {
    const problems = withApprovals([...one.plan.problems, ...(twice.get(one) ?? [])], approvals);
    const resting = one.resting.filter((id) => !launched.has(id));
    return { ...one, resting, plan: { ...one.plan, problems } };
  });
  const campaigns = work.map(({ plan }) => plan);
  const renamed = isAllowed('rename', input) ? [] : refreshed.flatMap(renameByHand);
  const head = {
    version: 1,
    environment: environment.name,
    base_url: addressOf(environment),
  } as const;
  const body = {
    summary: summarize(campaigns, removed),
    problems: withApprovals(
      [
        ...applyAtWork(input.other ?? null),
        ...lostWorkspace(campaigns, listed, entries),
        ...massChange(campaigns, listed.filter(({ name }) => !isScratch(name)).length, removed),
        ...orphaned({ ...input, pending: without(left, removal) }),
        ...unfinishedProbes(input.probes ?? [], listed),
        ...planned.flatMap(({ problems }) => problems),
      ],
      approvals,
    ),
    campaigns,
    removed,
    by_hand: [
      ...work.flatMap(({ byHand }) => byHand),
      ...renamed,
      ...deleteByHand([
        ...leftBehind(work, entryLeads),
        ...leftOver(planned.map(({ campaign }) => campaign)).filter(({ id }) =>
          renamed.every((one) => one.id !== id),
        ),
        ...(isFull(selection) ? scratchOf(listed, environment) : []),
      ]),
    ],
  };
  const live = work.map((one) => fingerprint(one.live));
  const print = planFingerprint({ ...head, mode, ...body }, live, selection);
  return { plan: { ...head, fingerprint: print, mode, ...body }, work, removal };
}

/** The work of each campaign by itself, in the order of `refreshed`. */
function planEach({ refreshed, ...input }: PlanInput, known: ReadonlyMap<number, RecordedState>): Work[] {
  const campaigns = refreshed.map(({ campaign }) => campaign);
  const plannerInput = { ...input, campaigns };
  const reconciled = refreshed.map((one) => reconcileCampaign(one, plannerInput, known));
  stopOnErrors(reconciled.flatMap(({ problems }) => problems));
  const tools = { impactOf: createImpact(input.now), holders: holdersOf(input.entryLeads ?? []) };
  return reconciled.map((one) => planCampaign(one, plannerInput, tools));
}

/** A replaced campaign that has a manifest still is paused by that: a service may refuse to pause it twice. */
function withoutTwoPauses(work: readonly Work[]): Work[] {
  const pausing = work.filter(({ plan }) => plan.steps.some(({ id }) => id === 'pause'));
  const paused = new Set(pausing.map(({ plan }) => plan.id));
  return work.map((one) => {
    if (one.succession === null || !paused.has(one.succession.context.id)) return one;
    const steps = one.plan.steps.filter((step) => !isPauseOfReplaced(step));
    return { ...one, plan: { ...one.plan, steps } };
  });
}

function without(pending: readonly PendingOperations[], work: readonly Work[]): PendingOperations[] {
  const taken = new Set(work.flatMap((one) => [...one.pending, ...(one.succession?.pending ?? [])]));
  return pending.filter((one) => !taken.has(one));
}

/** What an earlier run left of a campaign that no manifest means any more: no run will reconcile it. */
function orphaned({ pending, refreshed, listed }: PlanInput): Problem[] {
  const names = new Set(refreshed.map(nameOf));
  const files = new Set(refreshed.map(({ campaign }) => campaign.manifest));
  return pending
    .filter(({ name, manifest, sent }) => {
      const isOpen = sent.some(({ result }) => result === 'unknown' || result === 'in_doubt');
      // With --target or files named, the manifest may only not have been read.
      return isOpen && !names.has(name) && files.has(manifest);
    })
    .map(({ name, manifest, at, who }) => {
      const there = listed.filter((one) => one.name === name).map(({ id }) => id);
      const now = there.length === 0 ? 'is not listed' : `is campaign ${there.join(', ')}`;
      return {
        code: 'unfinished-run',
        severity: 'warning',
        message: `An earlier run (${who}, ${at}) ended before it knew the outcome of what it sent for "${name}", which ${now}; ${manifest} now describes another campaign.`,
        hint: "Look at it in the service's web app. campaignctl history shows that run.",
      };
    });
}

function summarize(campaigns: readonly CampaignPlan[], removed: readonly RemovedCampaign[]): Summary {
  const pauses = removed.filter(({ step }) => step !== null).length;
  const count = (isMeant: (campaign: CampaignPlan) => boolean) => campaigns.filter(isMeant).length;
  const having = (action: Action) => count((campaign) => campaign.action === action);
  const withStep = (id: string) => count(({ steps }) => steps.some((step) => step.id === id));
  const ofReplaced = count(({ steps }) => steps.some(isPauseOfReplaced));
  return {
    create: having('create'),
    change: having('change'),
    unchanged: having('none'),
    not_read: having('not_read'),
    blocked: having('blocked'),
    launch: withStep('launch'),
    pause: withStep('pause') + ofReplaced + pauses,
    removed: removed.filter(({ superseded_by }) => superseded_by === undefined).length,
    requests: campaigns.reduce((sum, { steps }) => sum + steps.length, pauses),
  };
}

function stopOnErrors(problems: readonly Problem[]): void {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [first, ...others] = new Map(errors.map((error) => [error.message, error])).values();
  if (first !== undefined) throw new Failure(first, { others });
}
