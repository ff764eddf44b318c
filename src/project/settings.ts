import { lineFinder } from '../manifest/index.js';
import type { Environment } from '../model/environment.js';
import { isObject, type Json } from '../model/json.js';
import type { EffectiveSetting } from '../model/outputs.js';
import type { ProjectFile } from './project.js';

/** Every setting of the project, and of one environment if there is one, with its line in the file or as default. */
export function settingsOf(
  { project, file, text, document, config }: ProjectFile,
  environment: Environment | null,
): EffectiveSetting[] {
  const lineOf = lineFinder(text, document);
  const setting = (
    key: readonly string[],
    value: Json,
    section: readonly string[] = [],
  ): EffectiveSetting => {
    const path = [...section, ...key];
    const origin = isWritten(config as unknown as Json, path)
      ? ({ kind: 'file', name: file, line: lineOf(path) } as const)
      : ({ kind: 'default', name: null, line: null } as const);
    return { key: key.join('.'), value, origin };
  };
  const { manifests, default_environment, lint } = project;
  const own = environment === null ? [] : leaves(shown(environment), []);
  return [
    setting(['manifests'], manifests),
    setting(['default_environment'], default_environment),
    ...leaves(lint, ['lint']).map(({ path, value }) => setting(path, value)),
    ...policiesOf(config.policies ?? {}, environment).map(({ path, value }) => setting(path, value)),
    ...own.map(({ path, value }) => setting(path, value, ['environments', environment?.name ?? ''])),
  ];
}

/** Each policy with how it weighs; of those for some environments, the ones that hold in this one. */
function policiesOf(
  { recommended, ...own }: NonNullable<ProjectFile['config']['policies']>,
  environment: Environment | null,
): { path: readonly string[]; value: Json }[] {
  const holds = (names: readonly string[] | undefined) =>
    names === undefined || environment === null || names.includes(environment.name);
  return [
    ...(recommended === undefined ? [] : leaves(recommended as Json, ['policies', 'recommended'])),
    ...Object.entries(own as Record<string, { severity?: string; environments?: string[] }>)
      .filter(([, { environments }]) => holds(environments))
      .map(([name, { severity = 'error' }]) => ({ path: ['policies', name], value: severity })),
  ];
}

/** The keys that an environment of its kind takes. */
function shown({ name: _, sandbox, base_url, token_env, ...rest }: Environment): Json {
  const kind = sandbox === null ? { base_url, token_env } : { sandbox };
  return { ...kind, ...rest } as unknown as Json;
}

/** Values that are no sections, or empty ones, with their paths. */
function leaves(value: Json, path: readonly string[]): { path: readonly string[]; value: Json }[] {
  if (!isObject(value) || Object.keys(value).length === 0) return [{ path, value }];
  return Object.entries(value).flatMap(([key, part]) => leaves(part, [...path, key]));
}

function isWritten(value: Json, path: readonly string[]): boolean {
  let at: Json | undefined = value;
  for (const key of path) {
    if (!isObject(at) || !Object.hasOwn(at, key)) return false;
    at = at[key];
  }
  return true;
}
