/** The approvals that a plan needs, and the commands that give them and apply it. */
import { literalGlob } from '../model/glob.js';
import { launchArgument } from '../model/hold.js';
import { groupBy } from '../model/json.js';
import { type CampaignPlan, campaignsWithSteps, isLaunched, type Plan } from '../model/outputs.js';
import { groupProblems } from '../model/problem-groups.js';
import { shellQuoted, shellWord } from '../model/shell.js';
import { count, listed, thousands } from '../model/words.js';
import type { NextStep } from './document.js';
import { isAwaited, isRefused, type NameOf } from './plan-notices.js';
import { visibleLine } from './terminal.js';

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
export function namedByFlags({ campaigns }: Plan, labelOf: NameOf): (campaign: CampaignPlan) => string {
  const labels = groupBy(campaigns, ({ name }) => name);
  return (campaign) =>
    new Set(labels.get(campaign.name)?.map(labelOf)).size > 1 ? labelOf(campaign) : campaign.name;
}

export function listApprovals(plan: Plan, flagName: (campaign: CampaignPlan) => string): PlanApproval[] {
  return groupProblems(plan, isAwaited).map(({ code, messages }) => {
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
    ...(isOne && !isWhole
      ? ["To go on with the other campaigns, plan with --target '!NAME' for each of these."]
      : []),
  ].join(' ');
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

export function applySteps(
  plan: Plan,
  approvals: readonly PlanApproval[],
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
  const names = (some: readonly PlanApproval[]) => listed(some.map(({ code }) => code));
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
export function heldPauses({ campaigns }: Plan, isOne: boolean): string {
  const replaced = campaigns.filter((campaign) => isLaunched(campaign) && campaign.replaces?.running);
  if (replaced.length === 0) return '';
  const names = listed(replaced.map(({ replaces }) => visibleLine(replaces?.name ?? '')));
  // Targets cannot be combined with several projects.
  if (!isOne) return ` Apply pauses ${names} all the same.`;
  const targets = replaced.map(({ name }) => `--target ${shellQuoted(`!${literalGlob(name)}`)}`).join(' ');
  return ` Apply pauses ${names} all the same; to leave that out as well, write ${targets} instead.`;
}
