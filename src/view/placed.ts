import { posix } from 'node:path';
import { Failure } from '../model/failure.js';
import { isByFlag, type Plan, type PlanProblem, type Problem } from '../model/outputs.js';
import type { ApplyResult } from '../model/reports.js';
import { shellQuoted } from '../model/shell.js';

/** Stands for the folder of a project that only the reader knows. */
export const FOLDER = 'FOLDER';

/** A printed command, up to the end of its sentence or line of several. */
const COMMAND =
  /(?<!\bby\s)\bcampaignctl(\s+)(apply|compare|forget|history|import|list|pause|plan|preview|state|unlock|validate)\b((?:(?![.;:)]\s|\n\s*\n|\bcampaignctl\s)[\s\S])*)/g;
/** A folder, quoted as `projectFlags` does. */
const CHDIR = /(\s-C\s+)(?:"([^"]*)"|([\w./-]+))/;

/** Those that act in one environment. */
const IN_ENVIRONMENT = /^(?!compare$|validate$)/;
/** What decides the environment otherwise. */
const DECIDED = /\s--(?:env|plan|recursive)\b/;

/**
 * Adds the folder that the person named with `-C`, and the environment, to the commands of a text, so that they can be pasted.
 * `folder`: `.` for none. `isRecursive`: the commands that name no project are for one of several.
 */
export function placedCommands(
  text: string,
  folder: string,
  { isRecursive = false, environment = null }: { isRecursive?: boolean; environment?: string | null } = {},
): string {
  return text.replace(COMMAND, (_, space: string, name: string, rest: string) => {
    const [written, flag = ' -C ', quoted, plain = quoted] = CHDIR.exec(rest) ?? [];
    const isOpen = isRecursive && written === undefined && !/\s--recursive\b/.test(rest);
    if (plain === FOLDER || isOpen) return `campaignctl${space}${name}${rest}`;
    const path = posix.join(folder, plain ?? '.');
    const placed = path === '.' ? '' : `${flag}${word(path)}`;
    const isDecided = environment === null || !IN_ENVIRONMENT.test(name) || DECIDED.test(rest);
    const env = isDecided || written !== undefined ? '' : ` --env ${environment}`;
    const flags = written === undefined ? `${placed}${env}${rest}` : rest.replace(written, () => placed);
    return `campaignctl${space}${name}${flags}`;
  });
}

/** Commands in the messages of one of several projects, so that they can be pasted where the run began. */
export function placedFailure(failure: Failure, { project, environment }: PlacedProject): Failure {
  const { code, exitCode, details, others, findings } = failure;
  const place = (text: string) => placedCommands(text, project, { environment });
  const placed = <Placed extends Pick<Problem, 'message' | 'hint'>>(problem: Placed): Placed => ({
    ...problem,
    message: place(problem.message),
    hint: place(problem.hint),
  });
  return new Failure(
    { code, message: place(failure.message), hint: place(failure.hint) },
    { exitCode, details, others: others.map(placed), findings: findings.map(placed) },
  );
}

/** The plan of one of several projects, with the paths of its files from where the run began. */
export function placedPaths(plan: Plan, project: string): Plan {
  const placed = <Part extends { manifest: string }>(part: Part) => inFolder(part, project);
  return {
    ...plan,
    problems: plan.problems.map((problem) => withPaths(problem, project)),
    campaigns: plan.campaigns.map((campaign) => ({
      ...placed(campaign),
      problems: campaign.problems.map((problem) => withLines(withPaths(problem, project), campaign, project)),
    })),
    removed: plan.removed.map(placed),
    replaced: plan.replaced.map(placed),
    by_hand: plan.by_hand.map(placed),
  };
}

/** The same for the result of an apply. */
export function placedOutcomes(result: ApplyResult, project: string): ApplyResult {
  const placed = <Part extends { manifest: string }>(part: Part) => inFolder(part, project);
  return { ...result, campaigns: result.campaigns.map(placed), by_hand: result.by_hand.map(placed) };
}

function inFolder<Part extends { manifest: string }>(part: Part, project: string): Part {
  return { ...part, manifest: posix.join(project, part.manifest) };
}

/** Lines to write belong in a file of this project. `folder`: its name, which may contain its environment. */
export function withLines(
  problem: PlanProblem,
  { manifest }: { manifest: string },
  folder: string,
): PlanProblem {
  const [file = manifest] = /^[^#[]+/.exec(manifest) ?? [];
  const { where } = problem;
  return where === undefined
    ? problem
    : { ...problem, where: where.replace(file, () => posix.join(folder, file)) };
}

export function withPaths(problem: PlanProblem, project: string): PlanProblem {
  const { accepted_by: source, at } = problem;
  return {
    ...problem,
    ...(source && !isByFlag(problem) && { accepted_by: posix.join(project, source) }),
    ...(at !== undefined && { at: posix.join(project, at) }),
  };
}

export interface PlacedProject {
  project: string;
  environment: string | null;
}

function word(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : shellQuoted(path);
}
