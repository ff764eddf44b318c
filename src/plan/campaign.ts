import type { Answer, AnswerName, Answers, ListedCampaign } from '../model/answer.js';
import type { Approval, Environment, Hazard } from '../model/environment.js';
import type { Action, BeforeAfter, CampaignPlan, Content, Problem, RefreshMode } from '../model/outputs.js';
import type { Campaign } from '../model/spec.js';
import {
  type PendingOperations,
  type RecordedState,
  type StateEntry,
  seenLast,
  UNKNOWN_STATE,
} from '../model/state.js';
import { type CampaignContext, type Managed, SECTIONS } from '../sections/index.js';
import { contradiction } from '../sections/status.js';
import { byHandOf } from './by-hand.js';
import { withOrigins } from './drift.js';
import type { Selection } from './fingerprint.js';
import { adoptHazard, type OtherApply, replaceHazard, strangerStatus } from './hazards.js';
import type { EntryLeads, Holders } from './holders.js';
import type { createImpact } from './impact.js';
import { leadHazards, restingHolders } from './lead-hazards.js';
import type { Match } from './match.js';
import { inOrder, withoutLaunch } from './order.js';
import { isMadeBy, type Reconciled, reconcile, type Work } from './reconcile.js';
import { perhapsMoved } from './removed.js';
import { linesToReplace } from './replace-lines.js';
import { sequenceMissing } from './sequence-missing.js';
import { planSuccession, type ReadPredecessor, successionOf } from './succession.js';

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

/** What campaigns are planned by, known before the service is read. `campaigns`: all that are planned. */
export interface PlannedBy {
  environment: Environment;
  campaigns: readonly Campaign[];
  entries: readonly StateEntry[];
  /** What earlier runs left unreconciled, oldest first. */
  pending: readonly PendingOperations[];
  /** What probes left that died: they concern no manifest. */
  probes?: readonly PendingOperations[];
  other?: OtherApply | null;
  /** What was asked for; left out, everything. Campaigns that are no target only tell whose entries are whose. */
  selection?: Selection;
  /** `changed`: campaigns are not read of which nothing speaks for a change since the state has seen them as their manifests say. */
  refresh?: RefreshMode;
  /** Hazards that are accepted besides those of the environment. */
  approvals?: readonly Approval[];
}

/**
 * With what is read besides each campaign. `listed`: the whole workspace, or nothing if every manifest of the project and every entry
 * is pinned.
 */
export interface PlannerInput extends PlannedBy {
  templates: Answer | null;
  listed: readonly ListedCampaign[];
  /** Leads of the campaigns of the state, whatever is planned. */
  entryLeads?: readonly EntryLeads[];
  /** Milliseconds since 1970, for the impact of launches. */
  now: number;
}

export const ALL: Selection = { files: [], target: [], hold: [] };

/** A campaign with what earlier runs left of it. */
export function reconcileCampaign(
  refreshed: RefreshedCampaign,
  { environment, templates, pending: all }: PlannerInput,
  known: ReadonlyMap<number, RecordedState>,
): Reconciled & Pick<Work, 'row'> {
  const { campaign, id, listed, answers, problems, entry = null, row = null, predecessor = null } = refreshed;
  const { spec, remarks } = campaign;
  const recorded = known.get(id ?? 0) ?? UNKNOWN_STATE;
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
    isMoved: entry?.id === id && entry?.manifest !== campaign.manifest,
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
export function nameOf({ campaign, listed }: RefreshedCampaign): string {
  return listed?.name ?? campaign.spec.name;
}

/** The answers that planning this spec needs; a pinned campaign is always read, to know that it is there. */
export function answersOf(spec: Managed): AnswerName[] {
  const managed = SECTIONS.flatMap((section) => section.reads(spec));
  return [...new Set<AnswerName>(spec.id === undefined ? managed : ['campaign', ...managed])];
}

/** Its part of the plan, and what that is made from. */
export function planCampaign(
  reconciled: Reconciled & Pick<Work, 'row'>,
  {
    environment,
    listed,
    campaigns,
    selection = ALL,
    approvals = [],
    entryLeads = [],
    refresh: mode,
  }: PlannerInput,
  { impactOf, holders }: { impactOf: ReturnType<typeof createImpact>; holders: Holders },
): Work {
  const { campaign, context, succession, pending, problems: found, isKnown, isMoved, row } = reconciled;
  const { manifest, spec, found: lint = [] } = campaign;
  const { id, recorded } = context;
  if (mode === 'changed' && id !== null && context.answers === null) return unread(reconciled);
  const parts = SECTIONS.map((section) => ({ name: section.name, ...section.plan(context) }));
  const asked = inOrder(parts.flatMap((part) => part.steps));
  const stranger = strangerStatus(context, isKnown);
  const isAdopted = isAllowed('adopt', { environment, approvals });
  const ofParts = parts.flatMap((part) => part.problems);
  const differing = parts.flatMap((part) => part.changes);
  const isBegun = differing.every(({ section, path }) => section !== 'sequence' || path !== '');
  const old = succession && planSuccession(succession, context, { asked, isBegun });
  const replaced = succession?.context.id ?? null;
  const said = [
    ...found,
    ...adoptHazard(asked, stranger),
    ...replaceHazard(context, asked),
    ...sequenceMissing(context, differing, (name) => asked.some(({ section }) => section === name)),
    ...(old?.problems ?? []),
    ...ofParts,
    ...leadHazards(context, asked, { holders, lint, replaced }),
  ].map((problem) =>
    withLines(problem, campaign, { id, environment: environment.name, all: listed, campaigns }),
  );
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
    isMoved,
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
  campaign: Campaign,
  context: Parameters<typeof linesToReplace>[1],
): Problem {
  if (problem.code !== 'sequence-exists') return problem;
  const { where, lines } = linesToReplace(campaign, context);
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

/** Whether the project file or a flag accepts a hazard. */
export function isAllowed(
  code: Hazard,
  { environment, approvals = [] }: Pick<PlannerInput, 'environment' | 'approvals'>,
): boolean {
  return [...environment.allow, ...approvals].some(({ hazard }) => hazard === code);
}

/** Where only some manifests are planned, nothing is said of campaigns that are not meant. */
export function isFull({ target, files }: Selection): boolean {
  return target.length === 0 && files.length === 0;
}
