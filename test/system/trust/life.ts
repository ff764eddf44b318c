/** Runs a case from its first slip until runs have nothing to do, with an observer, and counts events. */
import { afterAll, expect } from 'vitest';
import { showsStatus } from '../../support/service/shape.js';
import { type RunSlip, WHOLE_RUN } from './draws.js';
import { isTelling, observe } from './observer.js';
import { type Ran, writesOf } from './runs.js';
import { LONG, type Scene, slipUp } from './slips.js';

export type Count = (what: string, times?: number) => void;

/** Counts events. Prints them at the end if a number of cases was requested. */
export function counter(): Count {
  const counts: Record<string, number> = {};
  afterAll(() => {
    if (process.env.TRUST_CASES === undefined) return;
    const lines = Object.entries(counts).sort(([a], [b]) => a.localeCompare(b));
    console.log(lines.map(([what, times]) => `${String(times).padStart(8)}  ${what}`).join('\n'));
  });
  return (what, times = 1) => {
    counts[what] = (counts[what] ?? 0) + times;
  };
}

type Run = (slip: RunSlip) => Promise<Ran>;

export async function live(scene: Scene, count: Count, run: Run): Promise<void> {
  count('cases');
  const seen: Run = async (slip) => {
    const ran = await run(slip);
    observe(ran, scene);
    tally(ran, count);
    if (ran.hands.length > 0) await scene.clock.sleep(LONG);
    return ran;
  };
  for (const each of scene.drawn.slips) {
    if (each.do === 'apply') await seen(each);
    else {
      count(`slip: ${each.do}`);
      await slipUp(each, scene);
    }
  }
  await goOn(scene, count, seen);
  expect(scene.service.violations).toEqual([]);
}

function tally(ran: Ran, count: Count): void {
  const { slip, ended, hands, faults } = ran;
  const sent = writesOf(ran);
  count(`runs in checkout ${slip.checkout}`);
  count('requests that changed something', sent.filter(({ effect }) => effect !== null).length);
  count('launches', sent.filter(({ effect }) => effect === 'resumed').length);
  count('faults', faults);
  count('launches and pauses by hand in a run', hands.length);
  count('campaigns left unread', ran.shown?.summary.not_read);
  count(ended.result === 'refused' ? `refused: ${ended.said}` : `ended: ${ended.said}`);
}

/** With all approvals and without faults, runs finally have nothing to do. */
async function goOn({ drawn, service }: Scene, count: Count, run: Run): Promise<void> {
  for (let times = 1; ; times += 1) {
    const ran = await run(WHOLE_RUN);
    if (writesOf(ran).length === 0 && ran.ended.result !== 'died') return count(`at rest: ${ran.ended.said}`);
    if (times >= 5 && drawn.shape.resume === 'failed') return count('at rest: every launch fails');
    // A pause that leads to an unknown word is repeated until the project file declares the word.
    const pauses = writesOf(ran).every(({ path }) => path.endsWith('/pause'));
    const isDeclared = drawn.told || isTelling(drawn) || !showsStatus(drawn.shape);
    if (times >= 5 && pauses && !isDeclared) return count('at rest: pauses that nothing shows');
    // If the project file does not declare the words, the pause of each campaign needs a separate run.
    const most = isDeclared ? 5 : 8;
    expect(times, JSON.stringify(service.writes().slice(-6))).toBeLessThan(most);
  }
}
