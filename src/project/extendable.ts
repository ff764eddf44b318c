import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { LIMITS } from '../manifest/files.js';
import { parseYaml } from '../manifest/parse.js';
import { type Failure, usage } from '../model/failure.js';
import { isObject, type JsonObject, objectAt } from '../model/json.js';
import { findRepository, isHidden, projectPath, readText, realPlace } from './files.js';
import { findProjectFiles } from './found-projects.js';
import { FILE_NAME } from './project.js';
import { extendsSchema } from './schema.js';

/**
 * A file that a new project can extend. `file`, `schemas`: relative to the project; `schemas` is `null` if there is no folder of
 * schemas. `environments`: those that its policies name.
 */
export interface ExtendableFile {
  file: string;
  defaults: JsonObject;
  environments: string[];
  schemas: string | null;
}

/** The nearest one above the folder, in its git repository; `null` if there is none. Fails if several are equally near. */
export function findExtendable(folder: string): ExtendableFile | null {
  const root = realPlace(folder);
  const repository = findRepository(root);
  if (repository === null || repository === root) return null;
  for (let above = dirname(root); ; above = dirname(above)) {
    const [first, second] = extendableIn(above);
    if (second !== undefined && first !== undefined) throw severalIn(root, [first.path, second.path]);
    if (first !== undefined) {
      const { path, text, value } = first;
      const schemas = schemasNear(path, text);
      return {
        file: projectPath(root, path),
        defaults: objectAt(value, 'defaults'),
        environments: environmentsIn(objectAt(value, 'policies')),
        schemas: schemas && projectPath(root, schemas),
      };
    }
    if (above === repository) return null;
  }
}

function environmentsIn(policies: JsonObject): string[] {
  return Object.values(policies).flatMap((policy) => {
    const names = isObject(policy) ? policy.environments : null;
    return Array.isArray(names) ? names.map(String) : [];
  });
}

/** True if the folder is above projects: a file that they extend lies in it, or project files lie below it. */
export async function isAboveProjects(folder: string): Promise<boolean> {
  if (!existsSync(folder) || existsSync(join(folder, FILE_NAME))) return false;
  if (extendableIn(folder).length > 0) return true;
  return (await findProjectFiles(folder)).length > 0;
}

function severalIn(root: string, paths: readonly string[]): Failure {
  const names = paths.map((path) => projectPath(root, path));
  return usage(
    `The project could extend ${names.join(' or ')}.`,
    'Move the keys of one file to the other one, or write the project file yourself.',
  );
}

interface Candidate {
  path: string;
  text: string;
  value: JsonObject;
}

function extendableIn(folder: string): Candidate[] {
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return names
    .filter((name) => /\.ya?ml$/i.test(name) && name !== FILE_NAME && !isHidden(name))
    .flatMap((name) => {
      const path = join(folder, name);
      const result = readText(path, LIMITS.manifest);
      if ('problem' in result) return [];
      const [first, second] = parseYaml(name, result.text).documents;
      const value = first?.value;
      const isMeant = second === undefined && isObject(value) && isExtendable(value);
      return isMeant ? [{ path, text: result.text, value }] : [];
    });
}

/** True if the keys are those of a file that projects extend, whatever their values. */
function isExtendable(value: JsonObject): boolean {
  const known = Object.keys(objectAt(extendsSchema, 'properties'));
  const keys = Object.keys(value);
  return keys.some((key) => key !== 'version') && keys.every((key) => known.includes(key));
}

/** The folder that the file's first line names for editors, otherwise the one that `init` writes. */
function schemasNear(path: string, text: string): string | null {
  const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(text) ?? [];
  const folders = [dirname(schema), '.campaignctl/schemas'].map((folder) => resolve(dirname(path), folder));
  return folders.find((folder) => existsSync(join(folder, 'project.schema.json'))) ?? null;
}
