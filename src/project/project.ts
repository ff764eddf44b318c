import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { errorAt, type SourceFinding, toPlace, unknownEnvironment } from '../manifest/errors.js';
import { type FileProblem, fileWording, LIMITS } from '../manifest/files.js';
import { lineFinder, locate } from '../manifest/locate.js';
import { forgetYaml, parseYaml } from '../manifest/parse.js';
import type { RuleSwitch } from '../manifest/resolve.js';
import { validate } from '../manifest/validate.js';
import { toFinding } from '../manifest/wording.js';
import { sourcesOf } from '../manifest/written.js';
import type { Hazard } from '../model/codes.js';
import {
  type Approval,
  BRANCH,
  DEFAULTS,
  type Environment,
  PRESETS,
  PROFILE_NAMES,
} from '../model/environment.js';
import { Failure } from '../model/failure.js';
import { type JsonObject, mergeObjects, ownValue, type Path } from '../model/json.js';
import { type EnvironmentVariables, type KnownToken, knownTokens } from '../model/mask.js';
import { listed } from '../model/words.js';
import { compilePolicies, type Policy } from '../rules/policies.js';
import { checkProject } from './check.js';
import type { EnvironmentConfig, ProjectConfig } from './config.generated.js';
import { readProjectFile } from './files.js';
import { projectSchema } from './schema.js';
import { validate as validator } from './validator.generated.js';

/**
 * `root`: real path of the file's folder, to which all paths are relative. `text`, `config`: the file's content, as text
 * and parsed.
 */
export interface Project {
  root: string;
  file: string;
  text: string;
  config: ProjectConfig;
  manifests: string[];
  shared: string[];
  default_environment: string | null;
  environments: Record<string, Environment>;
  lint: Record<string, RuleSwitch>;
  policies: Policy[];
}

export const FILE_NAME = 'campaignctl.yaml';

/** On failure, paths in findings are relative to the working directory. Errors show no token that `env` contains. */
export async function readProject({
  cwd,
  config,
  env = {},
}: {
  cwd: string;
  config: string | null;
  env?: EnvironmentVariables;
}): Promise<Project> {
  forgetYaml();
  const path = config === null ? findUpward(cwd) : resolve(cwd, config);
  const file = relative(cwd, path) || FILE_NAME;
  const { root, text } = readConfig(path, file);
  const { value, document, policies } = parseConfig(file, text, tokensNamedIn(text, env));
  const lineOf = lineFinder(text, document);
  const approvalsOf = (hazards: readonly Hazard[], at: Path) =>
    hazards.map((hazard, index) => ({ hazard, by: `${basename(path)}:${lineOf([...at, index])}` }));
  const { defaults = {} } = value;
  return {
    root,
    file: basename(path),
    text,
    config: value,
    manifests: value.manifests,
    shared: value.shared ?? [],
    default_environment: value.default_environment ?? null,
    environments: Object.fromEntries(
      Object.entries(value.environments).map(([name, config]) => {
        // Both contain only JSON values.
        const merged = mergeObjects(defaults as JsonObject, config as JsonObject) as EnvironmentConfig;
        const allow =
          config.allow === undefined
            ? approvalsOf(defaults.allow ?? [], ['defaults', 'allow'])
            : approvalsOf(config.allow, ['environments', name, 'allow']);
        const state = { ...value.state, ...config.state };
        return [name, buildEnvironment(name, { ...merged, state }, allow)];
      }),
    ),
    lint: value.lint ?? {},
    policies,
  };
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

export function parseConfig(
  file: string,
  text: string,
  tokens: readonly KnownToken[] = [],
): { value: ProjectConfig; document: number; policies: Policy[] } {
  const invalid = (findings: readonly SourceFinding[]) => invalidProject({ file, text, tokens }, findings);
  const { documents, findings: faults } = parseYaml(file, text);
  const [first, second] = documents;
  if (first === undefined || faults.length > 0) throw invalid(faults);
  if (second !== undefined) {
    const message = 'The project file contains more than one document.';
    const hint = 'Remove the line "---" and everything below it.';
    const place = toPlace(file, second.document, []);
    throw invalid([errorAt(place, { code: 'wrong-value', message, hint })]);
  }
  const wrong = validate(
    first.value,
    { validator, schema: projectSchema, copy: [] },
    sourcesOf(first.numbers),
  );
  const value = first.value as unknown as ProjectConfig;
  const { policies, violations } =
    wrong.length > 0
      ? { policies: [], violations: [] }
      : compilePolicies(value.policies ?? {}, Object.keys(value.environments));
  const findings = [...wrong, ...checkProject(first.value), ...violations].map((violation) =>
    toFinding(toPlace(file, first.document, violation.path), violation),
  );
  if (findings.length > 0) throw invalid(findings);
  return { value, document: first.document, policies };
}

function invalidProject(
  { file, text, tokens }: { file: string; text: string; tokens: readonly KnownToken[] },
  findings: readonly SourceFinding[],
): Failure {
  return new Failure(
    {
      code: 'invalid-project',
      message: `The project file ${file} has ${findings.length === 1 ? 'an error' : `${findings.length} errors`}.`,
      hint: 'Correct the file and run the command again. Nothing was sent.',
    },
    { findings: locate(findings, () => ({ text, kind: 'yaml' }), tokens) },
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

function buildEnvironment(name: string, config: EnvironmentConfig, allow: Approval[]): Environment {
  const { sandbox, base_url = '', limits, state, service = {}, ...rest } = config;
  const { preset, ...behaviour } = service;
  const statuses = { ...DEFAULTS.service.statuses, ...service.statuses };
  return {
    name,
    ...DEFAULTS,
    ...rest,
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
      hint: 'Choose one with --env or CAMPAIGNCTL_ENV, or set default_environment in the project file.',
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
