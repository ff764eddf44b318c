import { SANDBOX } from '../model/environment.js';
import { usage } from '../model/failure.js';
import { literalGlob } from '../model/glob.js';
import { holdFlag, launchArgument } from '../model/hold.js';
import { groupBy } from '../model/json.js';
import {
  type Action,
  activeEmails,
  activeSteps,
  type CampaignPlan,
  type Change,
  campaignsWithSteps,
  differs,
  isLaunched,
  otherCampaigns,
  type Plan,
  type Problem,
  type SectionName,
  type Succession,
  type Summary,
} from '../model/outputs.js';
import { groupProblems } from '../model/problem-groups.js';
import { shellQuoted, shellWord } from '../model/shell.js';
import { decodeCap, largestWords, unclearWords, volumeLine } from '../model/volume.js';
import { count, leadsNamed, listed, thousands } from '../model/words.js';
import { type ByHandView, viewByHand } from './by-hand.js';
import { type Calendar, viewCalendar } from './calendar.js';
import {
  type EmailView,
  emailViews,
  groupSections,
  isWithheld,
  leadWords,
  listThemes,
  markedChanges,
  OUTSIDE,
  originLine,
  withBefore,
} from './changes.js';
import type { Count, Fact, Look, NextStep } from './document.js';
import { capPerDay, isResumed, launchConcerns, launchLine } from './launches.js';
import {
  buildNotes,
  buildNotices,
  type CampaignLink,
  countWarnings,
  hasDrift,
  isAttended,
  isAwaited,
  isRefused,
  isStopped,
  keepsSending,
  type Notice,
  type PlaceOf,
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
  /** `campaigns` counts each campaign once. `campaigns` and `rest` are empty for drift. */
  counts: { campaigns: PlanCount[]; rest: PlanCount[] };
  /** Hazards without approval and the names of their campaigns; without names, a hazard concerns the whole plan. */
  approvals: { code: string; names: string[] }[];
  /** What apply requires first, if it refuses the plan whatever is approved; otherwise `null`. */
  refusal: string | null;
  /** How to apply the plan, or a part of it; empty if nothing is sent, or apply refuses it. */
  applying: NextStep[];
  /** The command that applies the plan, without approvals; `null` if nothing is sent, or apply refuses it. */
  command: string | null;
  /** What a held launch does not hold; may be empty. */
  heldNote: string;
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
}

export interface CampaignBlock {
  campaigns: readonly [CampaignView, ...CampaignView[]];
  /** If the block has several campaigns, their leads are left out. */
  sections: SectionView[];
  /** "3 × the same change"; `null` for one campaign. */
  title: string | null;
}

export interface PlanCount extends Count {
  kind: keyof Summary | 'resume' | 'outside' | 'drift' | 'warnings' | 'by_hand' | 'refused';
}

export interface CampaignView extends CampaignLink {
  anchor: string;
  campaign: CampaignPlan;
  sign: string;
  facts: Fact[];
  themes: string[];
  isLaunch: boolean;
  /** True for a launch, and if leads are added to a campaign that is or may be sending. */
  mailsNewLeads: boolean;
  /** Its leads and, for a launch, its cap and dates; `null` if it has no leads. */
  leadFacts: string | null;
  subjects: readonly { subject: string; isVariant: boolean }[];
  /** All emails after the plan, unless the changes already contain them. */
  emails: readonly EmailView[];
  /** Those of `emails` that new leads get. */
  sends: readonly EmailView[];
  /** "id 12 · campaigns/spring.yaml" */
  where: string;
  origin: string | null;
  /** What becomes of the campaign that this one replaces; `null` if it replaces none. */
  succession: string | null;
  sections: SectionView[];
  problems: Problem[];
  /** Codes of its problems, except "launch". Notices explain them. */
  codes: string[];
}

export interface SectionView {
  section: SectionName;
  changes: Change[];
  /** Empty unless its emails are compared with those of the replaced campaign. */
  compared: string;
  isWithheld: boolean;
}

export type LabelOf = (campaign: { name: string; manifest: string }) => string;

/** `labelOf`: the name shown for a campaign, for plans of several projects. `saved`: the file of the plan. */
export interface ViewOptions {
  placeOf?: PlaceOf;
  labelOf?: LabelOf | null;
  saved?: string | null;
}

export function viewPlan(
  plan: Plan,
  { placeOf = () => `--env ${plan.environment}`, labelOf: label = null, saved = null }: ViewOptions = {},
): PlanView {
  // JavaScript callers may pass anything.
  if (!Array.isArray(plan?.campaigns)) throw usage('A view needs a plan.', 'project.plan() returns one.');
  const labelOf: LabelOf = label ?? (({ name }) => name);
  const { environment, fingerprint, mode } = plan;
  const drift = mode === 'drift';
  const shownCampaigns = byWeight(plan.campaigns.filter(isShown));
  const anchors = anchorsFor(shownCampaigns.map(labelOf));
  const links = new Map(
    shownCampaigns.map((campaign, at) => [
      campaign,
      { name: labelOf(campaign), anchor: anchors[at] ?? `campaign-${at + 1}` },
    ]),
  );
  const linkOf = (campaign: CampaignPlan) => links.get(campaign) ?? { name: labelOf(campaign), anchor: null };
  const approvals = drift ? [] : listApprovals(plan, namedByFlags(plan, labelOf));
  const isOne = label === null;
  const refusal = drift ? null : refusalLine(plan, { isOne, saved });
  // Apply would refuse the same plan again, whatever is approved.
  const isSent = !drift && refusal === null && plan.summary.requests > 0;
  // An apply to several projects asks no question.
  const yes = isOne ? [] : ['--yes'];
  const place = saved === null ? [placeOf(''), ...holdFlags(plan)] : [planFlag(saved)];
  const command = isSent ? ['campaignctl apply', ...place, ...yes].join(' ') : null;
  const again =
    saved === null ? null : ['campaignctl plan', placeOf(''), `--out ${shellWord(saved)}`].join(' ');
  const applying = command === null ? [] : applySteps(plan, approvals, { command, again, isOne });
  const blocks = buildBlocks(
    [...links].map(([campaign, { name, anchor }]) => ({ ...viewCampaign(campaign, anchor, plan), name })),
  );
  return {
    ...{ environment, fingerprint, mode },
    service: serviceWords(plan),
    isSandbox: plan.base_url === SANDBOX,
    isInsecure: plan.insecure_http === true,
    heading: drift ? 'Drift in' : 'Plan for',
    counts: drift ? { campaigns: [], rest: [] } : buildCounts(plan),
    approvals,
    refusal,
    applying,
    command,
    heldNote: heldPauses(plan, isOne).trim(),
    verdict: drift ? driftLine(plan) : noChanges(plan),
    unread: unreadLine(plan.summary),
    volume:
      drift || plan.volume === undefined
        ? null
        : `After this plan, in the whole workspace: ${volumeLine(plan.volume)}${plan.volume.running < 2 ? '' : `; most: ${largestWords(plan.volume)}`}${unclearWords(plan.volume)}.`,
    calendar: drift ? null : viewCalendar(plan),
    legend: drift && shownCampaigns.length > 0 ? 'Each line: live value → value in the manifest.' : null,
    notices: buildNotices(plan, { linkOf, placeOf, nameOf: (campaign) => visibleLine(labelOf(campaign)) }),
    notes: buildNotes(plan),
    byHand: viewByHand(plan.by_hand, placeOf),
    campaigns: blocks.flatMap(({ campaigns }) => campaigns),
    launches: blocks.filter(({ campaigns: [{ isLaunch }] }) => isLaunch),
    others: blocks.filter(({ campaigns: [{ isLaunch }] }) => !isLaunch),
  };
}

/** "campaign-spring-installers": the same in later plans, so that links to a campaign keep working. */
function anchorsFor(names: readonly string[]): string[] {
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

export function approvalWords(approvals: PlanView['approvals']): string {
  return approvals
    .map(({ code, names }) => `${code}${names.length > 1 ? ` for ${count(names.length, 'campaign')}` : ''}`)
    .join(', ');
}

function holdFlags({ hold = [] }: Plan): string[] {
  return hold.map(holdFlag);
}

function partialWords(partial: number, blocked: number): string {
  if (partial === 0) return 'blocked';
  return partial === blocked ? 'blocked in part' : `blocked (${thousands(partial)} in part)`;
}

function refusedCampaigns({ campaigns }: Plan): CampaignPlan[] {
  return campaigns.filter(({ problems }) => problems.some(isRefused));
}

function refusalLine(plan: Plan, { isOne, saved }: { isOne: boolean; saved: string | null }): string | null {
  const { length } = refusedCampaigns(plan);
  if (length === 0) return null;
  const isWhole = campaignsWithSteps(plan).length === length;
  return [
    `Apply refuses ${isOne ? 'this plan' : 'a project'} until ${isOne ? count(length, 'campaign') : 'its campaigns'} ${isOne && length === 1 ? 'has' : 'have'} been applied to ${earlierName(plan)} with the same content${isOne ? '' : ` (${count(length, 'campaign')})`}.`,
    ...(isOne || isWhole ? [] : ['It applies the other projects.']),
    ...(saved === null ? ['Then plan again: the new plan shows how to apply it.'] : []),
    ...(isOne && !isWhole
      ? ["To go on with the other campaigns, plan with --target '!NAME' for each of these."]
      : []),
  ].join(' ');
}

/** Plans of several projects may require different environments. */
function earlierName({ require_applied }: Plan): string {
  return require_applied ?? 'an earlier environment';
}

/** Hazards that are usually intended. For others, a different fix is more likely. */
const WANTED: readonly string[] = ['launch', 'attach-running', 'adopt', 'replace-sequence', 'mass-change'];
const MAX_ALLOWED = 12;

/** "--plan plan.json" */
function planFlag(file: string): string {
  return `--plan ${shellWord(file)}`;
}

function applySteps(
  plan: Plan,
  approvals: PlanView['approvals'],
  { command, again, isOne }: { command: string; again: string | null; isOne: boolean },
): NextStep[] {
  const say = (words: string, typed: string | null = null): NextStep => ({ words, command: typed });
  const isPart = isOne && again === null && campaignsWithSteps(plan).length > 1;
  const leaveOut = isPart ? [say("To leave campaigns out, add --target '!NAME' for each.")] : [];
  if (approvals.length === 0) return [say('To apply this plan, run:', command), ...leaveOut];
  const unwanted = approvals.filter(({ code }) => !WANTED.includes(code));
  const wanted = approvals.filter(({ code }) => WANTED.includes(code));
  const launches = wanted.find(({ code }) => code === 'launch')?.names ?? [];
  const launchNames = [...new Set(launches)];
  const isNamed = launchNames.length <= MAX_ALLOWED;
  const flags = wanted.flatMap(({ code }) =>
    code === 'launch' && isNamed
      ? launchNames.map((name) => `--allow ${launchArgument(literalGlob(name))}`)
      : [`--allow ${code}`],
  );
  const names = (some: PlanView['approvals']) => listed(some.map(({ code }) => code));
  const firstLaunch = `--hold ${launchArgument(literalGlob(launchNames[0] ?? ''))}`;
  const hold =
    again !== null
      ? 'plan again without it'
      : isNamed
        ? 'write --hold instead of --allow for it'
        : 'add --hold launch="NAME"';
  return [
    say(
      isOne
        ? 'Apply changes nothing until each of these is approved, held or resolved.'
        : 'Apply changes nothing in a project until each of its hazards is approved, held or resolved; it applies the other projects.',
    ),
    ...(unwanted.length > 0 ? [say(`Resolve ${approvalWords(unwanted)} first.`)] : []),
    ...(wanted.length > 0
      ? [
          say(
            unwanted.length > 0
              ? `Then this approves ${names(wanted)} and applies the plan:`
              : 'To approve all and apply, run:',
            `${command} ${flags.join(' ')}`,
          ),
        ]
      : []),
    ...(unwanted.length > 0 && wanted.length > 0
      ? [say(`How to resolve or approve ${names(unwanted)} stands with each of them.`)]
      : []),
    ...(isNamed
      ? []
      : [
          say(
            `--allow launch approves all ${thousands(launches.length)} launches, including resumed campaigns.`,
          ),
        ]),
    ...(launches.length > 0
      ? [
          say(
            `To leave out a launch, ${hold}: apply makes all other changes, and the campaign mails nobody.${heldPauses(plan, isOne)}${again === null ? '' : ' For example:'}`,
            again === null ? null : `${again} ${firstLaunch}`,
          ),
        ]
      : []),
    ...leaveOut,
  ];
}

/** A held launch does not hold the pause of the campaign that it replaces. */
function heldPauses({ campaigns }: Plan, isOne: boolean): string {
  const replaced = campaigns.filter((campaign) => isLaunched(campaign) && campaign.replaces?.running);
  if (replaced.length === 0) return '';
  const names = listed(replaced.map(({ replaces }) => visibleLine(replaces?.name ?? '')));
  // Targets cannot be combined with several projects.
  if (!isOne) return ` Apply pauses ${names} all the same.`;
  const targets = replaced.map(({ name }) => `--target ${shellQuoted(`!${literalGlob(name)}`)}`).join(' ');
  return ` Apply pauses ${names} all the same; to leave that out as well, write ${targets} instead.`;
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

/** The name for `--allow` and `--hold`: "clients/acme: Spring" if several projects have a campaign "Spring". */
function namedByFlags({ campaigns }: Plan, labelOf: LabelOf): (campaign: CampaignPlan) => string {
  const labels = groupBy(campaigns, ({ name }) => name);
  return (campaign) =>
    new Set(labels.get(campaign.name)?.map(labelOf)).size > 1 ? labelOf(campaign) : campaign.name;
}

function listApprovals(plan: Plan, flagName: (campaign: CampaignPlan) => string): PlanView['approvals'] {
  return groupProblems(plan, isAwaited).map(({ code, messages }) => {
    const campaigns = new Set(messages.flatMap((message) => message.campaigns));
    return { code, names: [...campaigns].map(flagName) };
  });
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

const UNMANAGED = 'without a manifest';

function buildCounts(plan: Plan): PlanView['counts'] {
  const { summary, campaigns, removed } = plan;
  const outside = removed.filter((campaign) => campaign.outside).length;
  const drift = campaigns.filter(hasDrift).length;
  const sending = removed.filter(keepsSending).length;
  const partial = campaigns.filter(({ action, steps }) => action === 'blocked' && steps.length > 0).length;
  const resume = campaigns.filter((campaign) => isLaunched(campaign) && isResumed(campaign)).length;
  const numbers = {
    ...{ ...summary, launch: summary.launch - resume, resume },
    ...{ removed: summary.removed - outside, outside, drift },
    warnings: countWarnings(plan),
    by_hand: plan.by_hand.length,
    refused: refusedCampaigns(plan).length,
  };
  const some = (
    ...all: [kind: PlanCount['kind'], look: Look, singular: string, plural?: string][]
  ): PlanCount[] =>
    all.flatMap(([kind, look, singular, plural = singular]) => {
      const number = numbers[kind];
      return number > 0 || kind === 'unchanged'
        ? [{ kind, look, number, words: number === 1 ? singular : plural }]
        : [];
    });
  return {
    campaigns: some(
      ['create', 'new', 'to create'],
      ['change', 'changed', 'to change'],
      ['blocked', 'blocked', partialWords(partial, summary.blocked)],
      ['unchanged', 'quiet', 'unchanged'],
      ['not_read', 'quiet', 'not read'],
    ),
    rest: some(
      ['refused', 'blocked', `not applied to ${earlierName(plan)}`],
      ['launch', 'launch', 'launch', 'launches'],
      ['resume', 'launch', 'resume', 'resumes'],
      ['pause', 'changed', 'pause', 'pauses'],
      ['removed', 'changed', sending === 0 ? UNMANAGED : `${UNMANAGED} (${thousands(sending)} sending)`],
      ['outside', 'changed', 'outside the manifests of the environment'],
      ['drift', 'changed', OUTSIDE],
      ['warnings', 'changed', 'warning', 'warnings'],
      ['by_hand', 'blocked', 'to do by hand'],
      ['requests', 'quiet', 'request', 'requests'],
    ),
  };
}

export function countWords({ campaigns, rest }: PlanView['counts']): string {
  const words = (counts: readonly Count[], separator: string) =>
    counts.map(({ number, words }) => `${thousands(number)} ${words}`).join(separator);
  return [words(campaigns, ', '), words(rest, ' · ')].filter(Boolean).join(' · ');
}

export function unreadLine({ not_read }: Pick<Summary, 'not_read'>): string | null {
  if (not_read === 0) return null;
  const which = not_read === 1 ? 'this campaign' : 'these campaigns';
  return `${count(not_read, 'campaign was', 'campaigns were')} not read (--refresh changed): neither the manifests nor the list shows a change. Drift in ${which} is not shown.`;
}

const MAX_BY_HAND = 5;

/** Differences from manifests that only a person can remove. */
function differencesByHand({ by_hand }: Plan): string[] {
  const differing = by_hand.filter(({ does }) => !['delete', 'attach', 'carry'].includes(does));
  return [...groupBy(differing, ({ campaign, id }) => JSON.stringify([campaign, id])).values()].map(
    (tasks) =>
      `${visibleLine(tasks[0].campaign)} (${listed(
        tasks.map(({ place }) => place),
        MAX_BY_HAND,
      )})`,
  );
}

function noChanges(plan: Plan): string | null {
  const { campaigns, summary, by_hand } = plan;
  const { unchanged, requests, not_read } = summary;
  if (requests > 0 || campaigns.some(differs)) return null;
  const running = otherCampaigns(plan).filter(({ running: sends }) => sends).length;
  if (running > 0)
    return `No changes, but ${count(running, 'campaign')} without a manifest ${running === 1 ? 'is' : 'are'} or may be sending.`;
  const byHand = differencesByHand(plan);
  if (byHand.length > 0) {
    const differ = byHand.length === 1 ? 'differs from its manifest' : 'differ from their manifests';
    return `No changes that apply can make, but ${count(byHand.length, 'live campaign')} ${differ}: ${listed(byHand, MAX_BY_HAND)}. Only a person can change that, in the service's web app.`;
  }
  if (not_read > 0)
    return `No changes in ${count(unchanged, 'campaign that was', 'campaigns that were')} read.`;
  if (unchanged === 0) return 'No campaigns.';
  if (by_hand.length > 0)
    return `No changes, but ${count(by_hand.length, 'task')} ${by_hand.length === 1 ? 'is' : 'are'} left to do by hand.`;
  if (unchanged === 1) return 'No changes. The live campaign matches its manifest.';
  return `No changes. All ${thousands(unchanged)} live campaigns match their manifests.`;
}

function driftLine({ campaigns: { length }, summary, problems }: Plan): string {
  const isDoubtful = problems.some(({ code }) => code !== 'launch-held');
  if (length > 0) return `${length} of ${count(length + summary.unchanged, 'campaign')} ${OUTSIDE}`;
  return `Nothing ${isDoubtful ? 'is known to have been' : 'was'} ${OUTSIDE}.`;
}

const ACTIONS: Record<Action, { sign: string; look: Look; words: string }> = {
  create: { sign: '+', look: 'new', words: 'create' },
  change: { sign: '~', look: 'changed', words: 'change' },
  blocked: { sign: '✗', look: 'blocked', words: 'blocked' },
  none: { sign: '=', look: 'quiet', words: 'unchanged' },
  not_read: { sign: '=', look: 'quiet', words: 'not read' },
  drift: { sign: '~', look: 'changed', words: 'drift' },
};

function viewCampaign(campaign: CampaignPlan, anchor: string, plan: Plan): CampaignView {
  const { name, action, id, problems, steps, manifest } = campaign;
  const { sign, look, words } = ACTIONS[action];
  const attended = problems.filter((problem) => isAttended(problem, campaign));
  const loss = problems.some(({ code }) => code === 'rename') ? 'renamed' : 'missing';
  const which = id !== null ? [`id ${id}`] : action === 'drift' ? [loss] : [];
  const pauses = isStopped(campaign);
  const { replaces } = campaign;
  const predecessor =
    replaces && `replaces ${replaces.id} "${replaces.name}" (${replaces.status ?? 'status not shown'})`;
  const rest = `apply makes the other changes in ${count(steps.length, 'request')}`;
  const status = campaign.content?.before?.status ?? null;
  const isStatusShown = isLaunched(campaign) || pauses || action === 'drift';
  const fact = (holds: boolean, factLook: Look, factWords: string) =>
    holds ? [{ look: factLook, words: factWords }] : [];
  return {
    ...{ name, anchor, campaign, sign },
    facts: [
      { look, words },
      ...fact(problems.some(isRefused), 'blocked', `not applied to ${earlierName(plan)}`),
      ...fact(isLaunched(campaign), 'launch', isResumed(campaign) ? 'resume' : 'launch'),
      ...(isLaunched(campaign) ? launchConcerns(campaign) : []).map((words) => ({
        look: 'blocked' as const,
        words,
      })),
      ...fact(action === 'create' && !isLaunched(campaign), 'quiet', 'sends nothing yet'),
      ...fact(status !== null && !isStatusShown, 'quiet', `status ${status}`),
      ...fact(pauses, 'changed', 'pause'),
      ...fact(raisedCap(campaign) !== null, 'changed', 'higher daily cap'),
      ...fact(replaces?.running === true, 'changed', 'waits until the campaign that it replaces is paused'),
      ...fact(replaces?.running === false && steps.length > 0, 'quiet', 'replaces a campaign'),
      ...fact(action !== 'drift' && hasDrift(campaign), 'changed', 'drift'),
      ...fact(action === 'blocked' && steps.length > 0, 'quiet', rest),
    ],
    themes: listThemes(campaign),
    isLaunch: isLaunched(campaign),
    mailsNewLeads: mailsLeads(campaign),
    leadFacts: describeLeadFacts(campaign),
    ...viewEmails(campaign),
    where: [...which, manifest, ...(predecessor === undefined ? [] : [predecessor])].join(' · '),
    origin: originLine(campaign),
    succession: replaces === undefined || id !== null ? null : successionLine(replaces),
    sections: viewSections(campaign),
    problems: attended,
    codes: [...new Set(attended.map(({ code }) => code))].filter((code) => code !== 'launch'),
  };
}

/** "Spring stops: its 40 leads (lead list fair-visitors (id 77)) get no further emails" */
function successionLine({ name, running, stops }: Succession): string {
  const { lists, list_names, ids, leads } = stops;
  const kinds = [
    ...(lists.length > 0 ? [`lead list${lists.length === 1 ? '' : 's'} ${list_names.join(', ')}`] : []),
    ...(ids.length > 0 ? [leadsNamed('ids', ids)] : []),
  ];
  const named = kinds.join(' and ');
  const counted = leads === null ? null : `its ${count(leads, 'lead')}${named && ` (${named})`}`;
  const whose = counted ?? (named || 'leads that only it has');
  return `${visibleLine(name)} ${running ? 'stops' : 'does not start again'}: ${whose} ${leads === 1 || (leads === null && lists.length === 0 && ids.length === 1) ? 'gets' : 'get'} no further emails`;
}

function describeLeadFacts(campaign: CampaignPlan): string | null {
  const { impact } = campaign;
  if (isLaunched(campaign) && impact !== null) return launchLine(impact);
  const leads = leadWords(campaign);
  if (leads === null || !attachesWhileSending(campaign)) return leads && `attaches ${leads}`;
  const { before = null, after } = campaign.content ?? {};
  const steps = activeSteps(after?.sequence ?? before?.sequence).length;
  const cap = decodeCap({ ...before?.settings, ...after?.settings }.max_emails_per_day);
  const emails = steps === 0 ? '' : `${count(steps, 'email')}, `;
  const sending = 'is or may be sending';
  const where =
    campaign.refill === undefined ? ` to a campaign that ${sending}` : `; the campaign ${sending}`;
  return `attaches ${leads}${where}: ${emails}${capPerDay(cap)}`;
}

function attachesWhileSending({ problems }: CampaignPlan): boolean {
  return problems.some(({ code }) => code === 'attach-running');
}

function viewEmails(campaign: CampaignPlan): Pick<CampaignView, 'subjects' | 'emails' | 'sends'> {
  const { changes, content, replaces } = campaign;
  const sequence = content?.after.sequence ?? content?.before?.sequence ?? null;
  const copy = replaces?.copy ?? changes.filter(({ section }) => section === 'sequence');
  const all = withBefore(emailViews(sequence?.steps ?? [], true), copy);
  const subjects = activeSteps(sequence)
    .map(activeEmails)
    .flatMap((sent) => sent.map(({ email_subject: subject }, at) => ({ subject, isVariant: at > 0 })));
  const isCompared = replaces !== undefined && replaces.copy !== null;
  const isNew = changes.some(({ section, path }) => section === 'sequence' && path === '');
  const emails = isCompared || !isNew ? all : [];
  return { subjects, emails, sends: isCompared || mailsLeads(campaign) ? emails : [] };
}

function mailsLeads(campaign: CampaignPlan): boolean {
  return isLaunched(campaign) || attachesWhileSending(campaign);
}

function viewSections(campaign: CampaignPlan): SectionView[] {
  // A new campaign has no settings yet; the planner compared the manifest with the documented defaults.
  const changes = markedChanges(campaign).map((change): Change => {
    const isNew = campaign.id === null && change.section === 'settings';
    return isNew ? { ...change, kind: 'add', from: null } : change;
  });
  return groupSections(changes).map(({ section, changes }) => ({
    section,
    ...compareWithPredecessor(campaign, section, changes),
    isWithheld: isWithheld(campaign, section),
  }));
}

/** A new campaign that replaces another one is compared with it. `own`: its changes, for other campaigns and sections. */
function compareWithPredecessor(
  { id, replaces, content }: CampaignPlan,
  section: SectionName,
  own: Change[],
): Pick<SectionView, 'changes' | 'compared'> {
  const alone = { changes: own, compared: '' };
  if (replaces === undefined || id !== null) return alone;
  const name = visibleLine(replaces.name);
  if (section === 'sequence') {
    if (replaces.copy === null) return alone;
    const emails = count(content?.after.sequence?.steps.length ?? 0, 'email');
    const how = replaces.copy.length === 0 ? 'the same as' : 'compared with';
    return { changes: replaces.copy, compared: `${emails}, ${how} those of ${name}` };
  }
  if (section !== 'settings' && section !== 'schedule') return alone;
  const changes = replaces[section];
  if (changes === null) return { ...alone, compared: `${section} of ${name} not known` };
  const compared = changes.length === 0 ? `as in ${name}` : `compared with ${name}`;
  return { changes, compared };
}
