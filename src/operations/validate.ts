import { type LoadedCampaigns, loadCampaigns, type Project, selectEnvironment } from '../project/index.js';
import { askedEnvironment, type World } from './world.js';

/** Checks manifests: for one environment if it is named, else for all. */
export async function validateProject(
  project: Project,
  { env, files }: { env: string | null; files: readonly string[] },
  world: World,
): Promise<LoadedCampaigns> {
  const name = askedEnvironment({ env }, world);
  const environments =
    name === null ? Object.values(project.environments) : [selectEnvironment(project, name)];
  return loadCampaigns(project, { environments, files, cwd: world.cwd });
}
