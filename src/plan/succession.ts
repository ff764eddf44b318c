import type { Answers, ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import type { Environment } from '../model/environment.js';
import { groupBy } from '../model/json.js';
import type { Change, PlannedChange, Problem, Replaced, Step } from '../model/outputs.js';
import type { CampaignSpec } from '../model/spec.js';
import {
  type PendingOperations,
  type RecordedState,
  type StateEntry,
  UNKNOWN_STATE,
} from '../model/state.js';
import { count } from '../model/words.js';
import { type CampaignContext, SECTIONS } from '../sections/index.js';
import { accountedLeads, describeLeads, isEmpty, totalLeads, union, without } from '../sections/leads.js';
import { contradiction, type LiveStatus, liveStatus, meaningOf, status } from '../sections/status.js';
import type { LeftOver } from './by-hand.js';
import { notReady, ofReplaced } from './chain.js';
import { adoptHazard, campaignThat, howToDeclare, strangerStatus } from './hazards.js';
import { type EntryLeads, whetherRun, withPending } from './holders.js';
import { attachedBy, mailedBy } from './lead-hazards.js';
import type { Match, Predecessor } from './match.js';
import { record } from './order.js';
import type { Succession, Work } from './reconcile.js';
import { revivedEmails } from './revived.js';

/**
 * Succession: which campaign a manifest replaces, and what the plan of the new one does with the old one. The old one is planned as if a
 * manifest said that it is paused; its pause is a step of the new one.
 */

/** What the list, the state and the environment tell of who replaces whom. */
interface SuccessionContext {
  listed: readonly ListedCampaign[];
  entries: readonly StateEntry[];
  environment: Environment;
}

/** The matches with the campaigns that they replace, and what is wrong with that. All matches are needed: manifests contradict each other. */
export function withPredecessors(matches: readonly Match[], about: SuccessionContext): Match[] {
  const found = matches.map((match) => withPredecessor(match, about, matches));
  const rows = new Map(about.listed.map((row) => [row.id, row]));
  const entries = new Map(about.entries.map((entry) => [entry.id, entry]));
  const successors = groupBy(
    found.filter(({ predecessor }) => predecessor !== null),
    ({ predecessor }) => predecessor?.id,
  );
  const isThere = (id: number) => {
    const row = rows.get(id);
    return row !== undefined && meaningOf(row.status, about.environment.service.statuses) !== 'gone';
  };
  const others = new Map<Match, Problem[]>();
  const tell = (match: Match, problem: Problem) => others.set(match, [...(others.get(match) ?? []), problem]);
  for (const [id, all] of successors) {
    const own = found.find((match) => match.id === id);
    const [first] = all;
    if (own?.campaign.spec.status === 'running' && first !== undefined)
      for (const match of [own, ...all]) tell(match, contradicted(own, first.campaign));
    if (all.length > 1) for (const match of all) tell(match, replacedTwice(all, id ?? 0));
  }
  const { statuses } = about.environment.service;
  for (const match of found) {
    const { id, predecessor } = match;
    const early = notReady(match, { all: found, rows, statuses });
    if (early !== null) tell(match, early);
    const by = predecessor?.entry?.recorded.superseded_by;
    if (by !== undefined && by !== id && isThere(by)) tell(match, alreadyReplaced(match, by, rows.get(by)));
    if (match.campaign.spec.status !== 'running' || id === null || successors.has(id)) continue;
    const successor = successorOf(id, predecessor?.id ?? null, entries);
    if (successor !== null) tell(match, superseded(match, successor, rows.get(successor)?.name));
  }
  return found.map((match) => {
    const more = others.get(match);
    return more === undefined ? match : { ...match, problems: [...match.problems, ...more] };
  });
}

/** The campaign that has replaced this one; null if none has, or if this one replaces it, or one that replaced it, in its turn. */
function successorOf(
  id: number,
  predecessor: number | null,
  entries: ReadonlyMap<number, StateEntry>,
): number | null {
  const by = entries.get(id)?.recorded.superseded_by ?? null;
  const passed = new Set<number>();
  for (let next = by; next !== null && !passed.has(next); ) {
    if (next === predecessor) return null;
    passed.add(next);
    next = entries.get(next)?.recorded.superseded_by ?? null;
  }
  return by;
}

function withPredecessor(match: Match, about: SuccessionContext, matches: readonly Match[]): Match {
  const { replaces } = match.campaign.spec;
  if (replaces === undefined) return match;
  const of = (id: number): Predecessor => {
    const listed = about.listed.find((row) => row.id === id) ?? null;
    const entry = about.entries.find((one) => one.id === id) ?? null;
    return { id, name: listed?.name ?? entry?.name ?? null, listed, entry };
  };
  const wrong = (problem: Problem): Match => ({ ...match, problems: [...match.problems, problem] });
  const found = (id: number): Match =>
    id === match.id ? wrong(itself(match, id)) : { ...match, predecessor: of(id) };
  if (typeof replaces === 'number') return found(replaces);
  const called = [...about.listed, ...about.entries].filter(({ name }) => name === replaces);
  const all = [...new Set(called.map(({ id }) => id))].sort((a, b) => a - b).map(of);
  const { statuses } = about.environment.service;
  const there = all.filter(({ listed }) => listed !== null && meaningOf(listed.status, statuses) !== 'gone');
  const done = all.find(({ entry }) => match.id !== null && entry?.recorded.superseded_by === match.id);
  const [only, ...others] = done === undefined ? there : [done];
  if (only !== undefined && others.length > 0) return wrong(ambiguous(replaces, there));
  const one = only ?? all.at(-1);
  if (one !== undefined) return found(one.id);
  const alike = about.listed.find(({ id, name }) => id !== match.id && isSameName(name, replaces));
  if (alike !== undefined) return wrong(notFound(`"${replaces}"`, about.environment, alike));
  // This plan makes it.
  if (ofReplaced(match, matches) !== null) return match;
  return match.id === null ? wrong(nothingToReplace(replaces, about.environment)) : match;
}

function error(problem: Omit<Problem, 'severity'>): Problem {
  return { ...problem, severity: 'error' };
}

function itself({ campaign: { spec } }: Match, id: number): Problem {
  return error({
    code: 'replaces-circle',
    message: `"${spec.name}" says replaces: ${JSON.stringify(spec.replaces)}, and is campaign ${id} itself.`,
    hint: 'Give the manifest a name that no campaign has, without id:, so that a new one is made; or remove replaces:.',
  });
}

function ambiguous(name: string, all: readonly Predecessor[]): Problem {
  const ids = all.map(({ id, listed }) => `${id}${listed?.status ? ` (${listed.status})` : ''}`).join(', ');
  return error({
    code: 'replaces-ambiguous',
    message: `replaces: "${name}" may mean ${all.length} campaigns: ${ids}.`,
    hint: `Write the id of the one that you mean, for example replaces: ${all[0]?.id}.`,
  });
}

function notFound(which: string, { name }: Environment, alike: ListedCampaign | null): Problem {
  return error({
    code: 'replaces-not-found',
    message: `replaces: names ${which}, and ${name} has no such campaign: neither in the service nor in the state.`,
    hint:
      alike === null
        ? 'Correct the id; or take replaces: out if the old campaign was deleted and the state was told to forget it.'
        : `Did you mean "${alike.name}" (${alike.id})?`,
  });
}

function nothingToReplace(replaces: string, { name }: Environment): Problem {
  return {
    code: 'nothing-to-replace',
    severity: 'warning',
    message: `There is nothing to replace here: ${name} has no campaign "${replaces}", neither in the service nor in the state. Apply creates this one, and pauses none.`,
    hint: `That is fine if "${replaces}" was never applied to ${name}. If it was, write its name exactly as the service has it, or its id.`,
  };
}

function contradicted({ campaign, id }: Match, successor: Match['campaign']): Problem {
  const { manifest, spec } = campaign;
  return error({
    code: 'superseded-running',
    message: `${successor.manifest} ("${successor.spec.name}") replaces campaign ${id} ("${spec.name}"), which ${manifest} wants running: one would pause it, the other launch it.`,
    hint: `Delete ${manifest}, or write status: paused into it. To keep both campaigns running, remove replaces: from ${successor.manifest}.`,
  });
}

function superseded({ campaign, id }: Match, by: number, name: string | undefined): Problem {
  const { manifest, spec } = campaign;
  const successor = name === undefined ? String(by) : JSON.stringify(name);
  return error({
    code: 'superseded-running',
    message: `Campaign ${id} ("${spec.name}") was replaced by campaign ${by}${name === undefined ? '' : ` ("${name}")`}, and ${manifest} wants it running: both would mail.`,
    hint: `Delete ${manifest}, or write status: paused into it. To go back to it, write replaces: ${successor} into it, and delete the manifest of ${successor}. If the two have nothing to do with each other any more, run campaignctl forget ${id}.`,
  });
}

function replacedTwice(all: readonly Match[], id: number): Problem {
  return error({
    code: 'replaced-twice',
    message: `Several manifests replace campaign ${id}: ${all.map(({ campaign }) => campaign.manifest).join(', ')}.`,
    hint: 'Keep replaces: in one of them.',
  });
}

function alreadyReplaced({ predecessor }: Match, by: number, row: ListedCampaign | undefined): Problem {
  const name = row === undefined ? String(by) : JSON.stringify(row.name);
  return error({
    code: 'replaced-twice',
    message: `Campaign ${predecessor?.id} ("${predecessor?.name}") was replaced by campaign ${by} (${name}) already: two campaigns would take its place.`,
    hint: `Write replaces: ${name} to replace that one in its turn. If it has nothing to do with this any more, run campaignctl forget ${predecessor?.id}.`,
  });
}

/** A campaign that is replaced, with what was read of it. */
export type ReadPredecessor = Predecessor & { answers: Answers };

/** `pending`: what earlier runs left of the new campaign: what they noted of the pause counts. `all`: what they left of any: of the old one, a launch may be open. */
export function successionOf(
  { id, name, listed, entry, answers }: ReadPredecessor,
  { id: by, spec: { replaces }, environment, templates }: CampaignContext,
  { pending, all }: { pending: readonly PendingOperations[]; all: readonly PendingOperations[] },
): Succession | Problem {
  if (answers.campaign?.none === true && entry === null && listed === null)
    return notFound(`campaign ${id}`, environment, null);
  const spec: CampaignSpec = { name: name ?? String(replaces), id, status: 'paused' };
  const paused = pending
    .flatMap(({ sent }) => sent)
    .filter(({ step, result }) => step.id === pauseId(id) && result === 'done');
  const left =
    entry === null ? [] : all.filter((one) => (one.id === null ? one.name === entry.name : one.id === id));
  const before = entry === null ? UNKNOWN_STATE : withPending(entry, left);
  const recorded = paused.reduce((known) => withPause(known), before);
  return {
    context: { environment, templates, spec, id, listed, answers, recorded },
    entry,
    pending: left,
    isKnown: entry !== null,
    isDone: by !== null && entry?.recorded.superseded_by === by,
  };
}

/** What is remembered of a campaign once its pause was accepted. */
export function withPause(recorded: CampaignContext['recorded']): CampaignContext['recorded'] {
  return record(recorded, PAUSE, 'done');
}

const PAUSE: Step = {
  ...{ id: 'pause', section: 'status', title: 'pause the campaign', method: 'PATCH' },
  ...{ path: '', body: null, irreversible: false },
};

function pauseId(id: number | null): string {
  return `pause/${id}`;
}

/** The same step as one of the old campaign's own. */
export function asOwnPause(step: Step): Step {
  return { ...PAUSE, title: step.title, path: step.path };
}

/** Whether a campaign that is replaced is seen, or by what was done here believed, not to send: a word that is not known is no proof. */
export function isAtRest(context: CampaignContext): boolean {
  const { meaning } = statusOf(context);
  return meaning === 'stopped' || meaning === 'gone' || meaning === 'finished';
}

/** The status of a campaign that may be gone: its record then says nothing, and the list has the last word. */
function statusOf(old: CampaignContext): LiveStatus {
  if (old.answers?.campaign?.none !== true) return liveStatus(old);
  const gone: LiveStatus = { word: null, meaning: 'gone', failed: false, believed: false };
  return old.listed === null ? gone : liveStatus({ ...old, answers: null });
}

/** What the plan of the new campaign does with the old one, and says of it. */
interface PlannedSuccession {
  steps: Step[];
  changes: PlannedChange[];
  problems: Problem[];
  replaces: Replaced;
  live: unknown;
}

/** `asked`: the steps of the new campaign itself; `isBegun`: it has a sequence already. */
export function planSuccession(
  { context: old, isKnown, isDone }: Succession,
  { spec, recorded }: CampaignContext,
  { asked, isBegun }: { asked: readonly Step[]; isBegun: boolean },
): PlannedSuccession {
  const { id, environment } = old;
  const shown = statusOf(old);
  const isGone = old.answers?.campaign?.none === true || shown.meaning === 'gone';
  const which = `campaign ${id} "${old.spec.name}"`;
  const word = shown.believed ? null : shown.word;
  const launches = asked.some((step) => step.id === 'launch');
  // What is only believed is no ground to begin on, nor to launch on: a person may have launched the old one since. A pause twice does no harm.
  const isUnsure = shown.believed && (!isDone || launches);
  const trusted = isUnsure ? { ...old, recorded: { ...old.recorded, status: null } } : old;
  const { steps: own, problems: told } = isGone ? { steps: [], problems: [] } : status.plan(trusted);
  const steps = own.map((step) => ({
    ...step,
    ...{ id: pauseId(id), section: 'campaign' as const },
    title: `pause ${which}, which this one replaces`,
  }));
  const ofOld = [...contradiction(old), ...told.filter(({ code }) => code === 'unknown-status')];
  const doubt = ofOld.map((one) => ({
    ...one,
    severity: 'warning' as const,
    message: `Of ${which}, which this one replaces: ${one.message}`,
  }));
  const isStuck = launches && steps.length === 0 && !isAtRest(old);
  const unlike = `The state does not know ${which}, which this one replaces`;
  return {
    steps,
    changes: steps.map(() => ({
      ...{ section: 'campaign', path: 'replaces', kind: 'update', from: word, to: 'paused' },
      ...{ note: which, origin: isDone ? 'service' : 'manifest' },
    })),
    problems: [
      ...adoptHazard(steps, strangerStatus(old, isKnown), unlike),
      ...doubt,
      ...(shown.believed && steps.length > 0 ? [pausedUnseen(which, shown)] : []),
      ...(isStuck ? [notAtRest(which, old)] : []),
      ...leadsNotKnown(old, asked, { recorded, which }),
      ...revivedEmails(old, spec, { asked, which }),
    ],
    replaces: {
      ...{ id: id ?? 0, name: old.spec.name, status: word, running: steps.length > 0 || isStuck },
      copy: isBegun ? null : copyOf(old, spec),
    },
    live: { status: shown, name: old.spec.name, environment: environment.name },
  };
}

/**
 * The replaced campaigns that are left over: another one has their place, and the service shows that they rest. None that has a manifest
 * still, nor one that is called otherwise now: the token may show another workspace.
 */
export function leftBehind(work: readonly Work[], entryLeads: readonly EntryLeads[]): LeftOver[] {
  const described = new Set<number | null>(work.map(({ plan }) => plan.id));
  for (const { entry, spec, isOutside } of entryLeads)
    if (spec !== null || isOutside) described.add(entry.id);
  return work.flatMap(({ succession, plan }) => {
    if (succession?.isDone !== true || succession.entry === null) return [];
    const { context, entry } = succession;
    const { id, name, manifest } = entry;
    const { word, meaning, believed } = statusOf(context);
    const isShown = !believed && isAtRest(context) && meaning !== 'gone';
    const isOurs = context.listed === null || isSameName(context.listed.name, name);
    if (!isShown || !isOurs || described.has(id) || plan.id === null) return [];
    return [{ id, name, manifest, status: word, superseded_by: plan.id }];
  });
}

/** How the emails of a spec differ from those that the old campaign has; null where either has none. */
function copyOf(old: CampaignContext, { sequence }: CampaignSpec): Change[] | null {
  if (sequence === undefined || old.answers?.sequence?.none !== false) return null;
  const section = SECTIONS.find(({ name }) => name === 'sequence');
  return section?.plan({ ...old, spec: { ...old.spec, sequence } }).changes ?? null;
}

function pausedUnseen(which: string, { word }: LiveStatus): Problem {
  return {
    code: 'status-believed',
    severity: 'warning',
    message: `The service shows no status, so whether ${which}, which this one replaces, sends is not seen: ${word === null ? 'the state does not know it either' : `the state only has what campaignctl did last (${word})`}. Apply pauses it first, whatever it does now.`,
    hint: "If the service refuses the pause, nothing else is sent for this campaign. Look at the old one in the service's web app then.",
  };
}

function notAtRest(which: string, old: CampaignContext): Problem {
  return {
    code: 'replaced-not-at-rest',
    severity: 'blocked',
    message: `Whether ${which}, which this one replaces, has stopped sending is not known: the service shows ${campaignThat(statusOf(old))}. Apply does not launch this one beside it.`,
    hint: `Look in the service's web app, and pause it there${howToDeclare(statusOf(old))}.`,
  };
}

/** Leads that the old campaign may have without the state knowing it. What it is known to have is `leads-elsewhere` as of any campaign. */
function leadsNotKnown(
  old: CampaignContext,
  asked: readonly Step[],
  { recorded: own, which }: { recorded: RecordedState; which: string },
): Problem[] {
  const mailed = mailedBy(asked, own);
  const { recorded, environment } = old;
  const { word } = statusOf(old);
  const ran = whetherRun({ recorded }, word, environment);
  const total = old.answers?.campaign?.none === true ? null : totalLeads(old);
  const leads = recorded.known ? without(mailed, union(recorded.attached, recorded.doubtful)) : mailed;
  const known = recorded.known ? accountedLeads(recorded, total) : 0;
  if (isEmpty(leads) || ran === null || known === null || total === 0) return [];
  const accounted = recorded.known
    ? `, and the state accounts for ${known === 0 ? 'none' : known} of them`
    : '';
  const told = total === null ? '' : ` The service shows ${count(total, 'lead')} on it${accounted}.`;
  const does = isEmpty(without(leads, attachedBy(asked))) ? 'attaches' : 'launches this campaign with';
  return [
    {
      code: 'leads-elsewhere',
      severity: 'hazard',
      message: `Apply ${does} ${describeLeads(leads)}, and the state does not know ${recorded.known ? 'all leads that' : 'which leads'} ${which} has, which this one replaces and which ${ran}.${told} Those that both have would be mailed again, from the first email on.`,
      hint: "Compare the leads in the service's web app. If those that both have are to get the new emails from the first one on, accept with --allow leads-elsewhere; if not, leave them out of the manifest.",
    },
  ];
}
