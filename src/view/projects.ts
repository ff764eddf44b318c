import { SANDBOX } from '../model/environment.js';
import { EXIT, type ExitCode, type Failure } from '../model/failure.js';
import { EMPTY_SUMMARY, type Plan, type PlanProblem, type Problem } from '../model/outputs.js';
import { count, listed, thousands } from '../model/words.js';
import { code, firstThatFits, markdownTable, prose } from './markdown.js';
import {
  headline,
  LEVELS,
  type Level,
  noticeText,
  type PlanMarkdownOptions,
  pageLink,
  planAt,
  shortened,
  WHOLE,
} from './plan-markdown.js';
import { isAwaited, isHeadline, isRefused, type Notice } from './plan-notices.js';
import { bodyLines, type PlanTextOptions } from './plan-text.js';
import { approvalWords, countWords, isWorthTelling, type PlanView, viewPlan } from './plan-view.js';
import { renderFailureText, toError } from './problems.js';
import { type TextOptions, visibleLine } from './terminal.js';
import { alike, broken, counts, cut, hanging, summed, unbroken } from './words.js';

export interface ProjectPart<Result> {
  project: string;
  environment: string | null;
  exit_code: ExitCode;
  result: Result | null;
  failure: Failure | null;
}

export function projectName({ project, environment }: Pick<ProjectPart<unknown>, 'project' | 'environment'>) {
  return visibleLine(`${project}${environment === null ? '' : ` (${environment})`}`);
}

/** `done`: the word for success. */
export function projectsHead(parts: readonly ProjectPart<unknown>[], done: string): string {
  const isOk = (exit: ExitCode) => exit === EXIT.ok || exit === EXIT.pending;
  const outcomes = counts(
    [parts.filter(({ exit_code }) => isOk(exit_code)).length, done],
    ...OTHERS.map(([exit, word]) => [parts.filter((part) => part.exit_code === exit).length, word] as const),
  );
  return `${count(parts.length, 'project')}${outcomes.length === 0 ? '' : `: ${outcomes.join(', ')}`}`;
}

const OTHERS = [
  [EXIT.error, 'failed'],
  [EXIT.refused, 'refused'],
  [EXIT.incomplete, 'incomplete'],
  [EXIT.interrupted, 'interrupted'],
] as const;

/** `totals`: a line about several results. `isOpen`: true if a result needs somebody's attention. */
interface ProjectViews<Result> {
  done: string;
  totals?(results: readonly Result[]): string;
  isOpen?(result: Result): boolean;
  text(part: ProjectPart<Result>, options: TextOptions): string;
}

export function renderProjectsText<Result>(
  parts: readonly ProjectPart<Result>[],
  views: ProjectViews<Result>,
  options: TextOptions,
): string {
  const { paint, width } = options;
  const { done, totals, text } = views;
  const results = parts.flatMap(({ result }) => (result === null ? [] : [result]));
  const sums = totals === undefined || results.length === 0 ? [] : [totals(results)];
  const blocks = parts.map((part) => {
    const report = [
      text(part, options),
      part.failure === null ? '' : renderFailureText(part.failure, options),
    ].join('');
    const name = projectName(part);
    return `\n${paint('bold', cut(`━━ ${name} ${'━'.repeat(Math.max(2, width - name.length - 4))}`, width))}\n\n${report}`;
  });
  const headLines = sums.flatMap((line) => hanging(line, width - 4)).map((line) => `  ${line}`);
  const head = `${[paint('bold', projectsHead(parts, done)), ...headLines].join('\n')}\n`;
  // Repeats the head, because only the end of a long report stays visible.
  const ending = parts.length === 0 ? '' : `\n${head}\n${resultLines(parts, views, options).join('')}`;
  return `${head}${blocks.join('')}${ending}`;
}

/** A line for each project. Three or more with the same result share one. */
function resultLines<Result>(
  parts: readonly ProjectPart<Result>[],
  views: ProjectViews<Result>,
  { paint, width }: TextOptions,
): string[] {
  const results = parts.map((part) => ({ name: projectName(part), ...resultOf(part, views) }));
  return alike(results, ({ mark, words }) => `${mark} ${words}`).flatMap((same) => {
    const [{ mark, words }] = same;
    const names = same.map(({ name }) => unbroken(name)).join(', ');
    const which = same.length === 1 ? names : `${thousands(same.length)} × ${words}: ${names}`;
    const sign = { '✓': paint('green', '✓'), '!': paint('yellow', '!'), '✗': paint('red', '✗') }[mark];
    return hanging(`${sign} ${which}${same.length === 1 ? `: ${words}` : ''}`, width - 4).map(
      (line) => `  ${broken(line)}\n`,
    );
  });
}

function resultOf<Result>(
  part: ProjectPart<Result>,
  { done, totals, isOpen }: ProjectViews<Result>,
): { mark: '✓' | '!' | '✗'; words: string } {
  const { exit_code, failure, result } = part;
  const [, problem = null] = OTHERS.find(([exit]) => exit === exit_code) ?? [];
  const shown = totals === undefined ? '' : describeResult(part, totals);
  const facts = failure === null ? shown : `${visibleLine(failure.message)} [${failure.code}]`;
  const words = [problem, facts].filter(Boolean).join(': ') || done;
  if (problem !== null) return { mark: '✗', words };
  return { mark: result !== null && isOpen?.(result) === true ? '!' : '✓', words };
}

/** One report of several plans: the results first, then each change once, with the campaigns that have it. */
export function renderPlansText(parts: readonly ProjectPart<Plan>[], options: PlanTextOptions): string {
  const { paint, width } = options;
  const planned = placedPlans(parts);
  const plans = planned.map(({ plan }) => plan);
  const environments = new Set(plans.map(({ environment }) => environment));
  const [environment] = environments;
  const all = `--recursive${environments.size === 1 ? ` --env ${environment}` : ''}`;
  const ofManifest = (manifest: string) => planned.find(({ name }) => manifest.startsWith(`${name}/`));
  const view = viewPlan(
    mergedPlan(planned.map(({ placed }) => placed)),
    (manifest) => (manifest === '' ? all : (ofManifest(manifest)?.flags ?? all)),
    ({ manifest, name }) => `${ofManifest(manifest)?.name ?? ''}: ${name}`,
  );
  const views = { done: 'planned', totals: planTotals, isOpen: isOpenPlan, text: () => '' };
  const sums = [
    ...(plans.length === 0 ? [] : [view.verdict ?? planTotals(plans)]),
    ...planHeadlines(plans).map(({ title }) => paint('magenta', title)),
  ];
  const head = [
    paint('bold', projectsHead(parts, 'planned')),
    ...sums.flatMap((line) => hanging(line, width - 4)).map((line) => `  ${line}`),
  ];
  const failures = parts.flatMap((part) =>
    part.failure === null
      ? []
      : [`\n${paint('bold', projectName(part))}\n`, renderFailureText(part.failure, options)],
  );
  const body = bodyLines({ ...view, notices: view.notices.filter((notice) => !isHeadline(notice)) }, options);
  const results = resultLines(parts, views, options).join('');
  const report = [...failures, ...body.map((line) => `${line}\n`)];
  const note = hanging(FOLDER_NOTE, width).join('\n');
  const ending = report.length > LONG ? `\n${head.join('\n')}\n` : '';
  return `${head.join('\n')}\n\n${results}\n${note}\n${report.join('')}${ending}`;
}

/** Lines after which the head is repeated, because only the end of a long report stays visible. */
const LONG = 30;

export function planTotals(plans: readonly Plan[]): string {
  const { mode, verdict, counts, unread, approvals } = viewPlan(mergedPlan(plans));
  if (mode === 'drift') return verdict ?? '';
  const needed = approvals.length === 0 ? '' : ` · needs approval: ${approvalWords(approvals)}`;
  return [`${countWords(counts)}${needed}`, ...(unread === null ? [] : [unread])].join('. ');
}

/** "Real people" is said of the launches that reach them, never of those in a sandbox. */
export function planHeadlines(plans: readonly Plan[]): Notice[] {
  const isSandbox = ({ base_url }: Plan) => base_url === SANDBOX;
  return [plans.filter((plan) => !isSandbox(plan)), plans.filter(isSandbox)].flatMap((some) =>
    some.length === 0 ? [] : viewPlan(mergedPlan(some)).notices.filter(isHeadline),
  );
}

/** True if something in a plan is blocked, refused or not approved. */
export function isOpenPlan({ problems, campaigns }: Plan): boolean {
  const all = [...problems, ...campaigns.flatMap((campaign) => campaign.problems)];
  return all.some((problem) => isRefused(problem) || isAwaited(problem) || problem.severity === 'blocked');
}

export const FOLDER_NOTE = 'Run a command without -C in the folder of its project, or add -C FOLDER.';

/** Flags that select a project: "-C clients/acme --env production". */
export function projectFlags({
  project,
  environment,
}: Pick<ProjectPart<unknown>, 'project' | 'environment'>): string {
  const folder = /^[\w./-]+$/.test(project) ? project : JSON.stringify(project);
  return `-C ${folder}${environment === null ? '' : ` --env ${environment}`}`;
}

export function mergedPlan(plans: readonly Plan[]): Plan {
  // Without any plan, nothing is known of the services.
  const isReal = plans.length === 0 || plans.some(({ base_url }) => base_url !== SANDBOX);
  const insecure = plans.filter(({ insecure_http }) => insecure_http).length;
  const services = `${count(plans.length, 'plan')} of several services${insecure > 0 ? `, ${thousands(insecure)} with insecure http` : ''}`;
  const environments = new Set(plans.map(({ environment }) => environment));
  return {
    version: 1,
    environment: [...environments].join(', '),
    base_url: isReal ? services : SANDBOX,
    fingerprint: '',
    mode: plans.find(({ mode }) => mode === 'drift')?.mode ?? plans[0]?.mode ?? 'all',
    summary: summed([EMPTY_SUMMARY, ...plans.map(({ summary }) => summary)]),
    problems: plans.flatMap(({ problems }) => problems),
    campaigns: plans.flatMap(({ campaigns }) => campaigns),
    removed: plans.flatMap(({ removed }) => removed),
    replaced: plans.flatMap(({ replaced }) => replaced),
    by_hand: plans.flatMap(({ by_hand }) => by_hand),
  };
}

/** A plan of one of several projects. `placed`: its paths and tasks name the project. */
export interface PlacedPlan {
  name: string;
  flags: string;
  plan: Plan;
  placed: Plan;
}

/** Folders have their real paths, unless a project has plans of several environments. */
export function placedPlans(parts: readonly ProjectPart<Plan>[]): PlacedPlan[] {
  const isOnly = ({ project }: ProjectPart<Plan>) =>
    parts.filter((part) => part.project === project && part.result !== null).length === 1;
  return parts.flatMap((part) => {
    const { result: plan, project } = part;
    const name = isOnly(part) ? project : projectName(part);
    return plan === null ? [] : [{ name, flags: projectFlags(part), plan, placed: inProject(name, plan) }];
  });
}

function inProject(name: string, plan: Plan): Plan {
  const placed = <Part extends { manifest: string }>(part: Part): Part => ({
    ...part,
    manifest: `${name}/${part.manifest}`,
  });
  const named = (problem: PlanProblem): PlanProblem => ({
    ...problem,
    message: `${name}: ${problem.message}`,
  });
  /** Lines to write belong in a file of this project. */
  const located = (problem: PlanProblem, manifest: string): PlanProblem => {
    const [file = manifest] = /^[^#[]+/.exec(manifest) ?? [];
    return problem.where === undefined
      ? problem
      : { ...problem, where: problem.where.replace(file, () => `${name}/${file}`) };
  };
  return {
    ...plan,
    problems: plan.problems.map(named),
    campaigns: plan.campaigns.map((campaign) => ({
      ...placed(campaign),
      problems: campaign.problems.map((problem) => located(problem, campaign.manifest)),
    })),
    removed: plan.removed.map(placed),
    replaced: plan.replaced.map(placed),
    by_hand: plan.by_hand.map((task) => ({ ...placed(task), campaign: `${name}: ${task.campaign}` })),
  };
}

interface PlannedProject extends Pick<ProjectPart<Plan>, 'project' | 'environment'> {
  name: string;
  plan: Plan;
  view: PlanView;
}

export interface ProjectsMarkdownOptions extends Pick<PlanMarkdownOptions, 'page'> {
  optionsOf?(project: string, plan: Plan): PlanMarkdownOptions;
}

/** Has at most `limit` characters. Projects with equal plans share a report. A table of all results comes first. */
export function renderProjectsMarkdown(
  parts: readonly ProjectPart<Plan>[],
  limit = 60_000,
  { optionsOf = () => ({}), page = null }: ProjectsMarkdownOptions = {},
): string {
  const planned = parts.flatMap(({ result: plan, ...part }) =>
    plan === null ? [] : [{ ...part, name: renderName(part), plan, view: viewPlan(plan) }],
  );
  const plans = planned.map(({ plan }) => plan);
  const headlines = planHeadlines(plans).map((notice) => noticeText(notice, 0));
  const groups = alike(
    planned.filter(({ plan }) => isWorthTelling(plan)),
    ({ view }) => reportKey(view),
  );
  const sums = plans.length === 0 ? [] : [planTotals(plans), ...headlines, prose(FOLDER_NOTE)];
  const rows = parts.map((part) => [renderName(part), prose(describeResult(part, planTotals))]);
  const results = markdownTable({ heads: ['Project', 'Result'], rows });
  const levels = LEVELS.map((level) => () => {
    const note = level.leavesOut === null ? [] : [shortened(level)];
    const blocks = [
      [`### ${projectsHead(parts, 'planned')}`, pageLink(page), ...sums, ...note]
        .filter(Boolean)
        .join('\n\n'),
      results,
      parts.flatMap((part) => failureItem(part, level.most) ?? []).join('\n'),
      ...(level.changes === null ? [] : groups.map((group) => renderReport(group, level, optionsOf))),
    ];
    return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
  });
  return firstThatFits(levels, limit);
}

export function describeResult<Result>(
  { result, failure }: ProjectPart<Result>,
  totals: (results: readonly Result[]) => string,
): string {
  if (result !== null) return totals([result]);
  return failure === null ? 'no result' : `${failure.code}: ${cut(failure.message, 300)}`;
}

/** A plan's content without ids, service address and fingerprint. */
function reportKey(view: PlanView): string {
  return planAt({ ...view, service: '', fingerprint: '' }, WHOLE, { title: headline(view) }).replace(
    /\bid \d+ · /g,
    '',
  );
}

function renderReport(
  group: readonly [PlannedProject, ...PlannedProject[]],
  level: Level,
  optionsOf: (project: string, plan: Plan) => PlanMarkdownOptions,
): string {
  const [{ project, environment, plan }] = group;
  const flags = projectFlags({ project: group.length === 1 ? project : 'FOLDER', environment });
  const view = viewPlan(plan, () => flags);
  const names = listed(
    group.map(({ name }) => name),
    MAX_NAMED,
  );
  const same = group.length === 1 ? '' : `${group.length} projects with the same plan: `;
  const title = `${same}${names}: ${headline(view)}`;
  return planAt(view, level, { ...optionsOf(project, plan), title: `#### ${title}` }).trimEnd();
}

const MAX_NAMED = 24;

function renderName(part: Pick<ProjectPart<unknown>, 'project' | 'environment'>): string {
  return code(cut(projectName(part), 100));
}

function failureItem(part: ProjectPart<Plan>, most: number): string | null {
  const [error, ...others] = part.failure === null ? [] : failureProblems(part.failure);
  if (error === undefined) return null;
  const lines = others.slice(0, most).map(({ message }) => `  - ${prose(cut(message, 300))}`);
  const rest = others.length - lines.length;
  return [
    `- ✗ ${renderName(part)}: ${prose(cut(`${error.message} ${error.hint}`.trim(), 1_000))}`,
    ...lines,
    ...(rest === 0 ? [] : [`  - and ${thousands(rest)} more`]),
  ].join('\n');
}

export function failureProblems(failure: Failure): Pick<Problem, 'code' | 'message' | 'hint'>[] {
  const findings = failure.findings.map(({ file, line, message, ...finding }) => ({
    ...finding,
    message: `${file}:${line}: ${message}`,
  }));
  return [failure, ...failure.others, ...findings];
}

export function projectsReport<Result>(parts: readonly ProjectPart<Result>[], worst: ExitCode) {
  return {
    version: 1 as const,
    exit_code: worst,
    projects: parts.map(({ failure, ...part }) => ({
      ...part,
      error: failure === null ? null : toError(failure),
    })),
  };
}
