/** Pauses in a process of their own, while an apply holds the lock: "paused" is said only of what has stopped. */
import { describe, expect, it } from 'vitest';
import { openPlace } from '../../src/operations/place.js';
import { systemClock } from '../../src/service/clock.js';
import { startProgram } from '../support/program.js';
import { BACKENDS } from '../support/state.js';
import { casesOn, PAUSE, pausesTruly, scene, stateOf } from './pause-scenes.js';

/** Ten times as fast as this machine's clock; git keeps its own speed. */
const FAST = { FASTER: '10', NOW: String(Date.now()), JUMP: '0' };
const STATES = ['active and known', 'active without a status'];

describe.each(BACKENDS)('with the state %s', (backend) => {
  it.each(casesOn(backend).filter(([name]) => STATES.includes(name)))('%s, %s', async (name, fault) => {
    const state = stateOf(name);
    await scene({ state, backend }, async (project) => {
      const world = { cwd: project.folder, env: {}, now: Date.now, clock: systemClock, err() {} };
      const place = await openPlace({ config: null, env: 'production', debug: false }, world);
      const { signal } = new AbortController();
      const lease = await place.backend.acquire({ who: 'ada', timeout: 0, waiting() {}, signal });
      const isSent = () => project.service.requests.some(({ path }) => path === PAUSE);
      // In its own process, because a process's own lock is no other apply.
      const run = async (line: string) => {
        const pausing = startProgram(project.folder, line.split(' '), FAST).ended;
        const sent = expect.poll(isSent, { timeout: 20_000 }).toBe(true);
        await Promise.race([sent, pausing]);
        await lease.end();
        return pausing;
      };
      await pausesTruly({ service: project.service, run }, state, fault);
    });
  });
});
