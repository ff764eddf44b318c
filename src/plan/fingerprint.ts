import { createHash } from 'node:crypto';
import type { CampaignPlan, Plan, Problem } from '../model/outputs.js';
import type { SavedPlan } from './files.generated.js';

/** SHA-256 of JSON with sorted keys. */
export function fingerprint(value: unknown): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(value, sortKeys)).digest('hex')}`;
}

/** Covers the plan, the live state and the selection; not the time or flags. `live`: a fingerprint a campaign. */
export function planFingerprint(
  plan: Omit<Plan, 'fingerprint'>,
  live: readonly string[],
  selection: Selection,
): string {
  const { volume: _volume, ...lastingPlan } = plan;
  // The machine that applies may keep its state elsewhere.
  const problems = plan.problems.filter(({ code }) => code !== 'unkept-state');
  const { campaigns } = plan;
  // One by one: a text of thousands of campaigns is too long.
  const prints = campaigns.map((campaign) => fingerprint(decided(campaign)));
  return fingerprint({
    plan: { ...lastingPlan, problems: lasting(problems), campaigns: prints },
    live,
    selection,
  });
}

/** The campaigns of a plan, and what it holds back. */
export type Selection = SavedPlan['selection'];

/** Without the impact, which depends on the time. */
export function decided({ impact: _impact, ...campaign }: CampaignPlan) {
  return { ...campaign, problems: lasting(campaign.problems) };
}

/** Without approvals: a plan is saved without flags. */
function lasting(problems: readonly Problem[]): Problem[] {
  const file = ({ accepted_by }: Problem) => accepted_by?.replace(/:\d+$/, '') ?? null;
  return problems.map((problem) => ({ ...problem, accepted_by: isByFlag(problem) ? null : file(problem) }));
}

export function isByFlag({ accepted_by }: Problem): boolean {
  return accepted_by?.startsWith('--') === true;
}

function sortKeys(_key: string, value: unknown): unknown {
  // JSON.stringify would write null for Infinity.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A place where two values differ, in short texts for messages. */
export interface Difference {
  path: string;
  from: string;
  to: string;
}

const LONGEST = 60;

/** Deepest first. */
export function differences(from: unknown, to: unknown): Difference[] {
  const isPlain = (value: unknown) => typeof value === 'object' && value !== null;
  const places = differingPlaces(from, to, {
    isSame: (a, b) => a === b,
    isApart: (a, b) => isPlain(a) && isPlain(b),
  });
  return places.map((place) => ({ path: place.path || 'it', from: short(place.from), to: short(place.to) }));
}

/** `equal`, and how to list a value's parts by key. */
interface Comparing<Value> {
  isSame(from: Value | undefined, to: Value | undefined): boolean;
  isApart(from: Value | undefined, to: Value | undefined): boolean;
}

/** Every differing place; undefined means absent. */
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
