/** The approvals that a plan needs, and the commands that give them and apply it. */
import { literalGlob } from '../model/glob.js';
import { launchArgument } from '../model/hold.js';
import { groupBy } from '../model/json.js';
import {
  type ByHandTask,
  type CampaignPlan,
  campaignsWithSteps,
  isLaunched,
  type Plan,
} from '../model/outputs.js';
import { groupProblems } from '../model/problem-groups.js';
import { shellQuoted, shellWord } from '../model/shell.js';
import { count, listed, thousands } from '../model/words.js';
import type { NextStep } from './document.js';
import { isAwaited, isRefused, launchesFirst, type NameOf } from './plan-notices.js';
import { visibleLine } from './terminal.js';
import { capital } from './words.js';

/** A hazard without approval and the names of its campaigns; without names, it concerns the whole plan. */
export interface PlanApproval {
  code: string;
  names: string[];
}

export function approvalWords(approvals: readonly PlanApproval[]): string {
  return approvals
    .map(({ code, names }) => `${code}${names.length > 1 ? ` for ${count(names.length, 'campaign')}` : ''}`)
    .join(', ');
}

/** The name for `--allow` and `--hold`: "clients/acme: Spring" if several projects have a campaign "Spring". */
export function namedByFlags({ campaigns }: Plan, labelOf: NameOf): NameOf {
  const labels = groupBy(campaigns, ({ name }) => name);
  return (campaign) =>
    new Set(labels.get(campaign.name)?.map(labelOf)).size > 1 ? labelOf(campaign) : campaign.name;
}

export function listApprovals(plan: Plan, flagName: (campaign: CampaignPlan) => string): PlanApproval[] {
  return launchesFirst(groupProblems(plan, isAwaited)).map(({ code, messages }) => {
    const campaigns = new Set(messages.flatMap((message) => message.campaigns));
    return { code, names: [...campaigns].map(flagName) };
  });
}

export function refusedCampaigns({ campaigns }: Plan): CampaignPlan[] {
  return campaigns.filter(({ problems }) => problems.some(isRefused));
}

export function refusalLine(
  plan: Plan,
  { isOne, saved }: { isOne: boolean; saved: string | null },
): string | null {
  const { length } = refusedCampaigns(plan);
  if (length === 0) return null;
  const isWhole = campaignsWithSteps(plan).length === length;
  return [
    `Apply refuses ${isOne ? 'this plan' : 'a project'} until ${isOne ? count(length, 'campaign') : 'its campaigns'} ${isOne && length === 1 ? 'has' : 'have'} been applied to ${earlierName(plan)} with the same content${isOne ? '' : ` (${count(length, 'campaign')})`}.`,
    ...(isOne || isWhole ? [] : ['It applies the other projects.']),
    ...(saved === null ? ['Then plan again: the new plan shows how to apply it.'] : []),
  ].join(' ');
}

/** How to plan the campaigns that apply does not refuse. Targets cannot be combined with several projects. */
export function refusedSteps(plan: Plan, { isOne, plans }: { isOne: boolean; plans: string }): NextStep[] {
  const refused = refusedCampaigns(plan);
  if (!isOne || refused.length === 0 || campaignsWithSteps(plan).length === refused.length) return [];
  const targets = refused.map(({ name }) => `--target ${shellQuoted(`!${literalGlob(name)}`)}`);
  return refused.length > MAX_ALLOWED
    ? [sayStep(["To plan the other campaigns, add --target '!NAME' for each of these."])]
    : [sayStep(['To plan the other campaigns, run:'], [plans, ...targets].join(' '))];
}

/** Plans of several projects may require different environments. */
export function earlierName({ require_applied }: Plan): string {
  return require_applied ?? 'an earlier environment';
}

/** Hazards that are usually intended. For others, a different fix is more likely. */
const WANTED: readonly string[] = ['launch', 'attach-running', 'adopt', 'replace-sequence', 'mass-change'];
const MAX_ALLOWED = 12;

/** "--plan plan.json" */
export function planFlag(file: string): string {
  return `--plan ${shellWord(file)}`;
}

/** `flagName`: the name for `--allow` and `--hold`. `again`: plans again into the same file; `null` without a file. */
interface Applying {
  command: string;
  again: string | null;
  isOne: boolean;
  flagName: (campaign: CampaignPlan) => string;
}

export function applySteps(plan: Plan, approvals: readonly PlanApproval[], applying: Applying): NextStep[] {
  const { command, again, isOne, flagName } = applying;
  const isPart = isOne && again === null && campaignsWithSteps(plan).length > 1;
  const unwanted = approvals.filter((approval) => !isWanted(approval, plan));
  const wanted = approvals.filter((approval) => isWanted(approval, plan));
  const lead = [
    ...(approvals.length === 0 ? [] : [isOne ? NOTHING : NOTHING_IN_PROJECT]),
    ...(unwanted.length === 0 ? [] : [`First resolve or approve ${approvalWords(unwanted)} (see above).`]),
  ];
  const isCommand = approvals.length === 0 || wanted.length > 0;
  if (!isCommand) return [sayStep(lead), ...leaveOut(isPart)];
  const carried = carriedCampaigns(plan);
  const waiting = new Set(carried.map(flagName));
  const apply =
    approvals.length === 0
      ? 'to apply this plan, run:'
      : unwanted.length > 0
        ? `this approves ${listed(wanted.map(({ code }) => code))} and applies the plan:`
        : 'to approve all and apply, run:';
  const all = [command, ...allowFlags(wanted, new Set())].join(' ');
  if (waiting.size === 0)
    return [
      sayStep([...lead, unwanted.length > 0 ? `Then ${apply}` : capital(apply)], all),
      ...leaveOutLaunch(plan, wanted, applying),
      ...leaveOut(isPart),
    ];
  const holds = [...waiting].map((name) => `--hold ${launchArgument(literalGlob(name))}`);
  const held = again === null ? [command, ...allowFlags(wanted, waiting)] : [again];
  const isSure = isCarriedFor(plan, carried);
  const afterwards = isSure ? 'After that, ' : 'After that, or if there is nothing to carry over, ';
  return [
    sayStep([...lead, carryWords(carried, { isSure, again })], [...held, ...holds].join(' ')),
    sayStep([`${again === null ? afterwards : 'Otherwise, '}${apply}`], all),
    sayStep([`A campaign with a held launch mails nobody.${heldPauses(plan, isOne)}`]),
    ...leaveOut(isPart),
  ];
}

const NOTHING = 'Apply changes nothing until each hazard is approved, held or resolved.';
const NOTHING_IN_PROJECT = 'Apply skips a project until each of its hazards is approved, held or resolved.';

function sayStep(words: readonly string[], command: string | null = null): NextStep {
  return { words: words.filter((each) => each !== '').join(' '), command };
}

function leaveOut(isPart: boolean): NextStep[] {
  return isPart ? [sayStep(["To leave campaigns out, add --target '!NAME' for each."])] : [];
}

/** In a replacement, the new campaign usually has the leads of the old one. */
function isWanted({ code }: PlanApproval, { campaigns }: Plan): boolean {
  if (code !== 'shared-leads') return WANTED.includes(code);
  const shared = campaigns.map(({ replaces, problems }) => {
    const { length } = problems.filter((problem) => problem.code === code && isAwaited(problem));
    return { length, isReplacing: replaces !== undefined };
  });
  return shared.every(({ length, isReplacing }) => length === 0 || (length === 1 && isReplacing));
}

/** Held launches need no approval; their leads may. */
function allowFlags(approvals: readonly PlanApproval[], held: ReadonlySet<string>): string[] {
  return approvals.flatMap(({ code, names }) => {
    if (code !== 'launch') return [`--allow ${code}`];
    const launched = [...new Set(names)].filter((name) => !held.has(name));
    return launched.length > MAX_ALLOWED
      ? ['--allow launch']
      : launched.map((name) => `--allow ${launchArgument(literalGlob(name))}`);
  });
}

/** New campaigns to which something of their predecessors may have to be carried over before they are launched. */
export function carriedCampaigns(plan: Plan): CampaignPlan[] {
  return plan.campaigns.filter(
    (campaign) => isLaunched(campaign) && campaign.id === null && carryTasks(plan, campaign).length > 0,
  );
}

function carryTasks({ by_hand }: Plan, { manifest }: CampaignPlan): ByHandTask[] {
  return by_hand.filter((task) => task.does === 'carry' && task.manifest === manifest);
}

/** True if the service shows something to carry over. */
function isCarriedFor(plan: Plan, carried: readonly CampaignPlan[]): boolean {
  return carried.some((campaign) => carryTasks(plan, campaign).some(({ path }) => path !== ''));
}

function carryWords(
  carried: readonly CampaignPlan[],
  { isSure, again }: { isSure: boolean; again: string | null },
): string {
  const names = listed(carried.map(({ name }) => visibleLine(name)));
  const first = again === null ? 'first apply with its launch held' : 'first plan again with its launch held';
  const held = carried.length === 1 ? first : first.replace('its launch', 'these launches');
  return `${isSure ? 'Something has' : 'If something has'} to be carried over by hand to ${names}${isSure ? '. So' : ','} ${held}:`;
}

/** How to leave out launches: for example the first. */
function leaveOutLaunch(
  plan: Plan,
  wanted: readonly PlanApproval[],
  { again, isOne }: Pick<Applying, 'again' | 'isOne'>,
): NextStep[] {
  const launches = wanted.find(({ code }) => code === 'launch')?.names ?? [];
  if (launches.length === 0) return [];
  const isNamed = new Set(launches).size <= MAX_ALLOWED;
  const hold =
    again !== null
      ? 'plan again without it'
      : isNamed
        ? 'write --hold instead of --allow for it'
        : 'add --hold launch="NAME"';
  return [
    sayStep(
      [
        isNamed
          ? ''
          : `--allow launch approves all ${thousands(launches.length)} launches, including resumed campaigns.`,
        `To leave out a launch, ${hold}: apply makes all other changes, and the campaign mails nobody.${heldPauses(plan, isOne)}${again === null ? '' : ' For example:'}`,
      ],
      again === null ? null : `${again} --hold ${launchArgument(literalGlob(launches[0] ?? ''))}`,
    ),
  ];
}

/** A held launch does not hold the pause of the campaign that it replaces. */
export function heldPauses({ campaigns }: Plan, isOne: boolean): string {
  const replaced = campaigns.filter((campaign) => isLaunched(campaign) && campaign.replaces?.running);
  if (replaced.length === 0) return '';
  const names = listed(replaced.map(({ replaces }) => visibleLine(replaces?.name ?? '')));
  // Targets cannot be combined with several projects.
  if (!isOne) return ` Apply pauses ${names} all the same.`;
  const targets = replaced.map(({ name }) => `--target ${shellQuoted(`!${literalGlob(name)}`)}`).join(' ');
  return ` Apply pauses ${names} all the same; to leave that out as well, write ${targets} instead.`;
}
