import { existsSync, realpathSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { minuteOf, shortCommit } from '../model/words.js';
import { personOf } from '../operations/lock.js';
import type { SavedPlan } from '../plan/saved-plan.js';
import { findRepository } from '../project/files.js';
import type { LinkTo } from '../view/options.js';
import type { Shell } from './shell.js';

/** Returns a function that makes paths relative to the repository's root or, outside a repository, to the folder. */
export function namesInRepository(folder: string): (file: string) => string {
  const real = realpathSync.native(folder);
  const way = relative(findRepository(real) ?? real, real);
  return (file) => posix.join(slashed(way), slashed(file));
}

export function manifestLinks(folder: string, commit: string | null, env: Shell['env']): LinkTo {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, CI_PROJECT_URL: gitlab } = env;
  const base = server && repository ? `${server}/${repository}/blob` : gitlab ? `${gitlab}/-/blob` : '';
  const at = commit || env.GITHUB_SHA || env.CI_COMMIT_SHA || '';
  if (!/^https:\/\/[\w.:/~-]+$/.test(base) || !/^[0-9a-f]{7,64}$/.test(at) || !existsSync(folder))
    return () => null;
  const named = namesInRepository(folder);
  return (manifest) => {
    // Removes the document number and the instance, as in `spring.yaml#2[Berlin]`.
    const file = manifest.replace(/(?:#\d+)?(?:\[[^\]]*\])?$/, '');
    if (!existsSync(join(folder, file))) return null;
    return `${base}/${at}/${named(file).split('/').map(encodeURIComponent).join('/')}`;
  };
}

/** `source`: of a saved plan; `null` for a plan that was made now. */
export function aboutRun(
  source: Pick<SavedPlan['created'], 'at' | 'commit' | 'who'> | null,
  { env, now }: Pick<Shell, 'env' | 'now'>,
): string[] {
  const commit = source?.commit || env.GITHUB_SHA || env.CI_COMMIT_SHA || '';
  const [person = ''] = source?.who.split('@') ?? [personOf(env)];
  const [, pull = ''] = /^refs\/pull\/(\d+)\//.exec(env.GITHUB_REF ?? '') ?? [];
  return [
    ...(commit === '' ? [] : [`commit ${shortCommit(commit)}`]),
    ...(person === '' ? [] : [`by ${person}`]),
    ...(pull === '' ? [] : [`pull request ${pull}`]),
    ...(env.CI_MERGE_REQUEST_IID ? [`merge request ${env.CI_MERGE_REQUEST_IID}`] : []),
    `planned ${minuteOf(source?.at ?? new Date(now()).toISOString())}`,
  ];
}

export function slashed(path: string): string {
  return path.replaceAll(sep, '/');
}
