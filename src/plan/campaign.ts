import type { Answer, ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import type { Approval, Environment, Hazard } from '../model/environment.js';
import type { Action, BeforeAfter, CampaignPlan, Change, Content, Problem, Step } from '../model/outputs.js';
import type { Campaign } from '../model/spec.js';
import { type RecordedState, seenLast, UNKNOWN_STATE } from '../model/state.js';
import { type CampaignContext, SECTIONS } from '../sections/index.js';
import { sending } from '../sections/sending.js';
import { contradiction, status } from '../sections/status.js';
import { attachByHand, tasksByHand } from './by-hand.js';
import { withOrigins } from './drift.js';
import type { Selection } from './fingerprint.js';
import { campaignHazards } from './hazards.js';
import type { EntryLeads } from './holders.js';
import type { createImpact } from './impact.js';
import { isReplacedBy } from './match.js';
import { problem } from './messages.js';
import { perhapsMoved } from './moved.js';
import { inOrder, withoutLaunch } from './order.js';
import { isGone, isLeftAsItIs } from './others.js';
import { isMadeBy, reconcile } from './reconcile.js';
import { linesToReplace } from './replace-lines.js';
import { describeSuccession } from './succession.js';
import { type CampaignWork, isDeclared, type PlannedWork, type ReconciledWork } from './work.js';

/** Shared by all campaigns of a plan. `known`: state by id. */
export interface Shared {
  environment: Environment;
  approvals: readonly Approval[];
  templates: Answer | null;
  listed: readonly ListedCampaign[];
  campaigns: readonly Campaign[];
  selection: Selection;
  entryLeads: readonly EntryLeads[];
  known: ReadonlyMap<number, RecordedState>;
  impactOf: ReturnType<typeof createImpact>;
}

/** Applies what earlier runs left. */
export function reconcileWork(work: CampaignWork, { environment, templates, known }: Shared): ReconciledWork {
  const { campaign, id, entry, listed, answers: read, pending } = work;
  const { manifest, spec, remarks } = campaign;
  // Only the list still shows the campaign.
  const isOnlyListed = !isDeclared(work) && read?.campaign?.none === true;
  const answers = isOnlyListed ? { ...read, campaign: null } : read;
  const recorded = known.get(id ?? 0) ?? UNKNOWN_STATE;
  const before = { environment, templates, spec, id, listed, answers, recorded };
  const { context, problems } = reconcile(pending, before);
  const isNamed =
    isDeclared(work) || entry === null || listed === null || isSameName(listed.name, entry.name);
  return {
    ...work,
    context,
    isKnown: id === null || (isNamed && (known.has(id) || isMadeBy(pending, id))),
    isMoved: entry?.id === id && entry?.manifest !== manifest,
    problems: [
      ...work.problems,
      ...problems,
      ...remarks,
      ...(isDeclared(work) ? pinnedButGone(context) : []),
      ...contradiction(context),
    ],
  };
}

/** `waitsFor`: the campaign it replaces. `successor`: the one that replaces it. */
export function planCampaign(
  reconciled: ReconciledWork,
  { waitsFor, successor }: { waitsFor: PlannedWork | null; successor: ReconciledWork | null },
  shared: Shared,
): PlannedWork {
  const { campaign, context: known, isKnown } = reconciled;
  const isOurs = isDeclared(reconciled);
  if (isOurs && known.id !== null && known.answers === null) return unread(reconciled);
  const context = successor === null ? known : withoutBelief(reconciled, successor);
  const sections = planSections(reconciled, context);
  const old = waitsFor && describeSuccession(waitsFor, context, sections);
  const found = [...reconciled.problems, ...(old?.problems ?? []), ...sections.problems];
  const { environment, listed: all, campaigns } = shared;
  const about = { id: known.id, environment: environment.name, all, campaigns };
  const asked = { steps: sections.asked, problems: found.map((told) => withLines(told, campaign, about)) };
  const gated = gate(asked, whyHeld(context, shared.selection));
  const { steps } = gated;
  const facts = { work: reconciled, context, changes: sections.changes, steps, predecessor: waitsFor };
  const hazards = [...gated.problems, ...campaignHazards(facts)];
  const moved = { entries: shared.entryLeads, replaced: waitsFor?.id ?? null };
  const isIdentified = hazards.every(({ code }) => code !== 'rename' && code !== 'missing');
  const problems = [...hazards, ...(isIdentified ? perhapsMoved(context, sections.asked, moved) : [])];
  const changes = originated(reconciled, context, sections.changes);
  const action = planAction({ id: known.id, changes, steps, problems });
  const content = action === 'none' ? null : beforeAfter(context);
  const launches = steps.some((step) => step.id === 'launch');
  return {
    ...reconciled,
    ...{ context, waitsFor, live: sections.live, resting: [] },
    isKnown: isKnown || isAllowed('adopt', shared),
    byHand:
      isOurs && sections.problems.length > 0
        ? [...tasksByHand(context, campaign.manifest), ...attachByHand(problems, campaign)]
        : [],
    plan: {
      ...campaignHead(reconciled),
      ...{ action, changes, steps },
      problems: [...problems, ...(campaign.lintProblems ?? [])],
      content,
      impact: content !== null && launches ? shared.impactOf(context, content, changes) : null,
      ...(old === null ? {} : { replaces: old.replaces }),
    },
  };
}

/** The managed sections of a campaign. `asked`: all steps, in order. `isBegun`: it has its own emails. */
function planSections(work: ReconciledWork, context: CampaignContext) {
  const managed = isDeclared(work) ? SECTIONS : isGone(work) ? [] : [status];
  const parts = managed.map((section) => ({ name: section.name, ...section.plan(context) }));
  const isLeft = isLeftAsItIs(work);
  const asked = isLeft ? [] : inOrder(parts.flatMap((part) => part.steps));
  const changes = isLeft ? [] : parts.flatMap((part) => part.changes);
  const problems = parts.flatMap((part) => part.problems);
  return {
    ...{ asked, changes },
    problems: isDeclared(work) ? problems : problems.filter((told) => isOfOther(told, asked)),
    live: Object.fromEntries(parts.map(({ name, live }) => [name, live])),
    isBegun: changes.every(({ section, path }) => section !== 'sequence' || path !== ''),
  };
}

function originated(work: ReconciledWork, context: CampaignContext, changes: readonly Change[]) {
  if (!isDeclared(work)) return changes.map((change) => ({ ...change, origin: null }));
  const unreconciled = work.pending.flatMap(({ sent }) => sent.map(({ step }) => step.section));
  return withOrigins(context, [...changes], unreconciled);
}

function campaignHead({ campaign: { manifest, spec }, context: { id, recorded } }: ReconciledWork) {
  return { manifest, name: spec.name, id, last: seenLast(recorded) };
}

/** A believed status is no proof that a predecessor is idle; a second pause is harmless. */
function withoutBelief({ entry, context }: ReconciledWork, successor: ReconciledWork): CampaignContext {
  if (!sending(context).believed) return context;
  const launches = status.plan(successor.context).steps.some(({ id }) => id === 'launch');
  if (isReplacedBy(entry, successor.id) && !launches) return context;
  return { ...context, recorded: { ...context.recorded, status: null } };
}

/** Without a manifest, only an unknown status, and a pause based on no status, are worth a warning. */
function isOfOther({ code }: Problem, asked: readonly Step[]): boolean {
  return code === 'unknown-status' || (code === 'status-believed' && asked.length > 0);
}

/** A campaign that is gone gets no requests, and so needs no approval. */
function gate(planned: Pick<CampaignPlan, 'steps' | 'problems'>, held: Problem | null) {
  const isOfRequests = ({ severity, code }: Problem) =>
    severity === 'hazard' || code === 'new-leads-above-emails';
  const isGone = planned.problems.some(({ code }) => code === 'campaign-gone');
  const problems = planned.problems.filter((problem) => !isOfRequests(problem));
  return withoutLaunch(isGone ? { steps: [], problems } : planned, held);
}

/** Why the launch is left to a later apply; `null` if it is not. */
function whyHeld({ id, environment }: CampaignContext, { hold }: Selection): Problem | null {
  if (hold.includes('launch')) return problem('launch-held', {});
  return id === null && environment.service.senders === 'by_hand'
    ? problem('launch-needs-senders', {})
    : null;
}

/** A campaign that was not read. */
function unread(work: ReconciledWork): PlannedWork {
  return {
    ...work,
    live: { seen: work.context.recorded.seen },
    ...{ resting: [], byHand: [], waitsFor: null },
    plan: {
      ...campaignHead(work),
      ...{ action: 'not_read', changes: [], steps: [] },
      problems: [...work.problems, ...(work.campaign.lintProblems ?? [])],
      ...{ content: null, impact: null },
    },
  };
}

/** Adds lines for a replacement where changed emails are blocked. */
function withLines(
  problem: Problem,
  campaign: Campaign,
  context: Parameters<typeof linesToReplace>[1],
): Problem {
  if (problem.code !== 'sequence-exists') return problem;
  const { where, lines } = linesToReplace(campaign, context);
  return { ...problem, where, lines };
}

function pinnedButGone({ spec, id, answers, environment }: CampaignContext): Problem[] {
  if (spec.id === undefined || answers?.campaign?.none !== true) return [];
  return [problem('pinned-not-found', { name: spec.name, id, environment: environment.name })];
}

/** Blocked even if the rest is sent. */
function planAction(plan: Pick<CampaignPlan, 'id' | 'changes' | 'steps' | 'problems'>): Action {
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

export function isAllowed(
  code: Hazard,
  { environment, approvals }: Pick<Shared, 'environment' | 'approvals'>,
): boolean {
  return [...environment.allow, ...approvals].some(({ hazard }) => hazard === code);
}
