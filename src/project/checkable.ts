import { environmentVariableIn } from '../manifest/spellings.js';
import { isObject, type Json, type JsonObject, valueAt } from '../model/json.js';
import type { Path } from '../model/outputs.js';
import type { ProjectConfig } from './config.generated.js';

/** What manifests are checked with. */
const OF_ENVIRONMENT = ['custom_variables', 'lead_lists', 'schedule_templates', 'manifests', 'service'];
const OF_PROJECT = ['manifests', 'shared', 'policies'];

/**
 * The parts of a configuration with errors that manifests can be checked with. Its environments are sandboxes, so that nothing
 * can be sent. `flawed`: the paths of the errors. `null` if it does not say where the manifests are.
 */
export function checkableConfig(config: Json, flawed: readonly Path[]): ProjectConfig | null {
  const isFlawed = (path: Path) => flawed.some((other) => path.every((part, index) => other[index] === part));
  const soundIn = (section: Path, keys: readonly string[]): JsonObject => {
    const entries = keys.flatMap((key) => {
      const value = valueAt(config, [...section, key]);
      return value === undefined || isFlawed([...section, key]) ? [] : [[key, value] as const];
    });
    return Object.fromEntries(entries);
  };
  const project = soundIn([], OF_PROJECT);
  if (project.manifests === undefined) return null;
  const [environments, switches] = [valueAt(config, ['environments']), valueAt(config, ['lint'])];
  const lint = soundIn(['lint'], isObject(switches) ? Object.keys(switches) : []);
  const names = isObject(environments) ? Object.keys(environments) : ['sandbox'];
  const defaults = soundIn(['defaults'], OF_ENVIRONMENT);
  const checkable = names.map((name) => {
    const own = soundIn(['environments', name], OF_ENVIRONMENT);
    return [name, { ...defaults, ...own, ...tokenOf(valueAt(config, ['environments', name])), sandbox: {} }];
  });
  // The schema has accepted each part.
  return {
    version: 1,
    ...project,
    lint,
    environments: Object.fromEntries(checkable),
  } as unknown as ProjectConfig;
}

/** Kept so that no message shows the token. */
function tokenOf(environment: Json | undefined): JsonObject {
  const { token_env: written } = isObject(environment) ? environment : {};
  return typeof written === 'string' ? { token_env: environmentVariableIn(written) ?? written } : {};
}
