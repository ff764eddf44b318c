import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, extname, join, posix, resolve } from 'node:path';
import { errorAt, quoted, type SourceFinding, toPlace } from '../manifest/errors.js';
import { type FileProblem, fileWording, LIMITS } from '../manifest/files.js';
import type { Environment } from '../model/environment.js';
import { Failure, usage } from '../model/failure.js';
import type { Path } from '../model/json.js';
import { listed } from '../model/words.js';
import { classifyError, isBelow, projectPath } from './files.js';
import type { Project } from './project.js';

interface MatchedManifests {
  manifests: string[];
  findings: SourceFinding[];
}

/** `all`: files of the given environments. `selected`: those requested. `outside`: files of other environments. */
interface FoundManifests {
  all: string[];
  selected: string[];
  outside: string[];
  findings: SourceFinding[];
  isOf(environment: Environment, file: string): boolean;
}

/** `files`: empty for all. A named file need not match a pattern; a folder selects the matches inside it. */
export async function findManifests(
  project: Project,
  { files, cwd, environments }: { files: readonly string[]; cwd: string; environments: Environment[] },
): Promise<FoundManifests> {
  const matched = await matchPatterns(project, project.manifests, ['manifests']);
  const findings: SourceFinding[] = [];
  const parts = new Map<string, ReadonlySet<string>>();
  for (const { name, manifests } of environments) {
    if (manifests === null) continue;
    const part = await matchPart(project, name, manifests, new Set(matched.manifests));
    parts.set(name, new Set(part.manifests));
    findings.push(...part.findings);
  }
  const isOf = ({ name }: Environment, file: string) => parts.get(name)?.has(file) ?? true;
  const isIncluded = (file: string) => environments.some((environment) => isOf(environment, file));
  const outside = matched.manifests.filter((file) => !isIncluded(file));
  const isComplete = environments.length === Object.keys(project.environments).length;
  const all = isComplete ? matched.manifests : matched.manifests.filter(isIncluded);
  if (files.length === 0) {
    if (isComplete || parts.size < environments.length) findings.push(...matched.findings);
    if (isComplete) findings.push(...outside.map(withoutEnvironment));
    return { all, selected: all, outside, isOf, findings };
  }
  const unselected: SourceFinding[] = [];
  const selected = files.flatMap((name) => {
    const requested = requestedFiles(name, project, { cwd, matched: matched.manifests }).filter(isIncluded);
    if (requested.length === 0) unselected.push(ofAnother(name, project, environments));
    return requested;
  });
  return { all, selected: sorted(selected), outside, isOf, findings: unselected };
}

function requestedFiles(
  name: string,
  project: Project,
  { cwd, matched }: { cwd: string; matched: readonly string[] },
): readonly string[] {
  // An empty name would resolve to the working directory.
  if (name === '') throw usage('A file name is empty.', 'A variable is probably unset. Check the command.');
  const place = inspect(resolve(cwd, name));
  if ('problem' in place) throw refused(place.problem, name);
  if (!isBelow(project.root, place.real)) throw refused('file-outside-project', name);
  const path = projectPath(project.root, place.real);
  if (!place.isFolder) return [path];
  const files = matched.filter((manifest) => path === '' || manifest.startsWith(`${path}/`));
  if (files.length > 0) return files;
  throw new Failure({
    code: 'no-match',
    message: `There is no manifest in ${quoted(name)}.`,
    hint: `A folder selects the files in it that match \`manifests\` in ${project.file}: ${project.manifests.join(', ')}.`,
  });
}

/** If the patterns only exclude, matches all other files. */
async function matchPart(
  project: Project,
  environment: string,
  patterns: string[],
  all: ReadonlySet<string>,
): Promise<MatchedManifests> {
  const place = ['environments', environment, 'manifests'];
  const excludes = patterns.every((pattern) => pattern.startsWith('!'));
  const included = excludes ? project.manifests : [];
  const matched = await matchPatterns(project, [...patterns, ...included], place);
  const { manifests } = matched;
  // These findings are already reported for the project's patterns.
  const findings = excludes ? [] : matched.findings;
  if (findings.length > 0 || manifests.some((file) => all.has(file))) return { manifests, findings };
  return { manifests, findings: [noMatch(project, patterns.join(' '), place)] };
}

async function matchPatterns(
  project: Project,
  patterns: readonly string[],
  place: Path,
): Promise<MatchedManifests> {
  const { globSync } = await import('tinyglobby');
  const excluded = [...project.manifests, ...patterns]
    .filter((pattern) => pattern.startsWith('!'))
    .map((pattern) => pattern.slice(1));
  const ignore = [...excluded, project.file, '**/node_modules/**', '**/.git/**', '**/.campaignctl/**'];
  const manifests: string[] = [];
  const findings: SourceFinding[] = [];
  for (const [index, pattern] of patterns.entries()) {
    if (pattern.startsWith('!')) continue;
    const files = globSync(pattern, { cwd: project.root, ignore, expandDirectories: false });
    if (files.length === 0) findings.push(noMatch(project, pattern, [...place, index]));
    for (const file of files) manifests.push(canonical(project.root, file));
  }
  return { manifests: sorted(manifests), findings };
}

function withoutEnvironment(file: string): SourceFinding {
  const finding = errorAt(toPlace(file, 0, []), {
    code: 'not-in-environment',
    message: 'No environment includes this manifest, so it is never planned or applied.',
    hint: 'In the project file, add it to the `manifests` of an environment, or exclude it from the top-level `manifests`.',
  });
  return { ...finding, severity: 'warning' };
}

function ofAnother(name: string, project: Project, environments: readonly Environment[]): SourceFinding {
  const names = environments.map((environment) => environment.name);
  return errorAt(toPlace(project.file, 0, ['environments', names[0] ?? '', 'manifests']), {
    code: 'not-in-environment',
    message: `${quoted(name)} is not among the manifests of ${listed(names)}.`,
    hint: 'Select the environment of the file with --env, or add the file to the `manifests` of a selected environment.',
  });
}

/** Gives a file a single name, even if several links lead to it. */
function canonical(root: string, file: string): string {
  const place = inspect(join(root, file));
  return 'real' in place && isBelow(root, place.real) ? projectPath(root, place.real) : file;
}

function inspect(path: string): { real: string; isFolder: boolean } | { problem: FileProblem } {
  try {
    const real = realpathSync.native(path);
    return { real, isFolder: statSync(real).isDirectory() };
  } catch (error) {
    return { problem: classifyError(error) };
  }
}

function refused(problem: FileProblem, name: string): Failure {
  const wording = fileWording(problem, name, LIMITS.manifest);
  const hint = problem === 'file-not-found' ? 'Paths are relative to the working directory.' : wording.hint;
  return new Failure({ ...wording, hint });
}

/** This is a warning, because the last manifest may have been deleted. */
function noMatch(project: Project, pattern: string, place: Path): SourceFinding {
  const finding = errorAt(toPlace(project.file, 0, place), {
    code: 'no-match',
    message: `No file matches the pattern ${quoted(pattern)}.`,
    hint: 'Patterns are relative to the project file; campaigns/**/*.yaml matches every folder below campaigns.',
  });
  return { ...finding, severity: 'warning' };
}

function sorted(files: readonly string[]): string[] {
  return [...new Set(files)].sort();
}

/** Folder for new manifests ('' for the root), their file extension and, if they have one, their first line. */
interface ManifestPlace {
  folder: string;
  extension: string;
  head: string;
}

/** The comment that tells editors which schema to use. The project contains its schemas, because installations differ. */
export function editorLine(folder: string, schema: keyof typeof SCHEMA_FILES): string {
  return `# yaml-language-server: $schema=${posix.relative(folder, SCHEMA_FILES[schema])}\n`;
}

export const SCHEMA_FILES = {
  campaign: '.campaignctl/schemas/campaign.schema.json',
  project: '.campaignctl/schemas/project.schema.json',
} as const;

const MAGIC = /[*?[\]{}()!+@]/;

export function manifestPlace(
  project: Project,
  { manifests }: Pick<Environment, 'manifests'>,
): ManifestPlace {
  const pattern =
    [...(manifests ?? []), ...project.manifests].find((candidate) => !candidate.startsWith('!')) ?? '';
  const extension = pattern.endsWith('.yml') ? '.yml' : '.yaml';
  const parts = pattern.split('/').slice(0, -1);
  const magic = parts.findIndex((part) => MAGIC.test(part));
  const fixed = magic < 0 ? parts : parts.slice(0, magic);
  const folder = fixed.filter((part) => part !== '.').join('/');
  const isThere = existsSync(join(project.root, SCHEMA_FILES.campaign));
  return { folder, extension, head: isThere ? editorLine(folder, 'campaign') : '' };
}

export function takenBasenames(root: string, folder: string): Set<string> {
  const path = join(root, folder);
  const names = existsSync(path) ? readdirSync(path) : [];
  return new Set(names.map((name) => basename(name, extname(name)).toLowerCase()));
}
