import type { ListedCampaign } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import type { Step } from '../model/outputs.js';
import type { Problem } from '../model/problem.js';
import type { LeadRefs, PendingOperations, StateEntry } from '../model/state.js';
import type { CampaignContext } from '../sections/index.js';
import { counted, describeLeads, isEmpty, sentLeads, totalLeads, union, without } from '../sections/leads.js';
import { type LiveStatus, meaningOf } from '../sections/status.js';
import { campaignThat, sendingStatus } from './adopt.js';

/** What the API promises of leads that are attached to a campaign that sends. */
const DELAY = 'The service takes up new leads of an active campaign within five minutes.';

/** The leads that these steps attach. */
function attachedBy(steps: readonly Step[]): LeadRefs {
  return steps.map(sentLeads).reduce(union, { lists: [], ids: [] });
}

/** What needs approval of the leads that these steps attach. */
export function leadHazards(
  context: CampaignContext,
  steps: readonly Step[],
  removed: readonly RemovedLeads[],
): Problem[] {
  return [
    ...attachRunning(context, steps),
    ...leadsElsewhere(context, steps, removed),
    ...fewerLeads(context, steps),
  ];
}

/** Leads that are added to a campaign that sends, or of which it is not known that it does not, are mailed without a further word. */
function attachRunning(context: CampaignContext, steps: readonly Step[]): Problem[] {
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

/** A launch for fewer leads than were attached. How many a list has is shown nowhere, so only individual leads can be counted. */
function fewerLeads(context: CampaignContext, steps: readonly Step[]): Problem[] {
  const { known, attached, doubtful } = context.recorded;
  const total = totalLeads(context);
  const isCounted = known && attached.lists.length === 0 && isEmpty(doubtful) && isEmpty(attachedBy(steps));
  const launches = steps.some(({ id }) => id === 'launch');
  if (!launches || !isCounted || total === null || total >= attached.ids.length) return [];
  return [
    {
      code: 'fewer-leads',
      severity: 'warning',
      message: `The service shows ${total} of the ${counted(attached.ids.length)} that were attached to this campaign: it would be launched without the others.`,
      hint: "The service may have skipped leads that bounced, unsubscribed or are busy in another campaign. Look at them in the service's web app.",
    },
  ];
}

function instead({ word, meaning, believed }: LiveStatus): string {
  if (meaning === 'finished') return '';
  const pause = ', or write status: paused in the manifest to pause the campaign first';
  if (meaning !== 'unknown' || believed) return pause;
  return word === null
    ? `${pause}; if the service never shows a status, write status: hidden under service in the project file`
    : `${pause}; or say under service.statuses in the project file what "${word}" means`;
}

/** A campaign that no manifest describes any more, and the leads that it has; `listed` is null if no list was read. */
export interface RemovedLeads {
  entry: StateEntry;
  listed: ListedCampaign | null;
  leads: LeadRefs;
}

/** The leads of removed campaigns that are not known to be gone. */
export function leadsOfRemoved(
  removed: readonly StateEntry[],
  listed: readonly ListedCampaign[] | null,
  pending: readonly PendingOperations[],
): RemovedLeads[] {
  const live = new Map(listed?.map((one) => [one.id, one]));
  return removed
    .filter(({ id }) => listed === null || live.has(id))
    .map((entry) => ({ entry, listed: live.get(entry.id) ?? null, leads: leadsOf(entry, pending) }));
}

/** Its leads by the state, with those that a run sent which did not come to remember them. */
function leadsOf({ id, name, recorded }: StateEntry, pending: readonly PendingOperations[]): LeadRefs {
  const sent = pending
    .filter((one) => (one.id === null ? one.name === name : one.id === id))
    .flatMap((one) => one.sent.filter(({ result }) => result !== 'failed'))
    .map(({ step }) => sentLeads(step));
  return [recorded.attached, recorded.doubtful, ...sent].reduce(union);
}

/** Leads that a campaign without a manifest has mailed: this one would mail them again, from its first email on. */
function leadsElsewhere(
  { environment }: CampaignContext,
  steps: readonly Step[],
  removed: readonly RemovedLeads[],
): Problem[] {
  const attached = attachedBy(steps);
  return removed.flatMap(({ entry, listed, leads }) => {
    const shared = without(attached, without(attached, leads));
    const ran = whetherRun(entry, listed, environment);
    if (isEmpty(shared) || ran === null) return [];
    const { id, manifest } = entry;
    return [
      {
        code: 'leads-elsewhere',
        severity: 'hazard',
        message: `Apply attaches ${describeLeads(shared)}, which campaign ${id} "${listed?.name ?? entry.name}" has already. No manifest describes that campaign any more (it was applied from ${manifest}), and it ${ran}: these leads would be mailed again, from the first email on.`,
        hint: `Take these leads out of the manifest, or make sure in the service's web app that campaign ${id} mails them no more and accept with --allow leads-elsewhere.`,
      },
    ];
  });
}

/** Whether such a campaign has ever run, in words; null: it has not, or it is gone. In doubt it may have. */
function whetherRun(
  { recorded }: StateEntry,
  listed: ListedCampaign | null,
  { service }: Environment,
): string | null {
  const word = listed?.status ?? null;
  switch (meaningOf(word, service.statuses)) {
    case 'gone':
      return null;
    case 'running':
    case 'starting':
      return 'is sending';
    case 'finished':
      return 'has run';
    default:
      if (recorded.has_run !== null) return recorded.has_run ? 'has run' : null;
      return word?.trim().toLowerCase() === 'draft' ? null : 'may have run';
  }
}
