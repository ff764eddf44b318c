import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { writeAtomic } from '../files/atomic.js';
import { Failure } from '../model/failure.js';
import type { Plan } from '../model/plan.js';
import { plain, printable, renderJson, renderPlanMarkdown, renderPlanText } from '../view/index.js';
import type { OutputFlags, PlanFormat } from './flags.js';
import type { Shell } from './shell.js';

/** Characters that a job's summary on GitHub surely takes: its limit is a mebibyte. */
const SUMMARY_LIMIT = 300_000;
/** Columns of a text in a file. */
const WIDTH = 100;

/** Every view that was asked for, of one plan: files first, so that an error comes before the result. */
export async function showPlan(plan: Plan, flags: OutputFlags, shell: Shell): Promise<void> {
  const { format, output, limit, summaryFile } = flags;
  for (const { format: other, file } of output) {
    const text =
      other === 'text'
        ? renderPlanText(plan, { paint: plain, width: WIDTH })
        : await render(plan, other, limit);
    await attempt(file, () => writeAtomic(resolve(shell.cwd, file), printable(text)));
  }
  if (summaryFile !== null) {
    const text = renderPlanMarkdown(plan, SUMMARY_LIMIT);
    await attempt(summaryFile, () => appendFile(resolve(shell.cwd, summaryFile), printable(`${text}\n`)));
  }
  shell.out(format === 'text' ? renderPlanText(plan, shell.onOut) : await render(plan, format, limit));
}

async function render(plan: Plan, format: Exclude<PlanFormat, 'text'>, limit: number): Promise<string> {
  switch (format) {
    case 'json':
      return renderJson(plan);
    case 'html':
      return (await import('../view/html/index.js')).renderPlanHtml(plan);
    case 'markdown':
      return renderPlanMarkdown(plan, limit);
  }
}

async function attempt(file: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    throw new Failure(
      {
        code: 'output-unusable',
        message: `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}.`,
        hint: 'Check the path. Nothing was sent.',
      },
      { cause: error },
    );
  }
}
