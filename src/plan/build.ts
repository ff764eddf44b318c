import type { Answer, AnswerName, Answers, ListedCampaign } from '../model/answer.js';
import { type Approval, addressOf, type Environment, type Hazard } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import {
  type Action,
  type BeforeAfter,
  type CampaignPlan,
  type Content,
  isPauseOfReplaced,
  type Plan,
  type Problem,
  type RefreshMode,
  type RemovedCampaign,
  type Summary,
} from '../model/outputs.js';
import { isScratch } from '../model/probe.js';
import type { CampaignSpec } from '../model/spec.js';
import {
  type ElsewhereEntry,
  type ElsewhereRun,
  type PendingOperations,
  type RecordedState,
  type StateEntry,
  seenLast,
  UNKNOWN_STATE,
} from '../model/state.js';
import { type CampaignContext, SECTIONS } from '../sections/index.js';
import { contradiction } from '../sections/status.js';
import { byHandOf, deleteByHand, renameByHand } from './by-hand.js';
import { withOrigins } from './drift.js';
import { planFingerprint, type Selection } from './fingerprint.js';
import {
  addressChanged,
  adoptHazard,
  applyAtWork,
  attachedElsewhere,
  lostWorkspace,
  massChange,
  type OtherApply,
  openElsewhere,
  removedElsewhere,
  replaceHazard,
  strangerStatus,
  twinsOf,
  unfinishedProbes,
  withApprovals,
  withDoubt,
} from './hazards.js';
import { createImpact } from './impact.js';
import {
  type EntryLeads,
  type Holders,
  holdersOf,
  leadHazards,
  leadsOfElsewhere,
  mailedTwice,
  restingHolders,
} from './lead-hazards.js';
import type { Match } from './match.js';
import { inOrder, withoutLaunch } from './order.js';
import { isMadeBy, type Reconciled, reconcile, type Work } from './reconcile.js';
import { perhapsMoved, planRemoval, type RefreshedRemoval } from './removed.js';
import { linesToReplace, planSuccession, type ReadPredecessor, successionOf } from './succession.js';

/**
 * What was read for one manifest; `answers` is null if the campaign does not exist, or was not read. `row`: of a list that was read
 * before the campaign was; null: there was none.
 */
export interface RefreshedCampaign
  extends Pick<Match, 'campaign' | 'id' | 'listed' | 'problems'>,
    Partial<Pick<Match, 'entry' | 'rivals'>> {
  answers: Answers | null;
  row?: ListedCampaign | null;
  /** The campaign that it replaces. */
  predecessor?: ReadPredecessor | null;
}

/**
 * Everything a plan is made from. `listed`: the whole workspace, or nothing if every manifest of the project and every entry is
 * pinned. `pending`: what earlier runs left unreconciled. `selection`: what was asked for; left out, everything. `refresh`: `changed`
 * where only campaigns were read that may have changed.
 */
export interface PlanInput {
  environment: Environment;
  refreshed: readonly RefreshedCampaign[];
  templates: Answer | null;
  listed: readonly ListedCampaign[];
  entries: readonly StateEntry[];
  /** Entries of another service: nothing that they say is believed. */
  elsewhere?: readonly ElsewhereEntry[];
  /** Runs that left requests open at another address. */
  openElsewhere?: readonly ElsewhereRun[];
  pending: readonly PendingOperations[];
  /** What probes left that died: they concern no manifest. */
  probes?: readonly PendingOperations[];
  other?: OtherApply | null;
  selection?: Selection;
  refresh?: RefreshMode;
  /** Entries whose manifests were removed; none where not every manifest is planned. */
  removals?: readonly RefreshedRemoval[];
  /** Leads of the campaigns of the state, whatever is planned. */
  entryLeads?: readonly EntryLeads[];
  /** Hazards that are accepted besides those of the environment. */
  approvals?: readonly Approval[];
  /** Milliseconds since 1970, for the impact of launches. */
  now: number;
}

export const ALL: Selection = { files: [], target: [], hold: [] };

/**
 * The plan of all manifests, and the work behind each of its campaigns in the same order. `removal`: the work that concerns campaigns
 * without a manifest. Failure for any error among them.
 */
export function buildPlan(input: PlanInput): { plan: Plan; work: Work[]; removal: Work[] } {
  const { environment, listed, entries, entryLeads = [], refreshed, removals = [] } = input;
  const { pending, selection = ALL, refresh: mode = 'all' } = input;
  const known = new Map(entries.map(({ id, recorded }) => [id, recorded]));
  const reconciled = refreshed.map((one) => reconcileCampaign(one, input, known));
  stopOnErrors(reconciled.flatMap(({ problems }) => problems));
  const impactOf = createImpact(input.now);
  const specs = refreshed.map(({ campaign }) => campaign.spec);
  const others = leadsOfElsewhere(input.elsewhere ?? [], specs, { listed, here: entryLeads });
  const holders = holdersOf([...entryLeads, ...others]);
  const work = withoutTwoPauses(reconciled.map((one) => planCampaign(one, input, impactOf, holders)));
  const campaigns = work.map(({ plan }) => plan);
  const left = without(pending, work);
  const planned = removals.flatMap((one) => planRemoval(one, { environment, pending: left }, known) ?? []);
  const removal = planned.flatMap((one) => one.work ?? []);
  const removed = planned.map(({ campaign }) => campaign);
  const approvals = [...environment.allow, ...(input.approvals ?? [])];
  const twice = mailedTwice(work, entryLeads, environment);
  const launched = new Set(
    work.filter(({ plan }) => plan.steps.some(({ id }) => id === 'launch')).map(({ context }) => context.id),
  );
  for (const one of work) {
    one.resting = one.resting.filter((id) => !launched.has(id));
    one.plan.problems = withApprovals([...one.plan.problems, ...(twice.get(one) ?? [])], approvals);
  }
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
        ...openElsewhere(environment, input.openElsewhere ?? []),
        ...(isFull(selection) ? removedElsewhere(environment, campaigns, input.elsewhere ?? []) : []),
        ...planned.flatMap(({ problems }) => problems),
      ],
      approvals,
    ),
    campaigns,
    removed,
    by_hand: [
      ...work.flatMap(({ byHand }) => byHand),
      ...renamed,
      ...deleteByHand(removed.filter(({ id }) => renamed.every((one) => one.id !== id))),
    ],
  };
  const live = work.map((one) => one.live);
  const fingerprint = planFingerprint({ ...head, mode, ...body }, live, selection);
  return { plan: { ...head, fingerprint, mode, ...body }, work, removal };
}

/** Whether the project file or a flag accepts a hazard. */
function isAllowed(
  code: Hazard,
  { environment, approvals = [] }: Pick<PlanInput, 'environment' | 'approvals'>,
): boolean {
  return [...environment.allow, ...approvals].some(({ hazard }) => hazard === code);
}

/** A replaced campaign that has a manifest still is paused by that: a service may refuse to pause it twice. */
function withoutTwoPauses(work: readonly Work[]): Work[] {
  const pausing = work.filter(({ plan }) => plan.steps.some(({ id }) => id === 'pause'));
  const paused = new Set(pausing.map(({ plan }) => plan.id));
  return work.map((one) => {
    const isPaused = one.succession !== null && paused.has(one.succession.context.id);
    const steps = one.plan.steps.filter((step) => !isPaused || !isPauseOfReplaced(step));
    return { ...one, plan: { ...one.plan, steps } };
  });
}

/** Where only some manifests are planned, nothing is said of campaigns that are not meant. */
function isFull({ target, files }: Selection): boolean {
  return target.length === 0 && files.length === 0;
}

function without(pending: readonly PendingOperations[], work: readonly Work[]): PendingOperations[] {
  const taken = new Set(work.flatMap((one) => [...one.pending, ...(one.succession?.pending ?? [])]));
  return pending.filter((one) => !taken.has(one));
}

function reconcileCampaign(
  refreshed: RefreshedCampaign,
  { environment, templates, pending: all, elsewhere = [] }: PlanInput,
  known: ReadonlyMap<number, RecordedState>,
): Reconciled & Pick<Work, 'row'> {
  const { campaign, id, listed, answers, problems, row = null, predecessor = null } = refreshed;
  const { spec, remarks } = campaign;
  const own = id === null ? undefined : known.get(id);
  const recorded = own === undefined ? UNKNOWN_STATE : withDoubt(own, twinsOf({ id, spec }, elsewhere));
  const pending = pendingOf(refreshed, all);
  const before = { environment, templates, spec, id, listed, answers, recorded };
  const { context, problems: told } = reconcile(pending, before);
  const found = predecessor && successionOf(predecessor, context, { pending, all });
  const [succession, wrong] = found !== null && 'code' in found ? [null, [found]] : [found, []];
  return {
    campaign,
    context,
    succession,
    pending,
    problems: [
      ...problems,
      ...wrong,
      ...told,
      ...remarks,
      ...pinnedButGone(context),
      ...contradiction(context),
    ],
    isKnown: id === null || known.has(id) || isMadeBy(pending, id),
    row,
  };
}

/** What earlier runs left of this campaign; of another campaign than the one that is there, it says nothing. */
function pendingOf(refreshed: RefreshedCampaign, pending: readonly PendingOperations[]): PendingOperations[] {
  const { manifest } = refreshed.campaign;
  const name = nameOf(refreshed);
  const own = pending.filter((one) => (one.id === null ? one.name === name : one.id === refreshed.id));
  const same = own.filter((operations) => operations.manifest === manifest);
  return same.length > 0 ? same : own;
}

/** The name of the campaign that a manifest means: one with a pin may have another. */
function nameOf({ campaign, listed }: RefreshedCampaign): string {
  return listed?.name ?? campaign.spec.name;
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
        message: `An earlier run (${who}, ${at}) ended before it knew the outcome of what it sent for "${name}", which ${now}; ${manifest} describes another campaign now.`,
        hint: "Look at it in the service's web app. campaignctl history shows that run.",
      };
    });
}

/** The answers that planning this spec needs; a pinned campaign is always read, to know that it is there. */
export function answersOf(spec: CampaignSpec): AnswerName[] {
  const managed = SECTIONS.flatMap((section) => section.reads(spec));
  return [...new Set<AnswerName>(spec.id === undefined ? managed : ['campaign', ...managed])];
}

function planCampaign(
  reconciled: Reconciled & Pick<Work, 'row'>,
  {
    environment,
    listed,
    refreshed,
    selection = ALL,
    approvals = [],
    elsewhere = [],
    entryLeads = [],
    refresh: mode,
  }: PlanInput,
  impactOf: ReturnType<typeof createImpact>,
  holders: Holders,
): Work {
  const { campaign, context, succession, pending, problems: found, isKnown, row } = reconciled;
  const { manifest, spec, found: lint = [] } = campaign;
  const { id, recorded } = context;
  if (mode === 'changed' && id !== null && context.answers === null) return unread(reconciled);
  const parts = SECTIONS.map((section) => ({ name: section.name, ...section.plan(context) }));
  const asked = inOrder(parts.flatMap((part) => part.steps));
  const stranger = strangerStatus(context, isKnown);
  const isAdopted = isAllowed('adopt', { environment, approvals });
  const ofParts = parts.flatMap((part) => part.problems);
  const isRepeat = ofParts.some(({ code }) => code === 'repeat-attach');
  const differing = parts.flatMap((part) => part.changes);
  const isBegun = differing.every(({ section, path }) => section !== 'sequence' || path !== '');
  const old = succession && planSuccession(succession, context, { asked, isBegun });
  const replaced = succession?.context.id ?? null;
  const said = [
    ...found,
    ...adoptHazard(asked, stranger),
    ...replaceHazard(context, asked),
    ...(isKnown && id !== null ? [] : addressChanged(context, campaign.manifest, asked, elsewhere)),
    ...(isKnown && isRepeat ? attachedElsewhere(context, twinsOf(context, elsewhere)) : []),
    ...(old?.problems ?? []),
    ...ofParts,
    ...leadHazards(context, asked, { holders, lint, replaced }),
  ].map((problem) => withLines(problem, spec, { listed, refreshed }));
  const isTold = said.some(({ code }) => /^(?:rename|missing|leads-elsewhere)$/.test(code));
  if (!isFull(selection) && !isTold)
    said.push(...perhapsMoved(context, asked, { entries: entryLeads, replaced }));
  const gone = said.some(({ code }) => code === 'campaign-gone');
  // Nothing is sent to a campaign that is gone, so nothing of it needs approval, and a service refuses nothing of it.
  const isOfRequests = ({ severity, code }: Problem) =>
    severity === 'hazard' || code === 'new-leads-above-emails';
  const problems = gone ? said.filter((problem) => !isOfRequests(problem)) : said;
  const steps = gone ? [] : [...(old?.steps ?? []), ...asked];
  const gated = withoutLaunch({ steps, problems }, selection.hold.includes('launch'));
  const unreconciled = pending.flatMap(({ sent }) => sent.map(({ step }) => step.section));
  const changes = [...withOrigins(context, differing, unreconciled), ...(old?.changes ?? [])];
  const action = actionOf({ id, changes, ...gated });
  const content = action === 'none' ? null : beforeAfter(context);
  const launches = gated.steps.some((step) => step.id === 'launch');
  const impact = content !== null && launches ? impactOf(context, content, changes) : null;
  return {
    campaign,
    context,
    succession,
    pending,
    isKnown: isKnown || isAdopted,
    byHand: ofParts.length === 0 ? [] : byHandOf(context, campaign.manifest),
    live: {
      ...Object.fromEntries(parts.map(({ name, live }) => [name, live])),
      ...(old === null ? {} : { replaced: old.live }),
    },
    ...{ resting: restingHolders(context, gated.steps, { holders, lint }), row },
    plan: {
      manifest,
      name: spec.name,
      id,
      action,
      changes,
      ...gated,
      problems: [...gated.problems, ...lint],
      content,
      impact,
      last: seenLast(recorded),
      ...(old === null ? {} : { replaces: old.replaces }),
    },
  };
}

/** A campaign that was left unread: what its manifest alone tells is said of it, and nothing is sent to it. */
function unread({ problems, ...rest }: Reconciled & Pick<Work, 'row'>): Work {
  const { campaign, context } = rest;
  const { manifest, spec, found: lint = [] } = campaign;
  const { id, recorded } = context;
  return {
    ...rest,
    live: { seen: recorded.seen },
    ...{ resting: [], byHand: [] },
    plan: {
      ...{ manifest, name: spec.name, id, action: 'not_read', changes: [], steps: [] },
      problems: [...problems, ...lint],
      ...{ content: null, impact: null, last: seenLast(recorded) },
    },
  };
}

/** Where changed emails are blocked, the lines that make a campaign with them. */
function withLines(
  problem: Problem,
  spec: CampaignSpec,
  { listed, refreshed }: Pick<PlanInput, 'listed' | 'refreshed'>,
): Problem {
  if (problem.code !== 'sequence-exists') return problem;
  const names = [...listed.map(({ name }) => name), ...refreshed.map(({ campaign }) => campaign.spec.name)];
  const { where, lines } = linesToReplace(spec, new Set(names));
  return { ...problem, hint: `${problem.hint} ${where}`, lines };
}

function pinnedButGone({ spec, id, answers, environment }: CampaignContext): Problem[] {
  if (spec.id === undefined || answers?.campaign?.none !== true) return [];
  return [
    {
      code: 'pinned-not-found',
      severity: 'error',
      message: `"${spec.name}" is pinned to campaign ${id}, which the service does not have.`,
      hint: `Check the id, and whether the token for environment ${environment.name} belongs to the right workspace.`,
    },
  ];
}

/** A campaign with anything blocked is blocked, even if the rest of it is sent: it will not be as its manifest says. */
function actionOf(plan: Pick<CampaignPlan, 'id' | 'changes' | 'steps' | 'problems'>): Action {
  const { id, changes, steps, problems } = plan;
  if (problems.some(({ severity }) => severity === 'blocked')) return 'blocked';
  if (steps.length > 0 && id === null) return 'create';
  return steps.length > 0 || changes.length > 0 ? 'change' : 'none';
}

function beforeAfter(context: CampaignContext): BeforeAfter {
  const parts = SECTIONS.map((section) => ({ name: section.name, ...section.toView(context) }));
  const side = (of: 'live' | 'desired') =>
    Object.fromEntries(
      parts.filter(({ name }) => name !== 'campaign').map((part) => [part.name, part[of]]),
    ) as unknown as Content;
  return { before: context.id === null ? null : side('live'), after: side('desired') };
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
