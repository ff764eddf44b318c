import equal from 'fast-deep-equal';
import type { Environment } from '../model/environment.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import {
  type CampaignComparison,
  type CampaignPlan,
  type Change,
  type Comparison,
  type SectionName,
  VERDICTS,
  type Verdict,
} from '../model/outputs.js';
import type { Problem } from '../model/problem.js';
import { SETTINGS } from '../model/settings.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import { type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import { canonicalText } from '../sections/decode.js';
import { SECTIONS } from '../sections/index.js';

/** An environment and every campaign as it is resolved for it. */
export interface Side {
  environment: Environment;
  campaigns: readonly Campaign[];
}

/** How the manifests differ between two environments. They are paired by manifest: an overlay may change the name. */
export function compareEnvironments(from: Side, to: Side): Comparison {
  const others = new Map(to.campaigns.map((campaign) => [campaign.manifest, campaign]));
  const known = new Set(from.campaigns.map(({ manifest }) => manifest));
  const campaigns = [
    ...from.campaigns.map((campaign) => {
      const other = others.get(campaign.manifest);
      return other === undefined ? alone(campaign, 'only_from') : compared(campaign, other, { from, to });
    }),
    ...to.campaigns.filter(({ manifest }) => !known.has(manifest)).map((one) => alone(one, 'only_to')),
  ].sort((one, other) => VERDICTS.indexOf(one.verdict) - VERDICTS.indexOf(other.verdict));
  const numbers = VERDICTS.map((verdict) => [
    verdict,
    campaigns.filter((one) => one.verdict === verdict).length,
  ]);
  return {
    version: 1,
    from: from.environment.name,
    to: to.environment.name,
    summary: { campaigns: campaigns.length, ...Object.fromEntries(numbers) },
    campaigns,
  };
}

function alone({ manifest, spec }: Campaign, verdict: Verdict): CampaignComparison {
  return { manifest, name: spec.name, verdict, content: [], environment: [] };
}

function compared(
  { manifest, spec }: Campaign,
  { spec: other }: Campaign,
  { from, to }: { from: Side; to: Side },
): CampaignComparison {
  const [left, right] = [partsOf(spec, from.environment), partsOf(other, to.environment)];
  const template = templateChange([spec, from.environment], [other, to.environment]);
  const changes = [
    ...changesBelow('campaign', '', left.campaign, right.campaign),
    ...changesBelow('settings', '', left.settings, right.settings),
    ...(template === null ? [] : [template]),
    ...changesBelow('schedule', '', left.schedule, right.schedule),
    ...changesBelow('sequence', '', left.sequence, right.sequence),
    ...leadChanges([spec, from.environment], [other, to.environment]),
    ...changesBelow('status', '', left.status, right.status),
  ].map((change) => ({
    ...change,
    note: change.note ?? unmanaged(change, [spec, from.environment], [other, to.environment]),
  }));
  const content = changes.filter((change) => !isOfEnvironment(change));
  const environment = changes.filter(isOfEnvironment);
  const verdict = content.length > 0 ? 'content' : environment.length > 0 ? 'environment' : 'same';
  return { manifest, name: spec.name, verdict, content, environment };
}

const CAPS = SETTINGS.filter(({ perEnvironment }) => perEnvironment).map(({ name }) => name);

/** What differs because environments differ: which campaign, how much, to whom, whether it runs, the id of a template. */
function isOfEnvironment({ section, path, from, to }: Change): boolean {
  if (section === 'leads' || section === 'status') return true;
  if (section === 'campaign') return path === 'id';
  if (section === 'settings') return CAPS.some((name) => name === path);
  // Two names are two templates; ids of two workspaces say nothing.
  return section === 'schedule' && path === 'template' && typeof from === 'number' && typeof to === 'number';
}

/** A spec and the environment that it is resolved for. */
type Resolved = readonly [spec: CampaignSpec, environment: Environment];

function unmanaged({ section }: Change, ...sides: readonly [Resolved, Resolved]): string | null {
  if (section === 'campaign') return null;
  const bare = sides.find(([spec]) => spec[section] === undefined);
  return bare === undefined ? null : `${section} not managed in ${bare[1].name}`;
}

/** The sections of a spec but its leads, in canonical form: sections as objects, empty where not managed. */
interface Parts {
  campaign: JsonObject;
  settings: JsonObject;
  schedule: JsonObject;
  sequence: JsonObject;
  status: Json | undefined;
}

/** Normalizes with the sections, as planning does. */
function partsOf(spec: CampaignSpec, environment: Environment): Parts {
  const viewOf = (name: SectionName): Json => {
    const context = { environment, templates: null, spec, id: null, listed: null, answers: null };
    const section = SECTIONS.find((one) => one.name === name);
    return (section?.toView({ ...context, recorded: UNKNOWN_STATE }).desired ?? null) as Json;
  };
  const section = (name: SectionName): JsonObject => {
    const value = viewOf(name);
    return isObject(value) ? value : {};
  };
  const { window = null, save_as_template } = section('schedule');
  const hours = isObject(window) ? { ...window, save_as_template: save_as_template ?? false } : {};
  return {
    campaign: { name: spec.name, ...(spec.id === undefined ? {} : { id: spec.id }) },
    settings: section('settings'),
    schedule: hours,
    sequence: section('sequence'),
    status: spec.status,
  };
}

/** Templates are the same where both have the same name; else their names are told, or, where one has none, their ids. */
function templateChange(left: Resolved, right: Resolved): Change | null {
  const [from, to] = [templateOf(left), templateOf(right)];
  if (from === null && to === null) return null;
  const change = { section: 'schedule', path: 'template', note: null } as const;
  if (from === null || to === null) {
    const kind = from === null ? 'add' : 'remove';
    return { ...change, kind, from: from?.written ?? null, to: to?.written ?? null };
  }
  const bothNamed = typeof from.written === 'string' && typeof to.written === 'string';
  if (bothNamed && from.written !== to.written)
    return { ...change, kind: 'update', from: from.written, to: to.written };
  if (from.id === to.id) return null;
  const note = bothNamed ? `${from.written} in both` : null;
  return { ...change, kind: 'update', from: from.id, to: to.id, note };
}

function templateOf([{ schedule }, { schedule_templates }]: Resolved) {
  if (schedule === undefined || !('template' in schedule)) return null;
  const written = schedule.template;
  return { written, id: typeof written === 'number' ? written : (schedule_templates[written] ?? null) };
}

/** Lists of the same name are the same list, with another id; lists and leads that only one side has come and go. */
function leadChanges(left: Resolved, right: Resolved): Change[] {
  const [from, to] = [listsOf(left), listsOf(right)];
  const [before, after] = [left[0].leads?.ids ?? [], right[0].leads?.ids ?? []];
  const renumbered = [...from].flatMap(([written, id]): Change[] => {
    const other = to.get(written);
    if (other === undefined || other === id) return [];
    return [{ ...change(`lists.${written}`, 'update'), from: id, to: other }];
  });
  return [
    ...renumbered,
    ...comeAndGo('lists', [...from.keys()], [...to.keys()]),
    ...comeAndGo('ids', before, after),
  ];
}

/** Lists as they are written, with their ids. */
function listsOf([{ leads }, { lead_lists }]: Resolved): Map<number | string, number | null> {
  const written = leads?.lists ?? [];
  return new Map(written.map((list) => [list, typeof list === 'number' ? list : (lead_lists[list] ?? null)]));
}

function comeAndGo(path: string, from: readonly Json[], to: readonly Json[]): Change[] {
  const [before, after] = [new Set(from), new Set(to)];
  const [gone, come] = [
    [...before].filter((one) => !after.has(one)),
    [...after].filter((one) => !before.has(one)),
  ];
  return [
    ...(gone.length > 0 ? [{ ...change(path, 'remove'), from: gone }] : []),
    ...(come.length > 0 ? [{ ...change(path, 'add'), to: come }] : []),
  ];
}

function change(path: string, kind: Change['kind']): Change {
  return { section: 'leads', path, kind, from: null, to: null, note: null };
}

/** Every place where two canonical values of a section differ; undefined is "not there". Steps pair up by their place. */
function changesBelow(
  section: SectionName,
  path: string,
  from: Json | undefined,
  to: Json | undefined,
): Change[] {
  if (isSame(from, to)) return [];
  if (isObject(from) && isObject(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) =>
      changesBelow(section, path === '' ? name : `${path}.${name}`, from[name], to[name]),
    );
  }
  if (isListOfObjects(from) && isListOfObjects(to)) {
    const length = Math.max(from.length, to.length);
    return Array.from({ length }, (_, at) =>
      changesBelow(section, `${path}[${at}]`, from[at], to[at]),
    ).flat();
  }
  const kind = from === undefined ? 'add' : to === undefined ? 'remove' : 'update';
  return [{ section, path, kind, from: from ?? null, to: to ?? null, note: null }];
}

function isSame(from: Json | undefined, to: Json | undefined): boolean {
  if (typeof from === 'string' && typeof to === 'string') return canonicalText(from) === canonicalText(to);
  return equal(from, to);
}

function isListOfObjects(value: Json | undefined): value is JsonObject[] {
  return Array.isArray(value) && value.every(isObject);
}

/**
 * The environment that campaigns come from. `campaigns`: every manifest resolved for it, without those that have errors
 * there; `entries`: what was applied to it.
 */
export interface Stage extends Side {
  entries: readonly StateEntry[];
}

/**
 * The campaigns that differ from their manifests, and were not applied to the stage before with the same content: the
 * manifest has to be there as it is now, and what it says here has to be the same but for what environments are there for
 * (caps, ids, lists, templates, status) and the names of campaign and sequence, which no recipient sees.
 */
export function unapplied(
  planned: readonly { plan: CampaignPlan; campaign: Campaign }[],
  environment: Environment,
  stage: Stage,
): Problem[] {
  const there = new Map(stage.campaigns.map((campaign) => [campaign.manifest, campaign]));
  return planned
    .filter(({ plan }) => plan.action !== 'none')
    .flatMap(({ plan, campaign }) => {
      const staged = there.get(plan.manifest);
      const reason = reasonAgainst(campaign, staged, { environment, stage });
      return reason === null ? [] : [refusal(plan, reason, [stage.environment, environment])];
    });
}

function reasonAgainst(
  campaign: Campaign,
  staged: Campaign | undefined,
  { environment, stage }: { environment: Environment; stage: Stage },
): string | null {
  const { name } = stage.environment;
  if (staged === undefined) return `its manifest has errors for ${name}`;
  const { spec } = staged;
  const own = stage.entries.filter((record) =>
    spec.id === undefined ? record.name === spec.name : record.id === spec.id,
  );
  if (own.length === 0) return `it was never applied to ${name} from here`;
  const applied = own.some(
    ({ recorded: { last } }) => last !== null && equal(content(last.spec), content(spec)),
  );
  if (!applied) return `${campaign.manifest} is not as it was applied to ${name}`;
  const sides = { from: stage, to: { environment, campaigns: [campaign] } };
  const places = compared(staged, campaign, sides)
    .content.filter(
      ({ section, path }) => section !== 'campaign' && !(section === 'sequence' && path === 'title'),
    )
    .map(({ section, path }) => (path === '' ? section : `${section}.${path}`));
  return places.length === 0
    ? null
    : `for ${environment.name} the manifest says something else than for ${name}: ${listed(places)}`;
}

const MOST = 4;

function listed(places: readonly string[]): string {
  const more = places.length > MOST ? `, and ${places.length - MOST} more` : '';
  return `${places.slice(0, MOST).join(', ')}${more}`;
}

/** Whether a campaign sends is no content: the stage before is seldom meant to launch. */
function content({ status: _, ...rest }: CampaignSpec): CampaignSpec {
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
    hint: `Apply it there first: campaignctl apply --env ${from.name}. What differs between the two: campaignctl compare ${from.name} ${to.name}.`,
  };
}
