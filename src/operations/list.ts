import { listInventory } from '../apply/index.js';
import type { Inventory } from '../model/outputs.js';
import { loadCampaigns } from '../project/index.js';
import { visibleLine } from '../view/index.js';
import { withReader } from './connect.js';
import { openPlace, type PlaceFlags, stopOnErrors } from './session.js';
import type { Interrupt, World } from './world.js';

/** Lays live campaigns beside manifests. Holds a reader only. A project without manifests is no mistake here. */
export async function listProject(flags: PlaceFlags, world: World, { guard }: Interrupt): Promise<Inventory> {
  const place = await openPlace(flags, world);
  const { project, environment, store } = place;
  const loaded = await loadCampaigns(project, { environments: [environment], files: [], cwd: world.cwd });
  const empty = loaded.findings.filter(({ code }) => code === 'no-match');
  stopOnErrors(
    loaded.findings.filter((finding) => !empty.includes(finding)),
    'Correct them first. Nothing was read from the service.',
  );
  for (const { message } of empty) world.err(`! ${visibleLine(message)}\n`);
  const campaigns = loaded.campaigns[environment.name] ?? [];
  return withReader({ ...place, campaigns }, async (reader) => {
    const [entries, pending] = await Promise.all([store.readAll(), store.pending()]);
    return guard(listInventory({ environment, campaigns, entries, pending, reader }));
  });
}
