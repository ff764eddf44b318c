import type { Problem } from './problem.js';
import type { LastApplied } from './state-entry.js';

/**
 * How a live campaign and the manifests stand to each other, what needs attention first.
 *
 * `unclear`: which of them is meant is not certain, `problems` of the entries say why. `missing`: applied before or pinned,
 * and not there. `gone`: archived or deleted. `new`: a manifest without campaign. `unmanaged`: a campaign without manifest.
 */
export const INVENTORY_STATUSES = ['unclear', 'missing', 'gone', 'new', 'unmanaged', 'managed'] as const;
export type InventoryStatus = (typeof INVENTORY_STATUSES)[number];

/**
 * One live campaign, or one manifest without any. `status` is the service's word, null where the list does not show it; `id`
 * of what is missing is the one it had. `last`: when it was last seen as its manifest said, null where it never was.
 */
export interface InventoryEntry {
  status: InventoryStatus;
  name: string;
  id: number | null;
  live_status: string | null;
  manifest: string | null;
  last: Pick<LastApplied, 'at' | 'how'> | null;
  problems: Problem[];
}

/** Counts of entries; `live` is the number of campaigns in the list of the service. */
export type InventorySummary = Record<InventoryStatus | 'live', number>;

/** The live campaigns of an environment beside its manifests. Its JSON schema is `schemas/list.schema.json`. */
export interface Inventory {
  version: 1;
  environment: string;
  base_url: string;
  summary: InventorySummary;
  campaigns: InventoryEntry[];
}
