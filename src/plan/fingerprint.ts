import { createHash } from 'node:crypto';
import type { CampaignPlan } from '../model/outputs.js';
import type { Problem } from '../model/problem.js';

/** SHA-256 over the value as JSON with sorted keys, so that equal values have equal prints: `sha256:` and 64 hex digits. */
export function fingerprint(value: unknown): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(value, sortKeys)).digest('hex')}`;
}

/**
 * What is decided about a campaign. Both sides follow from it and from what is live; an impact follows from the time as well,
 * and whose a change is from what was once applied: none of them changes a request.
 */
export function decided({ content: _content, impact: _impact, last: _last, ...campaign }: CampaignPlan) {
  const changes = campaign.changes.map(({ origin: _origin, ...change }) => change);
  return { ...campaign, changes, problems: unapproved(campaign.problems) };
}

/**
 * Problems without what accepts them and without findings of the linter: those change no request either. A campaign that sends shows another number of leads a
 * few minutes later: a saved plan does not fail because of it.
 */
export function unapproved(problems: readonly Problem[]): Problem[] {
  const decisive = problems.filter(({ at }) => at === undefined);
  return decisive.map(({ accepted_by: _accepted, ...problem }) =>
    problem.code === 'attach-running' ? { ...problem, message: '' } : problem,
  );
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A place where two JSON values differ; both sides as short texts. Only for telling people: nothing is decided by it. */
export interface Difference {
  path: string;
  from: string;
  to: string;
}

const LONGEST = 60;

/** Where two values differ, by path, deepest first. */
export function differences(from: unknown, to: unknown, path = ''): Difference[] {
  if (from === to) return [];
  if (isPlain(from) && isPlain(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) => differences(from[name], to[name], below(path, name, from)));
  }
  return [{ path: path || 'it', from: short(from), to: short(to) }];
}

/** Lists count as objects whose keys are numbers. */
function isPlain(value: unknown): value is { [name: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

function below(path: string, name: string, parent: object): string {
  if (Array.isArray(parent)) return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}

function short(value: unknown): string {
  if (value === undefined) return 'not there';
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
