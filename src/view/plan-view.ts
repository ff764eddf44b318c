import { isOfSandbox } from '../model/environment.js';
import { usage } from '../model/failure.js';
import { holdFlag } from '../model/hold.js';
import { type CampaignPlan, differs, isLaunched, type Plan, type Problem } from '../model/outputs.js';
import { shellQuoted, shellWord } from '../model/shell.js';
import { largestWords, unclearWords, volumeLine } from '../model/volume.js';
import { thousands } from '../model/words.js';
import { type ByHandView, viewByHand } from './by-hand.js';
import { type Calendar, viewCalendar } from './calendar.js';
import { type CampaignView, type SectionView, viewCampaign } from './campaign-view.js';
import type { NextStep } from './document.js';
import type { PlaceFile, PlaceOf, PlaceText } from './options.js';
import { type OtherView, shownOthers, viewOther } from './other-campaigns.js';
import {
  applySteps,
  carriedCampaigns,
  heldPauses,
  listApprovals,
  namedByFlags,
  type PlanApproval,
  planFlag,
  refusalLine,
  refusedSteps,
} from './plan-approvals.js';
import { buildCounts, driftLine, noChanges, type PlanCounts, unreadLine } from './plan-counts.js';
import {
  buildNotes,
  buildNotices,
  hasDrift,
  isAttended,
  isStopped,
  type NameOf,
  type Notice,
  raisedCap,
} from './plan-notices.js';
import { visibleLine } from './terminal.js';
import { alike, serviceWords } from './words.js';

/** The content that all views of a plan share: order, groups and words. Text, Markdown and HTML add markup and limits. */
export interface PlanView extends Pick<Plan, 'environment' | 'fingerprint' | 'mode'> {
  service: string;
  isSandbox: boolean;
  isInsecure: boolean;
  heading: 'Plan for' | 'Drift in';
  counts: PlanCounts;
  approvals: PlanApproval[];
  /** The requirement of apply, if it refuses the plan whatever is approved; otherwise `null`. */
  refusal: string | null;
  /** How to apply the plan, or a part of it; how to plan the rest if apply refuses it. May be empty. */
  applying: NextStep[];
  /** The command that applies the plan, without approvals; `null` if nothing is sent, or apply refuses it. */
  command: string | null;
  /** The pauses that a held launch does not hold, in words; may be empty. */
  heldNote: string;
  /** Names of the launches to hold until something is carried over by hand. */
  waiting: string[];
  /** A sentence for drift, or if nothing differs. */
  verdict: string | null;
  unread: string | null;
  volume: string | null;
  calendar: Calendar | null;
  legend: string | null;
  notices: Notice[];
  notes: Notice[];
  byHand: ByHandView[];
  campaigns: CampaignView[];
  launches: CampaignBlock[];
  others: CampaignBlock[];
  unmanaged: OtherView[];
}

export interface CampaignBlock {
  campaigns: readonly [CampaignView, ...CampaignView[]];
  /** If the block has several campaigns, their leads are left out. */
  sections: SectionView[];
  /** "3 × the same change"; `null` for one campaign. */
  title: string | null;
}

/**
 * `labelOf`: the name shown for a campaign, for plans of several projects; `flagName`: its name for `--allow` and `--hold`.
 * `saved`: the file of the plan.
 */
export interface ViewOptions {
  placeOf?: PlaceOf;
  placeText?: PlaceText;
  placeFile?: PlaceFile;
  labelOf?: NameOf | null;
  flagName?: NameOf | null;
  saved?: string | null;
}

export function viewPlan(
  plan: Plan,
  {
    placeOf = () => `--env ${plan.environment}`,
    placeText = (text) => text,
    placeFile = (file) => file,
    labelOf: label = null,
    flagName: named = null,
    saved = null,
  }: ViewOptions = {},
): PlanView {
  // JavaScript callers may pass anything.
  if (!Array.isArray(plan?.campaigns)) throw usage('A view needs a plan.', 'project.plan() returns one.');
  const labelOf: NameOf = label ?? (({ name }) => name);
  const { environment, fingerprint, mode } = plan;
  const drift = mode === 'drift';
  const shownCampaigns = byWeight(plan.campaigns.filter(isShown));
  const unmanaged = shownOthers(plan);
  const anchors = anchorsFor([...shownCampaigns, ...unmanaged].map(labelOf));
  const links = new Map(
    shownCampaigns.map((campaign, at) => [
      campaign,
      { name: labelOf(campaign), anchor: anchors[at] ?? `campaign-${at + 1}` },
    ]),
  );
  const linkOf = (campaign: CampaignPlan) => links.get(campaign) ?? { name: labelOf(campaign), anchor: null };
  const flagName = named ?? namedByFlags(plan, labelOf);
  const approvals = drift ? [] : listApprovals(plan, flagName);
  const isOne = label === null;
  const refusal = drift ? null : refusalLine(plan, { isOne, saved });
  // Apply would refuse the same plan again, whatever is approved.
  const isSent = !drift && refusal === null && plan.summary.requests > 0;
  const { apply, again, plans } = commandsOf(plan, { placeOf, saved, isOne });
  const command = isSent ? apply : null;
  const applied = command === null ? [] : applySteps(plan, approvals, { command, again, isOne, flagName });
  const applying = refusal === null ? applied : refusedSteps(plan, { isOne, plans });
  const blocks = buildBlocks(
    [...links].map(([campaign, { name, anchor }]) => ({ ...viewCampaign(campaign, anchor, plan), name })),
  );
  return {
    ...{ environment, fingerprint, mode },
    service: serviceWords(plan),
    isSandbox: isOfSandbox(plan),
    isInsecure: plan.insecure_http === true,
    heading: drift ? 'Drift in' : 'Plan for',
    counts: drift ? { campaigns: [], rest: [] } : buildCounts(plan),
    approvals,
    refusal,
    applying,
    command,
    waiting: drift ? [] : carriedCampaigns(plan).map(flagName),
    heldNote: heldPauses(plan, isOne).trim(),
    verdict: drift ? driftLine(plan) : noChanges(plan),
    unread: unreadLine(plan.summary),
    volume:
      drift || plan.volume === undefined
        ? null
        : `After this plan, in the whole workspace: ${volumeLine(plan.volume)}${plan.volume.running < 2 ? '' : `; most: ${largestWords(plan.volume)}`}${unclearWords(plan.volume)}.`,
    calendar: drift ? null : viewCalendar(plan),
    legend: drift && shownCampaigns.length > 0 ? 'Each line: live value → value in the manifest.' : null,
    notices: buildNotices(plan, {
      ...{ linkOf, placeOf, placeText, placeFile, isOne },
      isRefused: isOne && refusal !== null,
      nameOf: (campaign) => visibleLine(labelOf(campaign)),
    }),
    notes: buildNotes(plan, { nameOf: labelOf, placeText, placeFile }),
    byHand: viewByHand(plan.by_hand, placeOf),
    campaigns: blocks.flatMap(({ campaigns }) => campaigns),
    launches: blocks.filter(({ campaigns: [{ isLaunch }] }) => isLaunch),
    others: blocks.filter(({ campaigns: [{ isLaunch }] }) => !isLaunch),
    unmanaged: unmanaged.map((campaign, at) => ({
      ...viewOther(campaign, environment),
      name: labelOf(campaign),
      anchor: anchors[shownCampaigns.length + at] ?? `other-${at + 1}`,
    })),
  };
}

/** Each for the same campaigns and holds. `again`: plans again into the same file; `null` without a file. */
function commandsOf(
  { hold = [], files = [], targets = [] }: Plan,
  { placeOf, saved, isOne }: { placeOf: PlaceOf; saved: string | null; isOne: boolean },
) {
  // An apply to several projects asks no question.
  const yes = isOne ? [] : ['--yes'];
  const selection = [
    ...files.map(shellWord),
    ...targets.map((target) => `--target ${shellQuoted(target)}`),
    ...hold.map(holdFlag),
  ];
  const place = saved === null ? [placeOf(''), ...selection] : [planFlag(saved)];
  const again =
    saved === null
      ? null
      : ['campaignctl plan', placeOf(''), `--out ${shellWord(saved)}`, ...selection].join(' ');
  const plans = again ?? ['campaignctl plan', ...place].join(' ');
  return { apply: ['campaignctl apply', ...place, ...yes].join(' '), again, plans };
}

/** "campaign-spring-installers": the same in later plans, so that links to a campaign keep working. */
export function anchorsFor(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((name) => {
    const plain = name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
    const slug = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
    const anchor = `campaign-${slug || 'unnamed'}`;
    let unique = anchor;
    for (let number = 2; used.has(unique); number += 1) unique = `${anchor}-${number}`;
    used.add(unique);
    return unique;
  });
}

function buildBlocks(campaigns: readonly CampaignView[]): CampaignBlock[] {
  return alike(campaigns, changeKey).map((all): CampaignBlock => {
    const [{ sections }] = all;
    if (all.length === 1) return { campaigns: all, sections, title: null };
    const title = `${thousands(all.length)} × the same change`;
    return { campaigns: all, sections: sections.filter(isShared), title };
  });
}

/** The content of a campaign's view without its name, leads and dates. */
function changeKey({
  sign,
  facts,
  origin,
  sections,
  problems,
  mailsNewLeads,
  campaign,
}: CampaignView): string {
  const mails = mailsNewLeads ? { ...campaign.content?.after, leads: null } : null;
  return JSON.stringify([
    sign,
    facts,
    origin,
    sections.filter(isShared),
    problems.map(({ code }) => code),
    mails,
  ]);
}

export function countMembers(blocks: readonly CampaignBlock[]): number {
  return blocks.reduce((sum, { campaigns }) => sum + campaigns.length, 0);
}

function isShared({ section }: SectionView): boolean {
  return section !== 'campaign' && section !== 'leads';
}

export function isWorthTelling(plan: Plan): boolean {
  const { campaigns, notices } = viewPlan(plan);
  return campaigns.length > 0 || notices.length > 0;
}

function isShown(campaign: CampaignPlan): boolean {
  const { problems } = campaign;
  return differs(campaign) || problems.some((problem) => isAttended(problem, campaign));
}

/**
 * Sorts campaigns: launches, pauses and higher caps, hazards, blocked, drift, warnings, changes, new; otherwise by
 * manifest.
 */
function byWeight(campaigns: readonly CampaignPlan[]): CampaignPlan[] {
  const weight = (campaign: CampaignPlan) => {
    const { action, problems } = campaign;
    const has = (severity: Problem['severity']) => problems.some((problem) => problem.severity === severity);
    return [
      isLaunched(campaign),
      isStopped(campaign) || raisedCap(campaign) !== null,
      has('error') || has('hazard'),
      has('blocked'),
      hasDrift(campaign),
      problems.some((problem) => isAttended(problem, campaign)),
      action === 'change' || action === 'drift',
      action === 'create',
      true,
    ].indexOf(true);
  };
  return [...campaigns].sort((a, b) => weight(a) - weight(b));
}
