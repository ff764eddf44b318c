import type { ListedCampaign } from '../model/answer.js';
import { openReaderOf } from './connect.js';
import { readState } from './run.js';
import type { EarlyReading, ProjectPlace } from './session.js';

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
