import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { didYouMean, errorAt, quoted, type SourceFinding } from '../manifest/errors.js';
import type { ReadFile } from '../manifest/files.js';
import { nearest } from '../manifest/nearest.js';
import { type ConfigFiles, placeOf } from './extends.js';
import { findRepository, isBelow, isHidden, projectPath, readerBelow, realPlace } from './files.js';
import type { Project } from './project.js';

/** `folders`: as written. `findings`: for folders that cannot be read. `hint`: for files outside the project and `folders`. */
export interface SharedFolders {
  folders: string[];
  findings: SourceFinding[];
  hint: string;
}

type SharingProject = Pick<Project, 'root' | 'shared' | keyof ConfigFiles>;

/** Shared folders must be in the project's git repository: review sees what is in it, and it contains no secrets of the machine. */
export function sharedFolders(project: SharingProject): SharedFolders {
  const { root, shared, config, extended } = project;
  const written = config.shared ?? extended?.config.shared ?? [];
  const repository = findRepository(root);
  const folders: string[] = [];
  const findings: SourceFinding[] = [];
  for (const [at, folder] of shared.entries()) {
    const path = join(root, folder);
    const place = placeOf(project, ['shared', at]);
    const name = written[at] ?? folder;
    // This check comes first, so that nothing reveals whether a folder outside the repository exists.
    if (!isBelow(repository ?? root, realPlace(path)))
      findings.push(errorAt(place, outside(name, repository)));
    else if (!existsSync(path))
      findings.push(errorAt(place, missing(name, path, join(root, posix.dirname(place.file)))));
    else folders.push(folder);
  }
  return { folders, findings, hint: outsideHint(project) };
}

/** The paths of both files differ with the folder of the reader, but not their names. */
function outsideHint({ file, config, extended }: SharingProject): string {
  const own = posix.basename(file);
  const isExtended = config.shared === undefined && extended?.config.shared !== undefined;
  const sharing = isExtended ? `${posix.basename(extended.file)}, which ${own} extends` : own;
  return `Move the file into the folder that contains ${own}, or list its folder under shared: in ${sharing}.`;
}

/** `from`: the folder to which the written path is relative. */
function missing(folder: string, path: string, from: string) {
  const near = nearestFolder(path);
  return {
    code: 'shared-not-found',
    message: `The shared folder ${quoted(folder)} does not exist.`,
    hint:
      didYouMean(near === null ? null : projectPath(from, near)) ??
      'Paths are relative to the file that contains them, and git keeps no empty folders. Correct the path, or remove it.',
  } as const;
}

/** An existing folder whose path differs in the first name that does not exist. */
function nearestFolder(path: string): string | null {
  const parent = dirname(path);
  if (!existsSync(parent)) {
    const near = nearestFolder(parent);
    const whole = near === null ? null : join(near, basename(path));
    return whole !== null && existsSync(whole) ? whole : null;
  }
  const name = nearest(basename(path), foldersIn(parent));
  return name === null ? null : join(parent, name);
}

/** Empty for a folder that cannot be read, and for a file: only a suggestion is missing then. */
function foldersIn(parent: string): string[] {
  try {
    const entries = readdirSync(parent, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() && !isHidden(entry.name) ? entry.name : []));
  } catch {
    return [];
  }
}

function outside(folder: string, repository: string | null) {
  const code = 'shared-outside-repository' as const;
  if (repository !== null)
    return {
      code,
      message: `The shared folder ${quoted(folder)} is outside the project's git repository.`,
      hint: 'Move the folder into the repository, or copy the files that you need into the project.',
    };
  return {
    code,
    message: `The shared folder ${quoted(folder)} is outside the project, and the project is not in a git repository.`,
    hint: 'Run git init in the folder that contains both, or move the shared folder into the project. In a container, mount the whole repository.',
  };
}

/** Reads files of the project and its shared folders. */
export function projectReader(project: SharingProject): ReadFile {
  const { folders, hint } = sharedFolders(project);
  return readerBelow(project.root, folders, hint);
}
