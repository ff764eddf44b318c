import type { ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import type { Environment, StatusWords } from '../model/environment.js';
import { groupBy } from '../model/json.js';
import type { Change, Problem, Replaced, Step } from '../model/outputs.js';
import type { CampaignSpec } from '../model/spec.js';
import type { RecordedState, StateEntry } from '../model/state.js';
import { type CampaignContext, SECTIONS } from '../sections/index.js';
import { classifyStatus, sending } from '../sections/sending.js';
import { isReplacedBy, type Match, type Predecessor } from './match.js';
import { problem } from './messages.js';
import { record } from './order.js';
import { isGone } from './others.js';
import { hasStep, type PlannedWork } from './work.js';

/** Which campaign a manifest replaces. The predecessor is a work with only `status: paused`; the successor waits for it. */

interface SuccessionContext {
  listed: readonly ListedCampaign[];
  entries: readonly StateEntry[];
  environment: Environment;
}

/** Adds predecessors and errors. Needs all matches, since manifests may contradict each other. */
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
    return row !== undefined && classifyStatus(row.status, about.environment.service.statuses) !== 'gone';
  };
  const others = new Map<Match, Problem[]>();
  const tell = (match: Match, told: Problem) => others.set(match, [...(others.get(match) ?? []), told]);
  for (const [id, all] of successors) {
    const own = found.find((match) => match.id === id);
    const [first] = all;
    if (own !== undefined && own.campaign.spec.status !== 'paused' && first !== undefined)
      for (const match of [own, ...all])
        tell(
          match,
          problem('superseded-running/declared', {
            campaign: own.campaign,
            id: own.id,
            successor: first.campaign,
          }),
        );
    const manifests = all.map(({ campaign }) => campaign.manifest);
    if (all.length > 1)
      for (const match of all) tell(match, problem('replaced-twice/declared', { id: id ?? 0, manifests }));
  }
  const { statuses } = about.environment.service;
  for (const match of found) {
    const { id, predecessor } = match;
    const middle = roleTwice(match, { all: found, rows, statuses });
    if (middle !== null) tell(match, problem('replaces-not-ready', notReady(match, middle)));
    const by = predecessor?.entry?.recorded.superseded_by;
    if (by !== undefined && by !== id && isThere(by)) {
      const successor = rows.get(by)?.name;
      tell(match, problem('replaced-twice', { id: predecessor?.id, name: predecessor?.name, by, successor }));
    }
    if (match.campaign.spec.status !== 'running' || id === null || successors.has(id)) continue;
    const successor = findSuccessor(id, predecessor?.id ?? null, entries);
    if (successor !== null) {
      const name = rows.get(successor)?.name;
      tell(match, problem('superseded-running', { campaign: match.campaign, id, by: successor, name }));
    }
  }
  return found.map((match) => {
    const more = others.get(match);
    return more === undefined ? match : { ...match, problems: [...match.problems, ...more] };
  });
}

/** The manifest of the replaced campaign, if it has one. */
function ofReplaced({ campaign, predecessor }: Match, all: readonly Match[]): Match | null {
  const { replaces } = campaign.spec;
  if (replaces === undefined) return null;
  const means = (other: Match) =>
    predecessor === null ? other.campaign.spec.name === replaces : other.id === predecessor.id;
  return all.find((other) => other.campaign !== campaign && means(other)) ?? null;
}

/** Chained replacements: two waves cannot order both. */
function roleTwice(
  match: Match,
  {
    all,
    rows,
    statuses,
  }: { all: readonly Match[]; rows: ReadonlyMap<number, ListedCampaign>; statuses: StatusWords },
): Match | null {
  const middle = ofReplaced(match, all);
  const first = middle?.predecessor ?? null;
  if (middle === null || first === null) return null;
  if (first.id === match.id) return middle;
  if (isReplacedBy(match.predecessor?.entry ?? null, match.id)) return null;
  const row = rows.get(first.id);
  const meaning = classifyStatus(row?.status ?? null, statuses);
  const isIdle =
    ['stopped', 'finished'].includes(meaning) ||
    (meaning === 'unknown' && isReplacedBy(first.entry, middle.id));
  return row === undefined || meaning === 'gone' || (middle.id !== null && isIdle) ? null : middle;
}

function notReady({ campaign }: Match, middle: Match) {
  const first = { id: middle.predecessor?.id ?? null, name: middle.predecessor?.name ?? null };
  return { campaign, middle: middle.campaign, first, isCreated: middle.id !== null };
}

/** The successor of a campaign; `null` if it has none, or replaces that one in turn. */
function findSuccessor(
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
  const environment = about.environment.name;
  const wrong = (told: Problem): Match => ({ ...match, problems: [...match.problems, told] });
  const found = (id: number): Match => {
    if (id === match.id)
      return wrong(problem('replaces-circle', { name: match.campaign.spec.name, replaces, id }));
    const predecessor = of(id);
    const isKnown = predecessor.listed !== null || predecessor.entry !== null;
    return isKnown
      ? { ...match, predecessor }
      : wrong(problem('replaces-not-found', { which: `campaign ${id}`, environment, alike: null }));
  };
  if (typeof replaces === 'number') return found(replaces);
  const called = [...about.listed, ...about.entries].filter(({ name }) => name === replaces);
  const all = [...new Set(called.map(({ id }) => id))].sort((a, b) => a - b).map(of);
  const { statuses } = about.environment.service;
  const there = all.filter(
    ({ listed }) => listed !== null && classifyStatus(listed.status, statuses) !== 'gone',
  );
  const done = all.find(({ entry }) => isReplacedBy(entry, match.id));
  const [only, ...others] = done === undefined ? there : [done];
  if (only !== undefined && others.length > 0)
    return wrong(
      problem('replaces-ambiguous', {
        name: replaces,
        candidates: there.map(({ id, listed }) => ({ id, status: listed?.status ?? null })),
      }),
    );
  const one = only ?? all.at(-1);
  if (one !== undefined) return found(one.id);
  const alike = about.listed.find(({ id, name }) => id !== match.id && isSameName(name, replaces));
  if (alike !== undefined)
    return wrong(problem('replaces-not-found', { which: `"${replaces}"`, environment, alike }));
  // Created by this plan.
  if (ofReplaced(match, matches) !== null) return match;
  return match.id === null ? wrong(problem('nothing-to-replace', { replaces, environment })) : match;
}

export function withPause(recorded: RecordedState): RecordedState {
  return record(recorded, PAUSE, 'done');
}

const PAUSE: Step = {
  ...{ id: 'pause', section: 'status', title: 'pause the campaign', method: 'PATCH' },
  ...{ path: '', body: null, irreversible: false },
};

/** A shown or believed status that does not send; an unknown word is no proof. */
export function isAtRest(context: CampaignContext): boolean {
  const isRecorded = context.answers?.campaign?.none !== true;
  if (!isRecorded && context.listed === null) return true;
  return sending(isRecorded ? context : { ...context, answers: null }).state === 'no';
}

/** `asked`: the successor's steps. */
export function describeSuccession(
  predecessor: PlannedWork,
  { spec }: CampaignContext,
  { asked, isBegun }: { asked: readonly Step[]; isBegun: boolean },
): { problems: Problem[]; replaces: Replaced } {
  const old = predecessor.context;
  const status = isGone(predecessor) ? null : sending(old);
  const pauses = hasStep(predecessor, 'pause');
  const name = old.listed?.name ?? old.spec.name;
  const which = `campaign ${old.id} "${name}"`;
  const isStuck = asked.some(({ id }) => id === 'launch') && !pauses && (status?.state ?? 'no') !== 'no';
  return {
    problems:
      isStuck && status !== null ? [problem('replaced-not-at-rest', { predecessor: which, status })] : [],
    replaces: {
      ...{ id: old.id ?? 0, name, status: status?.believed ? null : (status?.word ?? null) },
      running: pauses || isStuck,
      // A successor with a sequence is compared with its own emails.
      copy: isBegun ? null : compareEmails(old, spec),
    },
  };
}

/** Differences between the emails; `null` if either has none. */
function compareEmails(old: CampaignContext, { sequence }: CampaignSpec): Change[] | null {
  if (sequence === undefined || old.answers?.sequence?.none !== false) return null;
  const section = SECTIONS.find(({ name }) => name === 'sequence');
  return section?.plan({ ...old, spec: { ...old.spec, sequence } }).changes ?? null;
}
