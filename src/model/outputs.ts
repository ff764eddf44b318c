import { groupBy, type Path } from './json.js';
import type { CampaignPlan, Plan, PlannedChange, Problem, Severity, Summary } from './plan.js';

export type * from './plan.js';
export type * from './reports.js';
export { INVENTORY_STATUSES } from './reports.js';
export type * from './results.js';
export type { SectionName } from './sections.js';

export const EMPTY_SUMMARY: Summary = {
  create: 0,
  change: 0,
  unchanged: 0,
  blocked: 0,
  not_read: 0,
  launch: 0,
  pause: 0,
  removed: 0,
  requests: 0,
};

/** Used in the journals of runs that read no manifests. */
export function emptyPlan(environment: string, base_url: string): Plan {
  return {
    version: 1,
    environment,
    base_url,
    fingerprint: '',
    mode: 'all',
    summary: EMPTY_SUMMARY,
    problems: [],
    campaigns: [],
    removed: [],
    by_hand: [],
  };
}

export const REFRESH_MODES = ['all', 'changed'] as const;
export type RefreshMode = (typeof REFRESH_MODES)[number];

export function isDrift({ origin }: PlannedChange): boolean {
  return origin === 'service' || origin === 'both';
}

/** False for campaigns that were not read. */
export function differs({ action }: Pick<CampaignPlan, 'action'>): boolean {
  return action !== 'none' && action !== 'not_read';
}

/** Lists pauses of campaigns without a manifest first. */
export function campaignsWithSteps({ campaigns, removed }: Plan): Pick<CampaignPlan, 'name' | 'steps'>[] {
  const pauses = removed.map(({ name, step }) => ({ name, steps: step === null ? [] : [step] }));
  return [...pauses, ...campaigns].filter(({ steps }) => steps.length > 0);
}

/** Problems with the same code. Each message appears once, with its places and campaigns (none: the whole plan). */
export interface ProblemGroup<Campaign = CampaignPlan> {
  code: string;
  severity: Severity;
  /** `null` if it needs approval, or is not a hazard. */
  accepted_by: string | null;
  messages: (Pick<Problem, 'message' | 'hint'> & {
    places: string[];
    campaigns: Campaign[];
    blocks: { where: string; lines: string[] }[];
  })[];
}

export function groupProblems<Campaign extends { problems: Problem[] }>(
  { problems = [], campaigns }: { problems?: Problem[]; campaigns: Campaign[] },
  isWanted: (problem: Problem, campaign: Campaign | null) => boolean = () => true,
): ProblemGroup<Campaign>[] {
  const all = [
    ...problems.map((problem) => ({ problem, campaign: null })),
    ...campaigns.flatMap((campaign) => campaign.problems.map((problem) => ({ problem, campaign }))),
  ].filter(({ problem, campaign }) => isWanted(problem, campaign));
  const groups = groupBy(all, ({ problem: { severity, code, accepted_by = null } }) =>
    JSON.stringify([severity, code, accepted_by]),
  );
  return [...groups.values()].map((group) => {
    const { code, severity, accepted_by = null } = group[0].problem;
    const messages = groupBy(group, ({ problem: { message, hint, at }, campaign }) =>
      JSON.stringify([message, hint, at === undefined, campaign === null]),
    );
    return { code, severity, accepted_by, messages: [...messages.values()].map(merge) };
  });
}

type PlacedProblem<Campaign> = { problem: Problem; campaign: Campaign | null };

function merge<Campaign>(occurrences: readonly [PlacedProblem<Campaign>, ...PlacedProblem<Campaign>[]]) {
  const { message, hint } = occurrences[0].problem;
  return {
    message,
    hint,
    places: [...new Set(occurrences.flatMap(({ problem }) => problem.at ?? []))],
    campaigns: [...new Set(occurrences.flatMap(({ campaign }) => campaign ?? []))],
    blocks: occurrences.flatMap(({ problem: { where = '', lines } }) =>
      lines === undefined ? [] : [{ where, lines }],
    ),
  };
}

/** Note of a change whose live value is unknown: `from: null` then means unknown. */
export const NOT_KNOWN = 'the service does not show it, and the last applied value is unknown';

export type { Path } from './json.js';

/** A position by path; `locate` finds its line. `document` counts from 0. `text`: marks only its first occurrence. */
export interface Place {
  file: string;
  document: number;
  path: Path;
  target: 'key' | 'value';
  text: string | null;
  instance?: Instance;
}

export interface Instance {
  manifest: string;
  label: string;
  of: number;
}

export interface Finding extends Problem {
  place: Place;
}
