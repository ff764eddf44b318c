import type { ListedCampaign } from '../model/answer.js';
import type { Cap, OtherCampaign, RunningCap, Volume } from '../model/outputs.js';
import type { SomeSettings } from '../model/sections.js';
import type { Status, Target } from '../model/target.js';
import { decodeCap, type PlannedVolume, sumVolume } from '../model/volume.js';
import { statusInList } from '../sections/sending.js';
import type { MatchContext } from './input.js';
import { hasStep, type Planned } from './planned.js';

/** Returns `null` if no capacity is declared. */
export function planVolume(
  works: readonly Planned[],
  removed: readonly OtherCampaign[],
  { environment, listed, entries }: MatchContext,
): PlannedVolume | null {
  const { capacity } = environment;
  if (capacity === null) return null;
  const paused = new Set(removed.flatMap(({ id, step }) => (step === null ? [] : [id])));
  const before: Cap[] = [];
  const after: RunningCap[] = [];
  let unclear = 0;
  const planned = new Map(works.map((work) => [work.target.id, work]));
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  const statusOf = (row: ListedCampaign) =>
    statusInList(row, known.get(row.id) ?? null, { environment, listed });
  const isSending = ({ word, sends }: Status) => word !== null && sends !== 'no';
  const created = works.filter(({ target }) => target.id === null).map((work) => ({ work, row: null }));
  const live = listed.map((row) => ({ work: planned.get(row.id), row }));
  for (const { work, row } of [...created, ...live]) {
    const status = row === null ? null : work === undefined ? statusOf(row) : work.target.status;
    const wasSending = status !== null && isSending(status);
    const pauses = row !== null && (paused.has(row.id) || (work !== undefined && hasStep(work, 'pause')));
    const launches = work !== undefined && hasStep(work, 'launch');
    if (status !== null && status.word === null && !launches && !pauses) unclear += 1;
    const declared = work?.target.spec.settings?.max_emails_per_day;
    const shown = row?.numbers?.cap ?? decodeCap(work?.plan.content?.before?.settings?.max_emails_per_day);
    const cap = declared === undefined ? shown : decodeCap(declared);
    if (wasSending) before.push(shown ?? cap);
    const name = work?.target.spec.name ?? row?.name ?? '';
    if (launches || (wasSending && !pauses)) after.push({ name, cap, launch: launches });
  }
  const sum = (some: readonly RunningCap[]) =>
    sumVolume(
      some.map(({ cap }) => cap),
      capacity,
    );
  const volume = sum(after);
  const isRaised = total(volume) > total(sumVolume(before, capacity)) || volume.unlimited > unlimited(before);
  const held = sum(after.filter(({ launch }) => !launch));
  const campaigns = [...after].sort((a, b) => order(b.cap) - order(a.cap));
  return { volume: { ...volume, campaigns, ...(unclear > 0 && { unclear }) }, isRaised, held };
}

function order(cap: Cap): number {
  return cap === 'unlimited' ? Number.POSITIVE_INFINITY : (cap ?? 0);
}

export function capAfter(target: Target): Cap {
  const declared = target.spec.settings?.max_emails_per_day;
  return declared === undefined ? shownCap(target) : decodeCap(declared);
}

export function shownCap(target: Target): Cap {
  return target.live?.row?.numbers?.cap ?? decodeCap(shownSettings(target).max_emails_per_day);
}

export function shownSettings({ live }: Target): SomeSettings {
  return live?.settings.is === 'shown' ? live.settings.value : {};
}

function total({ cap, unlimited }: Volume): number {
  return unlimited > 0 ? Number.POSITIVE_INFINITY : cap;
}

function unlimited(caps: readonly Cap[]): number {
  return caps.filter((cap) => cap === 'unlimited').length;
}
