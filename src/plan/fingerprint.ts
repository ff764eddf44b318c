import { createHash } from 'node:crypto';
import equal from 'fast-deep-equal';
import { canonicalValue } from '../model/canonical.js';
import { isObject, type Json } from '../model/json.js';
import { type CampaignPlan, isByFlag, type Plan, type PlanProblem } from '../model/outputs.js';
import type { CampaignSpec } from '../model/spec.js';
import type { Selection } from './input.js';

/** SHA-256 hash of the value as JSON with sorted keys. */
export function fingerprint(value: unknown): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(value, sortKeys)).digest('hex')}`;
}

/** Equal for specs with the same content. */
export function specFingerprint(spec: CampaignSpec): string {
  return fingerprint(canonicalSpec(spec));
}

export function isSameSpec(a: CampaignSpec, b: CampaignSpec): boolean {
  return equal(a, b) || equal(canonicalSpec(a), canonicalSpec(b));
}

function canonicalSpec(spec: CampaignSpec): Json {
  return canonicalValue(spec as unknown as Json);
}

/**
 * What an approval of the plan covers: not the time, the flags, or the state of the earlier environment, which apply checks
 * anew.
 */
export function covered(plan: Omit<Plan, 'fingerprint'>) {
  const { volume: _volume, require_applied: _required, ...lastingPlan } = plan;
  const problems = plan.problems.filter(
    ({ code, severity }) => !LOCAL.includes(code) && !isVolume(code, severity),
  );
  return {
    ...lastingPlan,
    problems: withoutFlags(problems),
    campaigns: plan.campaigns.map(coveredCampaign),
    removed: plan.removed.map(withoutLeads),
    replaced: plan.replaced.map(withoutLeads),
  };
}

/** Covers the plan, the live state and the selection. `live`: one fingerprint per campaign. */
export function planFingerprint(
  plan: Omit<Plan, 'fingerprint'>,
  live: readonly string[],
  selection: Selection,
): string {
  const { campaigns, ...rest } = covered(plan);
  // Campaigns are hashed one by one, because the text of thousands would be too long.
  return fingerprint({ plan: { ...rest, campaigns: campaigns.map(fingerprint) }, live, selection });
}

/** The machine that runs apply may keep its state in a different place, and have other files that are no manifests. */
const LOCAL: readonly string[] = ['unkept-state', 'near-match', 'no-match'];

/** Like the volume itself, the warning depends on campaigns that the plan does not touch. */
function isVolume(code: string, severity: string): boolean {
  return code === 'over-capacity' && severity === 'warning';
}

/** Found anew by apply, or from a checkout that may have another history. */
const UNDECIDED = ['not-promoted', 'undoes-apply'];

/** While a campaign is sending, the number of its leads may change. */
function withoutLeads<C extends { stopping_leads?: number }>({ stopping_leads: _leads, ...campaign }: C) {
  return campaign;
}

/** Omits the impact, which depends on the time, and what apply decides anew. */
export function coveredCampaign({ impact: _impact, ...withLeads }: CampaignPlan) {
  const campaign = withoutLeads(withLeads);
  const problems = campaign.problems.filter(({ code }) => !UNDECIDED.includes(code));
  return { ...campaign, problems: withoutFlags(problems) };
}

/** Omits line numbers and approvals by flag, because a saved plan contains no flags. */
function withoutFlags(problems: readonly PlanProblem[]): PlanProblem[] {
  const file = ({ accepted_by }: PlanProblem) => accepted_by?.replace(/:\d+$/, '') ?? null;
  return problems.map((problem) => ({ ...problem, accepted_by: isByFlag(problem) ? null : file(problem) }));
}

function sortKeys(_key: string, value: unknown): unknown {
  // JSON.stringify would write null for Infinity.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A place at which two values differ; undefined means absent. */
export interface Difference {
  path: string;
  from: Json | undefined;
  to: Json | undefined;
}

/** Finds the deepest places that differ. Lists are compared by position only if they contain objects. */
export function differingPlaces(
  from: Json | undefined,
  to: Json | undefined,
  isSame: (from: Json | undefined, to: Json | undefined) => boolean = equal,
  path = '',
): Difference[] {
  if (isSame(from, to)) return [];
  const areLists = isListOfObjects(from) && isListOfObjects(to);
  if (!areLists && !(isObject(from) && isObject(to))) return [{ path, from, to }];
  const [before, after]: { [name: string]: Json }[] = [Object(from), Object(to)];
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.flatMap((name) => {
    const below = areLists ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    return differingPlaces(before?.[name], after?.[name], isSame, below);
  });
}

function isListOfObjects(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every(isObject);
}
