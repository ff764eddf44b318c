/** Each state of a campaign × each fault of the list, the record and the request: "paused" is said only of what has stopped. */
import { describe, it } from 'vitest';
import { memoryRemote } from '../support/branch.js';
import { BACKENDS } from '../support/state.js';
import { CASES, pausesTruly, scene, stateOf } from './pause-scenes.js';

describe.each(BACKENDS)('with the state %s', (backend) => {
  it.each(CASES)('%s, %s', async (name, fault) => {
    const state = stateOf(name);
    await scene({ state, backend, remote: memoryRemote() }, (project) => pausesTruly(project, state, fault));
  });
});
