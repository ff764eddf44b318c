import { join, posix } from 'node:path';
import type { CutText } from '../manifest/cut-texts.js';
import { toPlace } from '../manifest/errors.js';
import { type FileProblem, type FileText, fileWording, LIMITS } from '../manifest/files.js';
import type { SourceFile } from '../manifest/locate.js';
import type { Violation } from '../manifest/violation.js';
import { isObject, type Json, type JsonObject, mergeObjects, objectAt, valueAt } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import { listed } from '../model/words.js';
import type { ProjectConfig } from './config.generated.js';
import { findRepository, projectPath, readerBelow } from './files.js';
import { extendsSchema, projectSchema } from './schema.js';

/** The content of a project file, or of the file that it extends, as text and parsed. `document` counts from 0. */
export interface ConfigFile<Config = ProjectConfig> {
  file: string;
  text: string;
  document: number;
  cuts: readonly CutText[];
  config: Config;
}

/** Paths in it are relative to it; its own path is relative to the project. */
export type ExtendedFile = ConfigFile<Pick<ProjectConfig, 'defaults' | 'policies' | 'lint' | 'shared'>>;

/** `extended`: `null` if the project file extends no other file. */
export interface ConfigFiles extends ConfigFile {
  extended: ExtendedFile | null;
}

/** Follows links, but not out of the git repository, and refuses hidden files. `root`: a real path. */
export function readExtended(root: string, name: string): FileText {
  const top = findRepository(root) ?? root;
  return readerBelow(top)(projectPath(top, join(root, name)), LIMITS.manifest);
}

export function extendedWording(problem: FileProblem, name: string) {
  const wording = fileWording(problem, name, LIMITS.manifest);
  if (problem !== 'file-outside-project') return wording;
  return {
    code: 'extends-outside-repository',
    message: wording.message.replace('the project', "the project's git repository"),
    hint: 'Move the file into the repository that contains the project. If there is none, run git init in the folder that contains both; in a container, mount the whole repository.',
  } as const;
}

/** Keys of a project file that the file that it extends must not have. */
export function misplacedKeys(value: Json): Violation[] {
  const known = Object.keys(objectAt(extendsSchema, 'properties'));
  const ofProjects = Object.keys(objectAt(projectSchema, 'properties')).filter((key) => !known.includes(key));
  return Object.keys(isObject(value) ? value : {})
    .filter((key) => ofProjects.includes(key))
    .map((key) => ({
      code: 'unknown-key',
      ...(key === 'extends'
        ? {
            message: 'A file that projects extend cannot extend another file.',
            hint: 'Move the keys of the other file here, and remove `extends`.',
          }
        : {
            message: `\`${key}\` belongs in a project file, not in a file that projects extend.`,
            hint: `Move it to the project files. Allowed here: ${listed(known)}.`,
          }),
      path: [key],
      target: 'key',
    }));
}

/** The keys of the project file win. `name`: the extended file, relative to the project. */
export function withExtended(own: Json, name: string, extended: Json): Json {
  if (!isObject(own) || !isObject(extended)) return own;
  const { shared } = extended;
  return mergeObjects(
    Array.isArray(shared)
      ? { ...extended, shared: shared.map((folder) => fromProject(name, folder)) }
      : extended,
    own,
  );
}

function fromProject(name: string, folder: Json): Json {
  return typeof folder === 'string' ? posix.join(posix.dirname(name), folder) : folder;
}

/** The place of an effective value, in the file that has it. */
export function placeOf(
  {
    file,
    document,
    config,
    extended,
  }: Pick<ConfigFile<unknown>, 'file' | 'document' | 'config'> & {
    extended: Pick<ConfigFile<unknown>, 'file' | 'document' | 'config'> | null;
  },
  path: Path,
): Place {
  return extended !== null && reach(extended.config, path) > reach(config, path)
    ? toPlace(extended.file, extended.document, path)
    : toPlace(file, document, path);
}

/** The number of keys of the path that exist. */
function reach(config: unknown, path: Path): number {
  // Both files contain only JSON values.
  const missing = path.findIndex(
    (_, at) => valueAt(config as JsonObject, path.slice(0, at + 1)) === undefined,
  );
  return missing < 0 ? path.length : missing;
}

/** `null` if it is neither the project file nor the one that it extends. */
export function configSource(files: ConfigFiles, file: string): SourceFile | null {
  const found = [files, files.extended].find((candidate) => candidate?.file === file);
  return found ? { text: found.text, kind: 'yaml' } : null;
}
