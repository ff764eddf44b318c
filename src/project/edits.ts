/** Values that commands write into the project file. */
import type { Environment } from '../model/environment.js';
import { errorMessage, Failure } from '../model/failure.js';
import type { Path } from '../model/json.js';
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
 * Adds variables where the project file declares those of the environment. Returns `null` if a person has to do it. Reads the
 * file again, because the id of the state may have been written to it.
 */
export async function declareVariables(
  { root, file }: Project,
  { name, custom_variables: declared }: Environment,
  variables: readonly string[],
): Promise<string | null> {
  const { addItems, setValue } = await import('../manifest/edit.js');
  const { text: before, document, config } = await readProject({ cwd: root, config: file });
  const own = ['environments', name, 'custom_variables'];
  const isOwn = config.environments[name]?.custom_variables !== undefined;
  const isShared = config.defaults?.custom_variables !== undefined;
  const after =
    isOwn || isShared
      ? addItems(before, { document, path: isOwn ? own : ['defaults', 'custom_variables'] }, variables)
      : setValue(before, { document, path: own }, [...(declared ?? []), ...variables]);
  if (after !== null) await rewriteFiles(root, [{ file, before, after }]);
  return after;
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
