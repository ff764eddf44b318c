import equal from 'fast-deep-equal';
import type { Environment } from '../model/environment.js';
import { countEach, isObject, type Json, type JsonObject } from '../model/json.js';
import {
  type CampaignComparison,
  type CampaignPlan,
  type Change,
  type Comparison,
  differs,
  type Problem,
  type SectionName,
  VERDICTS,
  type Verdict,
} from '../model/outputs.js';
import { SECTION_NAMES, SETTINGS, type SettingDefinition } from '../model/sections.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import { type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import { listed } from '../model/words.js';
import { isSameValue } from '../sections/decode.js';
import { SECTIONS } from '../sections/index.js';
import { differingPlaces } from './fingerprint.js';

/** An environment and every campaign as it is resolved for it. */
export interface Side {
  environment: Environment;
  campaigns: readonly Campaign[];
}

/** How the manifests differ between two environments. They are paired by manifest: an overlay may change the name. */
export function compareEnvironments(from: Side, to: Side): Comparison {
  const others = new Map(to.campaigns.map((campaign) => [campaign.manifest, campaign]));
  const known = new Set(from.campaigns.map(({ manifest }) => manifest));
  const environments = [from.environment, to.environment] as const;
  const campaigns = [
    ...from.campaigns.map((campaign) => {
      const other = others.get(campaign.manifest);
      return other === undefined ? alone(campaign, 'only_from') : compared(campaign, other, environments);
    }),
    ...to.campaigns.filter(({ manifest }) => !known.has(manifest)).map((one) => alone(one, 'only_to')),
  ].sort((one, other) => VERDICTS.indexOf(one.verdict) - VERDICTS.indexOf(other.verdict));
  const verdicts = campaigns.map(({ verdict }) => verdict);
  return {
    version: 1,
    from: from.environment.name,
    to: to.environment.name,
    summary: { campaigns: campaigns.length, ...countEach(VERDICTS, verdicts) },
    campaigns,
  };
}

function alone({ manifest, spec }: Campaign, verdict: Verdict): CampaignComparison {
  return { manifest, name: spec.name, verdict, content: [], environment: [] };
}

function compared(
  { manifest, spec }: Campaign,
  other: Campaign,
  [from, to]: readonly [Environment, Environment],
): CampaignComparison {
  const left = { spec, environment: from };
  const right = { spec: other.spec, environment: to };
  const changes = SECTION_NAMES.flatMap((section) => [
    ...(section === 'schedule' ? templateChanges(left, right) : []),
    ...(section === 'leads' ? leadChanges(left, right) : changesIn(section, left, right)),
  ]).map((change) => ({ ...change, note: change.note ?? unmanaged(change, [left, right]) }));
  const content = changes.filter((change) => !isOfEnvironment(change));
  const environment = changes.filter(isOfEnvironment);
  const verdict = content.length > 0 ? 'content' : environment.length > 0 ? 'environment' : 'same';
  return { manifest, name: spec.name, verdict, content, environment };
}

const CAPS = SETTINGS.filter(({ perEnvironment }: SettingDefinition) => perEnvironment).map(
  ({ name }) => name,
);

/** What differs because environments differ: which campaign, how much, to whom, whether it runs, the id of a template. */
function isOfEnvironment({ section, path, from, to }: Change): boolean {
  if (section === 'leads' || section === 'status') return true;
  if (section === 'campaign') return path === 'id' || path === 'replaces';
  if (section === 'settings') return CAPS.some((name) => name === path);
  // Two names are two templates; ids of two workspaces say nothing.
  return section === 'schedule' && path === 'template' && typeof from === 'number' && typeof to === 'number';
}

/** A spec and the environment that it is resolved for. */
interface ResolvedSpec {
  spec: CampaignSpec;
  environment: Environment;
}
type SpecPair = readonly [left: ResolvedSpec, right: ResolvedSpec];

function unmanaged({ section }: Change, sides: SpecPair): string | null {
  if (section === 'campaign') return null;
  const bare = sides.find(({ spec }) => spec[section] === undefined);
  return bare === undefined ? null : `${section} not managed in ${bare.environment.name}`;
}

/** A section in canonical form, normalized as planning does; an empty object if it is not managed. Leads are compared apart. */
function canonicalOf(name: SectionName, { spec, environment }: ResolvedSpec): Json | undefined {
  if (name === 'campaign') {
    const { id, replaces } = spec;
    return {
      name: spec.name,
      ...(id === undefined ? {} : { id }),
      ...(replaces === undefined ? {} : { replaces }),
    };
  }
  if (name === 'status') return spec.status;
  const nothing = { id: null, listed: null, answers: null, templates: null, recorded: UNKNOWN_STATE };
  const section = SECTIONS.find((one) => one.name === name);
  const { desired } = section?.toView({ ...nothing, environment, spec }) ?? {};
  const value = isObject(desired as Json) ? (desired as JsonObject) : {};
  if (name !== 'schedule') return value;
  const { window, save_as_template = false } = value;
  return isObject(window) ? { ...window, save_as_template } : {};
}

/** Templates are the same if both have the same name; else their names are shown or, if one has none, their ids. */
function templateChanges(...[left, right]: SpecPair): Change[] {
  const [from, to] = [templateOf(left), templateOf(right)];
  const template = (one?: Json, other?: Json, note: string | null = null) => [
    { ...change('schedule', 'template', one, other), note },
  ];
  if (from === null && to === null) return [];
  if (from === null || to === null) return template(from?.written, to?.written);
  const bothNamed = typeof from.written === 'string' && typeof to.written === 'string';
  if (bothNamed && from.written !== to.written) return template(from.written, to.written);
  return from.id === to.id ? [] : template(from.id, to.id, bothNamed ? `${from.written} in both` : null);
}

function templateOf({ spec: { schedule }, environment }: ResolvedSpec) {
  if (schedule === undefined || !('template' in schedule)) return null;
  const written = schedule.template;
  return { written, id: idOf(written, environment.schedule_templates) };
}

/** Lists of the same name are the same list with another id; lists and leads that only one side has are removed or added. */
function leadChanges(...[left, right]: SpecPair): Change[] {
  const [from, to] = [left.spec.leads ?? {}, right.spec.leads ?? {}];
  const [lists, others] = [new Set(from.lists), new Set(to.lists)];
  const renumbered = [...lists].flatMap((written) => {
    const id = idOf(written, left.environment.lead_lists);
    const other = idOf(written, right.environment.lead_lists);
    return others.has(written) && id !== other ? [change('leads', `lists.${written}`, id, other)] : [];
  });
  return [
    ...renumbered,
    ...addedAndRemoved('lists', lists, others),
    ...addedAndRemoved('ids', new Set(from.ids), new Set(to.ids)),
  ];
}

function idOf(written: number | string, names: Readonly<Record<string, number>>): number | null {
  return typeof written === 'number' ? written : (names[written] ?? null);
}

function addedAndRemoved(path: string, from: ReadonlySet<Json>, to: ReadonlySet<Json>): Change[] {
  const removed = [...from].filter((one) => !to.has(one));
  const added = [...to].filter((one) => !from.has(one));
  return [
    ...(removed.length > 0 ? [change('leads', path, removed, undefined)] : []),
    ...(added.length > 0 ? [change('leads', path, undefined, added)] : []),
  ];
}

/** `undefined` is "not there". */
function change(section: SectionName, path: string, from: Json | undefined, to: Json | undefined): Change {
  const kind = from === undefined ? 'add' : to === undefined ? 'remove' : 'update';
  return { section, path, kind, from: from ?? null, to: to ?? null, note: null };
}

/** Every place where two canonical values of a section differ. Steps pair up by their position; other lists are one value. */
function changesIn(section: SectionName, left: ResolvedSpec, right: ResolvedSpec): Change[] {
  const how = {
    isSame: isSameValue,
    isApart: (one?: Json, other?: Json) =>
      (isObject(one) && isObject(other)) || (isListOfObjects(one) && isListOfObjects(other)),
  };
  const places = differingPlaces(canonicalOf(section, left), canonicalOf(section, right), how);
  return places.map(({ path, from, to }) => change(section, path, from, to));
}

function isListOfObjects(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every(isObject);
}

/**
 * The environment that campaigns come from. `campaigns`: every manifest resolved for it, without those that have errors
 * there; `entries`: what was applied to it.
 */
export interface EarlierEnvironment extends Side {
  entries: readonly StateEntry[];
}

/**
 * The campaigns that differ from their manifests and were not applied to the environment before with the same content: the manifest
 * must have been applied there as it is now, and must say the same here but for what environments are for (caps, ids, lists,
 * templates, status) and the names of campaign and sequence, which no recipient sees.
 */
export function unapplied(
  planned: readonly { plan: CampaignPlan; campaign: Campaign }[],
  environment: Environment,
  earlier: EarlierEnvironment,
): Problem[] {
  const there = new Map(earlier.campaigns.map((campaign) => [campaign.manifest, campaign]));
  return planned
    .filter(({ plan }) => differs(plan))
    .flatMap(({ plan, campaign }) => {
      const before = there.get(plan.manifest);
      const reason = reasonAgainst(campaign, before, { environment, earlier });
      return reason === null ? [] : [refusal(plan, reason, [earlier.environment, environment])];
    });
}

function reasonAgainst(
  campaign: Campaign,
  before: Campaign | undefined,
  { environment, earlier }: { environment: Environment; earlier: EarlierEnvironment },
): string | null {
  const { name } = earlier.environment;
  if (before === undefined) return `its manifest has errors for ${name}`;
  const { spec } = before;
  const own = earlier.entries.filter((entry) =>
    spec.id === undefined ? entry.name === spec.name : entry.id === spec.id,
  );
  if (own.length === 0) return `it was never applied to ${name} from here`;
  const applied = own.some(
    ({ recorded: { last } }) => last !== null && equal(content(last.spec), content(spec)),
  );
  if (!applied) return `${campaign.manifest} is not as it was applied to ${name}`;
  const places = compared(before, campaign, [earlier.environment, environment])
    .content.filter(
      ({ section, path }) => section !== 'campaign' && `${section}.${path}` !== 'sequence.title',
    )
    .map(({ section, path }) => (path === '' ? section : `${section}.${path}`));
  if (places.length === 0) return null;
  return `for ${environment.name} the manifest says something else than for ${name}: ${listed(places, 4)}`;
}

/** Whether a campaign sends is no content: the environment before is seldom meant to launch; nor which one it replaces there. */
function content({ status: _status, replaces: _replaces, ...rest }: CampaignSpec): CampaignSpec {
  return rest;
}

function refusal(
  { name, manifest }: CampaignPlan,
  reason: string,
  [from, to]: readonly [Environment, Environment],
): Problem {
  return {
    code: 'not-promoted',
    severity: 'error',
    message: `"${name}" (${manifest}) has not been applied to ${from.name} with the same content: ${reason}.`,
    hint: `Apply it there first: campaignctl apply --env ${from.name}. To see what differs: campaignctl compare ${from.name} ${to.name}.`,
  };
}
