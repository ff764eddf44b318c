/** Names of campaigns on the command line of a run over several projects, as reports print them: "clients/acme: Spring". */
import { literalGlob, matchesName } from '../model/glob.js';
import { type Hold, launchPattern } from '../model/hold.js';
import { loadCampaigns, namesIn } from '../project/campaigns.js';
import { projectName } from '../view/projects.js';
import type { ProjectName, ProjectUnit } from './projects.js';
import { unknownTarget } from './validate.js';
import type { World } from './world.js';

/** "clients/acme: Spring" is "Spring" in clients/acme, and `null` in the other projects. Other names stay as they are. */
export function nameIn(written: string, unit: ProjectName, all: readonly ProjectName[]): string | null {
  const own = startsOf(unit).find((start) => written.startsWith(start));
  if (own !== undefined) return written.slice(own.length);
  return all.some((other) => startsOf(other).some((start) => written.startsWith(start))) ? null : written;
}

function startsOf(name: ProjectName): string[] {
  return [name.project, projectName(name)].map((each) => `${literalGlob(each)}: `);
}

/** A misspelt name would let a launch pass. Fails if a hold names no campaign of any project. */
export async function refuseUnknownHolds(
  holds: readonly Hold[],
  all: readonly ProjectUnit[],
  world: World,
): Promise<void> {
  const patterns = holds.flatMap((hold) => launchPattern(hold) ?? []);
  if (patterns.length === 0) return;
  const named: { unit: ProjectUnit; names: readonly string[] }[] = [];
  for (const unit of all) named.push({ unit, names: await namesOf(unit, world) });
  const isKnown = (pattern: string) =>
    named.some(({ unit, names }) => {
      const own = nameIn(pattern, unit, all);
      if (own === null) return false;
      // A project that cannot be read does not launch anything either.
      if (unit.manifests === null) return own !== pattern;
      return names.some((name) => matchesName(own, name));
    });
  const unknown = patterns.find((pattern) => !isKnown(pattern));
  if (unknown === undefined) return;
  const candidates = named.flatMap(({ unit: { project }, names }) =>
    names.flatMap((name) => [name, `${project}: ${name}`]),
  );
  throw unknownTarget(unknown, candidates, '--hold');
}

async function namesOf({ manifests, environment, root }: ProjectUnit, { env }: World): Promise<string[]> {
  if (manifests === null) return [];
  const all = Object.values(manifests.project.environments);
  const environments = all.filter(({ name }) => environment === null || environment === name);
  const options = { environments, files: [], cwd: root, env, hasRules: false };
  const { campaigns, findings, files } = await loadCampaigns(manifests, options);
  const names = Object.values(campaigns).flatMap((some) => some.map(({ spec }) => spec.name));
  // Invalid manifests are reported by the project, which then launches nothing.
  const isInvalid = findings.some(({ severity }) => severity === 'error');
  return isInvalid ? [...names, ...files.flatMap((file) => namesIn(manifests, file))] : names;
}
