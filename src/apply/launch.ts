import { type LiveStatus, liveStatus, type Subject } from '../plan/index.js';
import type { ApplyTools } from './apply.js';
import type { Performed } from './perform.js';
import { readAgain } from './readback.js';

/** How long a launch may take to show as running, in milliseconds, and the waits between looks. */
const PATIENCE = 60_000;
const WAITS = [250, 500, 1000, 2000, 5000];

/** An accepted launch has not happened yet: watches until the service says that the campaign runs, or that it failed. */
export async function awaitLaunch(sent: Performed, subject: Subject, tools: ApplyTools): Promise<Performed> {
  if (sent.result === 'failed') return sent;
  const began = tools.now();
  const before = liveStatus(subject);
  let stirred = !before.failed;
  for (let look = 0; ; look++) {
    const live = liveStatus(await readAgain(subject, ['status'], tools));
    stirred ||= !live.failed;
    if (live.meaning === 'running' || live.meaning === 'finished')
      return { ...sent, result: 'done', detail: null };
    // A campaign that had failed before may show its old failure for a moment.
    if (live.failed && stirred) {
      return {
        ...sent,
        result: 'failed',
        detail: `the service accepted the launch, then said "${live.word}"`,
      };
    }
    const wait = WAITS[Math.min(look, WAITS.length - 1)] ?? PATIENCE;
    if (tools.now() - began + wait > PATIENCE)
      return { ...sent, result: 'in_doubt', detail: undecided(sent, live) };
    tools.emit({ type: 'waiting', campaign: subject.spec.name, status: live.word });
    await tools.sleep(wait);
  }
}

function undecided(sent: Performed, { word }: LiveStatus): string {
  const said = word === null ? 'the service shows no status' : `the service says "${word}"`;
  return `${sent.detail === null ? 'the launch was accepted' : sent.detail}; after 60 s ${said}`;
}
