import type { InventoryStatus } from './outputs.generated.js';

export type { Inventory, InventoryEntry, InventoryStatus, InventorySummary } from './outputs.generated.js';

/** What needs attention first. */
export const INVENTORY_STATUSES: readonly InventoryStatus[] = [
  'unclear',
  'missing',
  'gone',
  'new',
  'unmanaged',
  'managed',
];
