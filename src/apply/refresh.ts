import type { AnswerName, Answers, ListedCampaign } from '../model/answer.js';
import { isSameName, nameIn } from '../model/characters.js';
import type { Environment } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import { isObject, leadsIn } from '../model/json.js';
import type { Inventory, Plan } from '../model/outputs.js';
import type { Campaign } from '../model/spec.js';
import { type PendingOperations, type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import {
  ALL,
  answersOf,
  buildPlan,
  isOutside,
  isRenamed,
  leadsOfEntries,
  type Match,
  matchCampaigns,
  type OutsideFiles,
  type PlannedBy,
  type ReadPredecessor,
  type RefreshedRemoval,
  removedEntries,
  restsInList,
  sharedEntries,
  takeInventory,
  unreadMatches,
  type Work,
  withPredecessors,
} from '../plan/index.js';
import { type Reader, readAnswers } from '../service/index.js';
import { VISIBLE } from './readback.js';
import { type Beforehand, whatListShows } from './tools.js';

export interface RefreshInput extends Omit<PlannedBy, 'campaigns'> {
  /** All campaigns of the environment: they tell whose names and entries are whose. */
  campaigns: readonly Campaign[];
  /** The campaigns of the files that were asked for; left out: all. */
  selected?: readonly Campaign[];
  outside?: OutsideFiles;
  /** Manifests whose campaigns are read all the same: those of a saved plan. */
  again?: ReadonlySet<string>;
  /** The version of the program. */
  tool?: string;
  reader: Reader;
  /** The moment from which launches are reckoned, in milliseconds since 1970. */
  today: number;
  /** Waits milliseconds, until what an earlier run sent a moment ago can be seen. */
  wait(milliseconds: number): Promise<void>;
}

/** A plan and the work behind each of its campaigns, in the same order; `removal`: behind those without a manifest. */
export interface Refresh {
  plan: Plan;
  work: Work[];
  removal: Work[];
  /** Names of manifests whose campaigns were renamed in the service. */
  renamed: ReadonlySet<string>;
  beforehand: Beforehand;
  /** What probes left that died: an apply closes their journals. */
  probes: readonly PendingOperations[];
  /** The moment from which launches are reckoned, in milliseconds since 1970. */
  today: number;
}

const UNREAD: Answers = { campaign: null, schedule: null, sequence: null };

/** Longer than any request waits for its turn and its answer. */
const LONG_AGO = 10 * 60_000;

/** Reads what the manifests manage, and nothing else, and plans. It is given a reader only, so it cannot write. */
export async function refresh(input: RefreshInput): Promise<Refresh> {
  await untilVisible(input);
  const planned = await readAndPlan(input);
  return planned.work.some(isContradicted) ? readAndPlan(input) : planned;
}

/** The service shows less of a sequence or schedule than is known: one wrong answer is not worth a refusal. */
function isContradicted({ plan: { problems } }: Work): boolean {
  return problems.some(({ code }) => code === 'sequence-missing');
}

async function readAndPlan(input: RefreshInput): Promise<Refresh> {
  const {
    environment,
    campaigns,
    selected = campaigns,
    outside = new Map(),
    pending,
    probes = [],
    reader,
    selection = ALL,
    approvals = [],
    refresh: mode = 'all',
  } = input;
  const { again = new Set(), tool = '' } = input;
  const targets = selection.target;
  // Every manifest of the project is planned: what the state knows besides has none any more.
  const full = targets.length === 0 && selection.files.length === 0;
  await checkWorkspace(environment, reader);
  const isMeant = ({ spec }: Campaign) => targets.length === 0 || targets.includes(spec.name);
  const meant = selected.filter(isMeant);
  const planned = new Set(meant);
  const pins = new Set(campaigns.map(({ spec }) => spec.id));
  const replacing = campaigns.some(({ spec }) => spec.replaces !== undefined);
  // Only the list tells which campaign a manifest without a pin means, also one that is not planned, and what became of an entry.
  const isPinned = ({ id }: { id: number | null }) => id !== null && pins.has(id);
  const pinned =
    mode === 'all' && !pins.has(undefined) && !replacing && [...input.entries, ...pending].every(isPinned);
  const isTemplated = ({ campaign: { spec } }: Match) =>
    spec.schedule !== undefined && 'template' in spec.schedule;
  const first = pinned ? [] : await reader.campaigns();
  const names = new Set(campaigns.map(({ spec }) => spec.name));
  const entries = [...madeBy(pending, input.entries, { listed: first, campaigns }), ...input.entries];
  const matched = matchCampaigns(campaigns, first, entries, { environment: environment.name });
  const all = withPredecessors(matched, { listed: first, entries, environment });
  const matches = all.filter(({ campaign }) => planned.has(campaign));
  const comparer = { environment, tool, entries: input.entries, pending, again };
  const left = mode === 'all' ? new Set<Match>() : unreadMatches(matches, all, comparer);
  const reading = matches.filter((match) => !left.has(match));
  const removed = removedEntries(entries, all);
  // One that was replaced is left over: its row says whether it sends.
  const isLeft = ({ id, name, recorded }: StateEntry, row: ListedCampaign) =>
    mode === 'changed' &&
    recorded.superseded_by !== undefined &&
    restsInList(row, environment) &&
    pending.every((one) => one.id !== id && one.name !== name);
  const entryLeads = leadsOfEntries(entries, all, {
    ...{ listed: pinned ? null : first, pending, outside },
  });
  const replaced = new Set(reading.map(({ predecessor }) => predecessor?.id));
  const shared = sharedEntries(entryLeads, reading, environment).filter(
    ({ entry }) => !replaced.has(entry.id),
  );
  const wanted = wantedOf(reading, new Set(entries.map(({ id }) => id)));
  const [templates, predecessors, records, removals, read] = await Promise.all([
    reading.some(isTemplated) ? reader.templates() : null,
    readPredecessors(reader, reading),
    readAnswers(
      reader,
      shared.map(({ entry }) => ({ id: entry.id, names: ['campaign'] })),
    ),
    readRemoved(reader, full ? removed : [], { listed: first, outside, isLeft }),
    readAnswers(reader, wanted),
  ]);
  const answers = new Map(wanted.map(({ match }, index) => [match, read[index] ?? null]));
  const isHidden = pinned && hides(meant, [...read, ...records]);
  const listed = isHidden ? await reader.campaigns() : first;
  const rows = new Map(pinned ? listed.map((row) => [row.id, row]) : []);
  const recordOf = new Map([
    ...shared.map(({ entry }, index) => [entry.id, records[index]?.campaign] as const),
    ...[...predecessors.values()].map(({ id, answers }) => [id, answers.campaign] as const),
  ]);
  const built = buildPlan({
    environment,
    refreshed: matches.map((match) => ({
      ...match,
      listed: match.listed ?? rows.get(match.id ?? 0) ?? null,
      row: match.listed,
      predecessor:
        predecessors.get(match) ?? (match.predecessor && { ...match.predecessor, answers: UNREAD }),
      answers: answers.get(match) ?? null,
    })),
    removals,
    templates,
    listed,
    // Those that are made from journals are known only if the answer to our own request named them.
    entries: input.entries,
    pending,
    probes,
    other: input.other ?? null,
    selection,
    refresh: mode,
    entryLeads: entryLeads.map((one) => ({
      ...one,
      answer: recordOf.get(one.entry.id) ?? null,
      listed: one.listed ?? rows.get(one.entry.id) ?? null,
    })),
    approvals,
    now: input.today,
  });
  const renamed = new Set(matches.filter(isRenamed).map(({ campaign }) => campaign.spec.name));
  const ours = [...entries, ...all].flatMap(({ id }) => id ?? []);
  const ids = new Set(listed.map(({ id }) => id));
  const beforehand = { ids, ours: new Set(ours), names, listShows: whatListShows(listed) };
  return { ...built, renamed, beforehand, probes, today: input.today };
}

/** Tokens may follow the workspace that a person has open: where the environment pins it, it has to be the one. */
export async function checkWorkspace(
  { name: environment, workspace }: Environment,
  reader: Reader,
): Promise<void> {
  if (workspace === null) return;
  const { campaign_id, name } = workspace;
  const { none, body } = await reader.read('campaign', campaign_id);
  const shown = nameIn(body);
  if (!none && shown !== null && isSameName(shown, name)) return;
  const seen = none ? 'has no such campaign' : `calls it ${shown === null ? 'nothing' : `"${shown}"`}`;
  throw new Failure({
    code: 'wrong-workspace',
    message: `The environment ${environment} is pinned to the workspace in which campaign ${campaign_id} is called "${name}"; the one that the token shows ${seen}. Nothing was sent.`,
    hint: 'Check the token: it may belong to, or have moved to, another workspace. If the campaign was renamed, correct workspace: in the project file.',
  });
}

/**
 * Waits until the service had a minute to show what an earlier run sent: reading before proves nothing. If no answer was noted, the
 * request may have waited for its turn, so that minute begins now.
 */
async function untilVisible({ environment, pending, wait }: RefreshInput): Promise<void> {
  const open = pending.flatMap(({ sent }) => sent.filter(({ step }) => step.section !== 'leads'));
  const isHidden = environment.service.status === 'hidden';
  const waits = open.map(({ step, result, age, visible_in }) => {
    if (result === 'unknown') return age < LONG_AGO ? VISIBLE : 0;
    const isShown = !isHidden || step.section !== 'status';
    return isShown ? (visible_in ?? 0) - age : 0;
  });
  const longest = Math.max(0, ...waits);
  if (longest > 0) await wait(longest);
}

/**
 * Campaigns that an earlier run created without writing their entries: it learned the id, or the list has one of that name that
 * no manifest means any more.
 */
export function madeBy(
  pending: readonly PendingOperations[],
  entries: readonly StateEntry[],
  { listed, campaigns }: { listed: readonly ListedCampaign[]; campaigns: readonly Campaign[] },
): StateEntry[] {
  // A manifest with a pin means that campaign, whatever its name.
  const names = new Set(campaigns.flatMap(({ spec }) => (spec.id === undefined ? spec.name : [])));
  const known = new Set(entries.map(({ id }) => id));
  return pending.flatMap(({ id, manifest, name, sent }) => {
    const sentCreate = sent.some(({ step, result }) => step.id === 'create' && result !== 'failed');
    const called = sentCreate && !names.has(name) ? listed.filter((one) => one.name === name) : [];
    const made = id ?? (called.length === 1 ? called[0]?.id : undefined);
    return made === undefined || known.has(made)
      ? []
      : [{ id: made, manifest, name, recorded: UNKNOWN_STATE }];
  });
}

/** Whether a record that was read hides what the list may show and these campaigns are planned by. */
function hides(meant: readonly Campaign[], read: readonly Answers[]): boolean {
  const counts = meant.some(({ spec }) => spec.leads !== undefined);
  const stands = counts || meant.some(({ spec }) => spec.status);
  return read.some((answers) => {
    const body = answers.campaign?.body ?? null;
    if (!isObject(body)) return false;
    // A number of 0 may be one that the record never shows.
    return (stands && String(body.status ?? '').trim() === '') || (counts && !leadsIn(body));
  });
}

/** Of a campaign that the state does not know, the record is read where the list does not tell whether it sends. */
function wantedOf(matches: readonly Match[], known: ReadonlySet<number>) {
  return matches.flatMap((match) => {
    const { id, campaign, listed } = match;
    if (id === null) return [];
    const isToldApart = known.has(id) || (listed?.status ?? null) !== null;
    const names = new Set([...answersOf(campaign.spec), ...(isToldApart ? [] : ['campaign' as const])]);
    return [{ match, id, names: [...names] }];
  });
}

/** The campaigns that others replace; their emails, too, until that is done: the plan compares them with the new ones. */
async function readPredecessors(
  reader: Reader,
  matches: readonly Match[],
): Promise<Map<Match, ReadPredecessor>> {
  const found = matches.flatMap((match) => {
    const { id, campaign, predecessor } = match;
    if (predecessor === null) return [];
    const isDone = id !== null && predecessor.entry?.recorded.superseded_by === id;
    const names: AnswerName[] = isDone || !campaign.spec.sequence ? ['campaign'] : ['campaign', 'sequence'];
    return [{ match, predecessor, names }];
  });
  const answers = await readAnswers(
    reader,
    found.map(({ predecessor: { id }, names }) => ({ id, names })),
  );
  return new Map(
    found.flatMap(({ match, predecessor }, at) => {
      const own = answers[at];
      return own === undefined ? [] : [[match, { ...predecessor, answers: own }] as const];
    }),
  );
}

/** The campaigns of entries without a manifest, as far as they are still listed. */
async function readRemoved(
  reader: Reader,
  removed: readonly StateEntry[],
  {
    listed,
    outside,
    isLeft,
  }: {
    listed: readonly ListedCampaign[];
    outside: OutsideFiles;
    isLeft(entry: StateEntry, row: ListedCampaign): boolean;
  },
): Promise<RefreshedRemoval[]> {
  const there = new Map(listed.map((one) => [one.id, one]));
  const found = removed.flatMap((entry) => {
    const one = there.get(entry.id);
    return one === undefined ? [] : [{ entry, listed: one }];
  });
  const read = found.filter(({ entry, listed }) => !isLeft(entry, listed));
  const answers = await readAnswers(
    reader,
    read.map(({ entry }) => ({ id: entry.id, names: ['campaign'] })),
  );
  const answerOf = new Map(read.map((one, at) => [one, answers[at]?.campaign ?? null]));
  return found.map((one) => ({
    ...one,
    answer: answerOf.get(one) ?? null,
    outside: isOutside(one.entry, outside),
  }));
}

/**
 * Reads the list of campaigns, and nothing of a single one but the campaign that pins the workspace, and lays the manifests
 * beside it. Who is who is found as planning finds it.
 */
export async function listInventory({
  environment,
  campaigns,
  entries,
  pending,
  outside = new Map(),
  reader,
}: Pick<
  RefreshInput,
  'environment' | 'campaigns' | 'entries' | 'pending' | 'outside' | 'reader'
>): Promise<Inventory> {
  await checkWorkspace(environment, reader);
  const listed = await reader.campaigns();
  const known = [...madeBy(pending, entries, { listed, campaigns }), ...entries];
  const matched = matchCampaigns(campaigns, listed, known, { environment: environment.name });
  const matches = withPredecessors(matched, { listed, entries: known, environment });
  return takeInventory({ environment, listed, matches, entries: known, outside });
}
