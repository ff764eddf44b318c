/** Values that commands write into the project file. */
import type { Environment } from '../model/environment.js';
import { errorMessage, Failure } from '../model/failure.js';
import type { Path } from '../model/json.js';
import type { AddedVariables } from '../model/reports.js';
import { rewriteFiles } from './files.js';
import { type Project, readProject } from './project.js';

/** Sets a value and keeps every other byte. Fails if the file has changed, or if an alias shares the value. */
async function setInProject(
  { root, file, text: before, document }: Project,
  path: Path,
  value: string,
): Promise<void> {
  const { setValue } = await import('../manifest/edit.js');
  const after = setValue(before, { document, path }, value);
  if (after === null)
    throw new Failure({
      code: 'file-not-written',
      message: `The value cannot be written to ${file} without changing something else, such as a value shared by an alias. Nothing was written.`,
      hint: `Write it yourself: ${path.join('.')}: ${value}.`,
    });
  if (after !== before) await rewriteFiles(root, [{ file, before, after }]);
}

/**
 * Adds variables where the project file declares those of the environment, or replaces the list of the file that it extends.
 * Reads the file again, because the id of the state may have been written to it.
 */
export async function declareVariables(
  { root, file }: Project,
  { name, custom_variables: declared }: Environment,
  names: string[],
): Promise<AddedVariables> {
  if (names.length === 0) return { names, file: null, key: null, copied_from: null };
  const { addItems, setValue } = await import('../manifest/edit.js');
  const { text: before, document, config, extended } = await readProject({ cwd: root, config: file });
  const isOwn = config.environments[name]?.custom_variables !== undefined;
  const isShared = !isOwn && config.defaults?.custom_variables !== undefined;
  const copied = !isOwn && !isShared && extended?.config.defaults?.custom_variables ? extended.file : null;
  // Also the other environments know the variables of the extended file.
  const path = [...(isShared || copied !== null ? ['defaults'] : ['environments', name]), 'custom_variables'];
  const after =
    isOwn || isShared
      ? addItems(before, { document, path }, names)
      : setValue(before, { document, path }, [...(declared ?? []), ...names]);
  if (after !== null) await rewriteFiles(root, [{ file, before, after }]);
  return { names, file: after === null ? null : file, key: path.join('.'), copied_from: copied };
}

export async function saveStateId(project: Project, environment: string, id: string): Promise<void> {
  const isShared = project.config.state?.backend !== undefined;
  const path = isShared ? ['state', 'id'] : ['environments', environment, 'state', 'id'];
  await setInProject(project, path, id).catch((error: unknown) => {
    throw new Failure({
      code: 'state-of-other',
      message: `The state branch needs the id of this project, but ${project.file} cannot be changed: ${errorMessage(error)}`,
      hint: `Add state: { id: ${id} } to that file.`,
    });
  });
}
