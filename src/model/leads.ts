/** Sets of lead lists, of individual leads, and of the `refill` values of lists. */
import { ownValue } from './json.js';
import type { LeadList } from './manifest.generated.js';
import type { LeadRefs, Refill } from './state.js';

export function isEmpty({ lists, ids, refills = [] }: LeadRefs): boolean {
  return lists.length + ids.length + refills.length === 0;
}

export function sortedIds(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

/** In canonical form: sorted and unique. */
export function leadRefs({ lists, ids, refills = [] }: LeadRefs): LeadRefs {
  const unique = [...new Map(refills.map((refill) => [keyOf(refill), refill])).values()];
  const sorted = unique.sort((a, b) => a.list - b.list || (a.refill < b.refill ? -1 : 1));
  return { lists: sortedIds(lists), ids: sortedIds(ids), ...(sorted.length > 0 && { refills: sorted }) };
}

export function union(a: LeadRefs, b: LeadRefs): LeadRefs {
  return leadRefs({
    lists: [...a.lists, ...b.lists],
    ids: [...a.ids, ...b.ids],
    refills: [...(a.refills ?? []), ...(b.refills ?? [])],
  });
}

export function without(refs: LeadRefs, other: LeadRefs): LeadRefs {
  const [lists, ids] = [new Set(other.lists), new Set(other.ids)];
  const keys = new Set((other.refills ?? []).map(keyOf));
  const refills = (refs.refills ?? []).filter((refill) => !keys.has(keyOf(refill)));
  return {
    lists: refs.lists.filter((id) => !lists.has(id)),
    ids: refs.ids.filter((id) => !ids.has(id)),
    ...(refills.length > 0 && { refills }),
  };
}

export function common(a: LeadRefs, b: LeadRefs): LeadRefs {
  return without(a, without(a, b));
}

function keyOf({ list, refill }: Refill): string {
  return `${list} ${refill}`;
}

/** The people, whichever `refill` value they were attached for. */
export function withoutRefills({ lists, ids }: LeadRefs): LeadRefs {
  return { lists, ids };
}

/** The lists that a request attaches, for the first time or again. */
export function attachedLists({ lists, refills = [] }: LeadRefs): number[] {
  return sortedIds([...lists, ...refills.map(({ list }) => list)]);
}

export function listOf(entry: LeadList): number | string {
  return typeof entry === 'object' ? entry.list : entry;
}

/** `undefined` if the environment has no list of this name. */
export function listIdOf(entry: LeadList, lead_lists: Readonly<Record<string, number>>): number | undefined {
  const list = listOf(entry);
  return typeof list === 'number' ? list : ownValue(lead_lists, list);
}

/** Equal for `20261127` and `"20261127"`; `null` if the list is attached only once. */
export function refillOf(entry: LeadList): string | null {
  return typeof entry === 'object' ? String(entry.refill).trim() : null;
}
