import type { Environment } from '../model/environment.js';
import { isObject, type Json, type JsonObject, mergeObjects, valueAt, without } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import { type Campaign, type CampaignSpec, IDENTITY, type WrittenIdentity } from '../model/spec.js';
import { listed } from '../model/words.js';
import { type ManifestDocument, sectionOf } from './documents.js';
import type { SourceFinding } from './errors.js';
import { didYouMean, nearest, quoted } from './errors.js';
import { fillBodies, fillIds, type ReadFile } from './files.js';
import { validateManifest } from './validate.js';
import { findingOf, type Violation } from './wording.js';

export type RuleSwitch = 'off' | 'warning' | 'error';

/** `at`: place of a resolved value. `waive`: waived policies with reasons. `lint`: rule severities. */
export interface WrittenCampaign extends Omit<Campaign, 'remarks'> {
  waive: Readonly<Record<string, string>>;
  lint: Readonly<Record<string, RuleSwitch>>;
  /** All sections that policies check are valid. */
  isWhole: boolean;
  at(path: Path, options?: { text?: string; target?: 'key' | 'value' }): Place;
}

/** `subject`: the valid sections, for the linter; `null` without a name. `sound`: no errors. */
export interface ResolvedManifest {
  campaign: WrittenCampaign | null;
  sound: boolean;
  findings: SourceFinding[];
}

/** Applies the overlay, validates again, looks up names and reads files. Reports every problem at once. */
export function resolve(
  source: ManifestDocument,
  environment: Environment,
  readFile: ReadFile,
): ResolvedManifest {
  const { value, broken, provenance } = source;
  if (!isObject(value)) return { campaign: null, sound: false, findings: [] };
  const overlaid = valueAt(value, ['environments', environment.name]) ?? null;
  const overlay = isObject(overlaid) ? overlaid : null;
  const whole = source.pieces
    .filter(({ path }) => path.length > 1 && path[1] === environment.name)
    .map(({ path }) => String(path.at(-1)));
  const base = ['environments', 'lint', ...whole].reduce(without, value);
  const merged = applyOverlay(base, overlay ?? {});
  const written = pathsIn(environment.name, overlay, whole);
  const at = writtenAt(provenance.at, written);
  const sequence = fillBodies(merged.sequence, at, {
    readFile,
    valuesAt: (path) => source.valuesAt(written(path)),
  });
  const leads = fillIds(merged.leads, at, readFile);
  const violations = broken.length === 0 && overlay !== null ? validateManifest(merged) : [];
  const names = unknownNames(merged, environment);
  const wrong = new Set([
    ...broken,
    ...[...violations, ...names].map(({ path }) => sectionOf(path)),
    ...(sequence.findings.length > 0 ? ['sequence'] : []),
    ...(leads.findings.length > 0 ? ['leads'] : []),
  ]);
  const { waive, ...sections } = merged;
  const filled = { ...sections, sequence: sequence.value, leads: leads.value };
  const subject: WrittenCampaign = {
    manifest: source.manifest,
    file: source.file,
    document: source.document,
    lint: switchesOf(value, wrong),
    spec: specOf(filled, wrong),
    ...identityOf(source, environment.name),
    waive: waiversOf(waive),
    isWhole: [...wrong].every((section) => section === 'waive'),
    at: placesOf(at, [sequence.origin, leads.origin]),
  };
  return {
    campaign: typeof merged.name !== 'string' || wrong.has('name') || wrong.has('') ? null : subject,
    sound: wrong.size === 0,
    findings: provenance.attribute([
      ...violations.map((violation) => provenance.report({ ...violation, path: written(violation.path) })),
      ...names.map((violation) => findingOf(at(violation.path), violation)),
      ...sequence.findings,
      ...leads.findings,
    ]),
  };
}

/** This function and the next two are separate so that their closures retain only these values. */
function pathsIn(environment: string, overlay: JsonObject | null, whole: readonly string[]) {
  return (path: Path): Path => {
    const isOverlaid = whole.includes(String(path[0])) || (overlay !== null && isFromOverlay(overlay, path));
    return isOverlaid && path.length > 0 ? ['environments', environment, ...path] : path;
  };
}

function writtenAt(at: (path: Path) => Place, written: (path: Path) => Path) {
  return (path: Path): Place => at(written(path));
}

function placesOf(
  at: (path: Path) => Place,
  origins: readonly ((path: Path) => Place | null)[],
): WrittenCampaign['at'] {
  return (path, { target = 'value', text = null } = {}) => {
    const origin = origins.reduce<Place | null>((place, originOf) => place ?? originOf(path), null);
    return { ...at(path), ...origin, target, text };
  };
}

/** Undefined if the document holds all of it. */
function identityOf(
  { written, value, values }: ManifestDocument,
  environment: string,
): { identity?: WrittenIdentity } {
  const keysOf = (from: Json | undefined) =>
    Object.fromEntries(
      IDENTITY.flatMap((key) => {
        const value = isObject(from) ? from[key] : undefined;
        return typeof value === 'string' || typeof value === 'number' ? [[key, value]] : [];
      }),
    );
  const base = keysOf(written);
  const overlay = keysOf(valueAt(written, ['environments', environment]));
  const isPlain = Object.entries(base).every(([key, written]) => valueAt(value, [key]) === written);
  if (values === null && isPlain && Object.keys(overlay).length === 0) return {};
  return { identity: { base, overlay, for_each: values !== null } };
}

/** The validator has checked these. */
function waiversOf(waive: Json | undefined): Record<string, string> {
  const entries = isObject(waive) ? Object.entries(waive) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** The validator has checked these, except for sections in `invalid`. */
function switchesOf({ lint }: JsonObject, invalid: ReadonlySet<string>): WrittenCampaign['lint'] {
  return isObject(lint) && !invalid.has('lint') ? (lint as Record<string, RuleSwitch>) : {};
}

function specOf(filled: { [key: string]: Json | undefined }, invalid: ReadonlySet<string>): CampaignSpec {
  const sections = Object.entries(filled).filter(
    ([key, section]) => section !== undefined && !invalid.has(key),
  );
  return Object.fromEntries(sections) as unknown as CampaignSpec;
}

/** Merges objects and replaces everything else. A schedule of the other form replaces the section. */
export function applyOverlay(base: JsonObject, overlay: JsonObject): JsonObject {
  const kept = isOtherSchedule(base.schedule, overlay.schedule) ? without(base, 'schedule') : base;
  return mergeObjects(kept, overlay);
}

function isFromOverlay(overlay: JsonObject, path: Path): boolean {
  const end = path.findIndex((_, at) => !isObject(valueAt(overlay, path.slice(0, at + 1))));
  return end < 0 || valueAt(overlay, path.slice(0, end + 1)) !== undefined;
}

function isOtherSchedule(base: Json | undefined, overlay: Json | undefined): boolean {
  if (!isObject(base) || !isObject(overlay) || Object.keys(overlay).length === 0) return false;
  return Object.hasOwn(base, 'template') !== Object.hasOwn(overlay, 'template');
}

function unknownNames(document: JsonObject, environment: Environment): Violation[] {
  const lists = valueAt(document, ['leads', 'lists']);
  const template = valueAt(document, ['schedule', 'template']);
  const named: [kind: keyof typeof NAMED, name: Json | undefined, path: Path][] = [
    ...(Array.isArray(lists) ? lists : []).map((name, index): (typeof named)[number] => [
      'lead_lists',
      name,
      ['leads', 'lists', index],
    ]),
    ['schedule_templates', template, ['schedule', 'template']],
  ];
  return named.flatMap(([kind, name, path]): Violation[] => {
    const known = Object.keys(environment[kind]);
    if (typeof name !== 'string' || name === '' || known.includes(name)) return [];
    const { code, what } = NAMED[kind];
    const message = `The environment ${environment.name} has no ${what} named ${quoted(name)}.`;
    const given = known.length > 0 ? ` It has: ${listed(known)}.` : '';
    const advice = `Give it an id under ${kind} of the environment ${environment.name} in the project file.${given}`;
    const isId = /^[0-9]+$/.test(name);
    const hint =
      didYouMean(nearest(name, known)) ?? (isId ? `For an id remove the quotes: ${name}.` : advice);
    return [{ code, message, hint, path, target: 'value' }];
  });
}

const NAMED = {
  lead_lists: { code: 'unknown-lead-list', what: 'lead list' },
  schedule_templates: { code: 'unknown-schedule-template', what: 'schedule template' },
} as const;
