import type { Environment } from '../model/environment.js';
import type { ReportProgress } from '../model/progress.js';
import type { Inventory, InventoryEntry } from '../model/reports.js';
import type { Campaign } from '../model/spec.js';
import { type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import { dayOf } from '../model/words.js';
import type { OutsideFiles } from '../plan/input.js';
import { isFinished, isSending, takeInventory } from '../plan/inventory.js';
import { type Manifests, matchManifests } from '../plan/match.js';
import { checkWorkspace } from '../plan/refresh.js';
import { adviseRefill } from '../rules/refill.js';
import { checkResults } from '../rules/results.js';
import type { Reader } from '../service/index.js';
import { withReader } from './connect.js';
import type { PlaceFlags } from './place.js';
import { openSession, readState } from './session.js';
import type { Interrupt, World } from './world.js';

export async function listProject(flags: PlaceFlags, world: World, { guard }: Interrupt): Promise<Inventory> {
  const session = await guard(openSession(flags, world));
  const { place, campaigns: all } = session;
  const { environment, project } = place;
  return withReader(place, async (reader) => {
    const state = await readState(session);
    const today = dayOf(new Date(place.world.now()).toISOString());
    const known = { ...state, environment, campaigns: all };
    const inventory = await guard(listInventory(reader, known, world.report));
    const campaigns = inventory.campaigns.map((entry) => {
      const runs = isSending(entry, environment);
      if (!runs && !isFinished(entry, environment)) return entry;
      const refill = refillAdvice(entry, { campaigns: all, entries: state.entries, environment, today });
      const policies = runs ? project.policies : [];
      const broken = checkResults(entry.results, { policies, environment: environment.name, refill });
      return { ...entry, problems: [...entry.problems, ...broken] };
    });
    return { ...inventory, campaigns };
  });
}

async function listInventory(
  reader: Reader,
  known: Omit<Manifests, 'listed'> & { outside: OutsideFiles },
  report: ReportProgress | undefined,
): Promise<Inventory> {
  await checkWorkspace(known.environment, reader);
  const listed = await reader.campaigns(report);
  const matched = matchManifests({ ...known, listed });
  return takeInventory({ ...known, ...matched, listed });
}

/** The advice for a listed campaign whose leads run out; `null` if no manifest attaches lists to it. */
function refillAdvice(
  { id, manifest }: InventoryEntry,
  {
    campaigns,
    entries,
    environment: { lead_lists },
    today,
  }: {
    campaigns: readonly Campaign[];
    entries: readonly StateEntry[];
    environment: Environment;
    today: string;
  },
) {
  const campaign = campaigns.find((each) => each.manifest === manifest);
  const leads = campaign?.spec.leads;
  if (campaign === undefined || leads === undefined) return null;
  const { attached } = entries.find((entry) => entry.id === id)?.recorded ?? UNKNOWN_STATE;
  const { refills = [] } = attached;
  return adviseRefill({
    manifest: campaign.manifest,
    file: campaign.file,
    leads,
    lead_lists,
    refills,
    today,
  });
}
