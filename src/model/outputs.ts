import type { Path } from './json.js';
import type { CampaignPlan, Plan, PlannedChange, Problem, Severity } from './plan.js';

export type * from './plan.js';
export type * from './reports.js';
export { INVENTORY_STATUSES } from './reports.js';
export type * from './results.js';
export type { SectionName } from './sections.js';

/** How much of the service a plan reads: everything that the manifests manage, or only campaigns that may have changed. */
export const REFRESH_MODES = ['all', 'changed'] as const;
export type RefreshMode = (typeof REFRESH_MODES)[number];

/** Whether it was changed outside campaignctl. */
export function isDrift({ origin }: PlannedChange): boolean {
  return origin === 'service' || origin === 'both';
}

/** Whether a plan shows anything of it that differs: nothing does where it was not read. */
export function differs({ action }: Pick<CampaignPlan, 'action'>): boolean {
  return action !== 'none' && action !== 'not_read';
}

/** Every campaign to which a plan sends something. Pauses of campaigns without a manifest come first. */
export function sendingOf({ campaigns, removed }: Plan): Pick<CampaignPlan, 'name' | 'steps'>[] {
  const pauses = removed.map(({ name, step }) => ({ name, steps: step === null ? [] : [step] }));
  return [...pauses, ...campaigns].filter(({ steps }) => steps.length > 0);
}

/**
 * What is said under one code. `sayings`: each message once, with the campaigns of which it is said (none: the plan as a whole) and
 * the places where it was found.
 */
export interface ProblemGroup<Campaign = CampaignPlan> {
  code: string;
  severity: Severity;
  /** What accepts a hazard; null: it needs approval, or is no hazard. */
  accepted_by: string | null;
  sayings: (Pick<Problem, 'message' | 'hint'> & {
    places: string[];
    campaigns: Campaign[];
    /** Lines to write into manifests, and where they go. */
    blocks: { where: string; lines: string[] }[];
  })[];
}

/**
 * The problems of a plan, or of a list, and its campaigns that are `wanted`, a group for each code. Every campaign keeps its own
 * message; equal ones are said once for all of them. Views and the refusal of apply all group by this.
 */
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

/** The note of a change whose live value is neither shown nor remembered: its `from` of null is no value. */
export const NOT_KNOWN = 'the service does not show it, and what was last applied is not known';

export type { Path } from './json.js';

/**
 * A spot in a source file, named by what the author wrote there. Lines and columns are looked up late, by
 * `locate` in `manifest`. `document` counts from 0. `target` says whether the key or its value is meant, and
 * `text`, if not null, narrows it to the first occurrence of that text inside the value.
 */
export interface Place {
  file: string;
  document: number;
  path: Path;
  target: 'key' | 'value';
  text: string | null;
  /** Only in a document that stands for several campaigns: which of them is meant. */
  instance?: Instance;
}

/** One of the campaigns that a document with `for_each` stands for: the document's name, its label, and how many there are. */
export interface Instance {
  manifest: string;
  label: string;
  of: number;
}

/** A problem of a source file, before its line is known. */
export interface Finding extends Problem {
  place: Place;
}
