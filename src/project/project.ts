import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { unknownEnvironment } from '../manifest/errors.js';
import { type FileProblem, fileWording, LIMITS } from '../manifest/files.js';
import { lineFinder } from '../manifest/locate.js';
import { forgetYaml } from '../manifest/parse.js';
import type { RuleSwitch } from '../manifest/resolve.js';
import type { Approval } from '../model/approvals.js';
import type { Hazard } from '../model/codes.js';
import { BRANCH, DEFAULTS, type Environment, PRESETS, PROFILE_NAMES } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import { type JsonObject, mergeObjects, ownValue, type Path } from '../model/json.js';
import { type EnvironmentVariables, type KnownToken, knownTokens } from '../model/mask.js';
import { listed } from '../model/words.js';
import type { Policy } from '../rules/policies.js';
import type { EnvironmentConfig, ProjectConfig } from './config.generated.js';
import { type ParsedConfig, parseCheckable, parseConfig } from './config.js';
import { type ConfigFiles, configSource, placeOf, readExtended } from './extends.js';
import { projectPath, readProjectFile, withoutFolders } from './files.js';

/**
 * `root`: real path of the file's folder, to which all paths are relative. The other values also contain those of the file
 * that the project file extends.
 */
export interface Project extends ConfigFiles {
  root: string;
  manifests: string[];
  shared: string[];
  default_environment: string | null;
  environments: Record<string, Environment>;
  lint: Record<string, RuleSwitch>;
  policies: Policy[];
}

export const FILE_NAME = 'campaignctl.yaml';

/**
 * `tellUnused`: if given, policies, lint switches and the file that the project extends may have errors. They are then not used,
 * and this receives the errors.
 */
interface ReadProjectOptions {
  cwd: string;
  config: string | null;
  env?: EnvironmentVariables;
  tellUnused?: ((errors: Failure) => void) | undefined;
}

/** On failure, paths in findings are relative to the working directory. Errors show no token that `env` contains. */
export async function readProject({
  cwd,
  config,
  env = {},
  tellUnused,
}: ReadProjectOptions): Promise<Project> {
  forgetYaml();
  const path = config === null ? findUpward(cwd) : resolve(cwd, config);
  const file = relative(cwd, path) || FILE_NAME;
  const { root, text } = readConfig(path, file);
  const tokens = tokensNamedIn(text, env);
  const read = (name: string) => readExtended(root, name);
  const parsed = parseUsable(
    (isBare) => parseConfig(file, text, { tokens, ...(isBare ? { omitted: RULES } : { read }) }),
    tellUnused,
  );
  return buildProject(parsed, path, root);
}

/**
 * As far as manifests can be checked with it although its file has errors; `null` if that is not known. Its environments are
 * sandboxes.
 */
export function readCheckable({ cwd, config }: Pick<ReadProjectOptions, 'cwd' | 'config'>): Project | null {
  const path = config === null ? findUpward(cwd) : resolve(cwd, config);
  const file = relative(cwd, path) || FILE_NAME;
  const { root, text } = readConfig(path, file);
  const parsed = parseCheckable(file, text, (name) => readExtended(root, name));
  return parsed && buildProject(parsed, path, root);
}

function buildProject(parsed: ParsedConfig, path: string, root: string): Project {
  const { value, policies, extended, text } = parsed;
  const files: ConfigFiles = {
    file: basename(path),
    text,
    document: parsed.document,
    cuts: parsed.cuts,
    config: parsed.config,
    extended: extended && { ...extended, file: projectPath(root, join(root, parsed.config.extends ?? '')) },
  };
  return {
    ...files,
    root,
    manifests: withoutFolders(root, value.manifests),
    shared: value.shared ?? [],
    default_environment: value.default_environment ?? null,
    environments: buildEnvironments(value, { files, root }),
    lint: value.lint ?? {},
    policies,
  };
}

const RULES = ['policies', 'lint'];

/** `parse`: parses the project file, without its rules and the file that it extends if `isBare`. */
function parseUsable(
  parse: (isBare: boolean) => ParsedConfig,
  tellUnused: ReadProjectOptions['tellUnused'],
): ParsedConfig {
  try {
    return parse(false);
  } catch (error) {
    if (tellUnused === undefined || !(error instanceof Failure)) throw error;
    const parsed = parse(true);
    tellUnused(error);
    return parsed;
  }
}

function buildEnvironments(
  { defaults = {}, environments, state }: ProjectConfig,
  { files, root }: { files: ConfigFiles; root: string },
): Project['environments'] {
  const approvalsOf = (hazards: readonly Hazard[], at: Path) =>
    hazards.map((hazard, index) => {
      const { file, document, path } = placeOf(files, [...at, index]);
      const line = lineFinder(configSource(files, file)?.text ?? '', document)(path);
      return { hazard, by: `${file}:${line}` };
    });
  return Object.fromEntries(
    Object.entries(environments).map(([name, config]) => {
      // Both contain only JSON values.
      const merged = mergeObjects(defaults as JsonObject, config as JsonObject) as EnvironmentConfig;
      const allow =
        config.allow === undefined
          ? approvalsOf(defaults.allow ?? [], ['defaults', 'allow'])
          : approvalsOf(config.allow, ['environments', name, 'allow']);
      const manifests = merged.manifests && { manifests: withoutFolders(root, merged.manifests) };
      const whole = { ...merged, ...manifests, state: { ...state, ...config.state } };
      return [name, buildEnvironment(name, whole, allow)];
    }),
  );
}

/** Also for a project file with errors. */
function tokensNamedIn(text: string, env: EnvironmentVariables): KnownToken[] {
  const names = Array.from(text.matchAll(/token_env["']?\s*:\s*["']?(\w+)/g), ([, name = '']) => name);
  return knownTokens(names, env);
}

/** The tokens of all environments that are set. */
export function tokensOf(
  { environments }: Pick<Project, 'environments'>,
  env: EnvironmentVariables,
): KnownToken[] {
  return knownTokens(
    Object.values(environments).flatMap(({ token_env }) => token_env ?? []),
    env,
  );
}

function findUpward(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, FILE_NAME);
    if (existsSync(path)) return path;
    if (dirname(folder) !== folder) continue;
    throw new Failure({
      code: 'no-project',
      message: `There is no ${FILE_NAME} in this folder or any parent folder.`,
      hint: 'Create a project with `campaignctl init`, or specify the project file with --config.',
    });
  }
}

/** `root`: the real path of the file's folder. */
function readConfig(path: string, file: string): { root: string; text: string } {
  const result = readProjectFile(path, LIMITS.manifest);
  if ('text' in result) return result;
  const { code, message, hint } = fileWording(result.problem, file, LIMITS.manifest);
  throw new Failure({
    code,
    message: `The project file ${message}`,
    hint: CONFIG_HINTS[result.problem] ?? hint,
  });
}

const CONFIG_HINTS: { readonly [problem in FileProblem]?: string } = {
  'file-not-found': 'Check --config, or create a project with `campaignctl init`.',
  'file-outside-project':
    "It is a link that leads out of the project's git repository. Replace the link with the file.",
  'file-hidden': 'It is a link to a hidden file. Replace the link with the file.',
};

/** In Unicode form NFC, as names in manifests are. */
function canonicalNames(ids: Readonly<Record<string, number>> = {}): Record<string, number> {
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [name.normalize('NFC'), id]));
}

function buildEnvironment(name: string, config: EnvironmentConfig, allow: Approval[]): Environment {
  const { sandbox, base_url = '', limits, state, service = {}, ...rest } = config;
  const { preset, ...behaviour } = service;
  const statuses = { ...DEFAULTS.service.statuses, ...service.statuses };
  return {
    name,
    ...DEFAULTS,
    ...rest,
    lead_lists: canonicalNames(rest.lead_lists),
    schedule_templates: canonicalNames(rest.schedule_templates),
    sandbox: sandbox === undefined ? null : { profile: PROFILE_NAMES[0], ...sandbox },
    base_url: base_url.replace(/\/+$/, ''),
    allow,
    limits: { ...DEFAULTS.limits, ...limits },
    state: buildStateOptions(state),
    service: { ...DEFAULTS.service, ...(preset && PRESETS[preset]), ...behaviour, statuses },
  };
}

export function selectEnvironment(project: Project, requested: string | null): Environment {
  const names = Object.keys(project.environments);
  const only = names.length === 1 ? (names[0] ?? null) : null;
  const name = requested ?? project.default_environment ?? only;
  if (name === null) {
    throw new Failure({
      code: 'environment-required',
      message: `The project has several environments: ${listed(names)}.`,
      hint: "Choose one with --env or CAMPAIGNCTL_ENV, or set default_environment in the project file. With --recursive, --env '*' chooses all.",
    });
  }
  const environment = ownValue(project.environments, name);
  if (environment === undefined) throw new Failure(unknownEnvironment(name, names));
  return environment;
}

function buildStateOptions({
  backend,
  path = DEFAULTS.state.path,
  id,
  ...shared
}: NonNullable<EnvironmentConfig['state']> = {}) {
  const place = { path, ...(id !== undefined && { id }) };
  return backend === 'git' ? { backend, ...BRANCH, ...shared, ...place } : { ...DEFAULTS.state, ...place };
}
