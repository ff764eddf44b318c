import { posix } from 'node:path';
import { EXIT, type ExitCode, Failure, failureInFiles } from '../model/failure.js';
import { groupBy } from '../model/json.js';
import type { LostProjects } from '../model/reports.js';
import { shellWord } from '../model/shell.js';
import { count } from '../model/words.js';
import type { Failures, ProjectResult } from './document.js';
import { resultLines } from './document-text.js';
import { FOLDER, placedFailure } from './placed.js';
import { renderFailureText, toError } from './problems.js';
import { type TextOptions, visibleLine } from './terminal.js';
import { alike, counts, cut, hanging } from './words.js';

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

/** Flags that select a project: "-C clients/acme --env production". */
export function projectFlags({
  project,
  environment,
}: Pick<ProjectPart<unknown>, 'project' | 'environment'>): string {
  return `-C ${shellWord(project)}${environment === null ? '' : ` --env ${environment}`}`;
}

/** The environment that all projects have, which the head then names instead of each of them. */
interface ProjectNames {
  common: string | null;
  nameOf(part: Pick<ProjectPart<unknown>, 'project' | 'environment'>): string;
}

export function namesOf(parts: readonly Parameters<ProjectNames['nameOf']>[0][]): ProjectNames {
  // A project file with errors does not say which environment was meant.
  const [common = null, ...others] = new Set(parts.flatMap(({ environment }) => environment ?? []));
  if (common === null || others.length > 0) return { common: null, nameOf: projectName };
  return { common, nameOf: ({ project }) => projectName({ project, environment: null }) };
}

/** `lacking`: what the projects are without, and what follows from it. No block without failures. */
export function failuresBlock(
  parts: readonly ProjectPart<unknown>[],
  lacking: string,
  nameOf: ProjectNames['nameOf'] = projectName,
): Failures[] {
  const failures = equalReports(parts).flatMap((same) => {
    const failure = sharedFailure(same);
    return failure === null ? [] : [{ names: same.map(nameOf), failure }];
  });
  const number = failures.reduce((sum, { names }) => sum + names.length, 0);
  const title = `${count(number, 'project')} without ${lacking}`;
  return failures.length === 0 ? [] : [{ is: 'failures', title, failures }];
}

/** The failure of projects that share a report, with commands for one of them. */
function sharedFailure(same: Reported<unknown>): Failure | null {
  const [part, ...others] = same;
  if (part.failure === null) return null;
  const isCommon = others.every(({ environment }) => environment === part.environment);
  const project = others.length === 0 ? part.project : FOLDER;
  const failure = others.length === 0 ? part.failure : inAnyFolder(part.failure, part);
  const placed = placedFailure(failure, { project, environment: isCommon ? part.environment : null });
  return withFolderNote(placed, same);
}

/** Explains commands and paths of several projects; `null` if there are none in `texts`. */
export function folderNote(
  texts: readonly string[],
  projects: readonly Pick<ProjectPart<unknown>, 'project'>[],
): string | null {
  const example = projects.find(({ project }) => project !== '.');
  if (example === undefined || !texts.some((text) => /\bFOLDER\b/.test(text))) return null;
  const flag = `-C ${visibleLine(shellWord(example.project))}`;
  return `In commands and paths, ${FOLDER} is the folder of a project, as in ${flag}.`;
}

function withFolderNote(failure: Failure, parts: Reported<unknown>): Failure {
  const { code, message, hint, exitCode, details, others, findings } = failure;
  const note = folderNote([message, hint], parts);
  if (note === null) return failure;
  return new Failure({ code, message, hint: `${hint} ${note}` }, { exitCode, details, others, findings });
}

/** Names files of the project as they are in each folder. */
function inAnyFolder(failure: Failure, { project }: Pick<ProjectPart<unknown>, 'project'>): Failure {
  return failureInFiles(failure, (file) => {
    const own = posix.relative(project, file);
    return own.startsWith('../') ? file : posix.join(FOLDER, own);
  });
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

/**
 * `totals`: a line about several results. `isOpen`: true if a result needs somebody's attention. `text`: empty if the totals
 * say everything.
 */
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
  const blocks = equalReports(parts).flatMap((same) => {
    const [part] = same;
    const failure = sharedFailure(same);
    const isAlone = same.length === 1;
    const report = `${text(part, options)}${failure === null ? '' : renderFailureText(failure, options)}`;
    if (report === '') return [];
    const names = same.map(projectName);
    const name = isAlone ? names.join('') : count(same.length, 'project');
    const lines = isAlone ? [] : [...hanging(names.join(', '), width), ''];
    return `\n${paint('bold', cut(`━━ ${name} ${'━'.repeat(Math.max(2, width - name.length - 4))}`, width))}\n\n${lines.map((line) => `${line}\n`).join('')}${report}`;
  });
  if (parts.length > 0 && blocks.length === 0) {
    const line = [projectsHead(parts, done), ...sums].join(' · ');
    return hanging(line, width)
      .map((each) => `${each}\n`)
      .join('');
  }
  const headLines = sums.flatMap((line) => hanging(line, width - 4)).map((line) => `  ${line}`);
  const head = `${[paint('bold', projectsHead(parts, done)), ...headLines].join('\n')}\n`;
  if (parts.length === 0) return head;
  // Only the end of a long report stays visible.
  const lines = resultLines(resultsOf(parts, views), options).map((line) => `${line}\n`);
  return `${blocks.join('').trimStart()}\n${head}\n${lines.join('')}`;
}

type Reported<Result> = readonly [ProjectPart<Result>, ...ProjectPart<Result>[]];

/** Projects that failed with the same error, such as one in a file that all of them extend, share a report. */
function equalReports<Result>(parts: readonly ProjectPart<Result>[]): Reported<Result>[] {
  const groups = groupBy(parts, (part) =>
    part.failure === null || part.result !== null
      ? part
      : JSON.stringify(toError(inAnyFolder(part.failure, part))),
  );
  return [...groups.values()];
}

/** A result for each project, first those that need a person. Three or more with the same one share it. */
export function resultsOf<Result>(
  parts: readonly ProjectPart<Result>[],
  views: Pick<ProjectViews<Result>, 'done' | 'totals' | 'isOpen'>,
  nameOf: (part: ProjectPart<Result>) => string = projectName,
): ProjectResult[] {
  const results = parts.map((part) => ({ name: nameOf(part), ...resultOf(part, views) }));
  const order = ({ mark }: ProjectResult) => ['✗', '!', '✓'].indexOf(mark);
  return alike(results, ({ mark, words }) => `${mark} ${words}`)
    .map((same): ProjectResult => {
      const [{ mark, words }] = same;
      return { mark, words, names: same.map(({ name }) => name) };
    })
    .sort((a, b) => order(a) - order(b));
}

function resultOf<Result>(
  part: ProjectPart<Result>,
  { done, totals, isOpen }: Pick<ProjectViews<Result>, 'done' | 'totals' | 'isOpen'>,
): Pick<ProjectResult, 'mark' | 'words'> {
  const { exit_code, failure, result } = part;
  const [, problem = null] = OTHERS.find(([exit]) => exit === exit_code) ?? [];
  const shown = totals === undefined ? '' : describeResult(part, totals);
  const facts = failure === null ? shown : `${visibleLine(failure.message)} [${failure.code}]`;
  const words = [problem, facts].filter(Boolean).join(': ') || done;
  if (problem !== null) return { mark: '✗', words };
  return { mark: result !== null && isOpen?.(result) === true ? '!' : '✓', words };
}

export function describeResult<Result>(
  { result, failure }: ProjectPart<Result>,
  totals: (results: readonly Result[]) => string,
): string {
  if (result !== null) return totals([result]);
  return failure === null ? 'no result' : `${failure.code}: ${cut(failure.message, 300)}`;
}

/** `lost`: in plan and list. */
export function projectsReport<Result>(
  parts: readonly ProjectPart<Result>[],
  worst: ExitCode,
  lost: LostProjects | null = null,
) {
  return {
    version: 1 as const,
    exit_code: worst,
    projects: parts.map(({ failure, ...part }) => ({
      ...part,
      error: failure === null ? null : toError(failure),
    })),
    ...(lost === null ? {} : { lost }),
  };
}
