import { join } from 'node:path';
import { errorAt, quoted, type SourceFinding } from '../manifest/errors.js';
import type { ReadFile } from '../manifest/files.js';
import { type ConfigFiles, placeOf } from './extends.js';
import { findRepository, isBelow, readerBelow, realPlace } from './files.js';
import type { Project } from './project.js';

/** `folders`: as written. `findings`: for folders that may not be read. */
export interface SharedFolders {
  folders: string[];
  findings: SourceFinding[];
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
    const real = realPlace(join(root, folder));
    if (isBelow(repository ?? root, real)) folders.push(folder);
    else findings.push(errorAt(placeOf(project, ['shared', at]), outside(written[at] ?? folder, repository)));
  }
  return { folders, findings };
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
  return readerBelow(project.root, sharedFolders(project).folders);
}
