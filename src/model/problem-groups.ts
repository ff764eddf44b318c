import type { PlanCode } from './codes.js';
import { literalGlob } from './glob.js';
import { groupBy } from './json.js';
import type { CampaignPlan, Problem, Severity } from './outputs.js';
import { shellQuoted } from './shell.js';

/**
 * Problems with the same code. Each message appears once, with its places and campaigns; without campaigns, it concerns the
 * whole plan.
 */
export interface ProblemGroup<Campaign = CampaignPlan, Code = PlanCode> {
  code: Code;
  severity: Severity;
  /** `null` if it still needs approval or is not a hazard. */
  accepted_by: string | null;
  messages: (Pick<Problem, 'message' | 'hint'> & {
    places: string[];
    campaigns: Campaign[];
    blocks: { where: string; lines: string[] }[];
  })[];
}

interface Concerned<One> {
  name: string;
  problems: One[];
}

export function groupProblems<One extends Problem, Campaign extends Concerned<One>>(
  { problems = [], campaigns }: { problems?: One[]; campaigns: Campaign[] },
  isWanted: (problem: One, campaign: Campaign | null) => boolean = () => true,
): ProblemGroup<Campaign, One['code']>[] {
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

function merge<Campaign extends { name: string }>(
  occurrences: readonly [PlacedProblem<Campaign>, ...PlacedProblem<Campaign>[]],
) {
  const { message, hint } = occurrences[0].problem;
  const campaigns = [...new Set(occurrences.flatMap(({ campaign }) => campaign ?? []))];
  const [first, ...others] = campaigns;
  const isOne = first !== undefined && others.length === 0;
  return {
    message,
    // A message of several campaigns cannot name one.
    hint: isOne ? hint.replaceAll('"NAME"', () => shellQuoted(literalGlob(first.name))) : hint,
    places: [...new Set(occurrences.flatMap(({ problem }) => problem.at ?? []))],
    campaigns,
    blocks: occurrences.flatMap(({ problem: { where = '', lines } }) =>
      lines === undefined ? [] : [{ where, lines }],
    ),
  };
}
