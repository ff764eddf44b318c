import type { ListedCampaign } from '../model/answer.js';
import type { Problem } from '../model/outputs.js';
import type { PendingOperations } from '../model/state.js';
import { problem } from './messages.js';
import { type CampaignWork, isDeclared } from './work.js';

export interface OtherApply {
  holder: string;
  certain: boolean;
}

/** Crashed probes. The next apply or probe closes them. */
export function unfinishedProbes(
  probes: readonly PendingOperations[],
  rows: readonly Pick<ListedCampaign, 'id' | 'name'>[],
): Problem[] {
  return probes.map((probe) =>
    problem('unfinished-probe', probe, rows.find(({ name }) => name === probe.name)?.id ?? probe.id),
  );
}

/** Pending requests of a campaign without a manifest: no run will reconcile them. */
export function orphaned(
  pending: readonly PendingOperations[],
  works: readonly CampaignWork[],
  listed: readonly ListedCampaign[],
): Problem[] {
  const declared = works.filter(isDeclared);
  const names = new Set(declared.map(({ listed: row, campaign }) => row?.name ?? campaign.spec.name));
  // With a selection, the manifest may not have been read.
  const manifests = new Set(declared.map(({ campaign }) => campaign.manifest));
  const claimed = new Set(works.flatMap((work) => work.pending));
  const isOpen = ({ sent }: PendingOperations) =>
    sent.some(({ result }) => result === 'unknown' || result === 'in_doubt');
  return pending
    .filter((operations) => !claimed.has(operations) && isOpen(operations))
    .filter(({ name, manifest }) => !names.has(name) && manifests.has(manifest))
    .map((operations) => {
      const ids = listed.filter(({ name }) => name === operations.name).map(({ id }) => id);
      return problem('unfinished-run/orphaned', operations, ids);
    });
}
