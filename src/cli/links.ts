import { existsSync, realpathSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { repositoryOf } from '../project/files.js';
import type { LinkTo } from '../view/plan-markdown.js';
import type { Shell } from './shell.js';

/** How pipelines name files, and where they show them. */

/**
 * Names files of a folder from the root of its repository, as pipelines know them; from the folder itself where there is no
 * repository.
 */
export function namesInRepository(folder: string): (file: string) => string {
  const real = realpathSync.native(folder);
  const way = relative(repositoryOf(real) ?? real, real);
  return (file) => posix.join(slashed(way), slashed(file));
}

/** Where the platform of a pipeline shows the manifests of a project in this folder, at a commit; nowhere else. */
export function manifestLinks(folder: string, commit: string | null, env: Shell['env']): LinkTo {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, CI_PROJECT_URL: gitlab } = env;
  const base = server && repository ? `${server}/${repository}/blob` : gitlab ? `${gitlab}/-/blob` : '';
  const at = commit?.replace(/-dirty$/, '') || env.GITHUB_SHA || env.CI_COMMIT_SHA || '';
  if (!/^https:\/\/[\w.:/~-]+$/.test(base) || !/^[0-9a-f]{7,64}$/.test(at) || !existsSync(folder))
    return () => null;
  const named = namesInRepository(folder);
  return (manifest) => {
    // `spring.yaml#2[Berlin]`: a document of a file, and one of its campaigns.
    const file = manifest.replace(/(?:#\d+)?(?:\[[^\]]*\])?$/, '');
    if (!existsSync(join(folder, file))) return null;
    return `${base}/${at}/${named(file).split('/').map(encodeURIComponent).join('/')}`;
  };
}

export function slashed(path: string): string {
  return path.replaceAll(sep, '/');
}
