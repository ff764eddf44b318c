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
import { alike, impactLine, short } from './words.js';

/** What a plan says before its campaigns, most dangerous first, and after them. Each kind is one notice. */

/** A campaign by its name; `anchor` is its place on a page, null where the plan does not show it. */
export interface CampaignLink {
  name: string;
  anchor: string | null;
}

/** What is said of some campaigns, or of the plan as a whole. The hint is empty where the group has it. */
export interface Saying {
  /** Of the problem: see `sayingKey`; empty for what is no problem. */
  key: string;
  /** The files and lines of a finding of the linter. */
  places: readonly string[];
  message: string;
  hint: string;
  /** To be copied as they are, behind the hint. */
  lines?: string[];
  campaigns: CampaignLink[];
}

/** What is said under one code; `code` is null for a plain list of campaigns. */
export interface NoticeGroup {
  code: string | null;
  /** What accepts a hazard: a line of the project file, or a flag. */
  accepted_by: string | null;
  /** What to do about all of it; every view shows it, even where it cuts the sayings. Empty if each saying has its own. */
  hint: string;
  campaigns: CampaignLink[];
  sayings: Saying[];
  /** Findings besides, which validate shows. */
  more: number;
}

/** `hazard`: it needs approval; `accepted`: a hazard that the project file or a flag accepts; `calm`: nothing needs a look. */
export type NoticeKind =
  | ('launch' | 'hazard' | 'accepted' | 'blocked' | 'removed')
  | ('drift' | 'warning' | 'irreversible' | 'calm' | 'unreadable');

/** Something to know before you approve; without groups, the title says it all. */
export interface Notice {
  kind: NoticeKind;
  title: string;
  groups: NoticeGroup[];
}

type LinkOf = (campaign: CampaignPlan) => CampaignLink;

/** What stands before the campaigns. */
export function noticesOf(plan: Plan, linkOf: LinkOf): Notice[] {
  const { mode, campaigns, summary } = plan;
  const problems = groupProblems(plan, isAttended);
  const groups = (kind: NoticeKind, title: string) =>
    notice(
      kind,
      title,
      problems
        .filter((group) => kindOf(group) === kind)
        .map((group) => fewFindings(problemGroup(group, linkOf))),
    );
  const launched = campaigns.filter(isLaunched);
  // Of drift, the campaigns follow at once.
  const drifted = mode === 'drift' ? [] : campaigns.filter((campaign) => originLine(campaign) !== null);
  const pronoun = launched.length === 1 ? 'it starts' : 'they start';
  const found = [
    ...notice(
      'launch',
      `${count(launched.length, 'launch', 'launches')}: ${pronoun} sending emails to real people`,
      [listGroup(sayingsOf(launched, linkOf, ({ impact }) => (impact ? impactLine(impact) : '')))],
    ),
    ...groups('hazard', 'Needs approval: apply refuses without --allow'),
    ...groups('accepted', 'Accepted: apply goes ahead with these'),
    ...groups('blocked', 'Blocked: apply does not send these changes'),
    ...removedNotice(plan),
    ...notice('drift', `Drift: ${count(drifted.length, 'campaign')} changed outside campaignctl`, [
      listGroup(sayingsOf(drifted, linkOf, (one) => (isUndone(one) ? 'apply overwrites it' : ''))),
    ]),
    ...groups('warning', 'Warnings'),
    ...irreversibleNotice(campaigns),
  ];
  const isCalm = found.length === 0 && mode !== 'drift' && summary.requests > 0;
  return isCalm ? [{ kind: 'calm', title: CALM, groups: [] }] : found;
}

const CALM = 'No launches, nothing blocked, nothing irreversible, no approval needed.';

/** What stands after the campaigns: what the linter found where nothing changes; what the service does not show, or may not. */
export function notesOf(plan: Plan): Notice[] {
  const changing = plan.campaigns.filter(differs);
  const placeKey = (problem: Problem) => JSON.stringify([sayingKey(problem), problem.at]);
  const told = new Set(changing.flatMap(({ problems }) => problems.map(placeKey)));
  const found = groupProblems(
    plan,
    (problem, campaign) => isCalm(problem, campaign) && !told.has(placeKey(problem)),
  ).map((group) => {
    const { sayings, ...shown } = problemGroup(group, ({ name }) => ({ name, anchor: null }));
    // Their places say whose they are.
    return fewFindings({
      ...shown,
      campaigns: [],
      sayings: sayings.map((one) => ({ ...one, campaigns: [] })),
    });
  });
  const sayings = groupProblems(plan, ({ code }) => code === UNREADABLE)
    .flatMap((group) => group.sayings)
    .map(({ message, campaigns }) => sayingOf(`${message} (${count(campaigns.length, 'campaign')})`));
  return [
    ...notice('warning', 'Warnings about campaigns that do not change', found),
    ...notice('unreadable', 'Not shown by the service', [listGroup(sayings)]),
    ...unwrittenNotice(plan),
  ];
}

/** So many findings of one kind are listed. */
const MOST_FOUND = 10;

/** Of what the linter finds, as many as are read; equal ones are one. */
function fewFindings(group: NoticeGroup): NoticeGroup {
  const { sayings } = group;
  if (sayings.length <= MOST_FOUND || sayings.some(({ places }) => places.length === 0)) return group;
  const rest = sayings.slice(MOST_FOUND - 1).reduce((sum, { places }) => sum + places.length, 0);
  return { ...group, sayings: sayings.slice(0, MOST_FOUND - 1), more: rest };
}

/** A hint that all of them have is said once, for the group; `otherwise`: what is said where they have several. */
function withCommonHint(sayings: Saying[], otherwise = ''): Pick<NoticeGroup, 'hint' | 'sayings'> {
  const [common = '', ...others] = new Set(sayings.map(({ hint }) => hint));
  if (others.length > 0 || sayings.some(({ lines }) => lines !== undefined))
    return { hint: otherwise, sayings };
  return { hint: common, sayings: sayings.map((one) => ({ ...one, hint: '' })) };
}

/** What is said before the campaigns or with one of them, and not after all of them. */
export function isAttended(problem: Problem, campaign: CampaignPlan | null): boolean {
  return problem.code !== UNREADABLE && !isCalm(problem, campaign);
}

/** A hazard that apply refuses without approval. */
export function isAwaited({ severity, accepted_by = null }: Problem): boolean {
  return severity === 'hazard' && accepted_by === null;
}

/** A finding of the linter in a manifest whose campaign does not change. */
function isCalm({ severity, at }: Problem, campaign: CampaignPlan | null): boolean {
  return severity === 'warning' && at !== undefined && campaign !== null && !differs(campaign);
}

/** The settings that the update of a new campaign carries and no manifest writes: what is made is read before they are sent. */
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
  return [{ kind: 'unreadable', title, groups: [] }];
}

/** Said of every campaign of some services. */
export const UNREADABLE = 'not-readable';

export function isLaunched({ steps }: CampaignPlan): boolean {
  return steps.some(({ id }) => id === 'launch');
}

/** What makes two problems the same saying. */
export function sayingKey({ code, message, hint }: Pick<Problem, 'code' | 'message' | 'hint'>): string {
  return JSON.stringify([code, message, hint]);
}

function notice(kind: NoticeKind, title: string, groups: NoticeGroup[]): Notice[] {
  const some = groups.filter(({ sayings }) => sayings.length > 0);
  return some.length === 0 ? [] : [{ kind, title, groups: some }];
}

/** What is said and is no problem. */
function sayingOf(message: string, campaigns: CampaignLink[] = []): Saying {
  return { key: '', places: [], message, hint: '', campaigns };
}

/** What is said of each campaign; of many the same once. */
function sayingsOf(
  campaigns: readonly CampaignPlan[],
  linkOf: LinkOf,
  say: (campaign: CampaignPlan) => string,
) {
  return alike(campaigns, say).map((own) => sayingOf(say(own[0]), own.map(linkOf)));
}

function listGroup(sayings: Saying[], hint = ''): NoticeGroup {
  return { code: null, accepted_by: null, hint, campaigns: [], sayings, more: 0 };
}

function kindOf({ severity, accepted_by }: ProblemGroup): NoticeKind | 'error' {
  return accepted_by === null ? severity : 'accepted';
}

function problemGroup(group: ProblemGroup, linkOf: LinkOf): NoticeGroup {
  const { code, accepted_by } = group;
  const sayings = group.sayings.map((saying) => ({
    ...saying,
    key: sayingKey({ code, ...saying }),
    // The way to accept what is accepted.
    hint: accepted_by === null ? saying.hint : '',
    campaigns: saying.campaigns.map(linkOf),
  }));
  const campaigns = [...new Set(sayings.flatMap((saying) => saying.campaigns))];
  const otherwise = kindOf(group) === 'hazard' ? `Accept all of them with --allow ${code}.` : '';
  return { code, accepted_by, campaigns, ...withCommonHint(sayings, otherwise), more: 0 };
}

/** What the requests of a section do, and to how many things or in how many requests. */
const DOES: { [Section in SectionName]?: (number: number) => string } = {
  campaign: (number) => `creates ${count(number, 'campaign')}`,
  schedule: (number) => `sets ${count(number, 'schedule')}`,
  sequence: (number) => `posts emails in ${count(number, 'request')}`,
  leads: (number) => `attaches leads in ${count(number, 'request')}`,
  status: (number) => `launches ${count(number, 'campaign')}`,
};

/** "Irreversible: creates 2 campaigns, attaches leads in 1 request": each campaign lists its own requests. */
function irreversibleNotice(campaigns: readonly CampaignPlan[]): Notice[] {
  const all = campaigns.flatMap(({ steps }) =>
    steps.filter(({ irreversible }) => irreversible).map(({ section }) => section),
  );
  const numbers = SECTION_NAMES.flatMap((section) => {
    const number = all.filter((one) => one === section).length;
    return number > 0 ? [DOES[section]?.(number) ?? `sends ${section} in ${count(number, 'request')}`] : [];
  });
  return all.length === 0
    ? []
    : [{ kind: 'irreversible', title: `Irreversible: ${numbers.join(', ')}`, groups: [] }];
}

/** Campaigns that no manifest of the environment describes any more: "id 12 · spring.yaml · active · up to 200 emails a day". */
function removedNotice(plan: Plan): Notice[] {
  const { removed } = plan;
  const [left, replaced] = [removed.filter((one) => !isReplaced(one)), removed.filter(isReplaced)];
  const own = { ...plan, removed: left };
  return [...replacedNotice(replaced), ...[false, true].flatMap((outside) => leftNotice(own, outside))];
}

export function isReplaced({ superseded_by }: RemovedCampaign): boolean {
  return superseded_by !== undefined;
}

/** Campaigns that run again after another one has replaced them. */
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
  return notice('removed', title, [listGroup(sayings, hint)]);
}

/** `outside`: those whose manifests are still in the project. */
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
    [listGroup(sayings, `${where}${mode === 'drift' ? '' : effect}${ways}`)],
  );
}

function statusOf({ status, running, basis }: Pick<RemovedCampaign, 'status' | 'running' | 'basis'>): string {
  const word = status ?? 'status not shown';
  if (basis === 'believed') return `${word}, believed to be ${running ? 'running' : 'paused'}`;
  return basis === 'unknown' ? `${word}, may be running` : word;
}

/** A sentence of its own, so that no sentence about the others hides it. */
export function withoutManifest(removed: Plan['removed']): string {
  const replaced = removed.filter(isReplaced).length;
  const again = `${count(replaced, 'campaign that was replaced runs', 'campaigns that were replaced run')} again.`;
  const left = [false, true].map((outside) =>
    leftSentence(
      removed.filter((campaign) => campaign.outside === outside && !isReplaced(campaign)),
      outside,
    ),
  );
  return [...(replaced === 0 ? [] : [` ${again}`]), ...left].join('');
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
