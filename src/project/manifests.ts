import type nodeFs from 'node:fs';
import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, extname, join, posix, resolve } from 'node:path';
import { asYaml } from '../manifest/as-yaml.js';
import { errorAt, quoted, type SourceFinding, toPlace } from '../manifest/errors.js';
import { type FileProblem, fileWording, LIMITS } from '../manifest/files.js';
import { nearest } from '../manifest/nearest.js';
import type { Environment } from '../model/environment.js';
import { Failure, usage } from '../model/failure.js';
import { groupBy, type Path } from '../model/json.js';
import { listed } from '../model/words.js';
import { classifyError, isBelow, projectPath, readText, realPlace } from './files.js';
import { FILE_NAME, type Project } from './project.js';
import { sharedFolders } from './shared.js';

/** `near`: files that only a relaxed form of a pattern matches, with the place of that pattern. */
interface MatchedManifests {
  manifests: string[];
  near: ReadonlyMap<string, PatternPlace>;
  findings: SourceFinding[];
}

interface PatternPlace {
  pattern: string;
  place: Path;
}

/** A pattern and the files that it nearly matches. */
interface NearMatch extends PatternPlace {
  files: string[];
}

/**
 * `all`: files of the given environments. `selected`: those requested. `outside`: files of other environments. `unmatched`:
 * names of environments whose patterns match no file. `isEmpty`: true if no pattern of the project matches one.
 */
interface FoundManifests {
  all: string[];
  selected: string[];
  outside: string[];
  unmatched: string[];
  isEmpty: boolean;
  near: NearMatch[];
  findings: SourceFinding[];
  isOf(environment: Environment, file: string): boolean;
}

/** `files`: empty for all. A named file need not match a pattern; a folder selects the matches inside it. */
export async function findManifests(
  project: Project,
  { files, cwd, environments }: { files: readonly string[]; cwd: string; environments: Environment[] },
): Promise<FoundManifests> {
  const matched = await matchPatterns(project, project.manifests, ['manifests']);
  if (files.length === 0 && matched.manifests.length === 0)
    return noManifests(project, matched, environments);
  const findings: SourceFinding[] = [];
  const parts = new Map<string, MatchedManifests>();
  for (const { name, manifests } of environments) {
    if (manifests === null) continue;
    const part = await matchPart(project, name, manifests, new Set(matched.manifests));
    parts.set(name, part);
    findings.push(...part.findings);
  }
  const filesOf = new Map([...parts].map(([name, { manifests }]) => [name, new Set(manifests)]));
  const isOf = ({ name }: Environment, file: string) => filesOf.get(name)?.has(file) ?? true;
  const isIncluded = (file: string) => environments.some((environment) => isOf(environment, file));
  const outside = matched.manifests.filter((file) => !isIncluded(file));
  const isComplete = environments.length === Object.keys(project.environments).length;
  const all = isComplete ? matched.manifests : matched.manifests.filter(isIncluded);
  const unmatched = environments.flatMap((environment) =>
    matched.manifests.some((file) => isOf(environment, file)) ? [] : environment.name,
  );
  if (files.length === 0) {
    if (isComplete || parts.size < environments.length) findings.push(...matched.findings);
    if (isComplete) findings.push(...outside.map(withoutEnvironment));
    const near = nearMatches(matched, environments, parts);
    return { all, selected: all, outside, unmatched, isEmpty: false, near, isOf, findings };
  }
  const unselected: SourceFinding[] = [];
  const selected = files.flatMap((name) => {
    const requested = requestedFiles(name, project, { cwd, matched: matched.manifests }).filter(isIncluded);
    if (requested.length === 0) unselected.push(ofAnother(name, project, environments));
    return requested;
  });
  const named = { all, selected: sorted(selected), outside, unmatched, isEmpty: false };
  return { ...named, near: [], isOf, findings: unselected };
}

/** A project without manifests is a new one, or its patterns are wrong. The files that lie elsewhere tell. */
async function noManifests(
  project: Project,
  matched: MatchedManifests,
  environments: readonly Environment[],
): Promise<FoundManifests> {
  const near = nearMatches(matched, environments, new Map());
  const strays = near.length > 0 || matched.findings.some(isError) ? [] : await strayManifests(project);
  const refused = matched.findings.filter(isError);
  return {
    all: [],
    selected: [],
    outside: [],
    unmatched: environments.map(({ name }) => name),
    isEmpty: true,
    near,
    isOf: () => false,
    findings: refused.length > 0 || near.length > 0 ? refused : [noneAtAll(project, strays)],
  };
}

const isError = ({ severity }: SourceFinding) => severity === 'error';

/** YAML files with a name, apart from those of projects in folders below. */
async function strayManifests(project: Project): Promise<string[]> {
  const { globSync } = await import('tinyglobby');
  const { root, file } = project;
  const excluded = project.manifests.flatMap((pattern) => (pattern.startsWith('!') ? pattern.slice(1) : []));
  const ignore = [...excluded, file, '**/node_modules/**'];
  const how = { cwd: root, expandDirectories: false, ignore, fs: foldersBelow(project).fs };
  const files = globSync('**/*.{yaml,yml}', how).map((path) => canonical(root, path));
  const others = files.filter((path) => basename(path) === FILE_NAME).map(posix.dirname);
  const isNamed = (path: string) => {
    const result = readText(join(root, path), LIMITS.manifest);
    return 'text' in result && /^name[ \t]*:/m.test(result.text);
  };
  return sorted(files)
    .filter((path) => !others.some((folder) => path.startsWith(`${folder}/`)))
    .slice(0, MAX_STRAYS)
    .filter(isNamed);
}

const MAX_STRAYS = 200;

/** Files that become manifests of an environment if the pattern matches them, too. */
function nearMatches(
  matched: MatchedManifests,
  environments: readonly Environment[],
  parts: ReadonlyMap<string, MatchedManifests>,
): NearMatch[] {
  const isIn = ({ manifests, near }: MatchedManifests) => {
    const exact = new Set(manifests);
    return (file: string) => exact.has(file) || near.has(file);
  };
  const isProject = isIn(matched);
  const near = new Map<string, PatternPlace>();
  for (const { name } of environments) {
    const part = parts.get(name) ?? null;
    const isPart = part === null ? () => true : isIn(part);
    for (const [file, place] of [...(part?.near ?? []), ...matched.near])
      if (isProject(file) && isPart(file)) near.set(file, place);
  }
  const byPlace = groupBy([...near], ([, { place }]) => place.join('/'));
  return [...byPlace.values()].map((files) => ({
    ...files[0][1],
    files: sorted(files.map(([file]) => file)),
  }));
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
  if (findings.length > 0 || manifests.some((file) => all.has(file))) return { ...matched, findings };
  const finding = noMatch(project, patterns.join(' '), place);
  return { ...matched, findings: [excludes ? { ...finding, ...ALL_EXCLUDED } : finding] };
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
  const { file, extended } = project;
  // A path above the project would move the root of the search.
  const configs = [file, extended?.file ?? file].filter((config) => !config.startsWith('../'));
  const ignore = [...excluded, ...configs, '**/node_modules/**', '**/.git/**', '**/.campaignctl/**'];
  const how = { cwd: project.root, expandDirectories: false };
  const included = patterns.flatMap((pattern, index) =>
    pattern.startsWith('!') ? [] : [{ pattern, place: [...place, index] }],
  );
  const manifests: string[] = [];
  const findings: SourceFinding[] = [];
  for (const { pattern, place: at } of included) {
    const { outside, fs } = foldersBelow(project);
    const files = globSync(pattern, { ...how, ignore, fs });
    if (files.length === 0) findings.push(noMatch(project, pattern, at));
    for (const folder of outside) findings.push(leadsOut(project, folder, at));
    for (const file of files) manifests.push(canonical(project.root, file));
  }
  const exact = new Set(manifests);
  const near = new Map<string, PatternPlace>();
  const relaxed = { ...how, ignore: [...ignore, ...excluded.map(relax)], caseSensitiveMatch: false };
  for (const at of included)
    for (const file of globSync(relax(at.pattern), { ...relaxed, fs: foldersBelow(project).fs })) {
      const name = canonical(project.root, file);
      if (looksLikeManifest(file) && !exact.has(name) && !near.has(name)) near.set(name, at);
    }
  return { manifests: sorted(manifests), near, findings };
}

/** Also matches other endings. */
function relax(pattern: string): string {
  return pattern.replace(/\.(?:ya?ml|\{yaml,yml\})$/i, '.*');
}

/** `.yml`, `.YAML`, misspellings such as `.ymal`, and `.yaml.txt`, which Windows shows as `.yaml`. */
function looksLikeManifest(file: string): boolean {
  const extension = extname(file.replace(/\.txt$/i, '')).slice(1);
  return /^[a-z]+$/i.test(extension) && nearest(extension, ['yaml']) !== null;
}

interface FoldersBelow {
  /** Links that lead out of the project, filled during the search. */
  outside: Set<string>;
  fs: Pick<typeof nodeFs, 'readdirSync' | 'realpathSync'>;
}

/** Reads no folder to which a link out of the project leads: there may be millions of files. */
function foldersBelow(project: Project): FoldersBelow {
  const { root } = project;
  const folders = [root, ...sharedFolders(project).folders.map((folder) => realPlace(join(root, folder)))];
  const outside = new Set<string>();
  const links = new Map<string, string>();
  const list = (path: string, options: { withFileTypes: true }) => {
    const real = realpathSync.native(path);
    if (folders.some((folder) => isBelow(folder, real)))
      return readdirSync(path, options).map((entry) => (isOdd(path, entry) ? asFile(entry) : entry));
    outside.add(projectPath(root, links.get(real) ?? path));
    return [];
  };
  const follow = (path: string) => {
    const real = realpathSync.native(path);
    links.set(real, path);
    return real;
  };
  return {
    outside,
    fs: { readdirSync: list as typeof readdirSync, realpathSync: follow as typeof realpathSync },
  };
}

/** The search would skip it without a word. */
function isOdd(folder: string, entry: Dirent): boolean {
  return entry.isSymbolicLink()
    ? !existsSync(join(folder, entry.name))
    : !entry.isFile() && !entry.isDirectory();
}

/** A manifest that is not a regular file, or a link to nothing, is then an error. */
function asFile(entry: Dirent): Dirent {
  return Object.create(entry, { isFile: { value: () => true }, isSymbolicLink: { value: () => false } });
}

function leadsOut(project: Project, folder: string, place: Path): SourceFinding {
  return errorAt(toPlace(project.file, 0, place), {
    code: 'file-outside-project',
    message: `${quoted(folder)} is a link that leads out of the project, where campaignctl reads no manifests.`,
    hint: `Replace the link with the folder, or exclude it: add ${quoted(`!${folder}/**`)} to these patterns.`,
  });
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
  return new Failure({ ...wording, hint: REQUEST_HINTS[problem] ?? wording.hint });
}

const REQUEST_HINTS: { readonly [problem in FileProblem]?: string } = {
  'file-not-found': 'Paths are relative to the working directory.',
  'file-outside-project':
    'Move the manifest into the folder that contains campaignctl.yaml, or name its project with --chdir.',
};

const ALL_EXCLUDED = {
  message: 'These patterns exclude every manifest of the project.',
  hint: 'Patterns are relative to the project file. If this environment needs no manifest, ignore this.',
};

const NO_MATCH_HINT =
  'Patterns are relative to the project file; campaigns/**/*.yaml matches every folder below campaigns.';

/** This is a warning, because the last manifest may have been deleted. */
function noMatch(project: Project, pattern: string, place: Path): SourceFinding {
  const finding = errorAt(toPlace(project.file, 0, place), {
    code: 'no-match',
    message: `No file matches the pattern ${quoted(pattern)}.`,
    hint: NO_MATCH_HINT,
  });
  return { ...finding, severity: 'warning' };
}

/** An error only if there are manifests, because the last one may have been deleted. */
function noneAtAll(project: Project, strays: readonly string[]): SourceFinding {
  const [first = '', ...others] = strays;
  const parts = posix.dirname(first).split('/');
  const end = parts.findIndex(
    (_, at) => !others.every((file) => file.startsWith(`${parts.slice(0, at + 1).join('/')}/`)),
  );
  const folder = parts.slice(0, end < 0 ? parts.length : end).join('/');
  const isBelowOne = folder !== '' && folder !== '.';
  const meant = isBelowOne ? [`${folder}/`] : strays.length > MAX_LISTED ? ['**/*.yaml'] : [...strays];
  const patterns = project.manifests.map(quoted);
  const finding = errorAt(toPlace(project.file, 0, ['manifests', ...(patterns.length === 1 ? [0] : [])]), {
    code: 'no-match',
    message: `No file matches ${patterns.length === 1 ? 'the pattern' : 'any of the patterns'} ${listed(patterns)}, so the project has no manifests.`,
    hint:
      strays.length > 0
        ? `${listed(strays, MAX_LISTED)} ${strays.length === 1 ? 'looks like a manifest' : 'look like manifests'}. Write manifests: ${asYaml(meant)}.`
        : NO_MATCH_HINT,
  });
  return { ...finding, severity: strays.length > 0 ? 'error' : 'warning' };
}

const MAX_LISTED = 5;

/** `read`: files that manifests use, such as shared pieces. A `near-match` replaces the `no-match` of the same pattern. */
export function patternFindings(
  project: Project,
  found: Pick<FoundManifests, 'near' | 'findings' | 'isEmpty'>,
  read: ReadonlySet<string>,
): SourceFinding[] {
  const near = found.near
    .map((match) => ({ ...match, files: match.files.filter((file) => !read.has(file)) }))
    .filter(({ files }) => files.length > 0);
  const isAt = ({ place }: NearMatch, finding: SourceFinding) =>
    finding.code === 'no-match' &&
    'path' in finding.place &&
    finding.place.path.join('/') === place.join('/');
  return [
    ...found.findings.filter((finding) => !near.some((match) => isAt(match, finding))),
    ...near.map((match): SourceFinding => {
      const isMatched = !found.isEmpty && !found.findings.some((finding) => isAt(match, finding));
      return { ...nearMatch(project, match, isMatched), severity: found.isEmpty ? 'error' : 'warning' };
    }),
  ];
}

function nearMatch(
  project: Project,
  { pattern, place, files }: NearMatch,
  isMatched: boolean,
): SourceFinding {
  const names = listed(files, 5);
  return errorAt(toPlace(project.file, 0, place), {
    code: 'near-match',
    message: isMatched
      ? `The pattern ${quoted(pattern)} does not match ${names}, so campaignctl does not read ${files.length === 1 ? 'this file' : 'these files'}.`
      : `No file matches the pattern ${quoted(pattern)}. It nearly matches ${names}.`,
    hint:
      files.length === 1
        ? `Rename the file so that the pattern matches it, or add a pattern for it. If it is not a manifest, exclude it: "!${files[0]}".`
        : `Rename the files so that the pattern matches them, or add a pattern for them. If they are not manifests, exclude them, for example with "!${files[0]}".`,
  });
}

function sorted(files: readonly string[]): string[] {
  return [...new Set(files)].sort();
}
