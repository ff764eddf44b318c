import { isMeant, refuseUnknown } from '../import/select.js';
import type { ListedCampaign } from '../model/answer.js';
import { serviceAddress, serviceHead } from '../model/environment.js';
import { errorMessage, Failure } from '../model/failure.js';
import { emptyPlan, type Step } from '../model/outputs.js';
import {
  PAUSE_STEP,
  type PauseOutcome,
  type PausePlan,
  type PauseResult,
  type RunningCampaign,
} from '../model/reports.js';
import { checkWorkspace } from '../plan/refresh.js';
import { loadCampaigns } from '../project/campaigns.js';
import { sendingBy, statusInRecord } from '../sections/sending.js';
import { type Reader, type Sent, systemClock } from '../service/index.js';
import type { Store } from '../state/store.js';
import { withReader, withWriter } from './connect.js';
import { applyAtWork, describeRun, withLock } from './lock.js';
import type { ProjectPlace } from './place.js';
import type { Interrupt } from './world.js';

export interface PauseSelection {
  names: readonly string[];
  all: boolean;
  unmanaged: boolean;
}

/** Requires neither valid manifests nor the lock. */
export async function planPause(
  place: ProjectPlace,
  selection: PauseSelection,
  { guard }: Interrupt,
): Promise<PausePlan> {
  const manifestOf = await guard(findManifests(place));
  return withReader(place, async (reader) => {
    await guard(checkWorkspace(place.environment, reader));
    const rows = await guard(reader.campaigns());
    refuseUnknown(selection.names, rows);
    const running = await guard(listRunning(rows, { place, reader, manifestOf }));
    return {
      environment: place.environment.name,
      ...serviceHead(place.environment),
      targets: running.filter((campaign) => isSelected(campaign, selection)),
      others: running.filter((campaign) => !isSelected(campaign, selection)),
      apply: await guard(otherApply(place)),
    };
  });
}

/** Milliseconds to wait until pauses are visible, and between readings. */
const PATIENCE = 60_000;
const INTERVAL = 2_000;

interface SentPause {
  campaign: RunningCampaign;
  sent: Sent;
}

/**
 * Pauses campaigns and polls the list for up to a minute. Repeats a pause whose outcome is unknown, because pausing is
 * idempotent. After an interrupt, sends no further pause. Also pauses selected campaigns that an apply launches in the
 * meantime.
 */
export async function pauseCampaigns(
  place: ProjectPlace,
  plan: PausePlan,
  { selection, interrupt: { signal, guard } }: { selection: PauseSelection; interrupt: Interrupt },
): Promise<PauseResult> {
  const { clock = systemClock } = place.world;
  const manifestOf = await guard(findManifests(place));
  const pauses = new Map<number, SentPause>();
  let { apply } = plan;
  let sending = new Map(plan.targets.map((campaign) => [campaign.id, campaign]));
  let unread: string | null = null;
  await withWriter(place, { check() {} }, async (service) => {
    const send = async (campaign: RunningCampaign) => {
      const request = { method: 'PATCH', path: pausePath(campaign.id), body: null } as const;
      const sent = await service.send(request, { stop: signal });
      // Keeps the earlier outcome, because that request may still take effect.
      if (sent.kind === 'unsent' && pauses.has(campaign.id)) return;
      pauses.set(campaign.id, { campaign, sent });
    };
    const isDue = ({ id }: RunningCampaign) => {
      const kind = pauses.get(id)?.sent.kind;
      return kind === undefined || kind === 'in_doubt' || kind === 'unsent';
    };
    const end = clock.elapsed() + PATIENCE;
    for (;;) {
      await Promise.all([...sending.values()].filter(isDue).map(send));
      unread = null;
      try {
        const running = await listRunning(await service.campaigns(), { place, reader: service, manifestOf });
        sending = new Map(
          running
            .filter((campaign) => pauses.has(campaign.id) || isSelected(campaign, selection))
            .filter((campaign) => !isBelieved(campaign, pauses.get(campaign.id), place))
            .map((campaign) => [campaign.id, campaign]),
        );
      } catch (error) {
        unread = errorMessage(error);
      }
      apply = apply && (await otherApply(place));
      const isOver = unread === null && sending.size === 0 && apply === null;
      if (isOver || clock.elapsed() >= end || signal.aborted) return;
      await clock.sleep(INTERVAL, signal).catch(() => undefined);
    }
  });
  const outcomes = [...pauses.values()].map((pause) =>
    toOutcome(pause, { now: sending.get(pause.campaign.id) ?? null, unread }),
  );
  const note = await record(
    place,
    outcomes.filter(({ id, result }) => result !== 'refused' && pauses.get(id)?.sent.kind !== 'unsent'),
  );
  return { environment: plan.environment, outcomes, note, apply };
}

function pausePath(id: number): string {
  return `/api/campaigns/${id}/pause`;
}

function isBelieved(
  { status }: RunningCampaign,
  pause: SentPause | undefined,
  { environment }: ProjectPlace,
): boolean {
  if (pause?.sent.kind !== 'accepted') return false;
  return (
    sendingBy(status, environment).state === 'unknown' &&
    (status === null || status !== pause.campaign.status)
  );
}

function toOutcome(
  { campaign, sent }: SentPause,
  { now, unread }: { now: RunningCampaign | null; unread: string | null },
): PauseOutcome {
  const message = 'message' in sent ? sent.message : null;
  if (unread !== null && sent.kind !== 'refused')
    return { ...campaign, result: 'unknown', detail: `the list could not be read: ${unread}` };
  if (now === null) return { ...campaign, result: 'paused', detail: null };
  if (sent.kind === 'refused') return { ...now, result: 'refused', detail: message };
  if (sent.kind === 'accepted')
    return {
      ...now,
      result: 'running',
      detail: `the service accepted the pause but still shows "${now.status}"`,
    };
  return { ...now, result: now.status === null ? 'unknown' : 'running', detail: message };
}

/** Also returns `null` if the lock is unreadable, because pausing must not fail. */
async function otherApply({ backend, world }: ProjectPlace): Promise<string | null> {
  const other = await applyAtWork(backend, world).catch(() => null);
  return other?.certain === true ? other.holder : null;
}

async function findManifests({ project, environment, backend, world }: ProjectPlace) {
  const loading = loadCampaigns(project, { environments: [environment], files: [], cwd: world.cwd });
  const [entries, loaded] = await Promise.all([
    backend.store.readAll().catch(() => []),
    loading.catch(() => null),
  ]);
  const campaigns = loaded?.campaigns[environment.name] ?? [];
  return ({ id, name }: Pick<ListedCampaign, 'id' | 'name'>): string | null =>
    campaigns.find(({ spec }) => (spec.id === undefined ? spec.name === name : spec.id === id))?.manifest ??
    entries.find((entry) => entry.id === id)?.manifest ??
    null;
}

async function listRunning(
  rows: readonly ListedCampaign[],
  {
    place,
    reader,
    manifestOf,
  }: {
    place: ProjectPlace;
    reader: Pick<Reader, 'read'>;
    manifestOf: (row: ListedCampaign) => string | null;
  },
): Promise<RunningCampaign[]> {
  const { environment } = place;
  const all = await Promise.all(
    rows.map(async (row) => {
      const { id, name } = row;
      const status = row.status ?? statusInRecord(await reader.read('campaign', id));
      return { id, name, status, manifest: manifestOf(row) };
    }),
  );
  return all.filter(({ status }) => sendingBy(status, environment).state !== 'no');
}

function isSelected(
  { id, name, manifest }: RunningCampaign,
  { names, all, unmanaged }: PauseSelection,
): boolean {
  if (manifest === null ? unmanaged : all) return true;
  return names.some((word) => isMeant({ id, name }, word));
}

/** Returns why the journal was not written, or `null`. */
async function record(place: ProjectPlace, pauses: readonly PauseOutcome[]): Promise<string | null> {
  if (pauses.length === 0) return null;
  const { environment, store, world } = place;
  const { clock = systemClock } = world;
  const plan = emptyPlan(environment.name, serviceAddress(environment));
  const start = { ...describeRun(world), environment: environment.name, plan, specs: {} };
  const write = async (kept: Pick<Store, 'begin'>) => {
    const journal = await kept.begin(start, () => new Date(clock.now()).toISOString());
    for (const { id, name, manifest, result } of pauses) {
      const about = { manifest: manifest ?? 'campaignctl pause', name, id };
      const step: Step = {
        id: PAUSE_STEP,
        section: 'status',
        title: 'pause the campaign',
        method: 'PATCH',
        path: pausePath(id),
        body: null,
        irreversible: false,
      };
      await journal.intend({ ...about, step, total_leads: null });
      const effect = result === 'paused' ? 'done' : 'in_doubt';
      await journal.conclude({ ...about, step: step.id, result: effect, detail: null, visible_in: null });
      journal.reconciled(about);
    }
    await journal.end('done');
  };
  const isShared = environment.state.backend === 'git' && environment.sandbox === null;
  const { signal } = new AbortController();
  try {
    if (isShared) await withLock(place, { seconds: 0, signal }, (lease) => write(lease.store));
    else await write(store);
    return null;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.message;
  }
}
