import { createHash } from 'node:crypto';
import type { CampaignPlan, Plan, Problem } from '../model/outputs.js';
import type { SavedPlan } from './files.generated.js';

/** SHA-256 over the value as JSON with sorted keys, so that equal values have equal prints: `sha256:` and 64 hex digits. */
export function fingerprint(value: unknown): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(value, sortKeys)).digest('hex')}`;
}

/**
 * The fingerprint of a plan: of what it shows, of the live state, and of what was selected and held. It stays as long as the requests
 * do: what follows from the moment, and from the flags of one command, is no part of it. `live`: a fingerprint for each campaign.
 */
export function planFingerprint(
  plan: Omit<Plan, 'fingerprint'>,
  live: readonly string[],
  selection: Selection,
): string {
  const { volume: _volume, ...lastingPlan } = plan;
  // The machine that applies a saved plan may keep its state elsewhere.
  const problems = plan.problems.filter(({ code }) => code !== 'unkept-state');
  const { campaigns } = plan;
  // One by one: thousands of campaigns are too long for one text.
  const prints = campaigns.map((campaign) => fingerprint(decided(campaign)));
  return fingerprint({
    plan: { ...lastingPlan, problems: lasting(problems), campaigns: prints },
    live,
    selection,
  });
}

/** Which campaigns a plan is of, and what it leaves out. */
export type Selection = SavedPlan['selection'];

/** A campaign without its impact, which follows from the moment. */
export function decided({ impact: _impact, ...campaign }: CampaignPlan) {
  return { ...campaign, problems: lasting(campaign.problems) };
}

/** Problems without the flags that accept them, since a plan is saved without any, nor the line of the file that does. */
function lasting(problems: readonly Problem[]): Problem[] {
  const file = ({ accepted_by }: Problem) => accepted_by?.replace(/:\d+$/, '') ?? null;
  return problems.map((problem) => ({ ...problem, accepted_by: isByFlag(problem) ? null : file(problem) }));
}

export function isByFlag({ accepted_by }: Problem): boolean {
  return accepted_by?.startsWith('--') === true;
}

function sortKeys(_key: string, value: unknown): unknown {
  // JSON.stringify would write null for a number that is too large.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
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
export function differences(from: unknown, to: unknown): Difference[] {
  const isPlain = (value: unknown) => typeof value === 'object' && value !== null;
  const places = differingPlaces(from, to, {
    isSame: (one, other) => one === other,
    isApart: (one, other) => isPlain(one) && isPlain(other),
  });
  return places.map((one) => ({ path: one.path || 'it', from: short(one.from), to: short(one.to) }));
}

/** Which two values are equal, and which are taken apart, key by key; lists count as objects whose keys are numbers. */
interface Comparing<Value> {
  isSame(from: Value | undefined, to: Value | undefined): boolean;
  isApart(from: Value | undefined, to: Value | undefined): boolean;
}

/** Every place where two values differ, by path; undefined is "not there". */
export function differingPlaces<Value>(
  from: Value | undefined,
  to: Value | undefined,
  how: Comparing<Value>,
  path = '',
): { path: string; from: Value | undefined; to: Value | undefined }[] {
  if (how.isSame(from, to)) return [];
  if (!how.isApart(from, to)) return [{ path, from, to }];
  const [before, after]: { [name: string]: Value }[] = [Object(from), Object(to)];
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.flatMap((name) =>
    differingPlaces(before?.[name], after?.[name], how, below(path, name, Object(from))),
  );
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
