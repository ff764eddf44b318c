/**
 * Finds the campaigns that manifests replace. A predecessor's target manages only `status: paused`; its successor waits for it.
 */
import type { ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import { groupBy } from '../model/json.js';
import type { PlanProblem } from '../model/outputs.js';
import type { Campaign } from '../model/spec.js';
import type { StateEntry } from '../model/state.js';
import type { Predecessor, Target } from '../model/target.js';
import { classifyStatus, statusInList } from '../sections/sending.js';
import type { MatchContext } from './input.js';
import { problem } from './messages.js';
import { isSucceededBy, lastSuccessor } from './planned.js';

/**
 * Adds predecessors and reports contradictions that the ids in the service or the state reveal; `rules/contract.ts` reports
 * those between the manifests alone. Needs all manifests.
 */
export function withPredecessors(manifests: readonly Target[], context: MatchContext): Target[] {
  const known = {
    ...context,
    rows: new Map(context.listed.map((row) => [row.id, row])),
    entriesById: new Map(context.entries.map((entry) => [entry.id, entry])),
  };
  const targets = manifests.map((target) => withPredecessor(target, manifests, known));
  const successors = groupBy(targets, ({ predecessor }) => predecessor?.id);
  return targets.map((target) => {
    const problems = contradictions(target, { targets, successors, known });
    return { ...target, problems: [...target.problems, ...problems] };
  });
}

interface SuccessionContext extends MatchContext {
  rows: ReadonlyMap<number, ListedCampaign>;
  entriesById: ReadonlyMap<number, StateEntry>;
}

function withPredecessor(target: Target, manifests: readonly Target[], known: SuccessionContext): Target {
  const { id, campaign, problems } = target;
  const { name, replaces } = campaign.spec;
  if (replaces === undefined) return target;
  const environment = known.environment.name;
  const wrong = (failure: PlanProblem): Target => ({ ...target, problems: [...problems, failure] });
  const succeed = (predecessor: Predecessor): Target =>
    predecessor.id === id
      ? wrong(problem('replaces-circle', name, replaces, predecessor.id))
      : { ...target, predecessor };
  if (typeof replaces === 'number') {
    const predecessor = findPredecessor(replaces, known);
    if (predecessor.row !== null || predecessor.entry !== null) return succeed(predecessor);
    return wrong(problem('replaces-not-found', `campaign ${replaces}`, environment, null));
  }
  const namesakes = [...known.listed, ...known.entries].filter((other) => other.name === replaces);
  const ids = [...new Set(namesakes.map((other) => other.id))].sort((a, b) => a - b);
  const candidates = ids.map((other) => findPredecessor(other, known));
  const done = candidates.find(({ entry }) => isSucceededBy(entry, id));
  const live = candidates.filter(({ row }) => isLive(row, known));
  const [only = candidates.at(-1), ...others] = done === undefined ? live : [done];
  if (others.length > 0) {
    const rows = live.flatMap(({ row }) => row ?? []);
    return wrong(problem('replaces-ambiguous', replaces, rows));
  }
  if (only !== undefined) return succeed(only);
  const wanted = replaces.toLowerCase();
  const alike = known.listed.find((row) => row.id !== id && isSameName(row.name.toLowerCase(), wanted));
  if (alike !== undefined) return wrong(problem('replaces-not-found', `"${replaces}"`, environment, alike));
  const isPlanned = manifests.some((other) => other !== target && other.campaign.spec.name === replaces);
  return isPlanned || id !== null ? target : wrong(problem('nothing-to-replace', replaces, environment));
}

function findPredecessor(id: number, { rows, entriesById }: SuccessionContext): Predecessor {
  const [row, entry] = [rows.get(id) ?? null, entriesById.get(id) ?? null];
  return { id, name: row?.name ?? entry?.name ?? null, row, entry };
}

function isLive(row: ListedCampaign | null | undefined, { environment }: SuccessionContext): boolean {
  return row != null && classifyStatus(row.status, environment.service.statuses) !== 'gone';
}

interface AllTargets {
  targets: readonly Target[];
  successors: ReadonlyMap<number | undefined, readonly Target[]>;
  known: SuccessionContext;
}

function contradictions(target: Target, { targets, successors, known }: AllTargets): PlanProblem[] {
  const { id, campaign, predecessor } = target;
  const problems: PlanProblem[] = [];
  const targetOfPredecessor = targets.find((other) => predecessor !== null && other.id === predecessor.id);
  for (const declared of [target, targetOfPredecessor]) {
    const [successor] = (declared?.id != null && successors.get(declared.id)) || [];
    if (declared === undefined || successor === undefined) continue;
    if (declared.campaign.spec.status !== 'paused')
      problems.push(
        problem('superseded-running/declared', declared.campaign, declared.id, successor.campaign),
      );
  }
  if (predecessor !== null) {
    const manifests = (successors.get(predecessor.id) ?? []).map((other) => other.campaign.manifest);
    if (manifests.length > 1) problems.push(problem('replaced-twice/declared', predecessor.id, manifests));
    const by = predecessor.entry?.recorded.superseded_by;
    if (by !== undefined && by !== id && isLive(known.rows.get(by), known))
      problems.push(problem('replaced-twice', predecessor, by));
  }
  if (campaign.spec.replaces !== undefined) {
    const circle = circleOf(target, targets);
    const middle = circle === null ? unfinishedMiddle(target, targets, known) : null;
    if (circle !== null) problems.push(problem('replaces-circle/several', circle));
    if (middle?.predecessor)
      problems.push(problem('replaces-not-ready', campaign, middle.campaign, middle.predecessor));
  }
  if (id === null || campaign.spec.status !== 'running' || successors.has(id)) return problems;
  const last = lastSuccessor(id, known.entriesById);
  return last === null || last === predecessor?.id
    ? problems
    : [...problems, problem('superseded-running', campaign, id, last)];
}

/** The manifests of the target's circle, in the order of `targets`; `null` if it is not part of one. */
function circleOf(target: Target, targets: readonly Target[]): Campaign[] | null {
  const chain = new Set([target]);
  let next = declaredPredecessor(target, targets);
  while (next !== undefined && !chain.has(next)) {
    chain.add(next);
    next = declaredPredecessor(next, targets);
  }
  return next === target ? targets.filter((other) => chain.has(other)).map(({ campaign }) => campaign) : null;
}

/** The predecessor's own manifest, found by id or, if the campaign does not exist yet, by name. */
function declaredPredecessor(
  { campaign, predecessor }: Target,
  targets: readonly Target[],
): Target | undefined {
  const { replaces } = campaign.spec;
  if (replaces === undefined) return undefined;
  return targets.find(
    (other) =>
      other.campaign !== campaign &&
      (predecessor === null ? other.campaign.spec.name === replaces : other.id === predecessor.id),
  );
}

/**
 * Returns the target of the predecessor's own manifest if it has a predecessor that may still send. One apply cannot do both.
 */
function unfinishedMiddle(
  target: Target,
  targets: readonly Target[],
  known: SuccessionContext,
): Target | null {
  const { id, predecessor } = target;
  if (isSucceededBy(predecessor?.entry ?? null, id)) return null;
  const middle = declaredPredecessor(target, targets);
  const first = middle?.predecessor ?? null;
  if (middle === undefined || first === null) return null;
  const sends = first.row === null ? 'unknown' : statusInList(first.row, first.entry, known).sends;
  const isIdle = sends === 'no' || (sends === 'unknown' && isSucceededBy(first.entry, middle.id));
  const isDone = !isLive(first.row, known) || (middle.id !== null && isIdle);
  return isDone && first.id !== id ? null : middle;
}

/** `listed`: the complete list. `campaigns`: those of the planned manifests. */
interface SuccessorContext {
  id: number | null;
  listed: readonly ListedCampaign[];
  campaigns: readonly Campaign[];
}

/** An instance of for_each needs a separate manifest, because its lines also describe other campaigns. */
export function linesOfSuccessor(
  { file, document, manifest, spec }: Campaign,
  { id, listed, campaigns }: SuccessorContext,
) {
  const [, number = '', instance = ''] = /^(#\d+)?(\[.*\])?$/s.exec(manifest.slice(file.length)) ?? [];
  const place = `${file}${number === '' ? '' : `, document ${document + 1}`}`;
  const keys = (['name', 'id', 'replaces'] as const).filter((key) => spec[key] !== undefined);
  const where =
    instance === ''
      ? `write these lines in ${place} in place of its ${keys.join(' and ')}`
      : `remove it from the for_each of ${place}, and write a separate manifest that begins with these lines`;
  const namesakes = listed.filter(({ name }) => name === spec.name);
  const isNamed = spec.id === undefined && namesakes.length === 1 && namesakes[0]?.id === id;
  const predecessor = isNamed ? yamlText(spec.name) : (id ?? yamlText(spec.name));
  return {
    where: `To replace the campaign, ${where}:`,
    lines: [`name: ${yamlText(nextName(spec.name, { listed, campaigns }))}`, `replaces: ${predecessor}`],
  };
}

/**
 * "Segment 22" → "Segment 22 v2", "Fair v2" → "Fair v3". No two campaigns of a plan get the same name: where several versions
 * of one campaign are declared, the older ones leave the next number to the newer.
 */
function nextName(name: string, { listed, campaigns }: Omit<SuccessorContext, 'id'>): string {
  const taken = new Set([...listed.map((row) => row.name), ...campaigns.map((other) => other.spec.name)]);
  const suggested = new Map<string, string>();
  for (const { spec } of campaigns) {
    const [, base = spec.name, last = 1] = /^(.*\S) v([1-9]\d{0,2})$/s.exec(spec.name) ?? [];
    let number = Number(last) + 1;
    while (taken.has(`${base} v${number}`)) number += 1;
    suggested.set(spec.name, `${base} v${number}`);
    taken.add(`${base} v${number}`);
  }
  return suggested.get(name) ?? name;
}

function yamlText(text: string): string {
  const isPlain =
    /^\p{L}[\p{L}\p{N} _.()/-]*$/u.test(text) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}
