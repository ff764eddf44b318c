/** Sets of lead lists and of individual leads. */
import type { LeadRefs } from './state.js';

export function isEmpty({ lists, ids }: LeadRefs): boolean {
  return lists.length === 0 && ids.length === 0;
}

export function sortedIds(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

export function union(a: LeadRefs, b: LeadRefs): LeadRefs {
  return { lists: sortedIds([...a.lists, ...b.lists]), ids: sortedIds([...a.ids, ...b.ids]) };
}

export function without(refs: LeadRefs, other: LeadRefs): LeadRefs {
  const [lists, ids] = [new Set(other.lists), new Set(other.ids)];
  return { lists: refs.lists.filter((id) => !lists.has(id)), ids: refs.ids.filter((id) => !ids.has(id)) };
}

export function common(a: LeadRefs, b: LeadRefs): LeadRefs {
  return without(a, without(a, b));
}
