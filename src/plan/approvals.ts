import type { Approval, Environment, Hazard } from '../model/environment.js';
import { groupProblems, type Plan, type Problem, type ProblemGroup } from '../model/outputs.js';
import { parseGlob } from '../model/words.js';

export function isAccepted(
  code: Hazard,
  { environment, approvals = [] }: { environment: Environment; approvals?: readonly Approval[] },
): boolean {
  return [...environment.allow, ...approvals].some(({ hazard }) => hazard === code);
}

/** Sets `accepted_by` of hazards. `campaign`: its name; `null` for the whole plan. */
export function withApprovals(
  problems: readonly Problem[],
  approvals: readonly Approval[],
  campaign: string | null = null,
): Problem[] {
  const isFor = ({ name }: Approval) =>
    name === undefined || name === campaign || parseGlob(name)?.test(campaign ?? '') === true;
  return problems.map((problem) => {
    if (problem.severity !== 'hazard') return problem;
    const approval = approvals.find((candidate) => candidate.hazard === problem.code && isFor(candidate));
    return { ...problem, accepted_by: approval?.by ?? null };
  });
}

export function refusals(plan: Plan): ProblemGroup[] {
  return groupProblems(
    plan,
    ({ severity, accepted_by = null }) => severity === 'hazard' && accepted_by === null,
  );
}
