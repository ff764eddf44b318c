import { loadCampaigns, selectedOf } from '../project/campaigns.js';
import { type Project, selectEnvironment } from '../project/project.js';
import { askedEnvironment, type World } from './world.js';

/** For one environment, or all. Named files are compared with all others. */
export async function validateProject(
  project: Project,
  { env, files }: { env: string | null; files: readonly string[] },
  world: World,
): Promise<ReturnType<typeof selectedOf>> {
  const name = askedEnvironment({ env }, world);
  const environments =
    name === null ? Object.values(project.environments) : [selectEnvironment(project, name)];
  return selectedOf(await loadCampaigns(project, { environments, files, cwd: world.cwd }));
}
