/**
 * The last look before a write: what the write depends on, as the service shows it now, is compared with what the plan and this
 * run's own steps lead to expect. Any difference means that the write is not sent.
 */
import equal from 'fast-deep-equal';
import type { AnswerName, ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import { greater, objectAt } from '../model/json.js';
import { union } from '../model/leads.js';
import { isNone, NOT_READ, shownValue, statusIn } from '../model/live.js';
import type { SectionName, Step } from '../model/outputs.js';
import type { SettingName, SomeSettings, Stage } from '../model/sections.js';
import { NO_LEADS } from '../model/state.js';
import type { Status, Target } from '../model/target.js';
import { LAUNCH_SECTIONS } from '../plan/match.js';
import { byHand, liveSection, readableSections, recordStep } from '../sections/all.js';
import { explainedLeads, sentLeads, totalLeads } from '../sections/leads.js';
import { classifyStatus, isDraft, isSameStatus, mailingStatus } from '../sections/sending.js';
import { isAllOff } from '../sections/sequence.js';
import { changedSettings, overwrittenSettings, shownSettings } from '../sections/settings.js';
import { withFacts } from '../sections/target.js';
import { refusal } from './messages.js';
import { differences, readAgain } from './readback.js';
import {
  type ApplyRun,
  isPaused,
  isPlannedIdle,
  outcomesOf,
  type Progress,
  RECENT,
  type ReadAhead,
  type ReadTools,
} from './run.js';

/** `at`: when the look let the write pass. `total`: the number of leads then. */
export interface EarlierAttempt {
  at: number;
  total: number | null;
}

/** `timing`: `early` if an earlier write is not visible yet, `doubtful` if an earlier attempt seems to have taken effect. */
export interface Mismatch {
  why: string;
  timing: 'early' | 'doubtful' | null;
}

/** `difference`: why not to send; `null` to send. `total`: the number of leads seen. */
export interface Verdict {
  difference: Mismatch | null;
  total: number | null;
}

/**
 * The facts that a stage depends on. `list`: the complete list, read in the last few seconds and since any 429 or unknown outcome
 * (`recent`), also since the campaign was created or paused (`current`) or since this run's last request for it (`latest`).
 */
interface StageLook {
  /** Sections to read. */
  reads(progress: Progress): readonly SectionName[];
  /** Sections that are read even if the manifest does not manage them. */
  unmanaged?: readonly AnswerName[];
  list: 'recent' | 'current' | 'latest' | null;
  guards: readonly ListGuard[];
  aspects: readonly Aspect[];
}

type Aspect = 'record' | 'unknown' | 'idle' | 'status' | 'section' | 'settings' | 'sections' | 'leads';

/** For a campaign that may be someone else's, the status is read as well. */
const reading = (section: SectionName) => (progress: Progress) =>
  isUnknown(progress) ? ([section, 'campaign'] as const) : [section];

const emails: StageLook = {
  reads: () => ['sequence', 'campaign'],
  list: 'recent',
  guards: [sameWorkspace, noNewNamesake],
  aspects: ['record', 'unknown', 'idle', 'section', 'leads'],
};

const LOOKS: Record<Stage, StageLook> = {
  pause: { reads: () => [], list: null, guards: [], aspects: [] },
  create: {
    reads: () => [],
    list: 'current',
    guards: [sameWorkspace, freeName, idlePredecessor],
    aspects: [],
  },
  settings: {
    reads: reading('settings'),
    list: null,
    guards: [],
    aspects: ['record', 'unknown', 'settings'],
  },
  schedule: { reads: reading('schedule'), list: null, guards: [], aspects: ['record', 'unknown', 'section'] },
  sequence: emails,
  variants: emails,
  leads: {
    reads: () => ['campaign', 'leads'],
    list: 'current',
    guards: [sameWorkspace, noNewNamesake, idleOwners],
    aspects: ['record', 'unknown', 'idle', 'leads'],
  },
  launch: {
    reads: ({ now }) => [...readableSections(now), 'campaign', 'status', 'leads'],
    unmanaged: LAUNCH_SECTIONS,
    list: 'latest',
    guards: [onlyName, sameWorkspace, idleOwners, notPaused, idlePredecessor],
    aspects: ['record', 'status', 'sections', 'leads'],
  },
};

/**
 * `service`: reads without giving up the write's turn. `attempt`: an earlier attempt of this write. `readAhead`: what was read for
 * this write.
 */
export async function look(
  { step, progress, run }: { step: Step; progress: Progress; run: ApplyRun },
  service: ReadTools['service'],
  { attempt, readAhead }: { attempt: EarlierAttempt | null; readAhead: ReadAhead | null },
): Promise<Verdict> {
  const { reads, unmanaged = [], list, guards, aspects } = LOOKS[step.stage];
  const never = Number.NEGATIVE_INFINITY;
  const { doubtedAt, movedAt, sentAt } = progress;
  const times = { recent: doubtedAt, current: Math.max(movedAt, doubtedAt), latest: sentAt };
  const since = times[list ?? 'recent'];
  const rows = list === null ? null : await run.list.read(Math.max(since, attempt?.at ?? never), service);
  const sections = reads(progress);
  const tools = { ...run, service };
  // An older list may not contain the campaign yet.
  const shown = list === 'recent' ? null : rows;
  // Leads and launches reach people, so everything is read again for them.
  const mayReuse = list === null || list === 'recent';
  const isRecent = readAhead !== null && run.elapsed() - readAhead.at <= RECENT;
  const known = mayReuse && isRecent ? readAhead.parts : undefined;
  const read =
    sections.length === 0
      ? progress.now
      : await readAgain(progress.now, sections, tools, { rows: shown, known, unmanaged });
  const seen = withCount(read, rows ?? []);
  const total = totalLeads(seen);
  const mismatches = differencesFrom(expected(step, progress, attempt), seen, aspects);
  const urgent = mismatches.find(({ timing }) => timing !== null);
  if (urgent !== undefined) return { difference: urgent, total };
  for (const guard of guards) {
    const difference = await guard({ progress, run, tools, rows: rows ?? [] });
    if (difference !== null) return { difference, total };
  }
  return { difference: mismatches[0] ?? null, total };
}

/** The larger number of leads, if the list shows one. */
function withCount(seen: Target, rows: readonly ListedCampaign[]): Target {
  const row = rows.find(({ id }) => id === seen.id);
  if (seen.live === null || row === undefined) return seen;
  const total_leads = greater(seen.live.total_leads, row.total_leads);
  return withFacts(seen, { live: { ...seen.live, total_leads } });
}

/** The facts that the service should show before the step is sent. */
interface Expected {
  step: Step;
  isCreated: boolean;
  progress: Progress;
  /** The campaign as this run last saw it. */
  now: Target;
  /** `null` if it may be sending. `paused`: this run paused it. `unknown`: it is not in the state. */
  idle: 'paused' | 'planned' | null;
  isUnknown: boolean;
  /** The status with which this run's new campaign was created, if that sends. */
  createdAs: Status | null;
  /** The status that the plan saw. */
  status: Status;
  /** The settings as this run last saw them. */
  settings: SomeSettings;
  /** Settings that the plan changes. */
  changed: ReadonlySet<string>;
  /** The approved number of leads; `null` if it is unknown. */
  leads: number | null;
  /** The number of leads before an earlier attempt to attach some; `null` if it may have changed since. */
  before: number | null;
  needsSomebody: boolean;
}

function expected(step: Step, progress: Progress, attempt: EarlierAttempt | null): Expected {
  const { planned, now } = progress;
  const { plan, target } = planned;
  const isCreated = plan.id === null;
  const isLaunch = step.stage === 'launch';
  const isIdle = isPlannedIdle(progress);
  const changed = plan.changes.flatMap(({ section, path }) => (section === 'settings' ? [path] : []));
  // On a sending campaign, the number is minutes late.
  const isCounted = step.stage === 'leads' && isIdle;
  const isApproved = plan.problems.some(({ code }) => code === 'no-leads');
  return {
    step,
    progress,
    isCreated,
    now,
    idle: isPaused(progress) ? 'paused' : isIdle ? 'planned' : null,
    isUnknown: isUnknown(progress),
    createdAs: isCreated ? mailingStatus(now) : null,
    status: (isCreated ? now : target).status,
    settings: shownSettings(now),
    changed: new Set(changed),
    leads: isLaunch ? launchedLeads(progress) : leadsSoFar(progress),
    before: isCounted ? (attempt?.total ?? null) : null,
    needsSomebody: isLaunch && !isApproved && now.recorded.attached_at === null,
  };
}

function differencesFrom(wanted: Expected, seen: Target, aspects: readonly Aspect[]): Mismatch[] {
  // A campaign that is gone has no other aspects to compare.
  const gone = aspects.includes('record') ? COMPARE.record(wanted, seen) : null;
  return gone !== null ? [gone] : aspects.flatMap((aspect) => COMPARE[aspect](wanted, seen) ?? []);
}

const final = (why: string): Mismatch => ({ why, timing: null });

const COMPARE: Record<Aspect, (wanted: Expected, seen: Target) => Mismatch | null> = {
  record: ({ now }, { live }) =>
    live !== null && isNone(live.record) ? final(refusal('gone', { id: now.id })) : null,

  unknown({ isUnknown }, seen) {
    const status = isUnknown ? mailingStatus(seen) : null;
    return status && final(refusal('not-in-state', { status }));
  },

  idle({ idle, createdAs, isCreated }, seen) {
    const status = mailingStatus(seen);
    if (idle === 'paused' && status !== null)
      return { why: refusal('pause-not-shown', { status }), timing: 'early' };
    if (createdAs !== null) return final(refusal('created-as', { status: createdAs }));
    return idle === null || status === null ? null : final(refusal('sending', { status, isCreated }));
  },

  status({ status: before, createdAs, isCreated }, { status: now }) {
    if (createdAs !== null) return final(refusal('created-as', { status: createdAs }));
    const shown = before.basis === 'shown' ? before.word : null;
    const isSame = shown === null ? now.meaning === 'stopped' : isSameStatus(now.word ?? '', shown);
    return isSame ? null : final(refusal('status-changed', { now, before: shown, isCreated }));
  },

  /** A write of emails or a schedule may replace only content that the plan showed. */
  section({ step: { section }, now, isCreated }, seen) {
    // A service may give a new campaign a default schedule.
    const isDefault = section === 'schedule' && isCreated;
    if (isDefault || equal(liveSection(now, section), liveSection(seen, section))) return null;
    return final(refusal('section-changed', { section }));
  },

  /** An update sets every field, so no field that is shown may have changed since the plan was made. */
  settings({ step, settings: before, changed, isCreated }, seen) {
    const now = shownSettings(seen);
    const isExpected = (name: SettingName) =>
      before[name] === undefined ? changed.has(name) : now[name] === before[name];
    const names = overwrittenSettings(step, seen).filter((name) => !isExpected(name));
    const fields = names.map((name) => `settings.${name}`);
    return fields.length === 0 ? null : final(refusal('overwrites-change', { fields, isCreated }));
  },

  /** Before a launch, everything that leads would get is as the manifest says and, the rest, as the plan showed it. */
  sections({ now, progress }, seen) {
    const changed = differences(seen, readableSections(now)).map(({ section }) => section);
    const sections = [...new Set([...changed, ...unplanned(progress, seen)])];
    return sections.length === 0 ? null : final(refusal('not-as-planned', { sections }));
  },

  /** Additional leads would be mailed without approval, or attached twice; without leads, a launch mails nobody. */
  leads({ leads: approved, before, needsSomebody }, seen) {
    const total = totalLeads(seen);
    if (total === null) return null;
    // A service may attach leads although it answers with 429.
    if (before !== null && total > before)
      return { why: refusal('leads-grew', { before, total }), timing: 'doubtful' };
    if (needsSomebody && total === 0) return { why: refusal('nobody', {}), timing: 'early' };
    return approved === null || total <= approved ? null : final(refusal('more-leads', { approved, total }));
  },
};

/** The parts that differ from the plan's reading and this run's own requests, whether the manifest manages them or not. */
function unplanned(progress: Progress, seen: Target): string[] {
  const { now, readBack } = progress;
  const { target } = progress.planned;
  const isSent = (name: SectionName) => outcomesOf(progress, name).length > 0;
  const isContentPlanned = (name: (typeof LAUNCH_SECTIONS)[number]) => {
    // `differences` compares what was sent, but not with emails that were switched off since.
    if (isSent(name)) return name !== 'sequence' || isSwitchedAsPlanned(target, readBack, seen);
    if (target.live === null)
      return name === 'schedule' ? isScheduledAsReadBack(readBack, seen) : partOf(seen, name) === null;
    return equal(partOf(target, name), partOf(seen, name));
  };
  const sent = isSent('settings') ? objectAt(now.recorded.applied, 'settings') : {};
  const settings = changedSettings(now, sent, seen);
  return [...settings, ...LAUNCH_SECTIONS.filter((name) => !isContentPlanned(name))];
}

/** Some services give a new campaign a default schedule, and may show it only later. */
function isScheduledAsReadBack(readBack: Target | null, seen: Target): boolean {
  if (readBack?.live?.schedule.is !== 'shown') return true;
  return equal(partOf(readBack, 'schedule'), partOf(seen, 'schedule'));
}

/** No email was switched off since the plan. Some services show all emails of a draft as switched off, in the read-back as well. */
function isSwitchedAsPlanned(target: Target, readBack: Target | null, seen: Target): boolean {
  const switchedOff = (of: Target) => byHand(of, ['sequence']).map(({ path }) => path);
  const before = new Set(switchedOff(target));
  const isDraftOff = [readBack, seen].every((of) => {
    const part = of?.live?.sequence ?? NOT_READ;
    return part.is === 'shown' && isAllOff(part.value);
  });
  return isDraftOff || switchedOff(seen).every((path) => before.has(path));
}

/** `null` if there is none. Ids may differ from reading to reading. */
function partOf({ live }: Target, name: (typeof LAUNCH_SECTIONS)[number]): unknown {
  const part = live?.[name] ?? NOT_READ;
  if (part.is === 'unreadable') return part.is;
  const value = shownValue<unknown>(part);
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === 'id' ? undefined : inner)));
}

export function isUnknown({ planned: { target, plan } }: Progress): boolean {
  return !target.isOurs && plan.problems.every(({ code }) => code !== 'adopt');
}

/** The number of leads that the plan saw; `null` if unknown, for example after this run has attached leads. */
export function leadsBefore(progress: Progress): number | null {
  const { plan, target } = progress.planned;
  if (outcomesOf(progress, 'leads').length > 0) return null;
  return plan.id === null ? 0 : totalLeads(target);
}

/** Returns `null` if the plan could not count them. */
function launchedLeads({ planned: { plan } }: Progress): number | null {
  return plan.impact?.and_more === false ? (plan.impact.leads ?? 0) : null;
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

/** `rows`: the complete list; empty if not read. */
interface GuardInput {
  progress: Progress;
  run: ApplyRun;
  tools: ReadTools;
  rows: readonly ListedCampaign[];
}

/** Compares facts that only the list, the state or another campaign shows. */
type ListGuard = (input: GuardInput) => Mismatch | null | Promise<Mismatch | null>;

function sameWorkspace({ progress, run: { ids, knownIds }, rows }: GuardInput): Mismatch | null {
  const { workspace } = progress.now.environment;
  const pinned = workspace && rows.find(({ id }) => id === workspace.campaign_id);
  if (workspace && !(pinned && isSameName(pinned.name, workspace.name)))
    return final(refusal('wrong-workspace/pin', workspace));
  const known = [...knownIds].filter((id) => ids.has(id));
  const wanted = new Set(known.length > 0 ? known : ids);
  if (wanted.size === 0 || rows.some(({ id }) => wanted.has(id))) return null;
  return final(refusal('wrong-workspace', { expected: wanted.size }));
}

function freeName({ progress, run: { ids, names }, rows }: GuardInput): Mismatch | null {
  const { name } = progress.now.spec;
  const isNew = (row: ListedCampaign) => !ids.has(row.id) && !names.has(row.name);
  const taken = rows.find((row) => row.name === name || (isNew(row) && isSameName(row.name, name)));
  return taken === undefined ? null : final(refusal('name-taken', taken));
}

/** The list must show the campaign under its name, and no other one. If the manifest pins an id, known or gone ones may have it. */
function onlyName({ progress, run: { knownIds }, rows }: GuardInput): Mismatch | null {
  const { id, spec, environment } = progress.now;
  const isPinned = spec.id !== undefined;
  const facts = { id, name: spec.name };
  if (!rows.some((row) => row.id === id && (isPinned || row.name === spec.name)))
    return { why: refusal('not-listed', facts), timing: 'early' };
  const isGone = (row: ListedCampaign) => classifyStatus(row.status, environment.service.statuses) === 'gone';
  const isMeant = (row: ListedCampaign) => isPinned && (knownIds.has(row.id) || isGone(row));
  const others = rows.filter((row) => row.name === spec.name && row.id !== id && !isMeant(row));
  return others.length === 0 ? null : final(refusal('not-alone', { ...facts, others, isPinned }));
}

/** The list, which may be older than a new campaign, must not show a namesake that the plan did not see. */
function noNewNamesake({ progress, run: { ids }, rows }: GuardInput): Mismatch | null {
  const { id, spec } = progress.now;
  const others = rows.filter((row) => row.name === spec.name && row.id !== id && !ids.has(row.id));
  const facts = { id, name: spec.name, others, isPinned: spec.id !== undefined };
  return others.length === 0 ? null : final(refusal('not-alone', facts));
}

/** Idle owners of the leads must not have been launched since. */
async function idleOwners({ progress, tools, rows }: GuardInput): Promise<Mismatch | null> {
  for (const { id, status } of progress.planned.idleOwners) {
    const row = rows.find((other) => other.id === id);
    if (row === undefined) continue;
    const record = statusIn(await tools.service.read('campaign', id));
    const shown = [row.status, record].filter((word) => word !== null);
    const word = shown.find((other) => !isDraft(other)) ?? null;
    const isVanished = shown.length === 0 && status !== null;
    if (word !== null || isVanished) return final(refusal('draft-started', { ...row, word }));
  }
  return null;
}

/** `campaignctl pause` ignores the lock, so it may have been run since this apply began. */
async function notPaused({ progress: { now }, run }: GuardInput): Promise<Mismatch | null> {
  const paused = await run.paused();
  return now.id !== null && paused.has(now.id) ? final(refusal('paused-meanwhile', {})) : null;
}

/** A record that is not found may be a fault, so the predecessor is gone only if the list does not show it either. */
async function idlePredecessor({ progress, tools, rows }: GuardInput): Promise<Mismatch | null> {
  const predecessor = progress.planned.waitsFor;
  if (predecessor === null) return null;
  const { target, plan } = predecessor;
  const pause = plan.steps.find(({ stage }) => stage === 'pause');
  const now = pause ? withFacts(target, { recorded: recordStep(target.recorded, pause, 'done') }) : target;
  const seen = await readAgain(now, ['status'], tools);
  const lost = seen.live !== null && isNone(seen.live.record) ? seen.live : null;
  const row = rows.find(({ id }) => id === plan.id) ?? null;
  if (lost !== null && row === null) return null;
  const { status } = lost === null ? seen : withFacts(seen, { live: { ...lost, row } });
  if (status.sends === 'no') return null;
  return final(refusal('predecessor-sends', { id: plan.id, name: plan.name, status }));
}
