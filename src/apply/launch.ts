import { type CampaignContext, type LiveStatus, liveStatus } from '../plan/index.js';
import type { Performed } from './perform.js';
import { readAgain, timeFor } from './readback.js';
import type { ApplyTools } from './tools.js';

/** How long a launch may take to show as running, in milliseconds, and the waits between looks. */
export const LAUNCH_PATIENCE = 60_000;
const WAITS = [250, 500, 1000, 2000, 5000];

/**
 * An accepted launch has not happened yet: watches until the service says that the campaign runs, or that it failed. One
 * whose answer was lost may be sent again if nothing has moved.
 */
export async function awaitLaunch(
  sent: Performed,
  context: CampaignContext,
  tools: ApplyTools,
): Promise<Performed> {
  const began = tools.now();
  const before = liveStatus(context);
  const lost = sent.result === 'in_doubt';
  let stirred = !before.failed;
  let moved = false;
  const doubt = (detail: string, again = false): Performed => ({
    ...sent,
    result: 'in_doubt',
    detail,
    again,
  });
  for (let look = 0; ; look++) {
    const live = liveStatus(await readAgain(context, ['status'], tools));
    stirred ||= !live.failed;
    moved ||= live.meaning !== 'stopped';
    if (live.meaning === 'running' || live.meaning === 'finished')
      return {
        ...sent,
        result: 'done',
        detail: lost ? `${sent.detail}; the campaign runs` : null,
        again: false,
      };
    // A campaign that had failed before may show its old failure for a moment.
    if (live.failed && stirred) {
      const detail = `${lost ? sent.detail : 'the service accepted the launch'}, then said "${live.word}"`;
      return { ...sent, result: 'failed', detail, again: false };
    }
    const wait = WAITS[Math.min(look, WAITS.length - 1)] ?? LAUNCH_PATIENCE;
    const waited = tools.now() - began;
    if (lost && !moved && waited >= timeFor(sent.repeat))
      return doubt(`${sent.detail}; the service still says "${live.word}"`, sent.again);
    if (waited + wait > LAUNCH_PATIENCE) return doubt(undecided(sent, live, 'after 60 s'));
    if (tools.stopping()) return doubt(undecided(sent, live, 'when the run was interrupted'));
    tools.emit({ type: 'waiting', campaign: context.spec.name, status: live.word });
    await tools.sleep(wait);
  }
}

function undecided(sent: Performed, { word }: LiveStatus, when: string): string {
  const said = word === null ? 'the service shows no status' : `the service says "${word}"`;
  return `${sent.detail === null ? 'the launch was accepted' : sent.detail}; ${when} ${said}`;
}
