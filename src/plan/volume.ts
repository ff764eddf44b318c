import type { ListedCampaign } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import type { CampaignPlan, Cap, Problem, RemovedCampaign, Volume } from '../model/outputs.js';
import { decodeCap, isOverCapacity, sumVolume } from '../model/volume.js';
import { isSending } from './inventory.js';
import { problem } from './messages.js';

interface VolumeInput {
  environment: Environment;
  listed: readonly ListedCampaign[];
  /** `cap`: the manifest's; `undefined` if not managed. */
  campaigns: readonly { plan: CampaignPlan; cap: number | null | undefined }[];
  removed: readonly RemovedCampaign[];
}

/** The volume, and `over-capacity` if the plan exceeds it. Empty without a capacity. */
export function planVolume(input: VolumeInput): { volume?: Volume; problems: Problem[] } {
  const { environment, listed, campaigns, removed } = input;
  const { capacity } = environment;
  if (capacity === null) return { problems: [] };
  const paused = new Set(removed.flatMap(({ id, step }) => (step === null ? [] : [id])));
  const before: Cap[] = [];
  const after: Cap[] = [];
  const planned = new Map(campaigns.map((campaign) => [campaign.plan.id, campaign]));
  const created = campaigns
    .filter(({ plan }) => plan.id === null)
    .map((campaign) => ({ campaign, row: null }));
  const live = listed.map((row) => ({ campaign: planned.get(row.id), row }));
  for (const { campaign, row } of [...created, ...live]) {
    const steps = campaign?.plan.steps ?? [];
    const has = (id: string) => steps.some((step) => step.id === id);
    const wasSending = row !== null && isSending({ live_status: row.status }, environment);
    const willSend = has('launch') || (wasSending && !has('pause') && !paused.has(row.id));
    const shown =
      row?.numbers?.cap ?? decodeCap(campaign?.plan.content?.before?.settings?.max_emails_per_day);
    const cap = campaign?.cap === undefined ? shown : decodeCap(campaign.cap);
    if (wasSending) before.push(shown ?? cap);
    if (willSend) after.push(cap);
  }
  const volume = sumVolume(after, capacity);
  const isRaised = total(volume) > total(sumVolume(before, capacity)) || volume.unlimited > unlimited(before);
  return { volume, problems: isOverCapacity(volume) && isRaised ? [problem('over-capacity', volume)] : [] };
}

function total({ cap, unlimited }: Volume): number {
  return unlimited > 0 ? Number.POSITIVE_INFINITY : cap;
}

function unlimited(caps: readonly Cap[]): number {
  return caps.filter((cap) => cap === 'unlimited').length;
}
