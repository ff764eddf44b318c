/** Each state of a campaign × each fault of the list, the record and the request: "paused" is said only of what has stopped. */
import { describe, it } from 'vitest';
import { BACKENDS } from '../support/state.js';
import { casesOn, pausesTruly, scene, stateOf } from './pause-scenes.js';

describe.each(BACKENDS)('with the state %s', (backend) => {
  it.each(casesOn(backend))('%s, %s', async (name, fault) => {
    const state = stateOf(name);
    await scene(state, backend, (project) => pausesTruly(project, state, fault));
  });
});
