import { posix } from 'node:path';
import { type Environment, originOf } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import { groupBy } from '../model/json.js';
import { listed } from '../model/words.js';
import { loadCampaigns } from '../project/campaigns.js';
import type { OpenManifests } from '../project/open-manifests.js';
import { FILE_NAME } from '../project/project.js';
import { separateState } from './place.js';
import type { World } from './world.js';

/** A project and one of its environments, or all. `manifests`: `null` if the project file has errors. */
interface Unit {
  project: string;
  environment: string | null;
  root: string;
  manifests: OpenManifests | null;
}

type Conflicts = [Unit, Failure][];

/** Finds projects that must not run together. */
export async function findConflicts(
  units: readonly Unit[],
  world: World,
): Promise<ReadonlyMap<Unit, Failure>> {
  return new Map([...(await findSharedCampaigns(units, world)), ...findSharedIds(units)]);
}

/** The environments of a unit that have a service. */
function servicesOf({ manifests, environment }: Unit): Environment[] {
  return Object.values(manifests?.project.environments ?? {}).filter(
    ({ name, sandbox }) => sandbox === null && (environment === null || environment === name),
  );
}

/** Finds projects with the same id, such as copies: one might use the state of another. */
function findSharedIds(units: readonly Unit[]): Conflicts {
  const claims = units.flatMap((unit) => {
    const { manifests } = unit;
    if (manifests === null) return [];
    const file = posix.join(unit.project, FILE_NAME);
    return servicesOf(unit).flatMap((environment) => {
      const { id } = environment.state;
      return id === undefined
        ? []
        : { unit, file, id, separate: separateState(manifests.project, environment) };
    });
  });
  return [...groupBy(claims, ({ id }) => id).values()].flatMap((same): Conflicts => {
    const files = [...new Set(same.map(({ file }) => file))];
    if (files.length === 1) return [];
    const { id, file, separate } = same.at(-1) ?? same[0];
    const failure = new Failure({
      code: 'duplicate-state-id',
      message: `${listed(files)} have the same state.id, ${id}. Nothing was sent.`,
      hint: `Give the copy its own state. If the copy is ${file}, write there: ${separate}.`,
    });
    return same.map(({ unit }) => [unit, failure]);
  });
}

/** Finds campaigns that have manifests in two or more projects. Each project would ignore the state of the others. */
async function findSharedCampaigns(units: readonly Unit[], { env }: World): Promise<Conflicts> {
  const claims: { unit: Unit; key: string; where: string; name: string }[] = [];
  for (const unit of units) {
    const { manifests, root: cwd } = unit;
    if (manifests === null) continue;
    const environments = servicesOf(unit);
    const { campaigns } = await loadCampaigns(manifests, {
      ...{ environments, files: [], cwd, env },
      hasRules: false,
    });
    for (const environment of environments) {
      // The same origin and token mean the same campaigns. If tokens are not set, the names of their variables are
      // compared.
      const name = environment.token_env ?? '';
      const workspace = [originOf(environment), env[name]?.trim() || { name }];
      for (const { manifest, spec } of campaigns[environment.name] ?? []) {
        const where = `${unit.project}/${manifest} (${environment.name})`;
        for (const identity of [spec.name, spec.id].filter((value) => value !== undefined)) {
          claims.push({ unit, key: JSON.stringify([workspace, identity]), where, name: spec.name });
        }
      }
    }
  }
  const shared = [...groupBy(claims, ({ key }) => key).values()].filter(
    (same) => new Set(same.map(({ unit }) => unit)).size > 1,
  );
  return shared.flatMap((same): Conflicts => {
    const places = listed([...new Set(same.map(({ where }) => where))]);
    const failure = new Failure({
      code: 'duplicate-name',
      message: `${places} describe the same campaign, "${same[0].name}", with the same service and token. Nothing was sent.`,
      hint: 'Keep one of these manifests, or give each project its own workspace and token.',
    });
    return same.map(({ unit }) => [unit, failure]);
  });
}
