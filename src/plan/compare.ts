import { isSameValue } from '../model/canonical.js';
import type { Environment } from '../model/environment.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import { listOf, refillOf } from '../model/leads.js';
import type { LeadList } from '../model/manifest.generated.js';
import type { Change, SectionName } from '../model/outputs.js';
import type { CampaignComparison, Comparison } from '../model/reports.js';
import { SECTION_NAMES } from '../model/sections.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import { SECTIONS } from '../sections/index.js';
import { specTarget } from '../sections/target.js';
import { differingPlaces } from './fingerprint.js';

export interface Side {
  environment: Environment;
  campaigns: readonly Campaign[];
}

/** Pairs campaigns by manifest file, because an overlay may change the name. */
export function compareEnvironments(from: Side, to: Side): Comparison {
  const others = new Map(to.campaigns.map((campaign) => [campaign.manifest, campaign]));
  const manifests = new Set(from.campaigns.map(({ manifest }) => manifest));
  const campaigns = [
    ...from.campaigns.map(({ manifest, spec }): CampaignComparison => {
      const other = others.get(manifest);
      if (other === undefined) return { manifest, name: spec.name, status: 'only_from', changes: [] };
      const changes = specChanges(
        { spec, environment: from.environment },
        { spec: other.spec, environment: to.environment },
      );
      return { manifest, name: spec.name, status: changes.length === 0 ? 'same' : 'differs', changes };
    }),
    ...to.campaigns
      .filter(({ manifest }) => !manifests.has(manifest))
      .map(({ manifest, spec }): CampaignComparison => {
        return { manifest, name: spec.name, status: 'only_to', changes: [] };
      }),
  ].sort((a, b) => (a.status < b.status ? -1 : a.status > b.status ? 1 : 0));
  const [before, after] = [from.environment.name, to.environment.name];
  return { version: 1, from: before, to: after, summary: countStatuses(campaigns), campaigns };
}

function countStatuses(campaigns: readonly CampaignComparison[]): Comparison['summary'] {
  const summary = { differs: 0, only_from: 0, only_to: 0, same: 0 };
  for (const { status } of campaigns) summary[status] += 1;
  return summary;
}

interface ResolvedSpec {
  spec: CampaignSpec;
  environment: Environment;
}

export function specChanges(from: ResolvedSpec, to: ResolvedSpec): Change[] {
  return SECTION_NAMES.flatMap((section) => {
    const [before, after] = [canonicalSection(section, from), canonicalSection(section, to)];
    const places = differingPlaces(before, after, isSameValue);
    return places.map(({ path, from, to }): Change => {
      const kind = from === undefined ? 'add' : to === undefined ? 'remove' : 'update';
      return { section, path, kind, from: from ?? null, to: to ?? null, note: null };
    });
  });
}

/** Uses the names of lists and templates, because ids differ between workspaces. */
function canonicalSection(section: SectionName, { spec, environment }: ResolvedSpec): Json | undefined {
  if (section === 'status') return spec.status;
  if (section === 'campaign') return pick({ name: spec.name, id: spec.id, replaces: spec.replaces });
  if (section === 'leads')
    return pick({ lists: sorted(spec.leads?.lists?.map(written)), ids: sorted(spec.leads?.ids) });
  if (section === 'schedule' && spec.schedule !== undefined && 'template' in spec.schedule)
    return { template: spec.schedule.template };
  const views = SECTIONS.find(({ name }) => name === section)?.toView(specTarget(spec, environment));
  const desired = views?.desired as Json | undefined;
  if (!isObject(desired)) return {};
  if (section !== 'schedule') return desired;
  const { window, save_as_template = false } = desired;
  return isObject(window) ? { ...window, save_as_template } : {};
}

/** "installers-fr (refill 2026-11-27)" */
function written(entry: LeadList): number | string {
  const refill = refillOf(entry);
  return refill === null ? listOf(entry) : `${listOf(entry)} (refill ${refill})`;
}

function pick(values: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}

function sorted(values: readonly (number | string)[] = []): Json | undefined {
  if (values.length === 0) return undefined;
  return [...new Set(values)].sort((a, b) => (String(a) < String(b) ? -1 : 1));
}
