import type { StepResult } from '../model/outcome.js';
import type { Run, RunResult, RunStep } from '../model/run.js';
import { type Colour, type TextOptions, visibleLine } from './terminal.js';
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
  const widest = Math.max(...runs.map(({ who }) => who.length));
  const lines = runs.map((run) => {
    const [colour, word] = RESULTS[run.result];
    const parts = [
      run.run,
      `${clock(run.at)}`,
      visibleLine(run.who).padEnd(widest),
      short(run.commit),
      paint(colour, word.padEnd(11)),
      count(run.steps.length, 'request'),
      ...(run.pending ? [paint('magenta', 'not settled')] : []),
    ];
    return parts.join('  ');
  });
  const open = runs.some(({ pending }) => pending);
  const note = open
    ? [
        '',
        'What is not settled, the next plan and apply find out by reading the service, before anything is sent.',
      ]
    : [];
  return `${[paint('bold', `Runs on ${environment}`), ...lines, ...note].join('\n')}\n`;
}

/** One run with every request it noted. */
export function renderRunText(run: Run, options: TextOptions): string {
  const { paint, width } = options;
  const [colour, word] = RESULTS[run.result];
  const names = [...new Set(run.steps.map(({ name }) => name))];
  const head = [
    `${paint('bold', run.run)}  ${paint(colour, word)}${run.pending ? paint('magenta', '  not settled') : ''}`,
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
  const note = run.pending
    ? [
        '',
        ...wrap(
          'The next plan and apply find out by reading the service what became of the rest, before anything is sent.',
          width,
        ),
      ]
    : [];
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
  if (commit === null) return '-'.padEnd(14);
  return visibleLine(`${commit.slice(0, 8)}${commit.endsWith('-dirty') ? '-dirty' : ''}`).padEnd(14);
}
