/** Records pauses: in a folder before each request, on a branch once its lease is free. Never prevents a pause. */
import { serviceAddress } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import { emptyPlan, type Step } from '../model/outputs.js';
import { PAUSE_STEP, type PauseOutcome, type StepResult } from '../model/reports.js';
import type { RunStart } from '../model/state.js';
import type { Journal } from '../state/journal.js';
import type { Checkout } from './checkout.js';
import { describeRun, withLock } from './lock.js';
import { reasonOf, within } from './pause-waits.js';
import { type ProjectPlace, stateBranch } from './place.js';
import type { Known, Suspect } from './suspects.js';
import { timeOf } from './world.js';

export interface PauseRecord {
  /** Resolves once the journal can be written, or cannot. */
  begin(): Promise<void>;
  intend(suspect: Suspect): Promise<void>;
  conclude(suspect: Suspect, result: StepResult): Promise<void>;
  /** Returns why the pauses are not recorded, or `null`. */
  end(outcomes: readonly PauseOutcome[]): Promise<string | null>;
}

type PausedCampaign = Pick<Suspect, 'id' | 'name' | 'manifest'>;

/** Milliseconds for git to say what is checked out: on a branch, pauses are recorded last. */
const CHECKOUT_BEFORE_REQUESTS = 500;
const CHECKOUT_AFTER_REQUESTS = 5_000;

export function openPauseRecord(
  place: ProjectPlace,
  { known, checkout }: { known: Known; checkout: Promise<Checkout | null> },
): PauseRecord {
  const { environment, store, world } = place;
  const now = () => timeOf(world);
  const isOnBranch = stateBranch(environment) !== null;
  const starting = within(
    checkout,
    isOnBranch ? CHECKOUT_AFTER_REQUESTS : CHECKOUT_BEFORE_REQUESTS,
    () => null,
  ).then(
    (found): RunStart => ({
      ...describeRun(world, { command: 'pause', checkout: found }),
      environment: environment.name,
      plan: emptyPlan(environment.name, serviceAddress(environment)),
      specs: {},
    }),
  );
  let journal: Promise<Journal | null> | null = null;
  let failure: string | null = null;
  const intended = new Set<number>();

  async function attempt<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failure ??= reasonOf(error);
      return null;
    }
  }

  return {
    async begin() {
      if (isOnBranch) return;
      journal ??= attempt(async () => store.begin(await starting, now));
      await journal;
    },
    async intend(suspect) {
      const kept = (await journal) ?? null;
      if (kept === null) return;
      intended.add(suspect.id);
      await attempt(() => kept.intend(intentOf(suspect)));
    },
    async conclude(suspect, result) {
      const kept = (await journal) ?? null;
      if (kept !== null && intended.has(suspect.id))
        await attempt(() => kept.conclude(conclusionOf(suspect, result)));
    },
    async end(outcomes) {
      const kept = (await journal) ?? null;
      const sent = outcomes.filter(({ result, id }) => intended.has(id) || result === 'paused');
      if (kept !== null)
        await attempt(async () => {
          for (const outcome of sent) {
            await kept.conclude(conclusionOf(outcome, resultOf(outcome)));
            close(kept, outcome, known);
          }
          await kept.end('done');
        });
      const { signal } = new AbortController();
      const paused = outcomes.filter(({ result }) => result !== 'refused' && result !== 'not_sent');
      if (isOnBranch && paused.length > 0)
        await attempt(() =>
          withLock(place, { seconds: 0, signal }, async ({ store: locked }) =>
            recordAll(await locked.begin(await starting, now), paused, known),
          ),
        );
      return failure;
    },
  };
}

/** Without an entry, the next apply must take the pause from the journal. */
function close(kept: Journal, outcome: PauseOutcome, { saved }: Known): void {
  const isRecorded = ['done', 'in_doubt'].includes(resultOf(outcome));
  const isNeeded = outcome.manifest !== null && !saved.has(outcome.id) && isRecorded;
  if (!isNeeded) kept.reconciled(aboutOf(outcome));
}

async function recordAll(kept: Journal, outcomes: readonly PauseOutcome[], known: Known): Promise<void> {
  for (const outcome of outcomes) {
    await kept.intend(intentOf(outcome));
    await kept.conclude(conclusionOf(outcome, resultOf(outcome)));
    close(kept, outcome, known);
  }
  await kept.end('done');
}

function resultOf({ result }: PauseOutcome): StepResult {
  if (result === 'paused') return 'done';
  if (result === 'not_sent') return 'not_run';
  return result === 'refused' ? 'failed' : 'in_doubt';
}

function aboutOf({ manifest, name }: PausedCampaign): { manifest: string; name: string } {
  return { manifest: manifest ?? 'campaignctl pause', name };
}

function intentOf(campaign: PausedCampaign) {
  const step: Step = {
    id: PAUSE_STEP,
    stage: 'pause',
    section: 'status',
    title: 'pause the campaign',
    method: 'PATCH',
    path: `/api/campaigns/${campaign.id}/pause`,
    body: null,
    irreversible: false,
  };
  return { ...aboutOf(campaign), id: campaign.id, step, total_leads: null };
}

function conclusionOf(campaign: PausedCampaign, result: StepResult) {
  return { ...aboutOf(campaign), step: PAUSE_STEP, id: campaign.id, result, detail: null, visible_in: null };
}
