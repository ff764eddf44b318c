import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { writeAtomic } from '../files/atomic.js';
import { Failure, messageOf } from '../model/failure.js';
import type { Plan } from '../model/outputs.js';
import {
  plain,
  printable,
  renderJson,
  renderPlanMarkdown,
  renderPlanText,
  type TextOptions,
} from '../view/index.js';
import type { OutputFlags, PlanFormat } from './options.js';
import type { Shell } from './shell.js';

/** Characters that a job's summary on GitHub surely takes: its limit is a mebibyte. */
const SUMMARY_LIMIT = 300_000;
/** Columns of a text in a file. */
const WIDTH = 100;

/** Every view that was asked for, of one plan: files first, so that an error comes before the result. */
export async function showPlan(plan: Plan, flags: OutputFlags, shell: Shell): Promise<void> {
  const { format, output, limit, summaryFile } = flags;
  for (const { format: other, file } of output) {
    const text = await render(plan, other, { limit, text: { paint: plain, width: WIDTH } });
    await writeAtomic(resolve(shell.cwd, file), printable(text)).catch(refuseOutput(file));
  }
  if (summaryFile !== null) {
    const text = renderPlanMarkdown(plan, SUMMARY_LIMIT);
    await appendFile(resolve(shell.cwd, summaryFile), printable(`${text}\n`)).catch(
      refuseOutput(summaryFile),
    );
  }
  shell.out(await render(plan, format, { limit, text: shell.onOut }));
}

async function render(
  plan: Plan,
  format: PlanFormat,
  { limit, text }: { limit: number; text: Shell['onOut'] },
): Promise<string> {
  switch (format) {
    case 'text':
      return renderPlanText(plan, text);
    case 'json':
      return renderJson(plan);
    case 'html':
      return (await import('../view/plan-html.js')).renderPlanHtml(plan);
    case 'markdown':
      return renderPlanMarkdown(plan, limit);
  }
}

/** Shows a result in the format that was asked for. */
export function show<Result extends object>(
  result: Result,
  format: 'text' | 'json' | 'markdown',
  { text, markdown }: Views<Result>,
  { out, onOut }: Shell,
): void {
  if (format === 'json') out(renderJson(result));
  else out(format === 'markdown' && markdown !== undefined ? markdown(result) : text(result, onOut));
}

interface Views<Result> {
  text(result: Result, options: TextOptions): string;
  markdown?(result: Result): string;
}

/** What to do where a file of the result cannot be written: everything is written before anything is sent. */
export function refuseOutput(file: string): (error: unknown) => never {
  return (error) => {
    const problem = {
      code: 'output-unusable',
      message: `${file} cannot be written: ${messageOf(error)}.`,
      hint: 'Check the path. Nothing was sent.',
    };
    throw new Failure(problem, { cause: error });
  };
}
