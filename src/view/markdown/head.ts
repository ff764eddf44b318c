import type { CampaignPlan, Plan } from '../../model/plan.js';
import type { Problem } from '../../model/problem.js';
import { code, prose } from '../markdown.js';
import { driftedCampaigns, originLine } from '../origin-words.js';
import { count, cut, impactLine } from '../words.js';

/** How many campaigns or messages a list at the top names, from generous to nothing but counts. */
export const LENGTHS = [1_000, 100, 20, 5, 1, 0] as const;

/** "1 to create, 2 to change, 1 blocked · 1 launch · 9 requests · 2 changed in the service". */
export function headline(plan: Plan): string {
  const { create, change, unchanged, blocked, launch, pause, requests } = plan.summary;
  const drifted = driftedCampaigns(plan);
  if (requests === 0 && blocked === 0 && change === 0) {
    return unchanged === 0 ? 'no campaigns' : `nothing to do, ${count(unchanged, 'campaign')} unchanged`;
  }
  const campaigns = [
    ...(create > 0 ? [`${create} to create`] : []),
    ...(change > 0 ? [`${change} to change`] : []),
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ...(unchanged > 0 ? [`${unchanged} unchanged`] : []),
  ];
  const rest = [
    ...(launch > 0 ? [count(launch, 'launch', 'launches')] : []),
    ...(pause > 0 ? [count(pause, 'pause')] : []),
    count(requests, 'request'),
    ...(drifted > 0 ? [`${drifted} changed in the service`] : []),
  ];
  return [campaigns.join(', '), ...rest].join(' · ');
}

/** What a reviewer has to see whatever else they read: launches, what is blocked, hazards, what cannot be taken back. */
export function warnings(plan: Plan, most: number): string[] {
  const told = plan.problems.filter(({ severity }) => severity === 'warning');
  return [
    ...launches(plan, most),
    ...blocked(plan, most),
    ...hazards(plan, most),
    ...drifted(plan, most),
    ...told.slice(0, most).flatMap((problem) => [`> ⚠ ${said(problem)}`, '']),
    ...oneWay(plan),
  ];
}

/** What could not be read, once for all campaigns. */
export function unread({ campaigns }: Plan, most: number): string[] {
  const messages = campaigns.flatMap(({ problems }) =>
    problems.filter(({ code: name }) => name === 'not-readable').map(({ message }) => message),
  );
  const unique = [...new Set(messages)];
  if (unique.length === 0) return [];
  return listed(unique, most, (message) => `- ${prose(cut(message, 400))}`);
}

function launches({ campaigns }: Plan, most: number): string[] {
  const launched = campaigns.filter(({ steps }) => steps.some(({ id }) => id === 'launch'));
  if (launched.length === 0) return [];
  const line = ({ name, impact }: CampaignPlan) =>
    `- ${nameOf(name)}${impact === null ? '' : `: ${prose(impactLine(impact))}`}`;
  return ['**Starts sending**', '', ...listed(launched, most, line)];
}

function blocked(plan: Plan, most: number): string[] {
  const groups = grouped(plan, 'blocked');
  if (groups.length === 0) return [];
  const line = ({ problem, names }: Group) => `- ${few(names, most)}: ${said(problem)}`;
  return ['**Cannot be done through the interface**', '', ...listed(groups, most, line)];
}

/** What somebody has changed elsewhere, and apply would overwrite; of drift alone, the campaigns follow at once. */
function drifted({ mode, campaigns }: Plan, most: number): string[] {
  const told = campaigns.flatMap((campaign) => {
    const line = originLine(campaign);
    return line === null ? [] : [`- ${nameOf(campaign.name)}: ${line}`];
  });
  if (mode === 'drift' || told.length === 0) return [];
  return ['**Changed in the service by somebody**', '', ...listed(told, most, (line) => line)];
}

function hazards(plan: Plan, most: number): string[] {
  const groups = grouped(plan, 'hazard');
  if (groups.length === 0) return [];
  const line = ({ problem, names }: Group) => {
    const whom = names.length === 0 ? '' : ` for ${few(names, most)}`;
    return `- ${code(problem.code)}${whom}${most === 0 ? '' : `: ${said(problem)}`}`;
  };
  const heading = '**Has to be allowed by name, or nothing is sent**';
  return [heading, '', ...groups.map(line), ''];
}

function oneWay({ campaigns }: Plan): string[] {
  const steps = campaigns.flatMap((campaign) => campaign.steps.filter((step) => step.irreversible));
  const of = (section: string) => steps.filter((step) => step.section === section).length;
  const parts = [
    ...(of('campaign') > 0 ? [`${count(of('campaign'), 'campaign')} made`] : []),
    ...(of('schedule') > 0 ? [`${count(of('schedule'), 'schedule')} set`] : []),
    ...(of('sequence') > 0 ? [`emails posted in ${count(of('sequence'), 'request')}`] : []),
    ...(of('leads') > 0 ? [`leads attached in ${count(of('leads'), 'request')}`] : []),
    ...(of('status') > 0 ? [`${count(of('status'), 'campaign')} launched`] : []),
  ];
  return parts.length === 0 ? [] : [`**Cannot be taken back:** ${parts.join(', ')}.`, ''];
}

interface Group {
  problem: Problem;
  names: string[];
}

/** Problems of one severity, those that say the same only once, with the campaigns that they concern. */
function grouped({ problems, campaigns }: Plan, severity: Problem['severity']): Group[] {
  const groups = new Map<string, Group>();
  const note = (problem: Problem, names: readonly string[]) => {
    if (problem.severity !== severity) return;
    const key = severity === 'hazard' ? problem.code : problem.message;
    const known = groups.get(key);
    groups.set(key, { problem: known?.problem ?? problem, names: [...(known?.names ?? []), ...names] });
  };
  for (const problem of problems) note(problem, []);
  for (const { name, problems: own } of campaigns) for (const problem of own) note(problem, [name]);
  return [...groups.values()];
}

function said({ message, hint }: Problem): string {
  return prose(cut(`${message} ${hint}`.trim(), 700));
}

/** The name of a campaign, or as much of it as a line takes. */
export function nameOf(name: string): string {
  return code(cut(name, 120));
}

function few(names: readonly string[], most: number): string {
  if (names.length > 1 && most === 0) return count(names.length, 'campaign');
  const shown = names.slice(0, Math.max(most, 1)).map(nameOf).join(', ');
  const rest = names.length - Math.max(most, 1);
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

function listed<T>(items: readonly T[], most: number, line: (item: T) => string): string[] {
  const rest = items.length - most;
  const more = most === 0 ? `- ${items.length} of them` : `- and ${rest} more`;
  return [...items.slice(0, most).map(line), ...(rest > 0 ? [more] : []), ''];
}

/** Whether anything of a campaign is to be shown. */
export function isTold({ action, problems }: CampaignPlan): boolean {
  return (
    action !== 'none' ||
    problems.some(({ severity, code: name }) => severity === 'warning' && name !== 'not-readable')
  );
}
