import type { Problem } from '../model/outputs.js';
import {
  type CampaignPlan,
  differs,
  groupProblems,
  isDrift,
  type Plan,
  type ProblemGroup,
  type RemovedCampaign,
  type SectionName,
} from '../model/outputs.js';
import { SECTION_NAMES } from '../model/sections.js';
import { count, thousands } from '../model/words.js';
import { isUndone, originLine } from './changes.js';
import { alike, impactLine, launchCount, short } from './words.js';

/** Notices of a plan: before its campaigns, most dangerous first, and after them. */

/** `anchor`: its place on a page, or `null`. */
export interface CampaignLink {
  name: string;
  anchor: string | null;
}

/** About campaigns, or the whole plan. */
export interface Saying {
  /** `null` for a message that is no problem. */
  code: string | null;
  /** A line of the project file, or a flag. */
  accepted_by: string | null;
  /** Files and lines of a lint finding. */
  places: readonly string[];
  message: string;
  /** Empty if the first saying of the code has it. */
  hint: string;
  campaigns: CampaignLink[];
  /** Lines for manifests, and where they go. */
  blocks: { where: string; lines: string[] }[];
  /** Unlisted findings of the same code. */
  more: number;
}

/** `hazard`: needs approval; `accepted`: has it; `calm`: no alerts. */
export type NoticeKind =
  | ('launch' | 'hazard' | 'accepted' | 'blocked' | 'removed')
  | ('drift' | 'warning' | 'irreversible' | 'calm' | 'unreadable');

/** Without sayings, the title is complete. */
export interface Notice {
  kind: NoticeKind;
  title: string;
  sayings: Saying[];
  /** For all of its sayings. */
  hint: string;
}

type LinkOf = (campaign: CampaignPlan) => CampaignLink;

/** Before the campaigns. */
export function noticesOf(plan: Plan, linkOf: LinkOf): Notice[] {
  const { mode, campaigns, summary } = plan;
  const problems = groupProblems(plan, isAttended);
  const groups = (kind: NoticeKind, title: string) =>
    notice(
      kind,
      title,
      problems
        .filter((group) => kindOf(group) === kind)
        .flatMap((group) => fewFindings(problemSayings(group, linkOf))),
    );
  const launched = campaigns.filter(isLaunched);
  // For drift, the campaigns follow anyway.
  const drifted = mode === 'drift' ? [] : campaigns.filter((campaign) => originLine(campaign) !== null);
  const verb = launched.every(({ impact }) => impact?.resumed) ? 'resume' : 'start';
  const sends = launched.length === 1 ? `it ${verb}s` : `they ${verb}`;
  const notices = [
    ...notice(
      'launch',
      `${launchCount(summary)}: ${sends} sending emails to real people`,
      sayingsOf(launched, linkOf, ({ impact }) => (impact ? impactLine(impact) : '')),
    ),
    ...groups('hazard', 'Needs approval before anything is sent'),
    ...groups('accepted', 'Accepted: apply goes ahead with these'),
    ...groups('blocked', 'Blocked: apply does not send these changes'),
    ...removedNotice(plan),
    ...notice(
      'drift',
      `Drift: ${count(drifted.length, 'campaign')} changed outside campaignctl`,
      sayingsOf(drifted, linkOf, (campaign) => (isUndone(campaign) ? 'apply overwrites it' : '')),
    ),
    ...groups('warning', 'Warnings'),
    ...irreversibleNotice(campaigns),
  ];
  const isCalm = notices.length === 0 && mode !== 'drift' && summary.requests > 0;
  return isCalm ? [{ kind: 'calm', title: CALM, sayings: [], hint: '' }] : notices;
}

const CALM = 'No launches, nothing blocked, nothing irreversible, no approval needed.';

/** After the campaigns: lint findings of unchanged ones, and what the service hides. */
export function notesOf(plan: Plan): Notice[] {
  const changing = plan.campaigns.filter(differs);
  const placeKey = (problem: Problem) => JSON.stringify([sayingKey(problem), problem.at]);
  const changingKeys = new Set(changing.flatMap(({ problems }) => problems.map(placeKey)));
  const findings = groupProblems(
    plan,
    (problem, campaign) => isCalm(problem, campaign) && !changingKeys.has(placeKey(problem)),
  ).flatMap((group) =>
    // Places name the campaigns.
    fewFindings(
      problemSayings(group, ({ name }) => ({ name, anchor: null })).map((saying) => ({
        ...saying,
        campaigns: [],
      })),
    ),
  );
  const sayings = groupProblems(plan, ({ code }) => code === UNREADABLE)
    .flatMap((group) => group.sayings)
    .map(({ message, campaigns: { length } }) =>
      sayingOf(length === 1 ? message : `${message} (${count(length, 'campaign')})`),
    );
  return [
    ...notice('warning', 'Warnings about campaigns that do not change', findings),
    ...notice('unreadable', 'Not shown by the service', sayings),
    ...unwrittenNotice(plan),
  ];
}

/** Listed findings of one kind. */
const MOST_FOUND = 10;

function fewFindings(sayings: Saying[]): Saying[] {
  if (sayings.length <= MOST_FOUND || sayings.some(({ places }) => places.length === 0)) return sayings;
  const rest = sayings.slice(MOST_FOUND - 1).reduce((sum, { places }) => sum + places.length, 0);
  return sayings
    .slice(0, MOST_FOUND - 1)
    .map((saying, at) => (at === MOST_FOUND - 2 ? { ...saying, more: rest } : saying));
}

/** Reported before the campaigns or with one. */
export function isAttended(problem: Problem, campaign: CampaignPlan | null): boolean {
  return problem.code !== UNREADABLE && !isCalm(problem, campaign);
}

/** Needs approval. */
export function isAwaited({ severity, accepted_by = null }: Problem): boolean {
  return severity === 'hazard' && accepted_by === null;
}

/** A lint finding of an unchanged campaign. */
function isCalm({ severity, at }: Problem, campaign: CampaignPlan | null): boolean {
  return severity === 'warning' && at !== undefined && campaign !== null && !differs(campaign);
}

/** Settings that the update of a new campaign sends beyond its manifest. */
function unwrittenNotice({ campaigns }: Plan): Notice[] {
  const unwritten = campaigns
    .filter(({ id }) => id === null)
    .flatMap(({ steps, changes }) => {
      const isWritten = (name: string) =>
        changes.some(({ section, path }) => section === 'settings' && path === name);
      const body = steps.find(({ id }) => id === 'settings')?.body ?? {};
      return Object.entries(body).filter(([name]) => !isWritten(name));
    });
  const values = [...new Map(unwritten)].map(([name, value]) => `${name} ${short(value)}`).join(', ');
  if (values === '') return [];
  const title = `A new campaign keeps the service's own values for settings that its manifest leaves out; where the service does not show them, apply sends the documented defaults: ${values}`;
  return [{ kind: 'unreadable', title, sayings: [], hint: '' }];
}

/** With some services, concerns every campaign. */
export const UNREADABLE = 'not-readable';

export function isLaunched({ steps }: CampaignPlan): boolean {
  return steps.some(({ id }) => id === 'launch');
}

function sayingKey({ code, message, hint }: Pick<Problem, 'code' | 'message' | 'hint'>): string {
  return JSON.stringify([code, message, hint]);
}

function notice(kind: NoticeKind, title: string, sayings: Saying[], hint = ''): Notice[] {
  return sayings.length === 0 ? [] : [{ kind, title, sayings, hint }];
}

/** A message that is no problem. */
function sayingOf(message: string, campaigns: CampaignLink[] = []): Saying {
  return { code: null, accepted_by: null, places: [], message, hint: '', campaigns, blocks: [], more: 0 };
}

/** Equal messages once. */
function sayingsOf(
  campaigns: readonly CampaignPlan[],
  linkOf: LinkOf,
  say: (campaign: CampaignPlan) => string,
) {
  return alike(campaigns, say).map((members) => sayingOf(say(members[0]), members.map(linkOf)));
}

function kindOf({ severity, accepted_by }: ProblemGroup): NoticeKind | 'error' {
  return accepted_by === null ? severity : 'accepted';
}

/** A shared hint stands with the first one. */
function problemSayings({ code, accepted_by, sayings }: ProblemGroup, linkOf: LinkOf): Saying[] {
  const isShared = new Set(sayings.map(({ hint }) => hint)).size === 1;
  return sayings.map(({ hint, campaigns, ...saying }, at) => ({
    ...saying,
    ...{ code, accepted_by, more: 0 },
    // An accepted hazard needs no fix.
    hint: accepted_by !== null || (isShared && at > 0) ? '' : hint,
    campaigns: campaigns.map(linkOf),
  }));
}

/** Effects of a section's requests, with their number. */
const DOES: { [Section in SectionName]?: (number: number) => string } = {
  campaign: (number) => `creates ${count(number, 'campaign')}`,
  schedule: (number) => `sets ${count(number, 'schedule')}`,
  sequence: (number) => `posts emails in ${count(number, 'request')}`,
  leads: (number) => `attaches leads in ${count(number, 'request')}`,
  status: (number) => `launches ${count(number, 'campaign')}`,
};

/** "Irreversible: creates 2 campaigns, attaches leads in 1 request" */
function irreversibleNotice(campaigns: readonly CampaignPlan[]): Notice[] {
  const all = campaigns.flatMap(({ steps }) =>
    steps.filter(({ irreversible }) => irreversible).map(({ section }) => section),
  );
  const numbers = SECTION_NAMES.flatMap((section) => {
    const number = all.filter((stepSection) => stepSection === section).length;
    return number > 0 ? [DOES[section]?.(number) ?? `sends ${section} in ${count(number, 'request')}`] : [];
  });
  return all.length === 0
    ? []
    : [{ kind: 'irreversible', title: `Irreversible: ${numbers.join(', ')}`, sayings: [], hint: '' }];
}

/** "id 12 · spring.yaml · active · up to 200 emails a day" */
function removedNotice(plan: Plan): Notice[] {
  const { removed } = plan;
  const [gone, replaced] = [removed.filter(isRemoved), removed.filter(isReplaced)];
  const planOfGone = { ...plan, removed: gone };
  return [
    ...replacedNotice(replaced),
    ...[false, true].flatMap((outside) => leftNotice(planOfGone, outside)),
  ];
}

/** Neither replaced nor replacing. */
export function isRemoved({ role, superseded_by }: RemovedCampaign): boolean {
  return role === 'removed' && superseded_by === undefined;
}

function isReplaced({ superseded_by }: RemovedCampaign): boolean {
  return superseded_by !== undefined;
}

/** Replaced campaigns that run again. */
function replacedNotice(replaced: readonly RemovedCampaign[]): Notice[] {
  const sayings = replaced.map(({ name, id, superseded_by, step, ...shown }) =>
    sayingOf(
      [
        ...[`id ${id}`, `replaced by ${superseded_by}`, statusOf(shown)],
        ...(step === null ? [] : ['apply pauses it']),
      ].join(' · '),
      [{ name, anchor: null }],
    ),
  );
  const hint = 'To let one of them run beside the campaign that has replaced it, run campaignctl forget ID.';
  const title = `Replaced, and running again: ${count(replaced.length, 'campaign')}`;
  return notice('removed', title, sayings, hint);
}

/** `outside`: with manifests elsewhere in the project. */
function leftNotice({ removed: all, mode, environment }: Plan, outside: boolean): Notice[] {
  const removed = all.filter((campaign) => campaign.outside === outside);
  const running = removed.filter((campaign) => campaign.running).length;
  const pauses = removed.some(({ step }) => step !== null);
  const sayings = removed.map(({ name, id, manifest, max_emails_per_day: cap, step, ...shown }) => {
    const facts = [
      ...[`id ${id}`, manifest, statusOf(shown)],
      ...(cap === null ? [] : [`up to ${count(cap, 'email')} a day`]),
      ...(step === null ? [] : ['apply pauses it']),
    ];
    return sayingOf(facts.join(' · '), [{ name, anchor: null }]);
  });
  const [only] = removed.length === 1 ? removed : [];
  const them = only === undefined ? ['them', 'they go on as they are'] : ['it', 'it goes on as it is'];
  const where = outside
    ? `${only === undefined ? 'Their files are' : 'Its file is'} in the project, but not among the manifests of ${environment}. `
    : '';
  const effect = pauses
    ? 'Apply pauses what runs (on_removal: pause). '
    : running === 0
      ? `Apply sends nothing to ${them[0]}. `
      : `Apply sends nothing to ${them.join(': ')}. ${outside ? '' : 'on_removal: pause in the project file pauses what runs. '}`;
  const back = outside
    ? `add its file to \`manifests\` of ${environment} in the project file`
    : 'bring its manifest back';
  const ways = `To manage ${only === undefined ? 'a campaign' : 'it'} again, ${back}. To stop tracking it, run campaignctl forget ${only?.id ?? 'ID'} --env ${environment}.`;
  const sends = Object.entries({ shown: '', believed: 'believed to be ', unknown: 'may be ' }).flatMap(
    ([basis, how]) => {
      const those = removed.filter((campaign) => campaign.running && campaign.basis === basis).length;
      return those === 0 ? [] : [`${thousands(those)} ${how}running`];
    },
  );
  return notice(
    'removed',
    `${outside ? `Not among the manifests of ${environment}` : 'Without a manifest'}: ${count(removed.length, 'campaign')} in the state${sends.length === 0 ? '' : ` (${sends.join(', ')})`}`,
    sayings,
    `${where}${mode === 'drift' ? '' : effect}${ways}`,
  );
}

function statusOf({ status, running, basis }: Pick<RemovedCampaign, 'status' | 'running' | 'basis'>): string {
  const word = status ?? 'status not shown';
  if (basis === 'believed') return `${word}, believed to be ${running ? 'running' : 'paused'}`;
  return basis === 'unknown' ? `${word}, may be running` : word;
}

/** A sentence of its own, so that it is not overlooked. */
export function withoutManifest(removed: Plan['removed']): string {
  const replaced = removed.filter(isReplaced).length;
  const again = `${count(replaced, 'campaign that was replaced runs', 'campaigns that were replaced run')} again.`;
  const sentences = [false, true].map((outside) =>
    leftSentence(
      removed.filter((campaign) => campaign.outside === outside && isRemoved(campaign)),
      outside,
    ),
  );
  return [...(replaced === 0 ? [] : [` ${again}`]), ...sentences].join('');
}

function leftSentence(removed: Plan['removed'], outside: boolean): string {
  const all = removed.filter((campaign) => campaign.running);
  const running = all.length;
  const isShown = all.every(({ basis }) => basis === 'shown');
  const verb = isShown ? (running === 1 ? 'runs' : 'run') : 'may be running';
  const which = outside ? 'outside the manifests of the environment' : 'without a manifest';
  if (running > 0) return ` ${count(running, 'campaign')} ${which} ${verb}.`;
  const { length } = removed;
  if (length === 0) return '';
  const rest = outside
    ? `${length === 1 ? 'is' : 'are'} ${which}`
    : `${length === 1 ? 'has' : 'have'} no manifest any more`;
  return ` ${count(length, 'campaign')} ${rest}.`;
}

export function hasDrift({ changes }: CampaignPlan): boolean {
  return changes.some(isDrift);
}
