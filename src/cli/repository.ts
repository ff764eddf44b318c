import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';

/**
 * Names files of a folder from the root of its repository, as pipelines know them; from the folder itself where there is no
 * repository.
 */
export function namesInRepository(folder: string): (file: string) => string {
  const real = realpathSync(folder);
  const way = relative(rootOf(real) ?? real, real);
  return (file) => posix.join(slashed(way), slashed(file));
}

function rootOf(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return folder;
  const above = dirname(folder);
  return above === folder ? null : rootOf(above);
}

function slashed(path: string): string {
  return path.replaceAll(sep, '/');
}
