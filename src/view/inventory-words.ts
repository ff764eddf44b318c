import type { Inventory, InventoryEntry, InventoryStatus, InventorySummary } from '../model/inventory.js';
import type { Problem } from '../model/problem.js';
import { count, thousands } from './words.js';

export const STANDING_WORDS: Record<InventoryStatus, string> = {
  unclear: 'unclear',
  missing: 'missing',
  gone: 'gone',
  new: 'no campaign',
  unmanaged: 'not managed',
  managed: 'managed',
};

/** "30 campaigns: 12 managed, 18 not managed · 1 manifest without campaign". */
export function inventoryLine(summary: InventorySummary): string {
  const { live, managed, unmanaged, gone, new: made, missing, unclear } = summary;
  const parts = [
    ...(managed > 0 ? [`${thousands(managed)} managed`] : []),
    ...(unmanaged > 0 ? [`${thousands(unmanaged)} not managed`] : []),
    ...(gone > 0 ? [`${thousands(gone)} gone`] : []),
  ];
  return [
    `${count(live, 'campaign')}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`,
    ...(unclear > 0 ? [`${thousands(unclear)} unclear`] : []),
    ...(missing > 0 ? [`${thousands(missing)} missing`] : []),
    ...(made > 0 ? [`${count(made, 'manifest')} without campaign`] : []),
  ].join(' · ');
}

/** What a reader may do next, as command and what it does. */
export function nextSteps({ environment, summary }: Inventory): [command: string, does: string][] {
  const { unmanaged, new: made } = summary;
  const env = `--env ${environment}`;
  return [
    ...(unmanaged > 0
      ? [
          [
            `campaignctl import --all ${env}`,
            `writes ${unmanaged === 1 ? 'a manifest for the one' : `manifests for the ${thousands(unmanaged)}`} not managed`,
          ] as [string, string],
        ]
      : []),
    ...(made > 0 ? [[`campaignctl plan ${env}`, 'shows what would be made'] as [string, string]] : []),
  ];
}

/** The service's word; a dash where there is no campaign, a question mark where the list does not show it. */
export function statusWord({ status, id, live_status }: InventoryEntry): string {
  if (live_status !== null) return live_status;
  return id === null || status === 'missing' ? '—' : '?';
}

/** Whether any campaign is there whose status the list does not show. */
export function hidesStatus({ campaigns }: Inventory): boolean {
  return campaigns.some((entry) => statusWord(entry) === '?');
}

/** The day on which it was last seen as its manifest said. */
export function lastWord({ last }: InventoryEntry): string {
  if (last === null) return '—';
  return last.how === 'import' ? `${last.at.slice(0, 10)} (import)` : last.at.slice(0, 10);
}

/** Each problem once, whichever entries it concerns. */
export function problemsOf({ campaigns }: Inventory): Problem[] {
  const all = campaigns.flatMap(({ problems }) => problems);
  return [...new Map(all.map((problem) => [problem.message, problem])).values()];
}
