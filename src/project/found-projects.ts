import { FILE_NAME } from './project.js';

/** Project files below a folder, except in dot-folders, node_modules and links. */
export async function findProjectFiles(cwd: string): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  return glob(`**/${FILE_NAME}`, {
    cwd,
    ignore: ['**/node_modules/**'],
    followSymbolicLinks: false,
    expandDirectories: false,
  });
}
