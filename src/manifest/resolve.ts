import type { Environment } from '../model/environment.js';
import { isObject, type Json, type JsonObject, mergeObjects, valueAt, without } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import { listed } from '../model/words.js';
import { asYaml } from './as-yaml.js';
import { attribute, findSection, type ManifestDocument, placeIn, report, templateAt } from './documents.js';
import { didYouMean, quoted, type SourceFinding, toPlace } from './errors.js';
import type { ValuesAt } from './expressions.js';
import { fillBodies, fillIds, type ReadFile } from './files.js';
import { type Legible, legibleTexts } from './legible.js';
import { nearest } from './nearest.js';
import { type PlacedCut, valuesAt } from './pieces.js';
import { validateManifest } from './validate.js';
import type { Violation } from './violation.js';
import { toFinding } from './wording.js';

export type RuleSwitch = 'off' | 'warning' | 'error';

/** `at`: finds where a resolved value is written. `waive`: reasons by waived policy. `lint`: severities by rule. */
export interface WrittenCampaign extends Omit<Campaign, 'remarks'> {
  waive: Readonly<Record<string, string>>;
  lint: Readonly<Record<string, RuleSwitch>>;
  /** Texts that YAML ends at " #". */
  cuts: readonly PlacedCut[];
  /** Sections that are left out of the spec because they have errors. */
  invalid: ReadonlySet<string>;
  /** The values that `${{ … }}` can insert at a path. */
  valuesAt: ValuesAt;
  /** A text as it is written, with its expressions; `null` if it has none. */
  templateAt(path: Path): string | null;
  at(path: Path, options?: { text?: string; target?: 'key' | 'value' }): Place;
}

/**
 * `campaign`: its valid sections, for the linter; `null` if the name is missing. `texts`: what can be read of the sections with
 * texts; `null` if they are valid. `isValid`: true if there are no errors.
 */
interface ResolvedManifest {
  campaign: WrittenCampaign | null;
  texts: WrittenCampaign | null;
  isValid: boolean;
  findings: SourceFinding[];
}

/** Reports every problem in one pass. */
export function resolve(
  source: ManifestDocument,
  environment: Environment,
  readFile: ReadFile,
): ResolvedManifest {
  const { value } = source;
  if (!isObject(value)) return { campaign: null, texts: null, isValid: false, findings: [] };
  const overlay = valueAt(value, ['environments', environment.name]);
  const pieces = source.pieces.filter(({ path }) => path.length > 1 && path[1] === environment.name);
  // A shared piece in an overlay replaces the whole section.
  const replaced = pieces.map(({ path }) => String(path.at(-1)));
  const base = ['environments', 'lint', ...replaced].reduce(without, value);
  const merged = applyOverlay(base, isObject(overlay) ? overlay : {});
  const written = (path: Path): Path => {
    const isOverlaid =
      replaced.includes(String(path[0])) || (isObject(overlay) && isFromOverlay(overlay, path));
    return isOverlaid && path.length > 0 ? ['environments', environment.name, ...path] : path;
  };
  const at = (path: Path) => placeIn(source, written(path));
  const valuesOf: ValuesAt = (path) => valuesAt(source, written(path));
  const sequence = fillBodies(merged.sequence, at, { readFile, valuesAt: valuesOf });
  const leads = fillIds(merged.leads, at, readFile);
  const violations = source.invalid.length === 0 && isObject(overlay) ? validateManifest(merged) : [];
  const ofReferences = [...unknownNames(merged, environment), ...repeatedLists(merged, environment)];
  const invalid = new Set([
    ...source.invalid,
    ...[...violations, ...ofReferences].map(({ path }) => findSection(path)),
    ...(sequence.findings.length > 0 ? ['sequence'] : []),
    ...(leads.findings.length > 0 ? ['leads'] : []),
  ]);
  const isSure = ({ path }: Violation) =>
    written(path) !== path || !hasFlawedOverlay(source, environment, path);
  const { waive, ...sections } = merged;
  const filled = { ...sections, sequence: sequence.value, leads: leads.value };
  const campaign: WrittenCampaign = {
    manifest: source.manifest,
    file: source.file,
    document: source.document,
    lint: isObject(value.lint) && !invalid.has('lint') ? (value.lint as WrittenCampaign['lint']) : {},
    spec: buildSpec(filled, invalid),
    cuts: source.cuts.filter((cut) => cut.environment === null || cut.environment === environment.name),
    waive: parseWaivers(waive),
    invalid,
    valuesAt: valuesOf,
    templateAt: (path) => sequence.templates.get(path.join('/')) ?? templateAt(source, written(path)),
    at(path, { target = 'value', text = null } = {}) {
      const file = sequence.files.get(path.join('/'));
      return { ...at(path), ...(file === undefined ? {} : toPlace(file, 0, [])), target, text };
    },
  };
  const isNamed = typeof merged.name === 'string' && !invalid.has('name') && !invalid.has('');
  const isLegible = isNamed && !invalid.has('sequence') && !invalid.has('settings');
  const ownFlaws = violations.map((violation) => ({ ...violation, path: written(violation.path) }));
  return {
    texts: isLegible
      ? null
      : withLegibleTexts(
          campaign,
          isNamed ? String(merged.name) : '',
          legibleTexts(filled, { flaws: [...source.flaws, ...ownFlaws], written }),
        ),
    campaign: isNamed ? campaign : null,
    isValid: invalid.size === 0,
    findings: attribute(source, [
      ...ownFlaws.map((violation) => report(source, violation)),
      ...ofReferences.filter(isSure).map((violation) => placed(violation, at)),
      ...sequence.findings,
      ...leads.findings,
    ]),
  };
}

function placed({ earlier, ...violation }: Violation, at: (path: Path) => Place): SourceFinding {
  const finding = toFinding(at(violation.path), violation);
  return earlier === undefined ? finding : { ...finding, earlier: at(earlier) };
}

function withLegibleTexts(
  campaign: WrittenCampaign,
  name: string,
  { copy, moved }: Legible,
): WrittenCampaign {
  return {
    ...campaign,
    spec: { ...copy, name },
    templateAt: (path) => campaign.templateAt(moved.get(path.join('/')) ?? path),
    at: (path, options) => campaign.at(moved.get(path.join('/')) ?? path, options),
  };
}

function parseWaivers(waive: Json | undefined): Record<string, string> {
  const entries = isObject(waive) ? Object.entries(waive) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function buildSpec(filled: { [key: string]: Json | undefined }, invalid: ReadonlySet<string>): CampaignSpec {
  const sections = Object.entries(filled).filter(
    ([key, section]) => section !== undefined && !invalid.has(key),
  );
  return Object.fromEntries(sections) as unknown as CampaignSpec;
}

/**
 * Merges objects and replaces everything else. A schedule of the other form (hours or template) replaces the whole section.
 */
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
  const paths: [kind: keyof typeof NAMED, path: Path][] = [
    ...(Array.isArray(lists) ? lists : []).map((entry, index): (typeof paths)[number] => {
      return ['lead_lists', ['leads', 'lists', index, ...(isObject(entry) ? ['list'] : [])]];
    }),
    ['schedule_templates', ['schedule', 'template']],
  ];
  return paths.flatMap(([kind, path]): Violation[] => {
    const name = valueAt(document, path);
    const known = Object.keys(environment[kind]);
    if (typeof name !== 'string' || name === '' || known.includes(name)) return [];
    const { code, noun } = NAMED[kind];
    const message = `Environment ${environment.name} has no ${noun} named ${quoted(name)}.`;
    const all = known.length > 0 ? ` It has: ${listed(known)}.` : '';
    const advice = `Write its id in the project file, under environments.${environment.name}: \`${kind}: { ${asYaml(name)}: … }\`.${all}`;
    const isId = /^[0-9]+$/.test(name);
    const hint =
      didYouMean(nearest(name, known)) ?? (isId ? `If it is an id, remove the quotes: ${name}.` : advice);
    return [{ code, message, hint, path, target: 'value' }];
  });
}

/**
 * A request attaches a list once, for one value of `refill`. Several names may stand for one list, such as that of an environment
 * for tests.
 */
function repeatedLists(document: JsonObject, { lead_lists }: Environment): Violation[] {
  const lists = valueAt(document, ['leads', 'lists']);
  const entries = (Array.isArray(lists) ? lists : []).flatMap((entry, index): ListEntry[] => {
    const { list, refill = null } = isObject(entry) ? entry : { list: entry };
    if (typeof list !== 'number' && typeof list !== 'string') return [];
    const isValue = Number.isSafeInteger(refill) || (typeof refill === 'string' && /\S/.test(refill));
    // The wrong value is an error of its own.
    if (isObject(entry) && !isValue) return [];
    const id =
      typeof list === 'string' && Object.hasOwn(lead_lists, list) ? (lead_lists[list] ?? list) : list;
    return [{ list, id, refill: isValue ? String(refill).trim() : null, index }];
  });
  return entries.flatMap((entry, at): Violation[] => {
    const before = entries.slice(0, at).find((other) => other.id === entry.id && contradict(other, entry));
    if (before === undefined) return [];
    const spellings =
      before.list === entry.list ? '' : `, as ${asYaml(before.list)} and as ${asYaml(entry.list)}`;
    const values =
      before.refill === null || entry.refill === null || before.refill === entry.refill
        ? ''
        : `, with the refill values ${quoted(before.refill)} and ${quoted(entry.refill)}`;
    const message = `leads.lists contains the same list twice{lines}${spellings}${values}.`;
    const pathOf = ({ index }: ListEntry) => ['leads', 'lists', index];
    return [
      {
        ...{ code: 'wrong-value', message, hint: 'Keep only one.', target: 'value' },
        ...{ path: pathOf(entry), earlier: pathOf(before) },
      },
    ];
  });
}

/** `list`: as written. `refill`: `null` for none. */
interface ListEntry {
  list: number | string;
  id: number | string;
  refill: string | null;
  index: number;
}

function contradict(a: ListEntry, b: ListEntry): boolean {
  const areNames = typeof a.list === 'string' && typeof b.list === 'string';
  const haveValues = a.refill !== null && b.refill !== null;
  return !areNames || a.list === b.list || (haveValues && a.refill !== b.refill);
}

/** True if an overlay with errors may replace what the manifest says at a path. */
function hasFlawedOverlay({ value, flaws }: ManifestDocument, { name }: Environment, path: Path): boolean {
  const overlays = valueAt(value, ['environments']);
  const isOther = !isObject(overlays) || !Object.hasOwn(overlays, name);
  return flaws.some(({ code, provides, path: [first, other, section] }) => {
    if (first !== 'environments') return other === undefined && provides?.includes('environments');
    if (other === undefined) return true;
    if (other !== name) return isOther && code === 'unknown-environment';
    return section === undefined || [section, ...(provides ?? [])].includes(String(path[0]));
  });
}

const NAMED = {
  lead_lists: { code: 'unknown-lead-list', noun: 'lead list' },
  schedule_templates: { code: 'unknown-schedule-template', noun: 'schedule template' },
} as const;
