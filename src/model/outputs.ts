import type { Path } from './json.js';
import type { CampaignPlan, Plan, PlannedChange, Problem, Severity } from './plan.js';

export type * from './plan.js';
export type * from './reports.js';
export { INVENTORY_STATUSES } from './reports.js';
export type * from './results.js';
export type { SectionName } from './sections.js';

/** Read all managed campaigns, or only those that may have changed. */
export const REFRESH_MODES = ['all', 'changed'] as const;
export type RefreshMode = (typeof REFRESH_MODES)[number];

/** True if it was changed outside campaignctl. */
export function isDrift({ origin }: PlannedChange): boolean {
  return origin === 'service' || origin === 'both';
}

/** False also for a campaign that was not read. */
export function differs({ action }: Pick<CampaignPlan, 'action'>): boolean {
  return action !== 'none' && action !== 'not_read';
}

/** Campaigns that get requests; pauses of campaigns without manifest first. */
export function sendingOf({ campaigns, removed }: Plan): Pick<CampaignPlan, 'name' | 'steps'>[] {
  const pauses = removed.map(({ name, step }) => ({ name, steps: step === null ? [] : [step] }));
  return [...pauses, ...campaigns].filter(({ steps }) => steps.length > 0);
}

/** Problems of one code. `sayings`: each message once, with its campaigns (none: the whole plan) and places. */
export interface ProblemGroup<Campaign = CampaignPlan> {
  code: string;
  severity: Severity;
  /** `null` if it needs approval, or is no hazard. */
  accepted_by: string | null;
  sayings: (Pick<Problem, 'message' | 'hint'> & {
    places: string[];
    campaigns: Campaign[];
    /** Lines for manifests, and where they go. */
    blocks: { where: string; lines: string[] }[];
  })[];
}

/** Groups problems by code and by equal message. Used by all views and by apply's refusal. */
export function groupProblems<Campaign extends { problems: Problem[] }>(
  { problems = [], campaigns }: { problems?: Problem[]; campaigns: Campaign[] },
  wanted: (problem: Problem, campaign: Campaign | null) => boolean = () => true,
): ProblemGroup<Campaign>[] {
  const groups = new Map<string, ProblemGroup<Campaign>>();
  const sayings = new Map<string, ProblemGroup<Campaign>['sayings'][number]>();
  const places = new Set<string>();
  const note = (
    { code, severity, message, hint, accepted_by = null, at, where = '', lines }: Problem,
    campaign: Campaign | null,
  ) => {
    const ofGroup = JSON.stringify([severity, code, accepted_by]);
    const ofSaying = JSON.stringify([ofGroup, message, hint, at === undefined, campaign === null]);
    const group: ProblemGroup<Campaign> = groups.get(ofGroup) ?? { code, severity, accepted_by, sayings: [] };
    const saying = sayings.get(ofSaying) ?? { message, hint, places: [], campaigns: [], blocks: [] };
    if (!sayings.has(ofSaying)) group.sayings.push(saying);
    if (campaign !== null && saying.campaigns.at(-1) !== campaign) saying.campaigns.push(campaign);
    if (lines !== undefined) saying.blocks.push({ where, lines });
    const ofPlace = JSON.stringify([ofSaying, at]);
    if (at !== undefined && !places.has(ofPlace)) saying.places.push(at);
    places.add(ofPlace);
    groups.set(ofGroup, group);
    sayings.set(ofSaying, saying);
  };
  for (const problem of problems) if (wanted(problem, null)) note(problem, null);
  for (const campaign of campaigns)
    for (const problem of campaign.problems) if (wanted(problem, campaign)) note(problem, campaign);
  return [...groups.values()];
}

/** Note of a change whose live value is unknown: `from: null` is no value. */
export const NOT_KNOWN = 'the service does not show it, and what was last applied is not known';

export type { Path } from './json.js';

/**
 * A spot named by path; `locate` finds its line. `document` counts from 0. `target`: key or value. `text` narrows it to the first
 * occurrence.
 */
export interface Place {
  file: string;
  document: number;
  path: Path;
  target: 'key' | 'value';
  text: string | null;
  /** In a document with `for_each`: the instance. */
  instance?: Instance;
}

/** One campaign of a `for_each` document, and how many there are. */
export interface Instance {
  manifest: string;
  label: string;
  of: number;
}

/** Before its line is known. */
export interface Finding extends Problem {
  place: Place;
}
