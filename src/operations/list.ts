import type { Environment } from '../model/environment.js';
import type { ReportProgress } from '../model/progress.js';
import type { Inventory } from '../model/reports.js';
import type { Campaign } from '../model/spec.js';
import { type RecordedState, UNKNOWN_STATE } from '../model/state.js';
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
      const campaign = all.find(({ manifest }) => manifest === entry.manifest);
      const recorded = state.entries.find(({ id }) => id === entry.id)?.recorded ?? UNKNOWN_STATE;
      const refill = campaign === undefined ? null : refillAdvice(campaign, recorded, { environment, today });
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

/** The advice for a campaign whose leads run out; `null` if its manifest attaches no lists. */
function refillAdvice(
  { manifest, file, spec: { leads } }: Campaign,
  { attached: { refills = [] } }: RecordedState,
  { environment: { lead_lists }, today }: { environment: Environment; today: string },
) {
  return leads === undefined ? null : adviseRefill({ manifest, file, leads, lead_lists, refills, today });
}
