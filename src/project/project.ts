import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import {
  errorAt,
  type FileProblem,
  fileWording,
  findingOf,
  LIMITS,
  locate,
  parseYaml,
  placeOf,
  type RuleSwitch,
  type SourceFinding,
  validate,
} from '../manifest/index.js';
import type { Environment } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import type { Json } from '../model/json.js';
import { compilePolicies, type Policy } from '../rules/index.js';
import { checkProject } from './check.js';
import type { ProjectConfig } from './config.generated.js';
import { environmentOf } from './defaults.js';
import { hashOf, problemOf, readText } from './files.js';
import { projectSchema } from './schema.js';
import { validate as validator } from './validator.generated.js';

/**
 * A project file with every default filled in. `root` is the real, absolute path of its folder; `file` its name in
 * that folder: files are named relative to the root everywhere after this. `hash`: of its text, SHA-256 in hex.
 */
export interface Project {
  root: string;
  file: string;
  hash: string;
  manifests: string[];
  default_environment: string | null;
  environments: Record<string, Environment>;
  lint: Record<string, RuleSwitch>;
  policies: Policy[];
}

const FILE_NAME = 'campaignctl.yaml';

/** A project and its file as it is written. `file` is relative to the working directory; `document` counts from 0. */
export interface ProjectFile {
  project: Project;
  file: string;
  text: string;
  document: number;
  config: ProjectConfig;
}

/**
 * Finds and reads the project file: from the working directory upward, or where `config` says. Throws a Failure, whose
 * findings name the file relative to the working directory.
 */
export async function readProject(where: { cwd: string; config: string | null }): Promise<Project> {
  return (await readProjectFile(where)).project;
}

/** The same, with what is written in the file. */
export async function readProjectFile({
  cwd,
  config,
}: {
  cwd: string;
  config: string | null;
}): Promise<ProjectFile> {
  const path = config === null ? findUpward(cwd) : resolve(cwd, config);
  const file = relative(cwd, path) || FILE_NAME;
  const text = readConfig(path, file);
  const { value, document, policies } = await configOf(file, text);
  const environments = Object.entries(value.environments).map(
    ([name, environment]) => [name, environmentOf(name, environment)] as const,
  );
  const project = {
    root: realpathSync(dirname(path)),
    file: basename(path),
    hash: hashOf(text),
    manifests: value.manifests,
    default_environment: value.default_environment ?? null,
    environments: Object.fromEntries(environments),
    lint: value.lint ?? {},
    policies,
  };
  return { project, file, text, document, config: value };
}

/** The configuration in the text of a project file, and the document that holds it. Failure with all that is wrong in it. */
export async function configOf(
  file: string,
  text: string,
): Promise<{ value: ProjectConfig; document: number; policies: Policy[] }> {
  const { value, document, policies, findings } = await checked(file, text);
  if (value !== null) return { value, document, policies };
  throw new Failure(
    {
      code: 'invalid-project',
      message: `The project file ${file} has ${findings.length === 1 ? 'an error' : `${findings.length} errors`}.`,
      hint: 'Correct it and run the command again; nothing was sent.',
    },
    { findings: locate(findings, () => ({ text, kind: 'yaml' })) },
  );
}

function findUpward(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, FILE_NAME);
    if (existsSync(path)) return path;
    if (dirname(folder) === folder) break;
  }
  throw new Failure({
    code: 'no-project',
    message: `There is no ${FILE_NAME} in this folder or in one above it.`,
    hint: 'Make a project with `campaignctl init`, or name its file with --config.',
  });
}

function readConfig(path: string, file: string): string {
  const result = read(path);
  if ('text' in result) return result.text;
  const { code, message } = fileWording(result.problem, file, LIMITS.manifest);
  throw new Failure({
    code,
    message: `The project file ${message}`,
    hint: 'Check --config, or make a project with `campaignctl init`.',
  });
}

function read(path: string): { text: string } | { problem: FileProblem } {
  try {
    return readText(path, LIMITS.manifest);
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

interface Checked {
  value: ProjectConfig | null;
  document: number;
  policies: Policy[];
  findings: SourceFinding[];
}

/** The configuration as written, or null and what is wrong with it. */
async function checked(file: string, text: string): Promise<Checked> {
  const parsed = parseYaml(file, text);
  const [first, second] = parsed.documents;
  if (parsed.findings.length > 0 || first === undefined)
    return { value: null, document: 0, policies: [], findings: parsed.findings };
  const { document } = first;
  const root = placeOf(file, document, []);
  if (second !== undefined)
    return { value: null, document, policies: [], findings: [oneDocument(file, second.document)] };
  const schemaErrors = validate(first.value, { validator, schema: projectSchema, copy: [] });
  const { policies, violations } =
    schemaErrors.length > 0 ? NO_POLICIES : await policiesIn(decode(first.value));
  const findings = [...schemaErrors, ...checkProject(first.value), ...violations].map((violation) =>
    findingOf({ ...root, path: violation.path }, violation),
  );
  return { value: findings.length > 0 ? null : decode(first.value), document, policies, findings };
}

const NO_POLICIES = { policies: [], violations: [] };

function policiesIn({ policies = {}, environments }: ProjectConfig) {
  return compilePolicies(policies, Object.keys(environments));
}

/** The validator has seen it. */
function decode(value: Json): ProjectConfig {
  return value as unknown as ProjectConfig;
}

function oneDocument(file: string, document: number): SourceFinding {
  return errorAt(placeOf(file, document, []), {
    code: 'wrong-value',
    message: 'The project file holds more than one document.',
    hint: 'Take the line "---" and what follows it out.',
  });
}
