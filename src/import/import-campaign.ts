import { posix } from 'node:path';
import equal from 'fast-deep-equal';
import { LIMITS, type SourceFinding } from '../manifest/index.js';
import type { Answers, ListedCampaign } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import type { RecordedState } from '../model/state.js';
import { type CampaignContext, replan } from '../plan/index.js';
import { RULES } from '../rules/index.js';
import { SECTIONS } from '../sections/index.js';
import type { ManifestName } from './names.js';
import { type ManifestReading, readManifest, type Texts, withTexts } from './reading.js';
import { MANIFEST_KEYS, type ManifestPart, type ManifestTarget, writeManifest } from './write.js';
import type { TextStyle } from './yaml-text.js';

/** A live campaign as it was read, and what is remembered of it. */
export interface LiveCampaign {
  listed: ListedCampaign;
  answers: Answers;
  recorded: RecordedState;
}

/** One live campaign, what it is called, where its manifest goes, and the project that it goes into. */
export interface ImportInput extends ManifestReading {
  live: LiveCampaign;
  named: ManifestName;
  target: ManifestTarget;
  environment: Environment;
}

/**
 * A manifest that says what is live: its files by path, the manifest first, and the campaign that is read from them.
 * `remarks`: what it does not say, and why.
 */
export interface ImportedManifest {
  manifest: string;
  files: Texts;
  spec: CampaignSpec;
  remarks: string[];
}

/** What is to be written: the parts in order, those of this environment alone, and in which style. */
interface Draft {
  parts: ManifestPart[];
  overlay: JsonObject;
  style: TextStyle;
}

/**
 * What came of reading a draft again: the campaign, what is wrong by key ('' for the whole), and the rules of the linter
 * and the policies that would stop it.
 */
interface DraftCheck {
  campaign: Campaign | null;
  faults: Map<string, string>;
  lint: string[];
  waive: string[];
}

/** More passes than there are sections, styles and reasons to write again. */
const MOST_PASSES = 20;
const LINT_CODES = new Set<string>(RULES.map(({ code }) => code));
const SECTION_NAMES = SECTIONS.map(({ name }) => name);

/**
 * Writes, reads again, plans: what is not read back as it is, or would not plan empty, is written in another style, and
 * left out where that does not help. Null where not even the name can be said.
 */
export function importCampaign(input: ImportInput): ImportedManifest | null {
  const { live, named, target, environment } = input;
  const { id } = live.listed;
  const spec: CampaignSpec = { name: named.here ?? named.name, ...(named.pinned ? { id } : {}) };
  const context: CampaignContext = { ...live, environment, templates: null, spec, id };
  let draft: Draft | null = firstDraft(context, input);
  for (let pass = 0; draft !== null && pass < MOST_PASSES; pass += 1) {
    const files = writeManifest({ ...draft, environment: environment.name }, target, draft.style);
    const [manifest = ''] = files.keys();
    const checked = check(manifest, files, { draft, context, input });
    const { campaign, faults, lint, waive } = checked;
    if (campaign !== null && faults.size + lint.length + waive.length === 0) {
      const told = draft.parts.filter(({ key }) => key !== 'name');
      const remarks = told.flatMap((part) => part.remarks.map((remark) => `${part.key}: ${remark}`));
      return { manifest, files, spec: campaign.spec, remarks };
    }
    draft = corrected(draft, checked);
  }
  return null;
}

function firstDraft(context: CampaignContext, { named, live, environments }: ImportInput): Draft {
  const overlay: JsonObject = {
    ...(named.pinned ? { id: live.listed.id } : {}),
    ...(named.here === null ? {} : { name: named.here }),
  };
  const parts: ManifestPart[] = [{ key: 'name', value: named.name, remarks: named.remarks }];
  for (const { name: key, toManifest } of SECTIONS) {
    if (key === 'campaign') continue;
    const { section: value, remarks } = toManifest(context);
    const isOwn = key === 'leads' && value !== null && !isPortable(value, environments);
    if (isOwn) overlay.leads = value;
    parts.push({ key, value: isOwn ? null : value, remarks });
  }
  return { parts: inOrder(parts), overlay, style: 'natural' };
}

/** Ids are those of one workspace: where there are others, only lists that all of them name may be said for all. */
function isPortable(leads: Json, environments: readonly Environment[]): boolean {
  if (environments.length === 1 || !isObject(leads)) return true;
  const lists = Array.isArray(leads.lists) ? leads.lists : [];
  const isKnown = (name: Json) =>
    environments.every(({ lead_lists }) => Object.hasOwn(lead_lists, String(name)));
  return leads.ids === undefined && lists.every((list) => typeof list === 'string' && isKnown(list));
}

function inOrder(parts: readonly ManifestPart[]): ManifestPart[] {
  return [...parts].sort((a, b) => MANIFEST_KEYS.indexOf(a.key) - MANIFEST_KEYS.indexOf(b.key));
}

/** Reads the very texts that are to be written, compares them with what they were to say, and plans them. */
function check(
  manifest: string,
  files: Texts,
  { draft, context, input }: { draft: Draft; context: CampaignContext; input: ImportInput },
): DraftCheck {
  // One that nobody may waive is for the plan to tell.
  const policies = input.policies.filter(({ waivable }) => waivable);
  const reading = { ...input, policies, readFile: withTexts(files) };
  const { campaigns, findings } = readManifest(manifest, context.environment, reading);
  const errors = findings.filter(({ severity }) => severity === 'error');
  const codes = new Set(errors.map(({ code }) => code));
  const lint = [...codes].filter((code) => LINT_CODES.has(code));
  const breached = policies.filter(({ code }) => codes.has(code));
  const harmless = new Set([...lint, ...breached.map(({ code }) => code)]);
  const [campaign = null] = campaigns;
  const isTooLarge = Buffer.byteLength(files.get(manifest) ?? '') > LIMITS.manifest;
  const found: [key: string, fault: string][] = [
    ...(isTooLarge ? [['sequence', 'it is larger than a manifest may be'] as [string, string]] : []),
    ...errors
      .filter(({ code }) => !harmless.has(code))
      .map((error): [string, string] => [keyAt(error, manifest), error.message]),
    ...(campaign === null ? [] : differences(campaign.spec, draft, context)),
  ];
  if (campaign === null && found.length === 0) found.push(['', 'it cannot be read back']);
  // The first word about a section is the reason, what follows comes of it.
  return { campaign, faults: new Map(found.reverse()), lint, waive: breached.map(({ name }) => name) };
}

/** A file that the manifest names belongs to its section; '' where it is not known which one is meant. */
function keyAt({ place }: SourceFinding, manifest: string): string {
  if (place.file !== manifest)
    return place.file.startsWith(posix.join(posix.dirname(manifest), 'leads/')) ? 'leads' : 'sequence';
  if (!('path' in place)) return '';
  return String((place.path[0] === 'environments' ? place.path[2] : place.path[0]) ?? '');
}

/** What was read is not what was to be written, or not what is live. */
function differences(
  spec: CampaignSpec,
  { parts, overlay }: Draft,
  context: CampaignContext,
): [string, string][] {
  const misread = parts.filter(({ key, value }) => {
    if (key === 'lint' || key === 'waive') return false;
    const wanted = overlay[key] ?? value;
    return wanted !== null && !equal(spec[key], wanted);
  });
  return [
    ...misread.map(({ key }): [string, string] => [key, 'it would not be read back as it is']),
    ...replan({ ...context, spec }, SECTION_NAMES).changes.map(({ section, path }): [string, string] => [
      section,
      `planning it would change ${path || section}`,
    ]),
  ];
}

/** The next thing to try; null where nothing is left. */
function corrected({ parts, overlay, style }: Draft, { faults, lint, waive }: DraftCheck): Draft | null {
  if (faults.size === 0) return { parts: weakened(parts, lint, waive), overlay, style };
  if (style === 'natural') return { parts, overlay, style: 'quoted' };
  const present = parts.filter(
    ({ key, value }) => key !== 'name' && (value !== null || overlay[key] !== undefined),
  );
  const known = present.filter(({ key }) => faults.has(key));
  // Of the whole it is not known what is wrong: the texts are the likeliest.
  const wrong = known.length > 0 ? known : present.filter(({ key }) => key === 'sequence');
  if (wrong.length === 0) return null;
  const [first = ''] = faults.values();
  const left = parts
    .filter(({ key }) => key !== 'lint' && key !== 'waive')
    .map((part) => {
      const why = `left out, since ${faults.get(part.key) ?? first}`;
      return wrong.includes(part) ? { ...part, value: null, remarks: [...part.remarks, why] } : part;
    });
  const kept = Object.entries(overlay).filter(([key]) => !wrong.some((part) => part.key === key));
  // What was in the way of the natural style may be gone now.
  return { parts: left, overlay: Object.fromEntries(kept), style: 'natural' };
}

/**
 * What the service already sends is told as a warning: with an error, nothing could be planned any more. What breaks a policy
 * already is waived, for everybody to see.
 */
function weakened(
  parts: readonly ManifestPart[],
  codes: readonly string[],
  policies: readonly string[],
): ManifestPart[] {
  const warnings = 'live as it is: campaignctl validate shows where; take this out once it is corrected';
  const waivers = 'live as it is: take each of these out once the campaign is as the policy says';
  return inOrder([
    ...parts.filter(({ key }) => key !== 'lint' && key !== 'waive'),
    ...withMore(parts, { key: 'lint', names: codes, value: 'warning', remark: warnings }),
    ...withMore(parts, {
      key: 'waive',
      names: policies,
      value: 'It was so when it was imported.',
      remark: waivers,
    }),
  ]);
}

function withMore(
  parts: readonly ManifestPart[],
  more: { key: 'lint' | 'waive'; names: readonly string[]; value: string; remark: string },
): ManifestPart[] {
  const { key, names, value, remark } = more;
  const before = parts.find((part) => part.key === key)?.value ?? null;
  const own = Object.fromEntries(names.map((name) => [name, value]));
  const all = { ...(isObject(before) ? before : {}), ...own };
  return Object.keys(all).length === 0 ? [] : [{ key, value: all, remarks: [remark] }];
}
