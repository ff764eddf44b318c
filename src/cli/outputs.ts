import { readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { writeAtomic } from '../files/atomic.js';
import { Failure } from '../model/failure.js';
import type { Plan } from '../model/outputs.js';
import { openPlan, type SavedPlan } from '../plan/index.js';
import { plain, printable, renderJson, renderPlanMarkdown, renderPlanText } from '../view/index.js';
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

/** Reads a plan file, named relative to the working directory. Failure where it cannot be read or was altered. */
export async function readPlanFile(file: string, { cwd }: Shell): Promise<SavedPlan> {
  return openPlan(file, textOf(file, cwd));
}

function textOf(file: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8');
  } catch (error) {
    throw unusable('read', file, error);
  }
}

/** Writes a plan file at once or not at all, readable for its owner only: it holds what emails say. */
export async function writePlanFile(file: string, plan: SavedPlan, { cwd }: Shell): Promise<void> {
  const written = writeAtomic(resolve(cwd, file), `${JSON.stringify(plan)}\n`, { mode: 0o600 });
  await written.catch((error: unknown) => {
    throw unusable('written', file, error);
  });
}

function unusable(what: string, file: string, error: unknown): Failure {
  const problem = {
    code: 'plan-file-unusable',
    message: `The plan file ${file} cannot be ${what}: ${messageOf(error)}.`,
    hint: 'Check the path. A plan file is written by campaignctl plan --out.',
  };
  return new Failure(problem, { cause: error });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
