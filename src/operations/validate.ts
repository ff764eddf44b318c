import { loadCampaigns, type Project, selectEnvironment, selectedOf } from '../project/index.js';
import { askedEnvironment, type World } from './world.js';

/** Checks manifests: for one environment if it is named, else for all. Files that are named are compared with all others. */
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
