import { execFile } from 'node:child_process';
import { chmod, mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** Packs the package of this repository into the folder; returns the path of the tarball. */
export async function packPackage(folder: string): Promise<string> {
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const packed = await run('npm', words, { cwd: ROOT });
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  return join(folder, filename);
}

/** Installs a tarball as npm does, without its dependencies; returns the folder of the package. */
export async function installPackage(folder: string, tarball: string): Promise<string> {
  await run('tar', ['-xzf', tarball], { cwd: folder });
  const modules = join(folder, 'node_modules');
  const installed = join(modules, 'campaignctl');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await rename(join(folder, 'package'), installed);
  await chmod(join(installed, 'dist/campaignctl.cjs'), 0o755);
  await symlink('../campaignctl/dist/campaignctl.cjs', join(modules, '.bin/campaignctl'));
  return installed;
}
