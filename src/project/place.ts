import { readdirSync, realpathSync } from 'node:fs';
import { basename, extname, join, relative, resolve } from 'node:path';
import { Failure } from '../model/failure.js';
import { isBelow, projectPath } from './files.js';
import type { Project } from './project.js';

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
  if (path === root) return '';
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
