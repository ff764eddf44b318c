import type { StateUser } from '../../src/state/owner.js';
import { folderStorage } from '../../src/state/storage.js';
import { type Store, storeIn } from '../../src/state/store.js';

/** The environment production of a project that is not in a repository. */
export function stateUser(base_url: string, user: Partial<StateUser> = {}): StateUser {
  const place = { file: 'campaignctl.yaml', top: '/nowhere', isPath: false };
  return { environment: 'production', base_url, project: null, ...place, separate: null, ...user };
}

export function openStore(folder: string, base_url: string, user: Partial<StateUser> = {}): Store {
  return storeIn(folderStorage(folder), stateUser(base_url, user));
}
