import {
  type Action,
  type CampaignPlan,
  type Change,
  groupProblems,
  isDrift,
  type Plan,
  type SectionName,
} from '../model/outputs.js';
import type { Problem } from '../model/problem.js';
import { SECTION_NAMES } from '../model/sections.js';
import { groupSections, stepsIn } from './changes.js';
import { type RemovedNotice, removedNotice, withoutManifest } from './removed.js';
import { count, impactLine, monthName, thousands } from './words.js';

/**
 * What every view of a plan shows, in which order and how it is grouped: what needs a look first, then the campaigns by weight.
 * Text, Markdown and HTML write this down and decide only about marks, width and limits. JSON is the plan itself.
 */
export interface PlanView extends Pick<Plan, 'environment' | 'base_url' | 'fingerprint' | 'mode'> {
  title: string;
  /** Campaigns, each counted once, and what happens to them; of drift there are none. */
  counts: { campaigns: Count[]; rest: Count[] };
  /** In a sentence, where counts would not do: nothing differs, or it is drift. */
  verdict: string | null;
  /** How the lines of drift are to be read. */
  legend: string | null;
  notices: Notice[];
  campaigns: CampaignView[];
  /** Campaigns of which there is nothing to tell. */
  quiet: number;
  /** What the service does not show, once for all campaigns. */
  unreadable: { message: string; campaigns: number }[];
}

export type CountKind = Exclude<Action, 'none'> | 'unchanged' | 'launch' | 'pause' | 'removed' | 'requests';

/** "2 to create": `words` without the number. */
export interface Count {
  kind: CountKind;
  number: number;
  words: string;
}

/** A campaign by its name; `anchor` is its place on a page. */
export interface CampaignLink {
  name: string;
  anchor: string;
}

/** A problem as it is said of some campaigns. The hint is empty where the group has it. */
export interface Saying {
  /** The file and line of a finding of the linter. */
  at?: string;
  message: string;
  hint: string;
  campaigns: CampaignLink[];
}

/** Something that needs a look before you approve, most dangerous first. */
export type Notice = { title: string } & (
  | { kind: 'launch' | 'drift'; lines: NoticeLine[] }
  /** `brief`: all of it in a line, where there is no room for the campaigns. */
  | { kind: 'irreversible'; brief: string; lines: NoticeLine[] }
  | RemovedNotice
  | { kind: GroupKind; groups: NoticeGroup[] }
);

/** `hazard`: it needs approval; `accepted`: a hazard that the project file or a flag accepts. */
type GroupKind = 'hazard' | 'accepted' | 'blocked' | 'warning';

interface NoticeLine {
  campaign: CampaignLink;
  text: string;
}

export interface NoticeGroup {
  code: string;
  /** What accepts a hazard: a line of the project file, or a flag. */
  accepted_by: string | null;
  /** What to do about all of it; every view shows it, even where it cuts the sayings. Empty if each saying has its own. */
  hint: string;
  campaigns: CampaignLink[];
  sayings: Saying[];
}

export interface CampaignView extends CampaignLink {
  /** What it is made from: steps, and both sides as a whole. */
  campaign: CampaignPlan;
  action: Action;
  /** The action in a word or a few. */
  does: string;
  /** Of a blocked campaign, what is sent all the same. */
  rest: string | null;
  /** Which live campaign is meant: "id 12", "new", "gone", or "renamed". */
  which: string;
  launches: boolean;
  pauses: boolean;
  impact: string | null;
  origin: string | null;
  /** What differs, in a few words. */
  themes: string[];
  sections: SectionView[];
  /** Without hazards, which are a notice. `shared`: a notice says it of several campaigns. */
  problems: (Problem & { shared: boolean })[];
}

/** What differs in one section. `sent`: apply sends it; of drift, nothing is said. `drifted`: it was changed outside campaignctl. */
export interface SectionView {
  section: SectionName;
  changes: Change[];
  sent: boolean;
  drifted: boolean;
}

/** What a plan shows. */
export function viewPlan(plan: Plan): PlanView {
  const { environment, base_url, fingerprint, mode } = plan;
  const drift = mode === 'drift';
  const groups = groupProblems(plan, ({ code }) => code !== UNREADABLE);
  const shared = new Set(
    groups.flatMap(({ code, sayings }) =>
      sayings.filter(({ campaigns }) => campaigns.length > 1).map((saying) => sayingKey({ code, ...saying })),
    ),
  );
  const told = byWeight(plan.campaigns.filter(isTold));
  const campaigns = told.map((campaign, at) => viewCampaign(campaign, `campaign-${at + 1}`, shared));
  const links = new Map(campaigns.map((view) => [view.campaign, linkOf(view)]));
  const notices = groups.map(({ severity, code, accepted_by, sayings }) => ({
    kind: accepted_by === null ? severity : ('accepted' as const),
    ...{ code, accepted_by },
    sayings: sayings.map(({ campaigns: own, hint, ...saying }) => ({
      ...saying,
      // The way to accept what is accepted.
      hint: accepted_by === null ? hint : '',
      campaigns: own.flatMap((campaign) => links.get(campaign) ?? []),
    })),
  }));
  return {
    ...{ environment, base_url, fingerprint, mode },
    title: `${drift ? 'Drift of' : 'Plan for'} ${environment}`,
    counts: drift ? { campaigns: [], rest: [] } : countsOf(plan),
    verdict: drift ? driftLine(plan) : noChanges(plan),
    legend:
      drift && campaigns.length > 0
        ? 'Each line: what the service shows now → what the manifest says.'
        : null,
    notices: [
      ...lineNotices('launch', campaigns),
      ...groupNotices('hazard', 'Needs approval: apply refuses without --allow', notices),
      ...groupNotices('accepted', 'Accepted: apply does not refuse these', notices),
      ...groupNotices('blocked', 'Blocked: these changes are not sent', notices),
      ...removedNotice(plan),
      // Of drift, the campaigns follow at once.
      ...(drift ? [] : lineNotices('drift', campaigns)),
      ...groupNotices('warning', 'Warnings', notices),
      ...irreversibleNotice(campaigns),
    ],
    campaigns,
    quiet: drift ? 0 : plan.campaigns.length - told.length,
    unreadable: groupProblems(plan, ({ code }) => code === UNREADABLE)
      .flatMap(({ sayings }) => sayings)
      .map(({ message, campaigns: own }) => ({ message, campaigns: own.length })),
  };
}

function sayingKey({ code, message, hint, at }: Pick<Problem, 'code' | 'message' | 'hint' | 'at'>): string {
  return JSON.stringify([code, message, hint, at]);
}

/** The place of a finding, and what is found. */
export function placed({ at, message }: Pick<Problem, 'at' | 'message'>): string {
  return at === undefined ? message : `${at}: ${message}`;
}

/** Said of every campaign of some services: told once, at the end. */
const UNREADABLE = 'not-readable';

function isTold({ action, problems }: CampaignPlan): boolean {
  return action !== 'none' || problems.some(({ code }) => code !== UNREADABLE);
}

/** Launches, hazards, what is blocked, drift, warnings; then changes, then what is new. Of equal weight, the manifests' order. */
function byWeight(campaigns: readonly CampaignPlan[]): CampaignPlan[] {
  const weight = (campaign: CampaignPlan) => {
    const { action, problems } = campaign;
    const has = (severity: Problem['severity']) => problems.some((problem) => problem.severity === severity);
    const reasons = [
      isLaunched(campaign),
      has('hazard'),
      has('blocked'),
      campaign.changes.some(isDrift),
      action === 'change' || action === 'drift',
      action === 'create',
    ];
    const found = reasons.indexOf(true);
    return found < 0 ? reasons.length : found;
  };
  return [...campaigns].sort((one, other) => weight(one) - weight(other));
}

function isLaunched({ steps }: CampaignPlan): boolean {
  return steps.some(({ id }) => id === 'launch');
}

function countsOf({ summary, campaigns }: Plan): PlanView['counts'] {
  const drift = campaigns.filter(({ changes }) => changes.some(isDrift)).length;
  const numbers = { ...summary, drift };
  const some = (words: [CountKind, string, string?][]): Count[] =>
    words
      .map(([kind, one, many = one]) => ({
        kind,
        number: numbers[kind],
        words: numbers[kind] === 1 ? one : many,
      }))
      .filter(({ kind, number }) => number > 0 || kind === 'unchanged');
  return {
    campaigns: some([
      ['create', 'to create'],
      ['change', 'to change'],
      ['blocked', 'blocked'],
      ['unchanged', 'unchanged'],
    ]),
    rest: some([
      ['launch', 'launch', 'launches'],
      ['pause', 'pause', 'pauses'],
      ['removed', 'without a manifest'],
      ['requests', 'request', 'requests'],
      ['drift', 'changed outside campaignctl'],
    ]),
  };
}

/** A sentence where nothing differs. */
function noChanges({ campaigns, summary: { unchanged, requests }, removed }: Plan): string | null {
  if (requests > 0 || campaigns.some(({ action }) => action !== 'none')) return null;
  if (unchanged === 0) return `No campaigns.${withoutManifest(removed)}`;
  const said =
    unchanged === 1
      ? 'The live campaign matches its manifest.'
      : `All ${thousands(unchanged)} live campaigns match their manifests.`;
  return `No changes. ${said}${withoutManifest(removed)}`;
}

function driftLine({ campaigns, summary, problems, removed }: Plan): string {
  const drifted = campaigns.length;
  const rest = withoutManifest(removed);
  if (drifted > 0) {
    const all = count(drifted + summary.unchanged, 'campaign');
    return `${drifted} of ${all} changed outside campaignctl${rest && `.${rest}`}`;
  }
  return problems.length > 0
    ? `Nothing is known to have been changed outside campaignctl.${rest}`
    : `Nothing was changed outside campaignctl.${rest}`;
}

function groupNotices(
  kind: GroupKind,
  title: string,
  all: readonly (Omit<NoticeGroup, 'campaigns' | 'hint'> & { kind: GroupKind | 'error' })[],
): Notice[] {
  const groups = all
    .filter((group) => group.kind === kind)
    .map(({ code, accepted_by, sayings }) => {
      // A warning about one campaign stands with it only.
      const here = sayings.filter(({ campaigns }) => kind !== 'warning' || campaigns.length !== 1);
      const [common = '', ...others] = new Set(here.map(({ hint }) => hint));
      const campaigns = [...new Set(here.flatMap((saying) => saying.campaigns))];
      if (others.length === 0)
        return {
          code,
          accepted_by,
          hint: common,
          campaigns,
          sayings: here.map((one) => ({ ...one, hint: '' })),
        };
      const hint = kind === 'hazard' ? `Accept all of them with --allow ${code}.` : '';
      return { code, accepted_by, hint, campaigns, sayings: here };
    })
    .filter(({ sayings }) => sayings.length > 0);
  return groups.length === 0 ? [] : [{ kind, title, groups }];
}

function lineNotices(kind: 'launch' | 'drift', campaigns: readonly CampaignView[]): Notice[] {
  const own = campaigns.filter(({ launches, origin }) => (kind === 'launch' ? launches : origin !== null));
  const { length } = own;
  const title =
    kind === 'launch'
      ? `${count(length, 'launch', 'launches')}: ${length === 1 ? 'it starts' : 'they start'} sending emails to real people`
      : `Drift: ${count(length, 'campaign')} changed outside campaignctl`;
  const lines = own.map((one) => ({
    campaign: linkOf(one),
    text: (kind === 'launch' ? one.impact : one.origin) ?? '',
  }));
  return length === 0 ? [] : [{ kind, title, lines }];
}

/** What the requests of a section did, and of how many things or requests that is said. */
const DONE: { [Section in SectionName]?: (number: number) => string } = {
  campaign: (number) => `${count(number, 'campaign')} created`,
  schedule: (number) => `${count(number, 'schedule')} set`,
  sequence: (number) => `emails posted in ${count(number, 'request')}`,
  leads: (number) => `leads attached in ${count(number, 'request')}`,
  status: (number) => `${count(number, 'campaign')} launched`,
};

function irreversibleNotice(campaigns: readonly CampaignView[]): Notice[] {
  const own = campaigns.map((view) => ({
    campaign: linkOf(view),
    steps: view.campaign.steps.filter(({ irreversible }) => irreversible),
  }));
  const all = own.flatMap(({ steps }) => steps.map(({ section }) => section));
  const numbers = SECTION_NAMES.map(
    (section) => [section, all.filter((one) => one === section).length] as const,
  );
  const brief = numbers
    .flatMap(([section, number]) =>
      number > 0 ? [DONE[section]?.(number) ?? `${section} sent in ${count(number, 'request')}`] : [],
    )
    .join(', ');
  const lines = own
    .filter(({ steps }) => steps.length > 0)
    .map(({ campaign, steps }) => ({ campaign, text: steps.map(({ title }) => title).join('; ') }));
  const title = `Irreversible: ${count(all.length, 'step')}`;
  return all.length === 0 ? [] : [{ kind: 'irreversible', title, brief, lines }];
}

function linkOf({ name, anchor }: CampaignLink): CampaignLink {
  return { name, anchor };
}

const ACTIONS: Record<Action, string> = {
  create: 'create',
  change: 'change',
  blocked: 'blocked',
  none: 'unchanged',
  drift: 'changed outside campaignctl',
};

function viewCampaign(campaign: CampaignPlan, anchor: string, shared: ReadonlySet<string>): CampaignView {
  const { name, action, id, impact, problems, steps } = campaign;
  const { length } = steps;
  return {
    name,
    anchor,
    campaign,
    action,
    does: ACTIONS[action],
    rest: action === 'blocked' && length > 0 ? `apply sends the rest in ${count(length, 'request')}` : null,
    which: id !== null ? `id ${id}` : action === 'drift' ? lossOf(campaign) : 'new',
    launches: isLaunched(campaign),
    pauses: steps.some((step) => step.id === 'pause'),
    impact: impact && impactLine(impact),
    origin: originLine(campaign),
    themes: themesOf(campaign),
    sections: sectionsOf(campaign),
    problems: problems
      .filter(({ severity, code }) => severity !== 'hazard' && code !== UNREADABLE)
      .map((problem) => ({ ...problem, shared: shared.has(sayingKey(problem)) })),
  };
}

/** What became of a campaign that is not there under its name. */
function lossOf({ problems }: CampaignPlan): string {
  return problems.some(({ code }) => code === 'rename') ? 'renamed' : 'gone';
}

function sectionsOf(campaign: CampaignPlan): SectionView[] {
  return groupSections(markedChanges(campaign)).map(({ section, changes }) => ({
    section,
    changes,
    sent: isSent(campaign, section),
    drifted: campaign.changes.some((change) => change.section === section && isDrift(change)),
  }));
}

/** Not where it is blocked, or held back. Of drift, it is not said what is sent. */
function isSent({ action, steps }: CampaignPlan, section: SectionName): boolean {
  return action === 'drift' || steps.some((step) => step.section === section);
}

const [OUTSIDE, IN_BOTH] = ['changed outside campaignctl', 'changed in the manifest and outside campaignctl'];

/**
 * "changed outside campaignctl since the last apply on 12 May 2026; apply would overwrite it"; null where nothing of a campaign was
 * changed there: what the manifest changes is what a plan is for.
 */
function originLine(campaign: CampaignPlan): string | null {
  const { action, changes, last } = campaign;
  const drifted = changes.filter(isDrift);
  if (drifted.length === 0 || last === null) return null;
  const whose = drifted.every(({ origin }) => origin === 'both') ? IN_BOTH : OUTSIDE;
  const what = isMixed(campaign) && action !== 'drift' ? `in part ${OUTSIDE}` : whose;
  const isUndone = action !== 'drift' && drifted.every(({ section }) => isSent(campaign, section));
  // Days are those of UTC.
  const day = new Date(last.at).toISOString();
  const date = `${Number(day.slice(8, 10))} ${monthName(day)} ${day.slice(0, 4)}`;
  const since = last.how === 'import' ? 'it was imported' : 'the last apply';
  return `${what} since ${since} on ${date}${isUndone ? '; apply would overwrite it' : ''}`;
}

/** The changes, those made outside campaignctl marked where not all are of the same origin. */
function markedChanges(campaign: CampaignPlan): Change[] {
  if (!isMixed(campaign)) return campaign.changes;
  return campaign.changes.map((change) => {
    if (!isDrift(change) || (campaign.action === 'drift' && change.origin === 'service')) return change;
    const mark = change.origin === 'both' ? IN_BOTH : OUTSIDE;
    return { ...change, note: change.note === null ? mark : `${change.note}; ${mark}` };
  });
}

function isMixed({ changes }: CampaignPlan): boolean {
  return new Set(changes.map(({ origin }) => origin)).size > 1 && changes.some(isDrift);
}

/** "2 emails", "email 1, 3", "schedule", "2 settings": what differs in a campaign. */
function themesOf({ action, changes }: CampaignPlan): string[] {
  if (action === 'create') return ['new campaign'];
  const paths = (section: SectionName) =>
    changes.filter((change) => change.section === section).map(({ path }) => path);
  const sequence = paths('sequence');
  const edited = new Set(sequence.flatMap((path) => /^steps\[(\d+)\]/.exec(path)?.[1] ?? []));
  const whole = changes.find(({ section, path }) => section === 'sequence' && path === '')?.to ?? null;
  const emails = stepsIn(whole).length;
  const settings = paths('settings').length;
  return [
    ...(emails > 0 ? [count(emails, 'email')] : []),
    ...(edited.size > 0 ? [`email ${[...edited].map((index) => Number(index) + 1).join(', ')}`] : []),
    ...(sequence.includes('title') ? ['title'] : []),
    ...(paths('schedule').length > 0 ? ['schedule'] : []),
    ...(settings > 0 ? [count(settings, 'setting')] : []),
    ...(paths('leads').length > 0 ? ['leads'] : []),
  ];
}
