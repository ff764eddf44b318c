import { Failure } from '../model/failure.js';
import type { LocatedFinding } from '../model/outputs.js';
import { count } from '../model/words.js';
import { loadCampaigns, selectCampaigns } from '../project/campaigns.js';
import { type Project, selectEnvironment } from '../project/project.js';
import { askedEnvironment, type World } from './world.js';

/** For one environment, or all. Named files are also compared with all others. */
export async function validateProject(
  project: Project,
  { env, files }: { env: string | null; files: readonly string[] },
  world: World,
): Promise<ReturnType<typeof selectCampaigns>> {
  const name = askedEnvironment({ env }, world);
  const environments =
    name === null ? Object.values(project.environments) : [selectEnvironment(project, name)];
  return selectCampaigns(await loadCampaigns(project, { environments, files, cwd: world.cwd }));
}

export function stopOnErrors(findings: readonly LocatedFinding[], hint: string): void {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const message = `The manifests have ${count(errors.length, 'error')}.`;
  throw new Failure({ code: 'invalid-manifests', message, hint }, { findings: errors });
}

export function tellWarnings({ length }: readonly LocatedFinding[], world: World): void {
  if (length === 0) return;
  world.err(
    `The manifests have ${count(length, 'warning')}: run campaignctl validate to see ${length === 1 ? 'it' : 'them'}.\n`,
  );
}
