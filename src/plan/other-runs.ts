/** What other runs do now, or left: warnings of the plan as a whole. */
import type { ListedCampaign } from '../model/answer.js';
import type { Problem } from '../model/outputs.js';
import type { PendingOperations } from '../model/state.js';
import { problem } from './messages.js';
import { type CampaignWork, isDeclared } from './work.js';

/** Another apply that holds the lock, in words. `certain`: it is at work; else it may have ended. */
export interface OtherApply {
  holder: string;
  certain: boolean;
}

/** What an apply sends while this is planned is not what was read. */
export function applyAtWork(other: OtherApply | null): Problem[] {
  return other === null ? [] : [problem('apply-at-work', other)];
}

/** Probes that died: what they made is no one's campaign, and nothing goes on with it. The next apply or probe closes them. */
export function unfinishedProbes(
  probes: readonly PendingOperations[],
  rows: readonly Pick<ListedCampaign, 'id' | 'name'>[],
): Problem[] {
  return probes.map((probe) => {
    const row = rows.find(({ name }) => name === probe.name);
    return problem('unfinished-probe', { ...probe, id: row?.id ?? probe.id });
  });
}

/** Operations of an earlier run on a campaign that no manifest means any more: no run will reconcile them. */
export function orphaned(
  pending: readonly PendingOperations[],
  works: readonly CampaignWork[],
  listed: readonly ListedCampaign[],
): Problem[] {
  const declared = works.filter(isDeclared);
  const names = new Set(declared.map(({ listed: row, campaign }) => row?.name ?? campaign.spec.name));
  // With --target or files named, the manifest may only not have been read.
  const manifests = new Set(declared.map(({ campaign }) => campaign.manifest));
  const claimed = new Set(works.flatMap((work) => work.pending));
  const isOpen = ({ sent }: PendingOperations) =>
    sent.some(({ result }) => result === 'unknown' || result === 'in_doubt');
  return pending
    .filter((operations) => !claimed.has(operations) && isOpen(operations))
    .filter(({ name, manifest }) => !names.has(name) && manifests.has(manifest))
    .map((operations) => {
      const ids = listed.filter(({ name }) => name === operations.name).map(({ id }) => id);
      return problem('unfinished-run/orphaned', { ...operations, ids });
    });
}
