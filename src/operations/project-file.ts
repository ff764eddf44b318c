import { setValue } from '../import/set-value.js';
import { errorMessage, Failure } from '../model/failure.js';
import type { Path } from '../model/json.js';
import { rewriteFiles } from '../project/files.js';
import { configOf, type Project } from '../project/project.js';

/** Sets values in the project file, byte for byte elsewhere. Failure if it has changed, or aliases share them. */
export async function setInProject(
  { root, file, text: before }: Project,
  values: readonly (readonly [path: Path, value: string])[],
): Promise<void> {
  const { document } = await configOf(file, before);
  let after = before;
  for (const [path, value] of values) {
    const changed = setValue(after, { document, path }, value);
    if (changed === null)
      throw new Failure({
        code: 'file-not-written',
        message: `${file} cannot take these values without changing something else, such as what an alias shares. Nothing was written.`,
        hint: `Write ${path.at(-1)}: ${value} under ${path.slice(0, -1).join('.')} yourself.`,
      });
    after = changed;
  }
  if (after !== before) await rewriteFiles(root, [{ file, before, after }]);
}

/** Writes `state.id` beside the backend. */
export async function saveStateId(project: Project, environment: string, id: string): Promise<void> {
  const isShared = project.config.state?.backend !== undefined;
  const path = isShared ? ['state', 'id'] : ['environments', environment, 'state', 'id'];
  await setInProject(project, [[path, id]]).catch((error: unknown) => {
    throw new Failure(
      {
        code: 'state-of-other',
        message: `The branch that keeps the state needs the id of this project, and ${project.file} cannot be changed: ${errorMessage(error)}`,
        hint: `Write state: { id: ${id} } into it.`,
      },
      { cause: error },
    );
  });
}
