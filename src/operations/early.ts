import type { ListedCampaign } from '../model/answer.js';
import { openReaderOf } from './connect.js';
import { readState } from './run.js';
import {
  type EarlyReading,
  openSession,
  type ProjectPlace,
  type Session,
  type SessionFlags,
} from './session.js';
import type { Interrupt, World } from './world.js';

/** Opens a session for a plan of everything, and reads while manifests are parsed. An interrupt ends both at once. */
export function openEarly(flags: SessionFlags, world: World, { guard, signal }: Interrupt): Promise<Session> {
  const begin = (place: ProjectPlace) => {
    const early = signal.aborted ? null : beginReading(place);
    signal.addEventListener('abort', () => early?.close(), { once: true });
    return early;
  };
  return guard(openSession(flags, world, null, begin));
}

/**
 * Begins to read while manifests are parsed, in the order of every plan: the state, then the list of campaigns. What goes wrong is told
 * where the reading would have begun otherwise, after what is wrong with the manifests. Null for a sandbox, which is no way off.
 */
export function beginReading(place: ProjectPlace): EarlyReading | null {
  if (place.environment.sandbox !== null) return null;
  const state = readState(place);
  const opened = openReaderOf(place);
  const listed = listAfter(state, opened);
  let first: typeof listed | null = listed;
  const campaigns = async () => {
    const early = await first;
    first = null;
    return early ?? (await opened).service.campaigns();
  };
  const reader = opened.then(({ service }) => ({ ...service, campaigns }));
  for (const promise of [state, listed, reader]) promise.catch(() => undefined);
  return {
    state,
    reader,
    begun: Promise.allSettled([state, opened]),
    close: () =>
      opened.then(
        ({ close }) => close(),
        () => undefined,
      ),
  };
}

/** Null where what an earlier or another run sends may have to be waited for. */
async function listAfter(
  state: EarlyReading['state'],
  opened: ReturnType<typeof openReaderOf>,
): Promise<ListedCampaign[] | null> {
  const { left, other } = await state;
  return left.length > 0 || other !== null ? null : (await opened).service.campaigns();
}
