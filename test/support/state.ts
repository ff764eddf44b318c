import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { StateUser } from '../../src/state/owner.js';
import { folderStorage } from '../../src/state/storage.js';
import { type LeasableStore, storeIn } from '../../src/state/store.js';

/** The environment production of a project that is not in a repository. */
export function stateUser(base_url: string, user: Partial<StateUser> = {}): StateUser {
  const place = { file: 'campaignctl.yaml', top: '/nowhere', isPath: false };
  return { environment: 'production', base_url, project: null, ...place, separate: null, ...user };
}

export function openStore(folder: string, base_url: string, user: Partial<StateUser> = {}): LeasableStore {
  return storeIn(folderStorage(folder), stateUser(base_url, user));
}

export type BackendName = 'in a folder' | 'on a branch';
export const BACKENDS: readonly BackendName[] = ['in a folder', 'on a branch'];

/** Keys of an environment whose state is kept there. `keepOnBranch` creates what a branch needs. */
export function stateKeys(backend: BackendName): string {
  return backend === 'on a branch' ? '    state: { backend: git, id: c5f1c20a9be3 }\n' : '';
}

/** Makes the folder a repository with a remote. */
export function keepOnBranch(folder: string): void {
  const remote = join(folder, '.git/remote.git');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '-q');
  git('init', '-q', '--bare', remote);
  git('remote', 'add', 'origin', remote);
}
