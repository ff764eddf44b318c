import type { ListedCampaign } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import type { Problem, Step } from '../model/outputs.js';
import type { CampaignSpec } from '../model/spec.js';
import { type LeadRefs, NO_LEADS, type RecordedState } from '../model/state.js';
import { count, LEAD_DELAY } from '../model/words.js';
import type { CampaignContext } from '../sections/index.js';
import { describeLeads, isEmpty, sentLeads, totalLeads, union, without } from '../sections/leads.js';
import { belief, type LiveStatus, liveStatus, meaningOf } from '../sections/status.js';
import { campaignThat, howToDeclare, sendingStatus } from './hazards.js';
import {
  common,
  type EntryLeads,
  type Holders,
  holding,
  isDraft,
  keysOf,
  namedLeads,
  statusOf,
} from './holders.js';
import type { Work } from './reconcile.js';

/** The leads that these steps attach. */
export function attachedBy(steps: readonly Step[]): LeadRefs {
  return steps.map(sentLeads).reduce(union, NO_LEADS);
}

/** What needs approval of the leads that these steps attach. */
export function leadHazards(
  context: CampaignContext,
  steps: readonly Step[],
  {
    holders,
    lint,
    replaced = null,
  }: { holders: Holders; lint: readonly Problem[]; replaced?: number | null },
): Problem[] {
  return [
    ...attachRunning(context, steps),
    ...leadsElsewhere(context, steps, { holders, lint, replaced }),
    ...fewerLeads(context, steps),
  ];
}

/** Leads that are added to a campaign that sends, or of which it is not known that it does not, are mailed without another approval. */
function attachRunning(context: CampaignContext, steps: readonly Step[]): Problem[] {
  const leads = attachedBy(steps);
  if (context.id === null || isEmpty(leads)) return [];
  const status = sendingStatus(context);
  const shown = liveStatus(context);
  // Where the manifest manages its status, that section says so.
  if (status === null) return shown.believed && context.spec.status === undefined ? [belief(shown)] : [];
  if (steps.some(({ id }) => id === 'pause')) return [];
  const total = totalLeads(context);
  const now = total === null ? '' : ` The service shows ${count(total, 'lead')} on it now.`;
  return [
    {
      code: 'attach-running',
      severity: 'hazard',
      message: `Apply attaches ${describeLeads(leads)} to ${campaignThat(status)}: these leads are mailed without another approval.${now} ${LEAD_DELAY.replace('the', 'The')}.`,
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
      message: `The service shows ${total} of the ${count(attached.ids.length, 'lead')} that were attached to this campaign: it would be launched without the others.`,
      hint: "The service may have skipped leads that bounced, unsubscribed or are busy in another campaign. Look at them in the service's web app.",
    },
  ];
}

function instead(status: LiveStatus): string {
  if (status.meaning === 'finished') return '';
  return `, or write status: paused in the manifest to pause the campaign first${howToDeclare(status)}`;
}

/**
 * Leads that another campaign has mailed: this one would mail them again, from its first email on. Lint tells what both manifests name,
 * unless it is switched off.
 */
function leadsElsewhere(
  context: CampaignContext,
  steps: readonly Step[],
  { holders, lint, replaced }: { holders: Holders; lint: readonly Problem[]; replaced: number | null },
): Problem[] {
  const { environment, recorded } = context;
  const sent = attachedBy(steps);
  return sharing(context, steps, holders, lint).flatMap(([one, shared]) => {
    const { entry, spec, listed, isOutside, isLeft = false } = one;
    const { word, isThere, ran } = statusOf(one, environment);
    if (ran === null) return [];
    const { id, manifest } = entry;
    const isGone = !isThere || meaningOf(word, environment.service.statuses) === 'gone';
    const isOld = recorded.has_run === true && isEmpty(common(shared, sent));
    const again = isOld
      ? 'those that this campaign has not mailed yet would be mailed again'
      : 'these leads would be mailed again';
    const left = isGone ? ' and is gone from the service' : ', which is for another one now';
    const isReplaced = id === replaced;
    const whose = isReplaced
      ? 'That campaign is the one that this one replaces'
      : spec === null && !isOutside && !isLeft
        ? `No manifest describes that campaign any more (it was applied from ${manifest})`
        : `That campaign was applied from ${manifest}${isLeft ? left : ''}`;
    const out = isReplaced
      ? `To give these leads the new emails from the first one on, whatever they have got already, accept with --allow leads-elsewhere. If they are not to get any twice, leave them out of the manifest.`
      : `Take these leads out of the manifest, or make sure in the service's web app that campaign ${id} mails them no more and accept with --allow leads-elsewhere.`;
    const forget = isGone ? ` If it never ran, campaignctl forget ${id} takes it out of the state.` : '';
    return [
      {
        code: 'leads-elsewhere',
        severity: 'hazard',
        message: `Apply ${attaches(shared, sent)}, which campaign ${id} "${listed?.name ?? entry.name}" has already. ${whose}, and it ${ran}: ${again}, from the first email on.${isReplaced ? leadsOn(one) : ''}`,
        hint: `${out}${isReplaced ? '' : forget}`,
      },
    ];
  });
}

/** The other campaigns with leads that these steps would have mailed, and those leads, without what lint tells of both manifests. */
function sharing(
  { environment, spec: own, id: ownId, recorded }: CampaignContext,
  steps: readonly Step[],
  holders: Holders,
  lint: readonly Problem[],
): [EntryLeads, LeadRefs][] {
  const mailed = mailedBy(steps, recorded);
  return holding(mailed, holders).flatMap((one): [EntryLeads, LeadRefs][] => {
    const { entry, spec, leads } = one;
    const told = spec === null ? NO_LEADS : toldByLint(own, spec, { environment, lint });
    const shared = without(common(mailed, leads), told);
    return entry.id === ownId || isEmpty(shared) ? [] : [[one, shared]];
  });
}

/** The ids of campaigns with leads that these steps would have mailed, which have never run: a hand may launch one before that. */
export function restingHolders(
  context: CampaignContext,
  steps: readonly Step[],
  { holders, lint }: { holders: Holders; lint: readonly Problem[] },
): number[] {
  const rests = (one: EntryLeads) => statusOf(one, context.environment).ran === null;
  return sharing(context, steps, holders, lint).flatMap(([one]) => (rests(one) ? one.entry.id : []));
}

/** What speaks against mailing their leads once one of these, which were drafts when that was planned, shows another status; null if none does. */
export function againstHolders(
  holders: readonly (Pick<ListedCampaign, 'id' | 'name'> & { words: readonly (string | null)[] })[],
): string | null {
  for (const { id, name, words } of holders) {
    const shown = words.filter((word) => word !== null);
    const word = shown.find((one) => !isDraft(one));
    if (word === undefined && shown.length > 0) continue;
    const now = word === undefined ? 'shows no status' : `is "${word}"`;
    return `campaign ${id} "${name}" ${now} now, was a draft when this was planned, and has some of its leads: they may be mailed twice. Plan again to see what needs approval`;
  }
  return null;
}

/** How many leads the service shows on a campaign that is there. */
function leadsOn({ answer = null, listed }: EntryLeads): string {
  const campaign = answer?.none === false ? answer : null;
  const total = totalLeads({ answers: { campaign, schedule: null, sequence: null }, listed });
  return total === null ? '' : ` The service shows ${count(total, 'lead')} on it.`;
}

/**
 * Leads that several campaigns of one plan begin to mail, whatever their manifests name now: each of these but the first tells it.
 * Where one of them has run with them, `leadsElsewhere` does.
 */
export function mailedTwice(
  work: readonly Work[],
  all: readonly EntryLeads[],
  environment: Environment,
): Map<Work, Problem[]> {
  const entries = new Map(all.map((one) => [one.entry.id, one]));
  const firsts = new Map<string, Work>();
  return new Map(
    work.map((one) => {
      const begun = begunBy(one, entries, environment);
      const others = new Set(keysOf(begun).flatMap((key) => firsts.get(key) ?? []));
      const problems = [...others].flatMap((other) => {
        const lint = one.campaign.found ?? [];
        const told = toldByLint(one.context.spec, other.context.spec, { environment, lint });
        const shared = without(common(begun, begunBy(other, entries, environment)), told);
        return isEmpty(shared) ? [] : [alsoMailed(one, shared, other)];
      });
      for (const key of keysOf(begun)) if (!firsts.has(key)) firsts.set(key, one);
      return [one, problems];
    }),
  );
}

/** The leads that a campaign begins to mail with this plan. */
function begunBy(
  { context, plan: { steps } }: Work,
  entries: ReadonlyMap<number, EntryLeads>,
  environment: Environment,
): LeadRefs {
  if (steps.length === 0) return NO_LEADS;
  const does = (step: string) => steps.some(({ id }) => id === step);
  if (!does('launch') && (does('pause') || sendingStatus(context) === null)) return NO_LEADS;
  const own = entries.get(context.id ?? 0);
  const hasRun = own !== undefined && statusOf(own, environment).ran !== null;
  return without(mailedBy(steps, context.recorded), hasRun ? own.leads : NO_LEADS);
}

function alsoMailed(one: Work, shared: LeadRefs, other: Work): Problem {
  const sent = attachedBy(one.plan.steps);
  const { campaign, plan } = other;
  const which = `${plan.id === null ? '' : `campaign ${plan.id} `}"${plan.name}" (${campaign.manifest})`;
  const also = plan.steps.some(({ id }) => id === 'launch')
    ? `launches ${which} with them`
    : `attaches them to ${which}`;
  const naming = [one, other].find(({ plan }) => isEmpty(without(shared, attachedBy(plan.steps))));
  const out =
    naming === undefined ? 'Write' : `Take these leads out of ${naming.campaign.manifest}, or write`;
  return {
    code: 'leads-elsewhere',
    severity: 'hazard',
    message: `Apply ${attaches(shared, sent)}, and ${also} as well: both campaigns would mail these leads.`,
    hint: `${out} status: paused in one of the two manifests, or make sure in the service's web app that only one of the campaigns has these leads and accept with --allow leads-elsewhere.`,
  };
}

function attaches(leads: LeadRefs, sent: LeadRefs): string {
  const isNew = isEmpty(without(leads, sent));
  return `${isNew ? 'attaches' : 'launches this campaign with'} ${describeLeads(leads)}`;
}

/** The leads that these steps have mailed: a launch, also those that were attached before, or may have been. */
export function mailedBy(steps: readonly Step[], recorded: RecordedState): LeadRefs {
  const sent = attachedBy(steps);
  const launches = steps.some(({ id }) => id === 'launch');
  return launches ? [sent, recorded.attached, recorded.doubtful].reduce(union) : sent;
}

/** The leads that the manifests of two campaigns that are to run both name, if lint found that. */
function toldByLint(
  own: CampaignSpec,
  other: CampaignSpec,
  { environment, lint }: { environment: Environment; lint: readonly Problem[] },
): LeadRefs {
  if (own.status !== 'running' || other.status !== 'running') return NO_LEADS;
  const isFound = (rule: string) => lint.some(({ code }) => code === rule);
  const { lists, ids } = common(namedLeads(own, environment), namedLeads(other, environment));
  return { lists: isFound('shared-lead-list') ? lists : [], ids: isFound('shared-leads') ? ids : [] };
}
