import { usage } from '../model/failure.js';
import {
  type Action,
  type CampaignPlan,
  type Change,
  type ContentEmail,
  differs,
  groupProblems,
  type Plan,
  type Problem,
  type SectionName,
  type Summary,
} from '../model/outputs.js';
import { volumeLine } from '../model/volume.js';
import { count, thousands } from '../model/words.js';
import { type ByHandView, viewByHand } from './by-hand.js';
import {
  driftOf,
  groupSections,
  isSent,
  leadWords,
  markedChanges,
  OUTSIDE,
  originLine,
  themesOf,
} from './changes.js';
import {
  type CampaignLink,
  hasDrift,
  isAttended,
  isAwaited,
  isLaunched,
  isRemoved,
  type Notice,
  notesOf,
  noticesOf,
  withoutManifest,
} from './plan-notices.js';
import { alike, impactLine, launchWords } from './words.js';

/**
 * What every view of a plan shows, in which order and how it is grouped: what needs a look first, then the campaigns by weight.
 * Text, Markdown and HTML write this down and decide only about marks, width and limits. JSON is the plan itself.
 */
export interface PlanView extends Pick<Plan, 'environment' | 'base_url' | 'fingerprint' | 'mode'> {
  /** Before the name of the environment. */
  heading: 'Plan for' | 'Drift of';
  /** Campaigns, each counted once, and what happens to them; of drift there are none. */
  counts: { campaigns: Count[]; rest: Count[] };
  /** The hazards that apply refuses without approval, each with its campaigns; 0 for one of the plan as a whole. */
  approvals: { code: string; campaigns: number; names: string[] }[];
  /** In a sentence, where counts would not do: nothing differs, or it is drift. */
  verdict: string | null;
  /** What was not read, and so does not show. */
  unread: string | null;
  /** The running campaigns beside the capacity. */
  volume: string | null;
  /** How the lines of drift are to be read. */
  legend: string | null;
  /** Before the campaigns, and after them. */
  notices: Notice[];
  notes: Notice[];
  /** What is left for a person to do. */
  byHand: ByHandView[];
  campaigns: CampaignView[];
  /** The same, those together that have the same to show. */
  blocks: CampaignBlock[];
}

/** One campaign, or several with the same change. */
export interface CampaignBlock {
  campaigns: readonly [CampaignView, ...CampaignView[]];
  /** The sections of one campaign; of several, those that are equal. */
  sections: SectionView[];
  /** "3 × the same" if nothing but the names differs, else "3 × the same change": each campaign then stands with `own`. */
  title: string | null;
  /** Leads and dates of the campaigns differ. */
  differs: boolean;
}

/** What a thing is like, for its colour. */
export type Look = 'new' | 'changed' | 'blocked' | 'launch' | 'quiet';

/** "2 to create": `words` without the number. */
export interface Count {
  kind: Exclude<keyof Summary, 'launch_emails_per_day'> | 'outside' | 'drift' | 'warnings' | 'by_hand';
  look: Look;
  number: number;
  words: string;
}

export interface CampaignView extends CampaignLink {
  anchor: string;
  /** What it is made from: steps, and both sides as a whole. */
  campaign: CampaignPlan;
  action: Action;
  sign: string;
  /** What happens to it, in a word or a few; the action first. */
  facts: { look: Look; words: string }[];
  /** What differs but for leads, in a few words: for where a view does not show the changes at once. */
  themes: string[];
  /** Whom a launch mails first, and when, in a few words; null: it is not launched. */
  launch: string | null;
  /** The leads that come, in a few words. */
  leads: string | null;
  /** Its leads and, of a launch, cap and dates; `null` if it has none. */
  own: string | null;
  /** The emails of a launch that does not change them: `null` if they are among the changes, or nothing is launched. */
  emails: readonly ContentEmail[] | null;
  /** Which live campaign is meant, and its manifest: "id 12 · campaigns/spring.yaml". */
  where: string;
  origin: string | null;
  sections: SectionView[];
  /** What notices say of it: only their codes are said again. */
  problems: Problem[];
}

/** What differs in one section. `sent`: apply sends it; of drift, nothing is said. `drift`: where it was changed, if not in the manifest alone. */
export interface SectionView {
  section: SectionName;
  changes: Change[];
  /** With what else than the live campaign it is compared. */
  compared: string | null;
  sent: boolean;
  drift: string | null;
}

/** What a plan shows. */
export function viewPlan(plan: Plan): PlanView {
  // A program may be written without types.
  if (!Array.isArray(plan?.campaigns))
    throw usage('A view of a plan takes a plan.', 'The method plan of an opened project gives one.');
  const { environment, base_url, fingerprint, mode } = plan;
  const drift = mode === 'drift';
  const told = byWeight(plan.campaigns.filter(isTold));
  const links = new Map(told.map((one, at) => [one, { name: one.name, anchor: `campaign-${at + 1}` }]));
  const linkOf = (campaign: CampaignPlan) => links.get(campaign) ?? { name: campaign.name, anchor: null };
  const blocks = blocksOf([...links].map(([campaign, { anchor }]) => viewCampaign(campaign, anchor)));
  return {
    ...{ environment, base_url, fingerprint, mode },
    heading: drift ? 'Drift of' : 'Plan for',
    counts: drift ? { campaigns: [], rest: [] } : countsOf(plan),
    approvals: drift ? [] : approvalsOf(plan),
    verdict: drift ? driftLine(plan) : noChanges(plan),
    unread: unreadLine(plan.summary),
    volume: drift || plan.volume === undefined ? null : `After this plan: ${volumeLine(plan.volume)}.`,
    legend: drift && told.length > 0 ? 'Each line: live value → value in the manifest.' : null,
    notices: noticesOf(plan, linkOf),
    notes: notesOf(plan),
    byHand: viewByHand(plan.by_hand),
    campaigns: blocks.flatMap(({ campaigns }) => campaigns),
    blocks,
  };
}

/** "launch for 2 campaigns, mass-change" */
export function approvalWords({ approvals }: Pick<PlanView, 'approvals'>): string {
  return approvals
    .map(({ code, campaigns }) => `${code}${campaigns > 1 ? ` for ${count(campaigns, 'campaign')}` : ''}`)
    .join(', ');
}

/** What the reader of a comment does next, `then` once nothing needs approval; null where nothing is sent. */
export function nextStep(plan: Plan, then: string): string | null {
  const { approvals, mode } = viewPlan(plan);
  if (plan.summary.requests === 0 || mode === 'drift') return null;
  const words = [...approvalSteps({ approvals }), then];
  return words.join(' ');
}

/** Hazards that are in the plan because somebody wants them. Behind the others, another fix is more likely. */
const WANTED: readonly string[] = ['launch', 'attach-running', 'adopt', 'replace-sequence', 'mass-change'];
const MOST_ALLOWED = 4;

/** The sentences about hazards that need approval: first what to resolve, then what to accept. */
export function approvalSteps({ approvals }: Pick<PlanView, 'approvals'>): string[] {
  const unwanted = approvals.filter(({ code }) => !WANTED.includes(code));
  const wanted = approvals.filter(({ code }) => WANTED.includes(code));
  const flags = wanted.flatMap(({ code, names }) => {
    if (code !== 'launch') return [`--allow ${code}`];
    const isQuotable = names.length <= MOST_ALLOWED && names.every((name) => /^[^"$`\\]+$/.test(name));
    return (isQuotable ? names : ['NAME']).map((name) => `--allow launch="${name}"`);
  });
  return [
    ...(unwanted.length === 0
      ? []
      : [`Resolve ${approvalWords({ approvals: unwanted })}: the plan says how.`]),
    ...(wanted.length === 0
      ? []
      : [`Approve ${approvalWords({ approvals: wanted })}: apply ${flags.join(' ')}.`]),
  ];
}

/** Campaigns with the same change together, each block where the first of them stands. */
export function blocksOf(campaigns: readonly CampaignView[]): CampaignBlock[] {
  return alike(campaigns, changeKey).map((all): CampaignBlock => {
    const [first] = all;
    const own = new Set(all.map((one) => JSON.stringify([one.own, one.sections.filter(isOfLeads)])));
    const differs = own.size > 1;
    if (all.length === 1) return { campaigns: all, sections: first.sections, title: null, differs };
    const sections = first.sections.filter(
      (one) => one.section !== 'campaign' && !(differs && isOfLeads(one)),
    );
    const title = `${thousands(all.length)} × the same${differs ? ' change' : ''}`;
    return { campaigns: all, sections, title, differs };
  });
}

/** All that a view shows of a campaign but for its name, leads and dates. */
function changeKey({ sign, facts, origin, sections, problems, launch, campaign }: CampaignView): string {
  const shared = sections.filter((one) => one.section !== 'campaign' && !isOfLeads(one));
  const launched = launch === null ? null : { ...campaign.content?.after, leads: null };
  return JSON.stringify([sign, facts, origin, shared, problems.map(({ code }) => code), launched]);
}

/** How many campaigns stand in some blocks. */
export function membersOf(blocks: readonly CampaignBlock[]): number {
  return blocks.reduce((sum, { campaigns }) => sum + campaigns.length, 0);
}

function isOfLeads({ section }: SectionView): boolean {
  return section === 'leads';
}

function approvalsOf(plan: Plan): PlanView['approvals'] {
  return groupProblems(plan, isAwaited).map(({ code, sayings }) => {
    const campaigns = new Set(sayings.flatMap((saying) => saying.campaigns));
    return { code, campaigns: campaigns.size, names: [...campaigns].map(({ name }) => name) };
  });
}

/** Whether a reader of a pull request or a report has to know of a plan: it shows more than that nothing differs. */
export function isWorthTelling(plan: Plan): boolean {
  const { campaigns, notices } = viewPlan(plan);
  return campaigns.length > 0 || notices.length > 0;
}

function isTold(campaign: CampaignPlan): boolean {
  const { problems } = campaign;
  return differs(campaign) || problems.some((problem) => isAttended(problem, campaign));
}

/** Launches, hazards, what is blocked, drift, warnings; then changes, then what is new. Of equal weight, the manifests' order. */
function byWeight(campaigns: readonly CampaignPlan[]): CampaignPlan[] {
  const weight = (campaign: CampaignPlan) => {
    const { action, problems } = campaign;
    const has = (severity: Problem['severity']) => problems.some((problem) => problem.severity === severity);
    return [
      isLaunched(campaign),
      has('hazard'),
      has('blocked'),
      hasDrift(campaign),
      problems.some((problem) => isAttended(problem, campaign)),
      action === 'change' || action === 'drift',
      action === 'create',
      true,
    ].indexOf(true);
  };
  return [...campaigns].sort((one, other) => weight(one) - weight(other));
}

export function countsOf(
  plan: Pick<Plan, 'summary' | 'campaigns' | 'problems' | 'removed' | 'by_hand'>,
): PlanView['counts'] {
  const { summary, campaigns, removed } = plan;
  const warned = groupProblems(plan, (problem, campaign) => isAttended(problem, campaign)).flatMap(
    ({ severity, sayings }) => (severity === 'warning' ? sayings : []),
  );
  // Of the linter each finding counts, however many say the same.
  const warnings = warned.reduce((sum, { places }) => sum + Math.max(1, places.length), 0);
  const outside = removed.filter((campaign) => campaign.outside && isRemoved(campaign)).length;
  const drift = campaigns.filter(hasDrift).length;
  const { launch_emails_per_day: _, ...counts } = summary;
  const numbers = {
    ...{ ...counts, removed: summary.removed - outside, outside, drift },
    warnings,
    by_hand: plan.by_hand.length,
  };
  const some = (...all: [kind: Count['kind'], look: Look, one: string, many?: string][]): Count[] =>
    all.flatMap(([kind, look, one, many = one]) => {
      const number = numbers[kind];
      return number > 0 || kind === 'unchanged'
        ? [{ kind, look, number, words: number === 1 ? one : many }]
        : [];
    });
  return {
    campaigns: some(
      ['create', 'new', 'to create'],
      ['change', 'changed', 'to change'],
      ['blocked', 'blocked', 'blocked'],
      ['unchanged', 'quiet', 'unchanged'],
      ['not_read', 'quiet', 'not read'],
    ),
    rest: some(
      ['launch', 'launch', 'launch', 'launches'],
      ['pause', 'quiet', 'pause', 'pauses'],
      ['removed', 'changed', 'without a manifest'],
      ['outside', 'changed', 'outside the manifests of the environment'],
      ['drift', 'changed', OUTSIDE],
      ['warnings', 'changed', 'warning', 'warnings'],
      ['by_hand', 'blocked', 'to do by hand'],
      ['requests', 'quiet', 'request', 'requests'],
    ),
  };
}

/** What `--refresh changed` has left out: every view says so at its head. */
export function unreadLine({ not_read }: Pick<Summary, 'not_read'>): string | null {
  if (not_read === 0) return null;
  const them = not_read === 1 ? 'it' : 'them';
  return `${count(not_read, 'campaign was', 'campaigns were')} not read (--refresh changed): neither manifests nor the list show a change. Drift in ${them} does not show.`;
}

/** A sentence where nothing differs. */
function noChanges({ campaigns, summary, removed }: Plan): string | null {
  const { unchanged, requests, not_read } = summary;
  if (requests > 0 || campaigns.some(differs)) return null;
  if (not_read > 0) {
    const read =
      unchanged === 0 ? '' : ` in ${count(unchanged, 'campaign that was', 'campaigns that were')} read`;
    return `No changes${read}.${withoutManifest(removed)}`;
  }
  if (unchanged === 0) return `No campaigns.${withoutManifest(removed)}`;
  const said =
    unchanged === 1
      ? 'The live campaign matches its manifest.'
      : `All ${thousands(unchanged)} live campaigns match their manifests.`;
  return `No changes. ${said}${withoutManifest(removed)}`;
}

/** "2 of 40 campaigns changed outside campaignctl" */
export function driftLine({
  campaigns,
  summary,
  problems,
  removed,
}: Pick<Plan, 'campaigns' | 'summary' | 'problems' | 'removed'>): string {
  const drifted = campaigns.length;
  const rest = withoutManifest(removed);
  if (drifted > 0) {
    const all = count(drifted + summary.unchanged, 'campaign');
    return `${drifted} of ${all} ${OUTSIDE}${rest && `.${rest}`}`;
  }
  return `Nothing ${problems.length > 0 ? 'is known to have been' : 'was'} ${OUTSIDE}.${rest}`;
}

const ACTIONS: Record<Action, { sign: string; look: Look; words: string }> = {
  create: { sign: '+', look: 'new', words: 'create' },
  change: { sign: '~', look: 'changed', words: 'change' },
  blocked: { sign: '✗', look: 'blocked', words: 'blocked' },
  none: { sign: '=', look: 'quiet', words: 'unchanged' },
  not_read: { sign: '=', look: 'quiet', words: 'not read' },
  drift: { sign: '~', look: 'changed', words: 'drift' },
};

function viewCampaign(campaign: CampaignPlan, anchor: string): CampaignView {
  const { name, action, id, problems, steps, manifest } = campaign;
  const { sign, look, words } = ACTIONS[action];
  const loss = problems.some(({ code }) => code === 'rename') ? 'renamed' : 'missing';
  const which = id !== null ? [`id ${id}`] : action === 'drift' ? [loss] : [];
  const pauses = steps.some((step) => step.id === 'pause');
  const { replaces } = campaign;
  const old =
    replaces && `replaces ${replaces.id} "${replaces.name}" (${replaces.status ?? 'status not shown'})`;
  const rest = `apply sends the rest in ${count(steps.length, 'request')}`;
  const fact = (holds: boolean, own: Look, said: string) => (holds ? [{ look: own, words: said }] : []);
  return {
    ...{ name, anchor, campaign, action, sign },
    facts: [
      { look, words },
      ...fact(isLaunched(campaign), 'launch', 'launch'),
      ...fact(pauses, 'quiet', 'pause'),
      ...fact(replaces?.running === true, 'changed', 'waits for the pause of the campaign that it replaces'),
      ...fact(replaces?.running === false && steps.length > 0, 'quiet', 'replaces a campaign'),
      ...fact(action !== 'drift' && hasDrift(campaign), 'changed', 'drift'),
      ...fact(action === 'blocked' && steps.length > 0, 'quiet', rest),
    ],
    themes: themesOf(campaign),
    launch: isLaunched(campaign) ? launchWords(campaign.impact) : null,
    leads: leadWords(campaign),
    own: ownOf(campaign),
    emails: emailsOf(campaign),
    where: [...which, manifest, ...(old === undefined ? [] : [old])].join(' · '),
    origin: originLine(campaign),
    sections: sectionsOf(campaign),
    problems: problems.filter((problem) => isAttended(problem, campaign)),
  };
}

/** The facts of a launch name its leads. */
function ownOf(campaign: CampaignPlan): string | null {
  const { impact } = campaign;
  return isLaunched(campaign) && impact !== null ? impactLine(impact) : leadWords(campaign);
}

function emailsOf(campaign: CampaignPlan): readonly ContentEmail[] | null {
  const { changes, content } = campaign;
  if (!isLaunched(campaign) || changes.some(({ section, path }) => section === 'sequence' && path === ''))
    return null;
  const sequence = content?.after.sequence ?? content?.before?.sequence ?? null;
  return sequence?.steps.flatMap(({ variants, ...email }) => [email, ...variants]) ?? null;
}

function sectionsOf(campaign: CampaignPlan): SectionView[] {
  return groupSections(markedChanges(campaign)).map(({ section, changes }) => ({
    section,
    ...(section === 'sequence' ? copyOf(campaign, changes) : { changes, compared: null }),
    sent: isSent(campaign, section),
    drift: driftOf(campaign.changes.filter((change) => change.section === section)),
  }));
}

/** The emails of a campaign that replaces another one, compared with those: what is new in them is what a reader has to judge. */
function copyOf(
  { replaces, content }: CampaignPlan,
  changes: Change[],
): Pick<SectionView, 'changes' | 'compared'> {
  const copy = replaces?.copy ?? null;
  if (copy === null) return { changes, compared: null };
  const emails = count(content?.after.sequence?.steps.length ?? 0, 'email');
  const how = copy.length === 0 ? 'the same as those' : 'compared with those';
  return { changes: copy, compared: `${emails}, ${how} of the campaign that it replaces` };
}
