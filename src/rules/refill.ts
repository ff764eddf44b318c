import { asYaml } from '../manifest/as-yaml.js';
import { listIdOf, listOf, refillOf } from '../model/leads.js';
import type { CampaignSpec } from '../model/spec.js';
import type { Refill } from '../model/state.js';

/** What to do about the lists of a campaign whose leads run out. `refills`: the values that it has had, by list id. */
export interface RefillFacts {
  manifest: string;
  file: string;
  leads: NonNullable<CampaignSpec['leads']>;
  lead_lists: Readonly<Record<string, number>>;
  refills: readonly Refill[];
  /** Such as `2026-11-27`. */
  today: string;
}

/**
 * `lines`: entries of `leads.lists`, or for an instance of `for_each` only the value, to be written or, if empty, already there.
 * `hasRefill`: the manifest has a value.
 */
export interface RefillAdvice {
  hasRefill: boolean;
  hint: string;
  lines: string[];
}

/** `null` if the manifest has no lists. */
export function adviseRefill(facts: RefillFacts): RefillAdvice | null {
  const { manifest, file, leads, lead_lists, refills, today } = facts;
  const { lists = [] } = leads;
  if (lists.length === 0) return null;
  const had = new Set(refills.map(({ list, refill }) => `${list} ${refill}`));
  const isOpen = lists.some((entry) => {
    const refill = refillOf(entry);
    return refill !== null && !had.has(`${listIdOf(entry, lead_lists)} ${refill}`);
  });
  const hasRefill = lists.some((entry) => refillOf(entry) !== null);
  if (isOpen) {
    const hint = `${manifest} has a value of refill that was not applied yet: run campaignctl apply.`;
    return { hasRefill, hint, lines: [] };
  }
  const used = new Set([...refills.map(({ refill }) => refill), ...lists.map(refillOf)]);
  const value = `refill: ${unused(today, used)}`;
  const which = lists.length === 1 ? 'If its list has grown' : 'For each list that has grown';
  // Other campaigns have the same lines, perhaps with an expression for the list.
  if (manifest.slice(file.length).endsWith(']')) {
    const hint = `${which}, write ${value} for it in ${file}. Apply then attaches it again, and the lists of all campaigns of the for_each that share the value.`;
    return { hasRefill, hint, lines: [value] };
  }
  const lines = lists.map((entry) => `- { list: ${asYaml(listOf(entry))}, ${value} }`);
  return {
    hasRefill,
    hint: `${which}, write in ${manifest} under leads.lists: ${lines.join(' or ')}. Then apply attaches it again.`,
    lines,
  };
}

/** A value that comes back would attach nothing. */
function unused(today: string, used: ReadonlySet<string | null>): string {
  for (let number = 1; ; number += 1) {
    const value = number === 1 ? today : `${today}-${number}`;
    if (!used.has(value)) return value;
  }
}
