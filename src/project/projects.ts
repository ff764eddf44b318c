import { dirname, join } from 'node:path';
import { Failure } from '../model/failure.js';
import { FILE_NAME } from './project.js';

/** Sorted folders with a project, relative to `cwd`. Skips dot-folders, node_modules and links. */
export async function findProjects(cwd: string): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const files = await glob(`**/${FILE_NAME}`, {
    cwd,
    ignore: ['**/node_modules/**'],
    followSymbolicLinks: false,
    expandDirectories: false,
  });
  if (files.length > 0) return files.map((file) => dirname(file)).sort();
  throw new Failure({
    code: 'no-project',
    message: `There is no ${FILE_NAME} in ${join(cwd, '.')} or below it.`,
    hint: '--recursive takes the projects below the working directory: change into the folder that holds them.',
  });
}
