import type { Environment } from '../model/environment.js';
import type { CampaignPlan, Change, PlanProblem } from '../model/outputs.js';
import { SETTINGS, type SettingDefinition } from '../model/sections.js';
import type { Campaign } from '../model/spec.js';
import type { StateEntry } from '../model/state.js';
import { label } from '../model/words.js';
import type { BuiltPlan } from './build.js';
import { type Side, specChanges } from './compare.js';
import { problem } from './messages.js';
import { declaredOf, isDeclared, type Planned } from './planned.js';

export interface EarlierEnvironment extends Side {
  entries: readonly StateEntry[];
}

interface Environments {
  environment: Environment;
  earlier: EarlierEnvironment;
}

/** True if apply would send more than a pause. */
export function needsPromotion({ steps }: CampaignPlan): boolean {
  return steps.some(({ id }) => id !== 'pause');
}

/** Adds a refusal to each campaign that has not been applied to the earlier environment with the same content. */
export function withPromotion<Built extends BuiltPlan>(
  built: Built,
  { environment, earlier }: Environments,
): Built {
  const there = new Map(earlier.campaigns.map((campaign) => [campaign.manifest, campaign]));
  const works = built.works.map((work): Planned => {
    const { plan, target } = work;
    if (!isDeclared(target) || !needsPromotion(plan)) return work;
    const refusal = promotionRefusal(target.campaign, there.get(plan.manifest), { environment, earlier });
    return refusal === null ? work : { ...work, plan: { ...plan, problems: [refusal, ...plan.problems] } };
  });
  const campaigns = declaredOf(works).map(({ plan }) => plan);
  const require_applied = earlier.environment.name;
  return { ...built, works, plan: { ...built.plan, require_applied, campaigns } };
}

const CAPS: readonly string[] = SETTINGS.filter(
  ({ perEnvironment }: SettingDefinition) => perEnvironment,
).map(({ name }) => name);

/** Names, titles, ids, caps, leads, statuses and template ids may differ between environments. */
function isContent({ section, path, kind, from, to }: Change): boolean {
  if (section === 'campaign' || section === 'leads' || section === 'status') return false;
  if (section === 'settings') return !CAPS.includes(path);
  if (section === 'sequence') return path !== 'title';
  // Template ids of two workspaces cannot be compared.
  return path !== 'template' || kind !== 'update' || (typeof from === 'string' && typeof to === 'string');
}

/**
 * Omits the status, because campaigns are seldom launched in the earlier environment, and `replaces`, which may be removed
 * once the old campaign was replaced.
 */
function isApplied({ section, path }: Change): boolean {
  return section !== 'status' && !(section === 'campaign' && path === 'replaces');
}

/** `before`: the manifest's campaign in the earlier environment. Returns `null` if it was applied there. */
export function promotionRefusal(
  { spec }: Campaign,
  before: Campaign | undefined,
  { environment, earlier }: Environments,
): PlanProblem | null {
  const from = earlier.environment;
  if (before === undefined) return problem('not-promoted/absent', from.name);
  const known = earlier.entries.filter(({ id, name }) =>
    before.spec.id === undefined ? name === before.spec.name : id === before.spec.id,
  );
  const desired = { spec: before.spec, environment: from };
  const unapplied = known.flatMap(({ recorded: { last } }) =>
    last === null ? [] : [specChanges({ spec: last.spec, environment: from }, desired).filter(isApplied)],
  );
  const [changes] = unapplied;
  if (changes === undefined) return problem('not-promoted', from.name, known.length > 0);
  if (unapplied.every(({ length }) => length > 0))
    return problem('not-promoted/changed', from.name, changes.map(place));
  const different = specChanges(desired, { spec, environment }).filter(isContent);
  if (different.length === 0) return null;
  return problem('not-promoted/different', [from.name, environment.name], different.map(place));
}

/** "settings.max_emails_per_day" or "sequence step 2: email_body" */
function place({ section, path }: Change): string {
  if (label(path) !== path) return `${section} ${label(path)}`;
  return section === 'campaign' ? path : `${section}.${path}`;
}
