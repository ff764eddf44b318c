import { isObject } from '../model/json.js';
import {
  type Action,
  type CampaignPlan,
  type Change,
  groupProblems,
  isDrift,
  type Plan,
  type ProblemGroup,
  type SectionName,
  type Step,
} from '../model/outputs.js';
import type { Problem } from '../model/problem.js';
import { SECTION_NAMES } from '../model/sections.js';
import { groupSections } from './changes.js';
import { count, impactLine, monthName } from './words.js';

/**
 * What every view of a plan shows, in which order and how it is grouped: what needs a look first, then the campaigns by weight.
 * Text, Markdown and HTML write this down and decide only about marks, width and limits. JSON is the plan itself.
 */
export interface PlanView {
  title: string;
  environment: string;
  base_url: string;
  fingerprint: string;
  mode: Plan['mode'];
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

export type CountKind = Exclude<Action, 'none'> | 'unchanged' | 'launch' | 'pause' | 'requests';

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

/** A problem as it is said of some campaigns. The hint is empty where the next message has the same. */
export interface Saying {
  message: string;
  hint: string;
  campaigns: CampaignLink[];
}

/** Something that needs a look before anything is approved, most dangerous first. */
export type Notice =
  | {
      kind: 'launch' | 'drift' | 'irreversible';
      title: string;
      /** All of it in a line, where there is no room for the campaigns. */
      brief: string;
      lines: { campaign: CampaignLink; text: string }[];
    }
  | {
      kind: 'hazard' | 'blocked' | 'warning';
      title: string;
      groups: { code: string; campaigns: CampaignLink[]; sayings: Saying[] }[];
    };

export interface CampaignView extends CampaignLink {
  /** What it is made from: steps, and both sides as a whole. */
  campaign: CampaignPlan;
  action: Action;
  /** Which live campaign is meant: "id 12", "new", or "gone". */
  which: string;
  launches: boolean;
  impact: string | null;
  origin: string | null;
  /** What differs, in a few words. */
  themes: string[];
  sections: SectionView[];
  /** Without hazards, which are a notice. `shared`: a notice says it of several campaigns. */
  problems: (Problem & { shared: boolean })[];
}

/** What differs in one section. `sent`: apply sends it; of drift, nothing is said. `drifted`: it was changed in the service. */
export interface SectionView {
  section: SectionName;
  changes: Change[];
  sent: boolean;
  drifted: boolean;
}

/** What a plan shows. */
export function viewPlan(plan: Plan): PlanView {
  const { environment, base_url, fingerprint, mode, summary } = plan;
  const drift = mode === 'drift';
  const told = byWeight(plan.campaigns.filter(isTold));
  const links = new Map(
    told.map((campaign, at) => [campaign, { name: campaign.name, anchor: `campaign-${at + 1}` }]),
  );
  const linksOf = (campaigns: readonly CampaignPlan[]) =>
    campaigns.flatMap((campaign) => links.get(campaign) ?? []);
  const groups = groupProblems(plan, ({ code }) => code !== UNREADABLE);
  const isShared = sharedIn(groups);
  const campaigns = told.map((campaign) => viewCampaign(campaign, linksOf([campaign])[0], isShared));
  const differs = plan.campaigns.some(({ action }) => action !== 'none');
  return {
    title: `${drift ? 'Drift of' : 'Plan for'} ${environment}`,
    environment,
    base_url,
    fingerprint,
    mode,
    counts: drift ? { campaigns: [], rest: [] } : countsOf(plan),
    verdict: drift ? driftLine(plan) : differs ? null : noChanges(summary.unchanged),
    legend:
      drift && campaigns.length > 0
        ? 'Each line: what the service shows now → what the manifest says.'
        : null,
    notices: noticesOf(campaigns, { groups, drift, linksOf }),
    campaigns,
    quiet: drift ? 0 : plan.campaigns.length - told.length,
    unreadable: groupProblems(plan, ({ code }) => code === UNREADABLE)
      .flatMap(({ sayings }) => sayings)
      .map(({ message, campaigns: own }) => ({ message, campaigns: own.length })),
  };
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

function countsOf(plan: Plan): PlanView['counts'] {
  const { create, change, blocked, unchanged, launch, pause, requests } = plan.summary;
  const drifted = plan.campaigns.filter(({ changes }) => changes.some(isDrift)).length;
  const of = (kind: CountKind, number: number, words: string): Count => ({ kind, number, words });
  const some = ({ kind, number }: Count) => number > 0 || kind === 'unchanged';
  return {
    campaigns: [
      of('create', create, 'to create'),
      of('change', change, 'to change'),
      of('blocked', blocked, 'blocked'),
      of('unchanged', unchanged, 'unchanged'),
    ].filter(some),
    rest: [
      of('launch', launch, launch === 1 ? 'launch' : 'launches'),
      of('pause', pause, pause === 1 ? 'pause' : 'pauses'),
      of('requests', requests, requests === 1 ? 'request' : 'requests'),
      of('drift', drifted, 'changed in the service'),
    ].filter(some),
  };
}

function noChanges(unchanged: number): string {
  if (unchanged === 0) return 'No campaigns.';
  return unchanged === 1
    ? 'No changes. The live campaign matches its manifest.'
    : `No changes. All ${unchanged} live campaigns match their manifests.`;
}

function driftLine({ campaigns, summary, problems }: Plan): string {
  const drifted = campaigns.length;
  if (drifted > 0)
    return `${drifted} of ${count(drifted + summary.unchanged, 'campaign')} changed in the service`;
  return problems.length > 0
    ? 'Nothing is known to have been changed in the service.'
    : 'Nothing was changed in the service.';
}

/** Whether the same is said of several campaigns, or of the plan as a whole. */
function sharedIn(groups: readonly ProblemGroup[]): (problem: Problem) => boolean {
  const key = ({ code, message, hint }: Pick<Problem, 'code' | 'message' | 'hint'>) =>
    JSON.stringify([code, message, hint]);
  const shared = new Set(
    groups.flatMap(({ code, sayings }) =>
      sayings
        .filter(({ campaigns }) => campaigns.length > 1)
        .map(({ message, hint }) => key({ code, message, hint })),
    ),
  );
  return (problem) => shared.has(key(problem));
}

interface Found {
  groups: readonly ProblemGroup[];
  drift: boolean;
  linksOf: (campaigns: readonly CampaignPlan[]) => CampaignLink[];
}

function noticesOf(campaigns: readonly CampaignView[], found: Found): Notice[] {
  return [
    ...launchNotice(campaigns),
    ...problemNotice('hazard', 'Needs approval: apply refuses without --allow', found),
    ...problemNotice('blocked', 'Blocked: these changes are not sent', found),
    // Of drift, the campaigns follow at once.
    ...(found.drift ? [] : driftNotice(campaigns)),
    ...problemNotice('warning', 'Warnings', found),
    ...irreversibleNotice(campaigns),
  ];
}

function problemNotice(
  kind: 'hazard' | 'blocked' | 'warning',
  title: string,
  { groups, linksOf }: Found,
): Notice[] {
  // A warning about one campaign stands with it only.
  const isHere = ({ campaigns }: ProblemGroup['sayings'][number]) =>
    kind !== 'warning' || campaigns.length !== 1;
  const shown = groups
    .filter(({ severity }) => severity === kind)
    .map(({ code, sayings }) => ({ code, sayings: sayings.filter(isHere) }))
    .filter(({ sayings }) => sayings.length > 0)
    .map(({ code, sayings }) => ({
      code,
      campaigns: linksOf([...new Set(sayings.flatMap(({ campaigns }) => campaigns))]),
      sayings: sayings.map(({ message, hint, campaigns }, at) => ({
        message,
        hint: sayings[at + 1]?.hint === hint ? '' : hint,
        campaigns: linksOf(campaigns),
      })),
    }));
  return shown.length === 0 ? [] : [{ kind, title, groups: shown }];
}

function launchNotice(campaigns: readonly CampaignView[]): Notice[] {
  const launched = campaigns.filter(({ launches }) => launches);
  if (launched.length === 0) return [];
  const what = count(launched.length, 'launch', 'launches');
  return [
    {
      kind: 'launch',
      title: `${what}: ${launched.length === 1 ? 'it starts' : 'they start'} sending emails to real people`,
      brief: what,
      lines: launched.map(({ impact, ...campaign }) => ({ campaign: linkOf(campaign), text: impact ?? '' })),
    },
  ];
}

function driftNotice(campaigns: readonly CampaignView[]): Notice[] {
  const lines = campaigns.flatMap((campaign) =>
    campaign.origin === null ? [] : [{ campaign: linkOf(campaign), text: campaign.origin }],
  );
  if (lines.length === 0) return [];
  const brief = `${count(lines.length, 'campaign')} changed outside campaignctl`;
  return [{ kind: 'drift', title: `Drift: ${brief}`, brief, lines }];
}

function irreversibleNotice(campaigns: readonly CampaignView[]): Notice[] {
  const stepsOf = ({ campaign }: CampaignView) => campaign.steps.filter(({ irreversible }) => irreversible);
  const steps = campaigns.flatMap(stepsOf);
  if (steps.length === 0) return [];
  return [
    {
      kind: 'irreversible',
      title: `Irreversible: ${count(steps.length, 'step')}`,
      brief: irreversibleParts(steps).join(', '),
      lines: campaigns
        .filter((campaign) => stepsOf(campaign).length > 0)
        .map((campaign) => ({
          campaign: linkOf(campaign),
          text: stepsOf(campaign)
            .map(({ title }) => title)
            .join('; '),
        })),
    },
  ];
}

function irreversibleParts(steps: readonly Step[]): string[] {
  const words: Record<SectionName, (number: number) => string> = {
    campaign: (number) => `${count(number, 'campaign')} created`,
    settings: (number) => `settings sent in ${count(number, 'request')}`,
    schedule: (number) => `${count(number, 'schedule')} set`,
    sequence: (number) => `emails posted in ${count(number, 'request')}`,
    leads: (number) => `leads attached in ${count(number, 'request')}`,
    status: (number) => `${count(number, 'campaign')} launched`,
  };
  return SECTION_NAMES.flatMap((section) => {
    const number = steps.filter((step) => step.section === section).length;
    return number === 0 ? [] : [words[section](number)];
  });
}

function linkOf({ name, anchor }: CampaignLink): CampaignLink {
  return { name, anchor };
}

function viewCampaign(
  campaign: CampaignPlan,
  link: CampaignLink = { name: campaign.name, anchor: '' },
  isShared: (problem: Problem) => boolean,
): CampaignView {
  const { action, id, impact, problems } = campaign;
  return {
    ...link,
    campaign,
    action,
    which: id !== null ? `id ${id}` : action === 'drift' ? 'gone' : 'new',
    launches: isLaunched(campaign),
    impact: impact === null ? null : impactLine(impact),
    origin: originLine(campaign),
    themes: themesOf(campaign),
    sections: sectionsOf(campaign),
    problems: problems
      .filter(({ severity, code }) => severity !== 'hazard' && code !== UNREADABLE)
      .map((problem) => ({ ...problem, shared: isShared(problem) })),
  };
}

function sectionsOf(campaign: CampaignPlan): SectionView[] {
  const left = sectionsLeft(campaign);
  return groupSections(markedChanges(campaign)).map(({ section, changes }) => ({
    section,
    changes,
    sent: !left.includes(section),
    drifted: campaign.changes.some((change) => change.section === section && isDrift(change)),
  }));
}

/** Sections that differ and of which nothing is sent: blocked, or held back. Of drift, it is not said what is sent. */
function sectionsLeft({ action, changes, steps }: CampaignPlan): SectionName[] {
  if (action === 'drift') return [];
  const sent = new Set(steps.map(({ section }) => section));
  return [...new Set(changes.map(({ section }) => section))].filter((section) => !sent.has(section));
}

/**
 * "changed in the service since the last apply on 12 May 2026; apply would overwrite it"; null where nothing of a campaign was
 * changed there: what the manifest changes is what a plan is for.
 */
function originLine(campaign: CampaignPlan): string | null {
  const { action, changes, last } = campaign;
  const drifted = changes.filter(isDrift);
  if (drifted.length === 0 || last === null) return null;
  const both = drifted.every(({ origin }) => origin === 'both');
  const whose = both ? 'changed in the manifest and in the service' : 'changed in the service';
  const what = isMixed(campaign) && action !== 'drift' ? 'in part changed in the service' : whose;
  const left = sectionsLeft(campaign);
  const isUndone = action !== 'drift' && drifted.every(({ section }) => !left.includes(section));
  // Days are those of UTC.
  const day = new Date(last.at).toISOString();
  const date = `${Number(day.slice(8, 10))} ${monthName(day)} ${day.slice(0, 4)}`;
  const since =
    last.how === 'import' ? `since it was imported on ${date}` : `since the last apply on ${date}`;
  return `${what} ${since}${isUndone ? '; apply would overwrite it' : ''}`;
}

/** The changes, those made in the service marked where not all are of the same origin. */
function markedChanges(campaign: CampaignPlan): Change[] {
  if (!isMixed(campaign)) return campaign.changes;
  return campaign.changes.map((change) => {
    if (!isDrift(change) || (campaign.action === 'drift' && change.origin === 'service')) return change;
    const mark =
      change.origin === 'both' ? 'changed in the manifest and in the service' : 'changed in the service';
    return { ...change, note: change.note === null ? mark : `${change.note}; ${mark}` };
  });
}

function isMixed({ changes }: CampaignPlan): boolean {
  return new Set(changes.map(({ origin }) => origin)).size > 1 && changes.some(isDrift);
}

function themesOf({ action, changes }: CampaignPlan): string[] {
  if (action === 'create') return ['new campaign'];
  const own = (section: SectionName) => changes.filter((change) => change.section === section);
  const emails = new Set(own('sequence').flatMap(({ path }) => /^steps\[(\d+)\]/.exec(path)?.[1] ?? []));
  const whole = own('sequence').find(({ path }) => path === '')?.to ?? null;
  const all = isObject(whole) && Array.isArray(whole.steps) ? whole.steps.length : 0;
  const settings = own('settings').length;
  return [
    ...(all > 0 ? [count(all, 'email')] : []),
    ...(emails.size > 0 ? [`email ${[...emails].map((index) => Number(index) + 1).join(', ')}`] : []),
    ...(own('sequence').some(({ path }) => path === 'title') ? ['title'] : []),
    ...(own('schedule').length > 0 ? ['schedule'] : []),
    ...(settings > 0 ? [count(settings, 'setting')] : []),
    ...(own('leads').length > 0 ? ['leads'] : []),
  ];
}
