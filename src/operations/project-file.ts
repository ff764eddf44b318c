import { setValue } from '../import/set-value.js';
import { errorMessage, Failure } from '../model/failure.js';
import type { Path } from '../model/json.js';
import { rewriteFiles } from '../project/files.js';
import { type Project, parseConfig } from '../project/project.js';

/** Keeps every other byte. Fails if the file has changed, or aliases share the values. */
export async function setInProject(
  { root, file, text: before }: Project,
  values: readonly (readonly [path: Path, value: string])[],
): Promise<void> {
  const { document } = await parseConfig(file, before);
  let after = before;
  for (const [path, value] of values) {
    const changed = setValue(after, { document, path }, value);
    if (changed === null)
      throw new Failure({
        code: 'file-not-written',
        message: `These values cannot be written to ${file} without changing something else, such as a value shared by an alias. Nothing was written.`,
        hint: `Write ${path.at(-1)}: ${value} under ${path.slice(0, -1).join('.')} yourself.`,
      });
    after = changed;
  }
  if (after !== before) await rewriteFiles(root, [{ file, before, after }]);
}

export async function saveStateId(project: Project, environment: string, id: string): Promise<void> {
  const isShared = project.config.state?.backend !== undefined;
  const path = isShared ? ['state', 'id'] : ['environments', environment, 'state', 'id'];
  await setInProject(project, [[path, id]]).catch((error: unknown) => {
    throw new Failure(
      {
        code: 'state-of-other',
        message: `The state branch needs the id of this project, but ${project.file} cannot be changed: ${errorMessage(error)}`,
        hint: `Add state: { id: ${id} } to it.`,
      },
      { cause: error },
    );
  });
}
