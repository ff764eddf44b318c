import type { Problem, Step } from '../model/outputs.js';
import type { CampaignContext } from '../sections/index.js';
import { type LiveStatus, liveStatus, maySend, meaningOf } from '../sections/status.js';

/** The status of a campaign that sends, or of which it is not known that it does not; null for one that does not send. */
export function sendingStatus(context: CampaignContext): LiveStatus | null {
  if (context.id === null) return null;
  const status = liveStatus(context);
  return maySend(status) ? status : null;
}

export function campaignThat({ word, meaning, believed }: LiveStatus): string {
  if (believed)
    return word === null
      ? 'a campaign that may be sending (the service shows no status, and the state does not know it)'
      : 'a campaign that was launched from here (the service shows no status)';
  switch (meaning) {
    case 'starting':
      return `a campaign that is being launched ("${word}")`;
    case 'finished':
      return `a campaign that has sent everything ("${word}") and may go on with new leads`;
    case 'unknown':
      return word === null
        ? 'a campaign that may be sending (the service shows no status)'
        : `a campaign that may be sending ("${word}" is not a known status)`;
    default:
      return `a campaign that is sending ("${word}")`;
  }
}

/** The other way out where it is not known what a status means; empty for one that is known. */
export function howToDeclare({ word, meaning, believed }: LiveStatus): string {
  if (meaning !== 'unknown' || believed) return '';
  return word === null
    ? '; or if the service never shows a status, write status: hidden under service in the project file'
    : `; or say under service.statuses in the project file what "${word}" means`;
}

/**
 * The status of a campaign that the state does not know and that sends, or of which it is not known that it does not: it may be
 * someone else's. Null for any other. The status of the list counts where the record was not read, or shows none.
 */
export function strangerStatus(context: CampaignContext, isKnown: boolean): LiveStatus | null {
  if (isKnown || context.id === null) return null;
  const shown = liveStatus(context);
  const word = context.listed?.status ?? null;
  if (word === null || (shown.word !== null && !shown.believed)) return sendingStatus(context);
  const meaning = meaningOf(word, context.environment.service.statuses);
  return maySend({ meaning }) ? { ...shown, word, meaning, believed: false } : null;
}

/** What needs approval before anything is sent to such a campaign. `unlike`: what sets it apart from the one that the state knows. */
export function adoptHazard(
  steps: readonly Step[],
  status: LiveStatus | null,
  unlike = 'The state does not know this campaign',
): Problem[] {
  if (status === null || steps.length === 0) return [];
  const requests = steps.map(({ title }) => title).join(', ');
  return [
    {
      code: 'adopt',
      severity: 'hazard',
      message: `${unlike}, ${campaignThat(status)}: it may be someone else's. Apply would send to it: ${requests}.`,
      hint: 'If it is yours, accept with --allow adopt, and the state knows it from then on. If it is not, give the manifest another name.',
    },
  ];
}
