import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, extname, join, relative, resolve } from 'node:path';
import {
  errorAt,
  type FileProblem,
  fileWording,
  LIMITS,
  placeOf,
  quoted,
  type SourceFinding,
} from '../manifest/index.js';
import { Failure, usage } from '../model/failure.js';
import { isBelow, problemOf, projectPath } from './files.js';
import type { Project } from './project.js';

/** Manifests relative to the project root, sorted, each once; and patterns of the project file that match nothing. */
export interface FoundManifests {
  manifests: string[];
  findings: SourceFinding[];
}

/**
 * The manifests that are meant: the files and folders given, else what the project's patterns match. A file counts whether or not a
 * pattern matches it, a folder stands for what the patterns match in it.
 */
export async function findManifests(
  project: Project,
  { files, cwd }: { files: readonly string[]; cwd: string },
): Promise<FoundManifests> {
  if (files.length === 0) return matchPatterns(project);
  const { root } = project;
  const manifests: string[] = [];
  let matched: string[] | null = null;
  for (const name of files) {
    // It would resolve to the working directory, and stand for all that is in it.
    if (name === '')
      throw usage('The name of a file is empty.', 'A variable that is not set is the likely cause.');
    const found = inspect(resolve(cwd, name));
    if ('problem' in found) throw refused(found.problem, name);
    if (!isBelow(root, found.real)) throw refused('file-outside-project', name);
    const path = projectPath(root, found.real);
    if (!found.isFolder) manifests.push(path);
    else {
      // Only folders need the patterns.
      matched ??= (await matchPatterns(project)).manifests;
      const own = matched.filter((manifest) => path === '' || manifest.startsWith(`${path}/`));
      if (own.length === 0) throw noneIn(name, project);
      for (const file of own) manifests.push(file);
    }
  }
  return { manifests: sorted(manifests), findings: [] };
}

async function matchPatterns(project: Project): Promise<FoundManifests> {
  const { globSync } = await import('tinyglobby');
  const excluded = project.manifests
    .filter((pattern) => pattern.startsWith('!'))
    .map((pattern) => pattern.slice(1));
  const ignore = [...excluded, project.file, '**/node_modules/**', '**/.git/**', '**/.campaignctl/**'];
  const manifests: string[] = [];
  const findings: SourceFinding[] = [];
  for (const [index, pattern] of project.manifests.entries()) {
    if (pattern.startsWith('!')) continue;
    const own = globSync(pattern, { cwd: project.root, ignore, expandDirectories: false });
    if (own.length === 0) findings.push(noMatch(project, pattern, index));
    // One at a time: a spread of ten thousand arguments is too many for a call.
    for (const file of own) manifests.push(canonical(project.root, file));
  }
  return { manifests: sorted(manifests), findings };
}

/**
 * The one name of a file that is matched through links too: without it, a link to a folder above would make every
 * campaign twice. What leads out of the project keeps its name, to be refused under it.
 */
function canonical(root: string, file: string): string {
  const found = inspect(join(root, file));
  return 'real' in found && isBelow(root, found.real) ? projectPath(root, found.real) : file;
}

function noneIn(folder: string, { file, manifests }: Project): Failure {
  return new Failure({
    code: 'no-match',
    message: `There is no manifest in ${quoted(folder)}.`,
    hint: `A folder stands for the files in it that match \`manifests\` in ${file}: ${manifests.join(', ')}.`,
  });
}

function inspect(path: string): { real: string; isFolder: boolean } | { problem: FileProblem } {
  try {
    const real = realpathSync(path);
    return { real, isFolder: statSync(real).isDirectory() };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

function refused(problem: FileProblem, name: string): Failure {
  const wording = fileWording(problem, name, LIMITS.manifest);
  const hint = problem === 'file-not-found' ? 'Paths are relative to the working directory.' : wording.hint;
  return new Failure({ ...wording, hint });
}

function noMatch(project: Project, pattern: string, index: number): SourceFinding {
  return errorAt(placeOf(project.file, 0, ['manifests', index]), {
    code: 'no-match',
    message: `No file matches the pattern ${quoted(pattern)}.`,
    hint: 'Patterns are relative to the project file; campaigns/**/*.yaml matches every folder below campaigns.',
  });
}

function sorted(files: readonly string[]): string[] {
  return [...new Set(files)].sort();
}

/** Where new manifests go: a folder relative to the project, '' for its root, and how their names end. */
export interface ManifestPlace {
  folder: string;
  extension: string;
}

const MAGIC = /[*?[\]{}()!+@]/;

/** The fixed part of the first pattern of the project file, or the folder that is named, relative to `cwd`. */
export function manifestPlace(project: Project, dir: string | null, cwd: string): ManifestPlace {
  const pattern = project.manifests.find((one) => !one.startsWith('!')) ?? '';
  const extension = pattern.endsWith('.yml') ? '.yml' : '.yaml';
  if (dir !== null) return { folder: folderOf(project, dir, cwd), extension };
  const parts = pattern.split('/').slice(0, -1);
  const magic = parts.findIndex((part) => MAGIC.test(part));
  const fixed = magic < 0 ? parts : parts.slice(0, magic);
  return { folder: fixed.filter((part) => part !== '.').join('/'), extension };
}

function folderOf({ root }: Project, dir: string, cwd: string): string {
  const path = resolve(realpathSync(cwd), dir);
  if (isBelow(root, path)) return projectPath(root, path);
  throw new Failure({
    code: 'file-outside-project',
    message: `${JSON.stringify(dir)} lies outside the project.`,
    hint: `Name a folder in ${relative(cwd, root) || 'this folder'} or below it.`,
  });
}

/** File names without their ends that are taken in a folder of manifests, or by what lies beside them; lower case. */
export function takenBasenames(root: string, folder: string): Set<string> {
  const names = ['', 'emails', 'leads'].flatMap((below) => entries(join(root, folder, below)));
  return new Set(names.map(stemOf));
}

/** The same of files that are read by the project. */
export function basenamesIn(files: readonly string[], folder: string): Set<string> {
  const prefix = folder === '' ? '' : `${folder}/`;
  const within = files.filter((file) => file.startsWith(prefix)).map((file) => file.slice(prefix.length));
  return new Set(within.map((file) => stemOf(file.replace(/^(?:emails|leads)\//, '').split('/')[0] ?? '')));
}

function stemOf(name: string): string {
  return basename(name, extname(name)).toLowerCase();
}

function entries(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
