import { Failure } from '../model/failure.js';
import { isObject, type Json } from '../model/json.js';
import type { StepResult } from '../model/outcome.js';
import type { Plan, Summary } from '../model/plan.js';
import type { RunHead, RunResult } from '../model/run.js';
import type { Step } from '../model/step.js';

/** Journals are in this folder of the state, a file a run: open while something of the run is to be settled. */
export const FOLDER = 'journal';
export const OPEN = '.open.jsonl';
export const CLOSED = '.jsonl';

/** One line of a journal. */
export type Entry =
  | ({ type: 'run'; version: 1; fingerprint: string; summary: Summary } & RunHead)
  | { type: 'plan'; plan: Plan; specs: Record<string, string> }
  | {
      type: 'intent';
      at: string;
      manifest: string;
      name: string;
      id: number | null;
      step: Step;
      total_leads: number | null;
    }
  | {
      type: 'outcome';
      at: string;
      manifest: string;
      step: string;
      id: number | null;
      result: StepResult;
      detail: string | null;
      visible: string | null;
    }
  | { type: 'settled'; manifest: string }
  | { type: 'end'; at: string; result: Exclude<RunResult, 'died'> };

/**
 * The lines of a journal. A last line without its end was being written when the run died, and nothing was sent after
 * it; anything else that cannot be read is a Failure, never a shorter journal.
 */
export function decodeEntries(file: string, text: string): Entry[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line, index) => {
    const value = parse(line);
    if (isEntry(value, index)) return value as unknown as Entry;
    throw new Failure({
      code: 'journal-corrupt',
      message: `The journal ${file} cannot be read: line ${index + 1} is damaged.`,
      hint: 'Restore it from version control or a backup. If it is lost: look in the service at what its run sent, then move the file away; what was attached to those campaigns may then not be known.',
    });
  });
}

function parse(line: string): Json {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return null;
  }
}

type Kind = 'string' | 'number' | 'object' | 'nullable-string' | 'nullable-number';

/** What has to be in each line for a reader to rely on it. */
const FIELDS: Record<Entry['type'], { [name: string]: Kind }> = {
  run: {
    version: 'number',
    run: 'string',
    environment: 'string',
    at: 'string',
    who: 'string',
    commit: 'nullable-string',
    tool: 'string',
    fingerprint: 'string',
    summary: 'object',
  },
  plan: { plan: 'object', specs: 'object' },
  intent: {
    at: 'string',
    manifest: 'string',
    name: 'string',
    id: 'nullable-number',
    step: 'object',
    total_leads: 'nullable-number',
  },
  outcome: {
    at: 'string',
    manifest: 'string',
    step: 'string',
    id: 'nullable-number',
    result: 'string',
    detail: 'nullable-string',
    visible: 'nullable-string',
  },
  settled: { manifest: 'string' },
  end: { at: 'string', result: 'string' },
};
/** What a result may be. */
const WORDS: Partial<Record<Entry['type'], readonly string[]>> = {
  outcome: ['done', 'failed', 'in_doubt', 'not_run'] satisfies StepResult[],
  end: ['done', 'incomplete', 'interrupted'] satisfies RunResult[],
};
const STEP: { [name: string]: Kind } = {
  id: 'string',
  section: 'string',
  title: 'string',
  method: 'string',
  path: 'string',
};

function isEntry(value: Json, index: number): boolean {
  if (!isObject(value) || typeof value.type !== 'string' || !Object.hasOwn(FIELDS, value.type)) return false;
  if ((index === 0) !== (value.type === 'run') || (index === 1) !== (value.type === 'plan')) return false;
  if (value.type === 'run' && value.version !== 1) return false;
  if (value.type === 'intent' && !has(value.step, STEP)) return false;
  if (value.type === 'plan' && !(isObject(value.plan) && Array.isArray(value.plan.campaigns))) return false;
  const words = WORDS[value.type as Entry['type']];
  if (words !== undefined && !words.includes(String(value.result))) return false;
  return has(value, FIELDS[value.type as Entry['type']]);
}

function has(value: Json | undefined, fields: { [name: string]: Kind }): boolean {
  if (!isObject(value)) return false;
  return Object.entries(fields).every(([name, kind]) => {
    const field = value[name];
    if (kind === 'nullable-string') return field === null || typeof field === 'string';
    if (kind === 'nullable-number') return field === null || typeof field === 'number';
    return kind === 'object' ? isObject(field) : typeof field === kind;
  });
}
