import { lineFinder } from '../manifest/index.js';
import type { Environment } from '../model/environment.js';
import { isObject, type Json, type Path, valueAt } from '../model/json.js';
import type { EffectiveSetting } from '../model/outputs.js';
import type { ProjectFile } from './project.js';

/** Every setting of the project, and of one environment if there is one, with its line in the file or as default. */
export function settingsOf(
  { project, file, document, config }: ProjectFile,
  environment: Environment | null,
): EffectiveSetting[] {
  const { manifests, default_environment, lint } = project;
  const { recommended } = config.policies ?? {};
  const own = project.policies.filter(
    ({ code, environments }) =>
      code.startsWith('policy/') &&
      (environment === null || environments === null || environments.includes(environment.name)),
  );
  const policies = {
    ...(recommended === undefined ? {} : { recommended }),
    ...Object.fromEntries(own.map(({ name, severity }) => [name, severity])),
  };
  const shared = {
    ...(environment === null || environment.manifests === null ? { manifests } : {}),
    ...{ default_environment, lint },
    ...(Object.keys(policies).length === 0 ? {} : { policies }),
  };
  const lineOf = lineFinder(project.text, document);
  const settingsIn = (value: object, section: Path): EffectiveSetting[] =>
    leaves(value as Json, []).map(([key, leaf]) => {
      const own = [...section, ...key];
      // What an environment does not say, the project may say for all of them.
      const isInherited =
        ['on_removal', 'state'].includes(key[0] ?? '') &&
        valueAt(config as unknown as Json, own) === undefined;
      const path = isInherited ? key : own;
      const isWritten = valueAt(config as unknown as Json, path) !== undefined;
      const origin: EffectiveSetting['origin'] = isWritten
        ? { kind: 'file', name: file, line: lineOf(path) }
        : { kind: 'default', name: null, line: null };
      return { key: key.join('.'), value: leaf, origin };
    });
  if (environment === null) return settingsIn(shared, []);
  const { name, sandbox, base_url, token_env, manifests: part, ...others } = environment;
  const rest = { ...(part === null ? {} : { manifests: part }), ...others };
  const service = sandbox === null ? { base_url, token_env } : { sandbox };
  const values = { ...service, ...rest, allow: rest.allow.map(({ hazard }) => hazard) };
  return [...settingsIn(shared, []), ...settingsIn(values, ['environments', name])];
}

/** Values that are no sections, or empty ones, with their paths. */
function leaves(value: Json, path: readonly string[]): [path: readonly string[], value: Json][] {
  if (!isObject(value) || Object.keys(value).length === 0) return [[path, value]];
  return Object.entries(value).flatMap(([key, part]) => leaves(part, [...path, key]));
}
