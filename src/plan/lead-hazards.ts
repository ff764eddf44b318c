import type { Step } from '../model/outputs.js';
import type { Problem } from '../model/problem.js';
import type { LeadRefs } from '../model/state.js';
import type { CampaignContext } from '../sections/index.js';
import { counted, describeLeads, isEmpty, sentLeads, totalLeads, union } from '../sections/leads.js';
import { type LiveStatus, liveStatus } from '../sections/status.js';

/** What the API promises of leads that are attached to a campaign that sends. */
const DELAY = 'The service takes up new leads of an active campaign within five minutes.';

/** The leads that these steps attach. */
function attachedBy(steps: readonly Step[]): LeadRefs {
  return steps.map(sentLeads).reduce(union, { lists: [], ids: [] });
}

/** Leads that are added to a campaign that sends, or of which it is not known that it does not, are mailed without a further word. */
export function attachRunning(context: CampaignContext, steps: readonly Step[]): Problem[] {
  const leads = attachedBy(steps);
  const status = isEmpty(leads) ? null : sendingStatus(context);
  if (status === null || steps.some(({ id }) => id === 'pause')) return [];
  const total = totalLeads(context);
  const now = total === null ? '' : ` The service shows ${counted(total)} on it now.`;
  return [
    {
      code: 'attach-running',
      severity: 'hazard',
      message: `Apply attaches ${describeLeads(leads)} to ${campaignThat(status)}: these leads are mailed without a further word.${now} ${DELAY}`,
      hint: `Accept it with --allow attach-running${instead(status)}.`,
    },
  ];
}

/** The status of a campaign that sends, or of which it is not known that it does not; null for one that does not send. */
export function sendingStatus(context: CampaignContext): LiveStatus | null {
  const { id, recorded } = context;
  if (id === null) return null;
  const status = liveStatus(context);
  if (status.meaning === 'stopped' || status.meaning === 'gone') return null;
  // The run that made it has not ended: it was never launched.
  if (status.meaning === 'unknown' && recorded.at_defaults && recorded.status === 'paused') return null;
  return status;
}

function campaignThat({ word, meaning, believed }: LiveStatus): string {
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

function instead({ word, meaning, believed }: LiveStatus): string {
  if (meaning === 'finished') return '';
  const pause = ', or write status: paused in the manifest to pause the campaign first';
  if (meaning !== 'unknown' || believed) return pause;
  return word === null
    ? `${pause}; if the service never shows a status, write status: hidden under service in the project file`
    : `${pause}; or say under service.statuses in the project file what "${word}" means`;
}
