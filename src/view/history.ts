import type { Run, RunResult, RunStep, StepResult } from '../model/outputs.js';
import { type Colour, fitted, type TextOptions, visibleLine } from './terminal.js';
import { count, wrap } from './words.js';

const RESULTS: Record<RunResult, [Colour, string]> = {
  done: ['green', 'done'],
  incomplete: ['red', 'incomplete'],
  interrupted: ['yellow', 'interrupted'],
  died: ['red', 'did not end'],
};
const STEPS: Record<StepResult, [Colour, string, string]> = {
  done: ['green', '✓', ''],
  failed: ['red', '✗', 'failed'],
  in_doubt: ['magenta', '?', 'in doubt'],
  not_run: ['dim', '·', 'not run'],
};

/** The runs of an environment, a line each, newest first. */
export function renderRunsText(environment: string, runs: readonly Run[], options: TextOptions): string {
  if (runs.length === 0) return `Nothing was ever applied to ${environment} from here.\n`;
  const { paint } = options;
  const rows = runs.map(({ run, at, who, commit, result, steps }) => {
    const cells = [run, clock(at), visibleLine(who), short(commit), RESULTS[result][1]];
    return [...cells, count(steps.length, 'request')];
  });
  const columns = ['', '', '', '', '', ''].map((head) => ({ head }));
  const [, ...shown] = fitted(columns, rows, Number.POSITIVE_INFINITY);
  const lines = shown.map((cells, index) => {
    const { result = 'done', pending = false } = runs[index] ?? {};
    const painted = cells.map((cell, at) => (at === 4 ? paint(RESULTS[result][0], cell) : cell));
    return [...painted, ...(pending ? [paint('magenta', PENDING)] : [])].join('  ');
  });
  const note = runs.some(({ pending }) => pending) ? noteLines(options) : [];
  return `${[paint('bold', `Runs on ${environment}`), ...lines, ...note].join('\n')}\n`;
}

const PENDING = 'pending';

function noteLines({ width }: TextOptions): string[] {
  const text =
    'The next plan and apply read the service to find out what became of pending requests, before anything is sent.';
  return ['', ...wrap(text, width)];
}

/** One run with every request it noted. */
export function renderRunText(run: Run, options: TextOptions): string {
  const { paint } = options;
  const [colour, word] = RESULTS[run.result];
  const names = [...new Set(run.steps.map(({ name }) => name))];
  const head = [
    `${paint('bold', run.run)}  ${paint(colour, word)}${run.pending ? paint('magenta', `  ${PENDING}`) : ''}`,
    `  when    ${clock(run.at)}${run.ended === null ? '' : ` to ${clock(run.ended)}`}`,
    `  who     ${visibleLine(run.who)}, campaignctl ${visibleLine(run.tool)}`,
    `  commit  ${run.commit === null ? 'not known' : visibleLine(run.commit)}`,
    `  plan    ${visibleLine(run.fingerprint)}`,
  ];
  const blocks = names.flatMap((name) => [
    '',
    paint('bold', visibleLine(name)),
    ...run.steps.filter((step) => step.name === name).flatMap((step) => stepLines(step, options)),
  ]);
  const note = run.pending ? noteLines(options) : [];
  return `${[...head, ...blocks, ...note].join('\n')}\n`;
}

function stepLines({ at, step, id, result, detail }: RunStep, { paint, width }: TextOptions): string[] {
  const [colour, sign, word] =
    result === null ? (['magenta', '?', 'outcome not noted'] as const) : STEPS[result];
  const request = paint('dim', `${step.method} ${visibleLine(step.path)}${id === null ? '' : `  id ${id}`}`);
  const suffix = word === '' ? '' : `  ${paint(colour, word)}`;
  const details = detail === null ? [] : wrap(visibleLine(detail), width - 8);
  return [
    `  ${clock(at)}  ${paint(colour, sign)} ${visibleLine(step.title)}${suffix}  ${request}`,
    ...details.map((line) => `        ${paint('dim', line)}`),
  ];
}

/** `2026-11-21 05:12:44Z` */
function clock(at: string): string {
  return visibleLine(at.replace('T', ' ').replace(/\.\d+Z$/, 'Z'));
}

function short(commit: string | null): string {
  if (commit === null) return '-';
  return visibleLine(`${commit.slice(0, 8)}${commit.endsWith('-dirty') ? '-dirty' : ''}`);
}
